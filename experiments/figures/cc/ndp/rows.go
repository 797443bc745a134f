package ndp

import (
	"context"
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/campaign"
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// Figure is the comparison.
var Figure = figure.Of[Scale, Row]{
	Name:   "cc/ndp",
	Title:  "NDP beside DCTCP, DCQCN and HPCC",
	Source: "NDP (SIGCOMM 2017) §6, Fig. 14 to 16",
	Claim: "A transport in which receivers ask and switches trim fills a fat tree where one path for each flow leaves half of it idle, " +
		"ends an incast as soon as the receiver's link allows, and keeps queues so short that a short flow hardly notices the load.",
	Scales:  scales,
	Measure: measure,
	Check:   check,
	Tables:  tables,
	Draw:    draw,
	Why: []string{
		"Paper: 432 hosts and MPTCP beside these. DCTCP and DCQCN have the queues and thresholds in packets of its §6; HPCC is ours to add.",
		"NDP's share of the links in a permutation is above the published one with 128 hosts; why has not been looked into, and the paper's 432 hosts have not been run.",
		"DCTCP, DCQCN and HPCC keep a flow on one path, so that a permutation shows how flows collide, not how they are controlled.",
	},
}.Figure()

// Scale is what is run at a scale.
type Scale struct {
	seeds   int
	k       int        // of the fat tree
	long    unit.Bytes // flows of the permutation
	shorts  int        // short flows in a run; each takes apart of the load, which is 2·long
	senders []int      // of the incasts
}

// String says what is run.
func (z Scale) String() string {
	return fmt.Sprintf("%d hosts, %s", hosts(z.k), figure.Count(z.seeds, "seed"))
}

var scales = map[figure.Scale]Scale{
	figure.Smoke:  {1, 4, unit.MB, 2, []int{4, 15}},
	figure.Laptop: {10, 8, 10 * unit.MB, 15, []int{4, 8, 16, 32, 64, 127}},
	figure.Paper:  {10, 12, 50 * unit.MB, 75, []int{4, 8, 16, 32, 64, 128, 256, 431}},
}

// Row is a line of rows.csv.
type Row struct {
	Table  string  `col:"table"`
	Scheme string  `col:"scheme"`
	X      float64 `col:"x"` // "permutation", "short": share of the hosts or flows up to there, %; "incast": senders; else NaN
	Value  float64 `col:"value"`
	Unit   string  `col:"unit"`
	Lo     float64 `col:"lo"` // 95 % interval over the seeds; NaN for one seed and in curves
	Hi     float64 `col:"hi"`
	Seeds  int     `col:"seeds"`
}

// The tables: curves over hosts and flows of all seeds together, and means over the seeds.
const (
	goodputs = "permutation" // goodput of a host, b/s, from the slowest on
	shorts   = "short"       // completion time of a short flow, s, from the fastest on
	incasts  = "incast"      // time until the last flow has ended, over what the link needs
	mean     = "mean goodput"
	slowest  = "slowest host"
	median   = "median of short flows"
	longest  = "longest short flow"
)

// points is how many points a curve has.
const points = 20

func measure(ctx context.Context, j *figure.Job, z Scale) ([]Row, error) {
	benches := []bench{z.permutation(), z.short()}
	for _, n := range z.senders {
		benches = append(benches, z.incast(n))
	}
	seeds := j.SeedList(z.seeds)
	var specs []campaign.Spec
	for _, s := range schemes {
		for _, b := range benches {
			for _, seed := range seeds {
				specs = append(specs, b.spec(s, seed))
			}
		}
	}
	settings(j)
	j.Footnote("fat tree of %d hosts at 10 Gb/s, %s; permutation: %v from each host; short flows: %v between two hosts that do nothing else, every %v; incast: %v from each sender; bars: 95 %% intervals over the seeds",
		hosts(z.k), figure.Count(len(seeds), "seed"), z.long, shortSize, apart, incastOf)
	runs, err := j.Simulate(ctx, specs)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, s := range schemes {
		of := map[string]*stats.PerSeed{}
		add := func(table string, value float64, flows int) {
			if of[table] == nil {
				of[table] = &stats.PerSeed{}
			}
			of[table].Add(value, flows)
		}
		row := func(table string, x float64, unit string, p *stats.PerSeed) error {
			m, err := p.Mean()
			if err != nil {
				return fmt.Errorf("%s, %s: %w", s.name, table, err)
			}
			rows = append(rows, Row{table, s.name, x, m.Value, unit, m.Lo, m.Hi, m.Seeds})
			return nil
		}
		var all [2][]float64
		for b, take := range []func(*store.FlowRecord) (float64, bool){goodput, shortFCT} {
			for range seeds {
				values, err := read(runs[0], take)
				if err != nil {
					return nil, err
				}
				runs = runs[1:]
				all[b] = append(all[b], values...)
				if b == 0 {
					sum := 0.0
					for _, v := range values {
						sum += v
					}
					add(mean, sum/float64(len(values)), len(values))
					add(slowest, values[0], len(values))
				} else {
					add(median, stats.Percentile(values, 0.5), len(values))
					add(longest, values[len(values)-1], len(values))
				}
			}
			slices.Sort(all[b])
		}
		rows = append(rows, curve(goodputs, s, plots.InBitsPerSecond, all[0])...)
		rows = append(rows, curve(shorts, s, plots.InSeconds, all[1])...)
		for _, q := range []struct{ table, unit string }{{mean, plots.InBitsPerSecond}, {slowest, plots.InBitsPerSecond}, {median, plots.InSeconds}, {longest, plots.InSeconds}} {
			if err := row(q.table, math.NaN(), q.unit, of[q.table]); err != nil {
				return nil, err
			}
		}
		for _, n := range z.senders {
			var p stats.PerSeed
			for range seeds {
				ends, err := read(runs[0], incastEnd)
				if err != nil {
					return nil, err
				}
				runs = runs[1:]
				p.Add(ends[len(ends)-1]/(8*float64(n)*float64(incastOf))*linkRate, n)
			}
			if err := row(incasts, float64(n), "", &p); err != nil {
				return nil, err
			}
		}
	}
	return columns.Rounded(rows), nil
}

// linkRate is that of all links, b/s.
const linkRate = 10e9

// goodput of a flow of the permutation, b/s.
func goodput(f *store.FlowRecord) (float64, bool) {
	return float64(f.Size) * 8 / f.FCT.Seconds(), true
}

// shortFCT is the completion time of a short flow, s.
func shortFCT(f *store.FlowRecord) (float64, bool) { return f.FCT.Seconds(), f.Src == 0 }

// incastEnd is when a flow of an incast has ended, s.
func incastEnd(f *store.FlowRecord) (float64, bool) { return (f.Start + f.FCT).Seconds(), true }

// read reads a number of the flows of a run, sorted. All must have finished.
func read(run *campaign.Run, take func(*store.FlowRecord) (float64, bool)) ([]float64, error) {
	flows, err := run.Counted()
	if err != nil {
		return nil, err
	}
	var list []float64
	for f := range flows.All() {
		if f.Outcome != store.Finished {
			return nil, fmt.Errorf("%s: flow %d has not finished", run.Dir, f.ID)
		}
		if v, ok := take(f); ok {
			list = append(list, v)
		}
	}
	slices.Sort(list)
	return list, nil
}

// curve are values, sorted, at equal steps of their share.
func curve(table string, s scheme, unit string, values []float64) []Row {
	var rows []Row
	for i := range points {
		share := float64(i+1) / points
		rows = append(rows, Row{table, s.name, 100 * share, stats.Percentile(values, share), unit, math.NaN(), math.NaN(), 1})
	}
	return rows
}
