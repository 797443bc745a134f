package fig7

import (
	"context"
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/comparison"
	"pintlab/experiments/measure/congestion"
	"pintlab/experiments/results/stats"
	"pintlab/netsim/unit"
)

// Row is a line of rows.csv: goodput in b/s, slowdowns, or ratios.
type Row struct {
	// Table is "goodput" or "gain" for panel (a), "slowdown" or "change" for (b) and
	// (c).
	Table    string  `col:"table"`
	Source   string  `col:"source"` // ours, stored, published or model
	Start    string  `col:"start"`  // of runs: cold or steady
	Workload string  `col:"workload"`
	Scheme   string  `col:"scheme"`
	Versus   string  `col:"versus"` // what a gain or change divides by
	Measure  string  `col:"measure"`
	Load     int     `col:"load" unit:"%"`
	Arrival  float64 `col:"arrivals" unit:"ms"` // length of the arrival window; NaN if not ours
	stats.Measured
}

// How runs begin and end: in an empty network, or with flows under way and arrivals for as
// long again.
const (
	cold   = "cold"
	steady = "steady"
)

// The tables of the rows.
const (
	goodputs  = "goodput"
	gains     = "gain"
	slowdowns = "slowdown"
	changes   = "change"
)

// The measures of a gain.
const (
	ofMeans  = "mean goodput over mean goodput"
	perFlow  = "mean over the flows of goodput over goodput"
	residual = "residual capacity over residual capacity"

	// The same of the flows that start in the second half of the arrivals: the first half
	// warms the network up.
	ofMeansWarm = ofMeans + ", second half"
	perFlowWarm = perFlow + ", second half"
)

// scale is what is run at a scale.
type scale struct {
	congestion.Scale
	loads []int // of panel (a), %
}

const us, ms = unit.Microsecond, unit.Millisecond

// The paper scale has the 200 ms of the published scripts for web search, and a quarter of it for
// Hadoop, whose flows are so much shorter that these are 850 000. It has one seed; sections of
// the arrivals give its intervals.
var scales = map[figure.Scale]scale{
	figure.Smoke:  {congestion.Scale{Seeds: 1, Buckets: 10, Web: []unit.Time{30 * us, 60 * us}, Hadoop: []unit.Time{5 * us, 10 * us}}, []int{30, 70}},
	figure.Laptop: {congestion.Scale{Seeds: 3, Buckets: 20, Web: []unit.Time{1 * ms, 3 * ms}, Hadoop: []unit.Time{500 * us, 1 * ms}, Steady: true}, []int{30, 50, 70}},
	figure.Paper:  {congestion.Scale{Seeds: 1, Sections: 10, Buckets: 20, Web: []unit.Time{200 * ms}, Hadoop: []unit.Time{50 * ms}}, []int{30, 50, 70}},
}

// bases returns what PINT is held against in panel (a): HPCC's own format at every length,
// standard INT at the full one.
func (z *scale) bases(arrival unit.Time) []comparison.Scheme {
	if arrival == z.Web[len(z.Web)-1] {
		return []comparison.Scheme{congestion.INT, congestion.StandardINT}
	}
	return []comparison.Scheme{congestion.INT}
}

// sizeLoad is the load of panels (b) and (c), %.
const sizeLoad = 50

// schemes are those of panels (b) and (c).
var schemes = []comparison.Scheme{congestion.INT, congestion.PINT}

// entries returns the schemes of panels (b) and (c), and those of panel (a) by load and length of runs,
// PINT the last of each.
func (z *scale) entries() (sizes []comparison.Entry, long [][]comparison.Entry) {
	for _, arrival := range z.Web {
		for _, load := range z.loads {
			var list []comparison.Entry
			for _, s := range append(z.bases(arrival), congestion.PINT) {
				e := z.Case(congestion.Web, s, load, arrival).Entry()
				e.Case = fmt.Sprintf("%d %%", load)
				list = append(list, e)
			}
			long = append(long, list)
		}
	}
	return z.Entries(sizeLoad, schemes), long
}

// The measures of a scheme.
const (
	mean = "mean goodput"
	p95  = "p95 slowdown"
)

func measure(ctx context.Context, j *figure.Job, z scale) ([]Row, error) {
	sizes, long := z.entries()
	goodput, each := comparison.Goodput(mean), comparison.FlowByFlow(perFlow)
	ratio := goodput
	ratio.Name = ofMeans
	p := comparison.Plan{
		Entries: slices.Concat(append([][]comparison.Entry{sizes}, long...)...), Seeds: j.SeedList(z.Seeds),
		Quantities: []comparison.Quantity{
			comparison.BySize(p95, 0.95, z.Buckets), goodput, ratio, each, comparison.Late(ofMeansWarm, ratio), comparison.Late(perFlowWarm, each),
		},
	}
	results, err := congestion.Run(ctx, j, &p)
	if err != nil {
		return nil, err
	}
	z.Footnote(j, 0, len(p.Seeds))
	var rows []Row
	add := func(load int, order func(*comparison.Rows)) error {
		list, err := results.Rows(order)
		for _, r := range list {
			rows = append(rows, z.row(r, load))
		}
		return err
	}
	for i, list := range long {
		bases, pint := list[:len(list)-1], list[len(list)-1]
		if err := add(z.loads[i%len(z.loads)], func(r *comparison.Rows) {
			r.Add(goodputs, pint, "", goodput.Name)
			for _, base := range bases {
				r.Add(goodputs, base, "", goodput.Name)
				for _, quantity := range []string{ofMeans, perFlow, ofMeansWarm, perFlowWarm} {
					r.Add(gains, pint, base.Scheme, quantity)
				}
			}
		}); err != nil {
			return nil, err
		}
	}
	stored, err := stored()
	if err != nil {
		return nil, err
	}
	rows = slices.Concat(rows, z.model(), stored, published)
	err = add(sizeLoad, func(r *comparison.Rows) {
		for _, e := range sizes {
			r.Add(slowdowns, e, "", p95)
			for _, against := range e.Against {
				r.Add(changes, e, against, p95)
			}
		}
	})
	return rows, err
}

// row returns a row of a run of ours.
func (z *scale) row(r comparison.Row, load int) Row {
	own := Row{
		Table: r.Table, Source: "ours", Start: cold, Workload: congestion.Web.Name, Scheme: r.Scheme, Versus: r.Against, Measure: r.Quantity,
		Load: load, Arrival: r.X, Measured: r.Measured,
	}
	if z.Steady {
		own.Start = steady
	}
	if r.Case == congestion.Hadoop.Name {
		own.Workload = r.Case
	}
	return own
}

// blank makes a gain over a scheme that is not of runs of ours.
func blank(source, versus, measure string, load int, value float64) Row {
	nan := math.NaN()
	return Row{
		Table: gains, Source: source, Workload: congestion.Web.Name, Scheme: congestion.PINT.Name, Versus: versus,
		Measure: measure, Load: load, Arrival: nan, Measured: stats.Measured{Size: nan, Share: nan, Value: value, Lo: nan, Hi: nan},
	}
}

// model returns the gains that the residual capacity of a server link predicts: §2
// has goodput in proportion to it. What fills a link is the payload, its headers
// and the ACKs of the traffic in the other direction.
func (z *scale) model() []Row {
	var rows []Row
	for _, base := range z.bases(z.Web[len(z.Web)-1]) {
		for _, load := range z.loads {
			rows = append(rows, blank("model", base.Name, residual, load, congestion.Residual(load, congestion.PINT)/congestion.Residual(load, base)))
		}
	}
	return rows
}

// published is what the PINT paper prints: "at 70% load, using PINT improves the
// goodput by 71%" over "the standard INT-based HPCC" (§6.1). The rest of Fig. 7 is a plot.
var published = []Row{blank("published", congestion.StandardINT.Name, "relative goodput improvement", 70, 1.71)}
