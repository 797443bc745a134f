package fig7

import (
	"context"
	"math"
	"slices"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/pint/congestion"
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

// bases are what PINT is held against in panel (a): HPCC's own format at every length,
// standard INT at the full one.
func (z *scale) bases(arrival unit.Time) []congestion.Scheme {
	if arrival == z.Web[len(z.Web)-1] {
		return []congestion.Scheme{congestion.INT, congestion.StandardINT}
	}
	return []congestion.Scheme{congestion.INT}
}

// sizeLoad is the load of panels (b) and (c), %.
const sizeLoad = 50

// schemes are those of panels (b) and (c).
var schemes = []congestion.Scheme{congestion.INT, congestion.PINT}

// cases are all simulations.
func (z *scale) cases(seeds []uint64) []congestion.Case {
	list := z.Cases(sizeLoad, schemes, seeds)
	for _, seed := range seeds {
		for _, arrival := range z.Web {
			for _, load := range z.loads {
				for _, s := range append(z.bases(arrival), congestion.PINT) {
					c := z.Case(congestion.Web, s, load, arrival)
					c.Seed = seed
					list = append(list, c)
				}
			}
		}
	}
	return list
}

func measure(ctx context.Context, j *figure.Job, z scale) ([]Row, error) {
	seeds := j.SeedList(z.Seeds)
	runs, err := congestion.Simulate(ctx, j, z.cases(seeds))
	if err != nil {
		return nil, err
	}
	z.Footnote(j, 0, len(seeds))
	var rows []Row
	for _, arrival := range z.Web {
		for _, load := range z.loads {
			some, err := goodputRows(runs, z.bases(arrival), z.Case(congestion.Web, congestion.PINT, load, arrival), seeds)
			if err != nil {
				return nil, err
			}
			rows = append(rows, some...)
		}
	}
	long, err := stored()
	if err != nil {
		return nil, err
	}
	rows = slices.Concat(rows, z.model(), long, published)
	err = runs.Curves(z.Scale, sizeLoad, schemes, seeds, func(c congestion.Case, change bool, m stats.Measured) {
		r := rowOf(slowdowns, c)
		r.Measure, r.Measured = "p95 slowdown", m
		if change {
			r.Table, r.Versus = changes, congestion.INT.Name
		}
		rows = append(rows, r)
	})
	return rows, err
}

func rowOf(table string, c congestion.Case) Row {
	start := cold
	if c.Steady {
		start = steady
	}
	return Row{Table: table, Source: "ours", Start: start, Workload: c.Workload.Name, Scheme: c.Scheme.Name, Load: c.Load, Arrival: 1e3 * c.Arrival.Seconds()}
}

// goodputRows are panel (a) at one load and one length of runs.
func goodputRows(runs *congestion.Runs, bases []congestion.Scheme, c congestion.Case, seeds []uint64) ([]Row, error) {
	ours, err := runs.Long(c, seeds, 0)
	if err != nil || ours.Flows() == 0 {
		return nil, err // a run so short that it has no long flow says nothing
	}
	var rows []Row
	add := func(table string, c congestion.Case, versus, measure string, m stats.Measured, err error) error {
		r := rowOf(table, c)
		r.Versus, r.Measure, r.Measured = versus, measure, m
		rows = append(rows, r)
		return err
	}
	m, err := ours.Mean()
	if err := add(goodputs, c, "", "mean goodput", m, err); err != nil {
		return nil, err
	}
	for _, base := range bases {
		other := c
		other.Scheme = base
		theirs, err := runs.Long(other, seeds, 0)
		if err != nil {
			return nil, err
		}
		m, err := theirs.Mean()
		if err := add(goodputs, other, "", "mean goodput", m, err); err != nil {
			return nil, err
		}
		m, err = ours.Over(theirs)
		if err := add(gains, c, base.Name, ofMeans, m, err); err != nil {
			return nil, err
		}
		for _, half := range []struct {
			from            unit.Time
			ofMeans, byFlow string
		}{{0, "", perFlow}, {c.Arrival / 2, ofMeansWarm, perFlowWarm}} {
			if half.ofMeans != "" {
				a, err := runs.Long(c, seeds, half.from)
				if err != nil {
					return nil, err
				}
				b, err := runs.Long(other, seeds, half.from)
				if err != nil {
					return nil, err
				}
				if a.Flows() == 0 {
					continue
				}
				m, err := a.Over(b)
				if err := add(gains, c, base.Name, half.ofMeans, m, err); err != nil {
					return nil, err
				}
			}
			each, err := runs.Gain(c, other, seeds, half.from)
			if err != nil {
				return nil, err
			}
			m, err := each.Mean()
			if err := add(gains, c, base.Name, half.byFlow, m, err); err != nil {
				return nil, err
			}
		}
	}
	return rows, nil
}

// blank is a gain over a scheme that is not of runs of ours.
func blank(source, versus, measure string, load int, value float64) Row {
	nan := math.NaN()
	return Row{
		Table: gains, Source: source, Workload: congestion.Web.Name, Scheme: congestion.PINT.Name, Versus: versus,
		Measure: measure, Load: load, Arrival: nan, Measured: stats.Measured{Size: nan, Share: nan, Value: value, Lo: nan, Hi: nan},
	}
}

// model are the gains that the residual capacity of a server link predicts: §2
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
