package fig11

import (
	_ "embed" // for known.csv
	"fmt"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/congestion"
	"pintlab/plots/report"
)

// one returns the first row of a table, workload and arm.
func one(rows []Row, table, workload, scheme string) (Row, bool) {
	r := figure.Find(rows,
		func(r *Row) bool { return r.Table == table && r.Workload == workload && r.Scheme == scheme })
	if r == nil {
		return Row{}, false
	}
	return *r, true
}

// mean returns the average change over buckets of flow sizes. The buckets are of the same seeds, so their errors may go
// together: the interval takes them as fully correlated, which makes it the average of their intervals.
func mean(change []Row) (value, lo, hi float64) {
	n := float64(len(change))
	for _, r := range change {
		value, lo, hi = value+r.Value/n, lo+r.Lo/n, hi+r.Hi/n
	}
	if n == 0 {
		value, lo, hi = math.NaN(), math.NaN(), math.NaN()
	}
	return value, lo, hi
}

// short returns the changes of the shorter half of the flows; long, of the longest tenth.
func short(rows []Row) []Row {
	return figure.Pick(rows, func(r *Row) bool { return r.Table == changes && r.Share <= 50 })
}

func long(rows []Row) []Row {
	return figure.Pick(rows, func(r *Row) bool { return r.Table == changes && r.Share > 90 })
}

func check(rows []Row) []figure.Finding {
	h := congestion.Hadoop.Name
	a, okA := one(rows, paths, h, armCombined)
	c, okC := one(rows, paths, h, armTopology)
	return []figure.Finding{
		figure.Judge("the decoder that knows the network takes fewer packets from the same digests", okA && okC &&
			c.Hi < a.Lo, okA && okC && c.Lo > a.Hi,
			"%.2f against %.2f packets on average", c.Value, a.Value).Own(),
		samePlan(rows),
	}
}

func samePlan(rows []Row) figure.Finding {
	p := figure.Pick(rows, func(r *Row) bool { return r.Table == plans })
	same, detail := len(p) == 6, ""
	for i := range len(p) / 2 {
		o := p[i+len(p)/2]
		same = same && p[i].Measure == o.Measure && p[i].Value == o.Value
		detail += fmt.Sprintf("%s %.4g and %.4g; ", p[i].Measure, p[i].Value, o.Value)
	}
	return figure.Judge("the engine finds the PINT paper's plan for the same requests", same, !same,
		"%sas printed and as found", detail)
}

// pathsMore is the published increase of the packets until a path is known, in percent.
const pathsMore = 0.5

var onePoint = figure.Tolerance{Absolute: 1, Why: "1 point: what a change of a percent or less may differ by"}

// find is one, or a row without numbers.
func find(rows []Row, table, workload, scheme string) Row {
	if r, ok := one(rows, table, workload, scheme); ok {
		return r
	}
	return blank(table, workload, scheme, "")
}

// latency returns the row of a measure of the error of median latencies, or one without numbers.
func latency(rows []Row, scheme, measure string) Row {
	if r := figure.Find(rows, func(r *Row) bool {
		return r.Table == latencies && r.Workload == congestion.Hadoop.Name && r.Scheme == scheme &&
			r.Measure == measure && r.Quantile == 0.5
	}); r != nil {
		return *r
	}
	return blank(latencies, congestion.Hadoop.Name, scheme, measure)
}

// smallMedians is why the error of median latencies grows more than printed.
const smallMedians = "The PINT paper says neither which latencies it counts nor whether it means points or a share " +
	"of the error alone. Half of our medians are below 100 ns, because most packets find an empty queue: " +
	"a sample that is off by some nanoseconds is off by a multiple there, and these flows lead the mean. " +
	"Where what is below 100 ns counts as 100 ns, errors are an eighth of that, and the combined plan adds within a " +
	"point of the printed number, in points."

func compared(rows []Row) []report.Compared {
	var list []report.Compared
	add := func(what, reading, note, over string, published, ours, lo, hi float64) {
		list = append(list, figure.Beside(report.Compared{
			Quantity: what, Reading: reading, Unit: "%", Published: published, Ours: 100 * ours, Lo: 100 * lo,
			Hi:   100 * hi,
			Over: over, Source: "PINT §6.4, Fig. 11", Note: note,
		}, onePoint))
	}
	h := congestion.Hadoop.Name
	for _, x := range []struct {
		what      string
		published float64
		change    []Row
	}{{"short flows (the shorter half)", 6.6, short(rows)}, {"long flows (the longest tenth)", 0, long(rows)}} {
		v, lo, hi := mean(x.change)
		add("p95 slowdown of "+x.what+", relative to HPCC alone", "", shortRuns, "errors of the sizes taken "+
			"as fully correlated", x.published, v-1, lo-1, hi-1)
	}
	const printed = 0.7
	for _, x := range errorsOf {
		floor := ""
		if x.measure == ofWaits {
			floor = "latencies below 100 ns count as 100 ns"
		}
		d, alone := latency(rows, difference, x.measure), latency(rows, armLatency, x.measure)
		over := figure.Count(d.Flows, "flow")
		add("relative error of median latencies, more than alone, in points", floor, smallMedians, over, printed,
			d.Value, d.Lo, d.Hi)
		share := "as a share of the error alone"
		if floor != "" {
			share += ", " + floor
		}
		add("relative error of median latencies, more than alone", share, smallMedians, over, printed,
			d.Value/alone.Value, d.Lo/alone.Hi, d.Hi/alone.Lo)
	}
	a, b := find(rows, paths, h, armCombined), find(rows, paths, h, armPath)
	add("packets until the path is known, relative to the path alone", "", fewerBits.String(), "", pathsMore,
		a.Value/b.Value-1, a.Lo/b.Hi-1, a.Hi/b.Lo-1)
	return list
}
