package cc

import (
	"context"
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/experiments/study"
	"pintlab/netsim/unit"
)

// NDP is NDP beside DCTCP, DCQCN and HPCC on a fat tree at 10 Gb/s, as in its evaluation
// (Handley et al., SIGCOMM 2017, §6): a permutation (Fig. 14), short flows between hosts that do
// nothing else while all others do (Fig. 15), and incasts of 450 KB from each sender (Fig. 16).
//
// The NDP paper has 432 hosts, MPTCP beside these, and for NDP 92 % of the links in a permutation. The
// laptop scale has 128 hosts and gives the NDP paper's order and shape: NDP alone fills the links, its
// incasts end as soon as the receiver's link allows, and its short flows hardly notice the load.
// laptop.csv has its rows. The paper scale, of 432 hosts, has not been run.
var NDP = figure.Of[NDPScale, study.Row]{
	Name:    "cc/ndp",
	Files:   files,
	Columns: ndpView,
	Scales:  ndpScales,
	Measure: ndpMeasure,
	Check:   ndpCheck,
	Tables:  ndpTables,
	Draw:    ndpDraw,
}.Figure()

// NDPScale holds the settings of a scale.
type NDPScale struct {
	seeds   int
	k       int        // of the fat tree
	long    unit.Bytes // flows of the permutation
	shorts  int        // short flows in a run; each takes apart of the load, which is 2·long
	senders []int      // of the incasts
}

func (z NDPScale) String() string {
	return fmt.Sprintf("%d hosts, %s", hosts(z.k), figure.Count(z.seeds, "seed"))
}

var ndpScales = map[figure.Scale]NDPScale{
	figure.Smoke:  {1, 4, unit.MB, 2, []int{4, 15}},
	figure.Laptop: {10, 8, 10 * unit.MB, 15, []int{4, 8, 16, 32, 64, 127}},
	figure.Paper:  {10, 12, 50 * unit.MB, 75, []int{4, 8, 16, 32, 64, 128, 256, 431}},
}

// ndpView is the columns of rows.csv. X is a share of the hosts or flows in %, or the senders of an incast.
var ndpView = columns.View{"table", "scheme", "x", "value", "unit", "lo", "hi", "seeds"}

// The tables: curves over hosts and flows of all seeds together, and means over the seeds.
const (
	ndpGoodputs = "permutation" // goodput of a host, b/s, from the slowest on
	shorts      = "short"       // completion time of a short flow, s, from the fastest on
	incasts     = "incast"      // time until the last flow has ended, over what the link needs
	ndpMean     = "mean goodput"
	slowest     = "slowest host"
	median      = "median of short flows"
	longest     = "longest short flow"
)

// points is how many points a curve has.
const points = 20

func ndpMeasure(ctx context.Context, j *figure.Job, z NDPScale) ([]study.Row, error) {
	benches := []bench{z.permutation(), z.short()}
	for _, n := range z.senders {
		benches = append(benches, z.incast(n))
	}
	p := study.Study{Seeds: j.SeedList(z.seeds)}
	for _, s := range ndpSchemes {
		for _, b := range benches {
			p.Cells = append(p.Cells, b.entry(s))
		}
	}
	ndpSettings(j)
	j.Footnote(
		"fat tree of %d hosts at 10 Gb/s, %s; permutation: %v from each host; short flows: %v between two hosts that "+
			"do nothing else, every %v; incast: %v from each sender; bars: 95 %% intervals over the seeds",
		hosts(z.k), figure.Count(len(p.Seeds), "seed"), z.long, shortSize, ndpApart, incastOf)
	rows, err := p.Measure(ctx, j, func(r *study.Rows) {
		for i := range ndpSchemes {
			of := p.Cells[i*len(benches) : (i+1)*len(benches)]
			r.Add(ndpGoodputs, of[0], "", ndpGoodputs)
			r.Add(shorts, of[1], "", shorts)
			for k, names := range [][]string{{ndpMean, slowest}, {median, longest}} {
				for _, name := range names {
					r.Add(name, of[k], "", name)
				}
			}
			for _, e := range of[2:] {
				r.Add(incasts, e, "", incasts)
			}
		}
	})
	for i := range rows {
		if r := &rows[i]; r.Table == ndpGoodputs || r.Table == shorts {
			r.X = r.Share
		}
	}
	return rows, err
}

// linkRate is the rate of all links, in b/s.
const linkRate = 10e9

// ndpGoodput returns the goodput of a flow of the permutation, in b/s.
func ndpGoodput(f *store.FlowRecord) (float64, bool) {
	return float64(f.Size) * 8 / f.FCT.Seconds(), true
}

// shortFCT returns the completion time of a short flow, s.
func shortFCT(f *store.FlowRecord) (float64, bool) { return f.FCT.Seconds(), f.Src == 0 }

// incastEnd returns when a flow of an incast has ended, s.
func incastEnd(f *store.FlowRecord) (float64, bool) { return (f.Start + f.FCT).Seconds(), true }

// number returns a quantity that take reads from each flow and of reduces, from the sorted values, to one number of a
// run.
func number(name, unit string, take func(*store.FlowRecord) (float64, bool), of func([]float64) float64) study.Measure {
	q := study.PerTrial(name, func(t *study.Trial) (float64, int, error) {
		values, err := read(t, take)
		if err != nil {
			return 0, 0, err
		}
		return of(values), len(values), nil
	})
	q.Unit = unit
	return q
}

// curve returns a quantity that take reads from the flows of all seeds: its value at equal steps of the share of flows.
func curve(name, unit string, take func(*store.FlowRecord) (float64, bool)) study.Measure {
	return study.Measure{Name: name, Unit: unit, Of: func(trials []*study.Trial) ([]stats.Sized, error) {
		var all []float64
		for _, t := range trials {
			values, err := read(t, take)
			if err != nil {
				return nil, err
			}
			all = append(all, values...)
		}
		slices.Sort(all)
		var list []stats.Sized
		for i := range points {
			share := float64(i+1) / points
			m := stats.Number{Value: stats.Percentile(all, share), Lo: math.NaN(), Hi: math.NaN(), Seeds: 1}
			list = append(list, stats.Sized{Share: 100 * share, Number: m})
		}
		return list, nil
	}}
}

// read reads a number of the flows of a run, sorted. All must have finished.
func read(t *study.Trial, take func(*store.FlowRecord) (float64, bool)) ([]float64, error) {
	var list []float64
	for f := range t.Flows.All() {
		if f.Outcome != store.Finished {
			return nil, fmt.Errorf("%s: flow %d has not finished", t.Run.Dir, f.ID)
		}
		if v, ok := take(f); ok {
			list = append(list, v)
		}
	}
	slices.Sort(list)
	return list, nil
}

func first(values []float64) float64 { return values[0] }

func last(values []float64) float64 { return values[len(values)-1] }

func average(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
