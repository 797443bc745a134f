package longshort

import (
	"fmt"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/hpcc/bench"
	"pintlab/experiments/measure/comparison"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// Figure is the benchmark.
var Figure = bench.Spec{
	Name:   "hpcc/long-short",
	Title:  "A short flow beside a long one: who gets the link back",
	Source: "HPCC (SIGCOMM 2019) §5.2, Fig. 9a and 9b",
	Claim: "With HPCC the long flow has its rate back at once when the short one has gone, and the queue stays short; " +
		"with DCQCN that takes milliseconds. A byte of PINT serves as well as INT.",
	Footnote:   "3 hosts around a switch, 25 Gb/s, 1 us per link; the long flow starts at 0, one of 1 MB at 1 ms",
	Benchmarks: []bench.Benchmark{benchmark},
	Check:      check,
	Tables:     tables,
	Why: []string{
		"The paper's is a testbed with DCQCN in the NICs; DCQCN, TIMELY and DCTCP have the rules and presets of the published simulator here.",
		"With a window of one bandwidth-delay product two flows at one port never reach the marking threshold or a delay that counts: DCQCN+win, TIMELY+win and DCTCP share the link and give it back without reacting at all, under a standing queue of one such product.",
		"INT and PINT differ in goodput by the bytes on each packet; HPCC leaves 5 % of the link free (η).",
	},
}.Figure()

const (
	name  = "1 MB beside a long flow"
	joins = unit.Millisecond // when the short flow starts
	end   = 4 * unit.Millisecond
	// What the long flow has is measured from settled on until the short one joins.
	settled = unit.Millisecond / 2
	// It has its rate back when this share of it is acknowledged in all intervals of the given length.
	share  = 0.9
	within = 20 * unit.Microsecond
)

// The quantities.
const (
	recovery = "time until the long flow has its rate back"
	shortFCT = "completion time of the short flow"
	longest  = "longest queue"
	goodput  = "goodput of the long flow"
)

var long, short = bench.From("long flow", 0), bench.From("short flow", 1)

var benchmark = bench.Benchmark{
	Case: name,
	Set: []string{
		"name=hpcc-long-short", "topology={kind: star, hosts: 3, host_rate: 25Gbps}",
		"workload=[{kind: list, flows: [{src: 0, dst: 2, size: 1GB}, {src: 1, dst: 2, size: 1MB, start: 1ms}]}]",
	},
	Port: "3-2", End: end, Period: 5 * unit.Microsecond, Looks: 16,
	Groups: []bench.Group{long, short},
	Measure: []comparison.Quantity{
		bench.Number(recovery, plots.InSeconds, recovers),
		bench.Number(shortFCT, plots.InSeconds, func(t *bench.Trial) float64 { return (t.Over(short) - joins).Seconds() }),
		bench.Number(longest, plots.InBytes, func(t *bench.Trial) float64 { return t.Queue(joins, end, 1) }),
		bench.Number(goodput, plots.InBitsPerSecond, func(t *bench.Trial) float64 { return t.Goodput(long, joins, end) }),
	},
}

// recovers is the time from the end of the short flow until the long one has its rate back for good; the
// rest of the run if it never has.
func recovers(t *bench.Trial) float64 {
	over := t.Over(short)
	rate, back := share*t.Goodput(long, settled, joins), over
	for at := over; at+within <= end; at += within {
		if t.Goodput(long, at, at+within) < rate {
			back = at + within
		}
	}
	return (back - over).Seconds()
}

func check(rows []comparison.Row) []figure.Finding {
	of := bench.Of(rows, name)
	return []figure.Finding{
		figure.Below("HPCC's long flow has its rate back in a tenth of the time of DCQCN's", of(bench.HPCC, recovery), of(bench.DCQCN, recovery), 0.1),
		figure.Below("over PINT it has its rate back as soon", of(bench.PINT, recovery), of(bench.DCQCN, recovery), 0.1),
		figure.Below("HPCC's longest queue is at most half of DCQCN's", of(bench.HPCC, longest), of(bench.DCQCN, longest), 0.5),
		figure.Below("the short flow ends sooner with HPCC than with DCQCN", of(bench.HPCC, shortFCT), of(bench.DCQCN, shortFCT), 1),
	}
}

func tables(rows []comparison.Row) []figure.Table {
	return []figure.Table{bench.Lines(rows, name, fmt.Sprintf("The long flow has %.0f %% of its rate back after the end of the short one; completion time of the short flow; queue and goodput from its start to the end of the run, at %v.", 100*share, end),
		figure.Value("rate back after", "us", recovery), figure.Value("short flow", "us", shortFCT), figure.Value("longest queue", "KB", longest),
		figure.Value("long flow", "Gb/s", goodput))}
}
