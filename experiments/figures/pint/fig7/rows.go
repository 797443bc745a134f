package fig7

import (
	"context"
	"fmt"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/pint/congestion"
	"pintlab/experiments/results/stats"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// Row is a line of rows.csv.
type Row struct {
	// Table is "goodput" or "gain" for panel (a), "slowdown" or "change" for (b) and
	// (c).
	Table    string  `col:"table"`
	Source   string  `col:"source"` // ours, published or model
	Workload string  `col:"workload"`
	Scheme   string  `col:"scheme"`
	Versus   string  `col:"versus"` // what a gain or change divides by
	Measure  string  `col:"measure"`
	Load     int     `col:"load" unit:"%"`
	Arrival  float64 `col:"arrivals" unit:"ms"` // length of the arrival window; NaN if not ours
	Size     float64 `col:"size" unit:"B"`      // largest flow of a bucket
	Share    float64 `col:"share" unit:"%"`     // of the flows, up to that size
	Value    float64 `col:"value"`              // goodput in b/s, ratios, slowdowns
	Lo       float64 `col:"lo"`                 // 95 % interval over the seeds
	Hi       float64 `col:"hi"`
	Flows    int     `col:"flows"` // behind the value, in the seed that has the fewest
	Seeds    int     `col:"seeds"`
}

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
)

func measure(ctx context.Context, j *figure.Job) (*plots.Table, error) {
	z := scales[j.Scale]
	seeds := j.SeedList(z.seeds)
	runs, err := congestion.Simulate(ctx, j, cases(z, seeds))
	if err != nil {
		return nil, err
	}
	j.Footnote("320-server fat tree, %s, arrivals for %v (web search) and %v (Hadoop), then until all flows have finished; bars: 95 %% intervals over the seeds",
		figure.Count(len(seeds), "seed"), last(z.web), last(z.hadoop))
	var rows []Row
	for _, arrival := range z.web {
		for _, load := range z.loads {
			some, err := goodputRows(runs, bases(z, arrival), load, arrival, seeds)
			if err != nil {
				return nil, err
			}
			rows = append(rows, some...)
		}
	}
	rows = append(rows, modelRows(z)...)
	rows = append(rows, published...)
	for _, p := range panels(z) {
		for _, arrival := range p.windows {
			some, err := sizeRows(runs, p.workload, arrival, seeds, z.buckets)
			if err != nil {
				return nil, fmt.Errorf("%s, arrivals for %v: %w", p.workload.Name, arrival, err)
			}
			rows = append(rows, some...)
		}
	}
	return figure.Encode(rows)
}

// goodputRows are panel (a) at one load and one length of runs.
func goodputRows(runs *congestion.Runs, bases []congestion.Scheme, load int, arrival unit.Time, seeds []uint64) ([]Row, error) {
	row := Row{
		Source: "ours", Workload: congestion.Web.Name, Load: load, Arrival: 1e3 * arrival.Seconds(),
		Size: math.NaN(), Share: math.NaN(), Seeds: len(seeds),
	}
	// of are the long flows of a scheme in each seed, each against the same flow in
	// another scheme.
	of := func(s congestion.Scheme, other *congestion.Scheme) (goodput, gain []float64, least int, err error) {
		for i, seed := range seeds {
			c := congestion.Case{Workload: congestion.Web, Scheme: s, Load: load, Arrival: arrival, Seed: seed}
			var base *congestion.Case
			if other != nil {
				base = &congestion.Case{Workload: c.Workload, Scheme: *other, Load: load, Arrival: arrival, Seed: seed}
			}
			l, err := runs.Long(c, base)
			if err != nil {
				return nil, nil, 0, err
			}
			if i == 0 || l.N < least {
				least = l.N
			}
			goodput, gain = append(goodput, l.Goodput), append(gain, l.Gain)
		}
		return goodput, gain, least, nil
	}
	var rows []Row
	add := func(table, scheme, versus, measure string, iv stats.Interval, flows int) {
		r := row
		r.Table, r.Scheme, r.Versus, r.Measure, r.Flows = table, scheme, versus, measure, flows
		r.Value, r.Lo, r.Hi = figure.Ends(iv)
		rows = append(rows, r)
	}
	ours, _, n, err := of(congestion.PINT, nil)
	if err != nil || n == 0 {
		return nil, err // a run so short that it has no long flow says nothing
	}
	iv, err := stats.Mean(ours, figure.Level)
	if err != nil {
		return nil, err
	}
	add(goodputs, congestion.PINT.Name, "", "mean goodput", iv, n)
	for _, base := range bases {
		theirs, _, _, err := of(base, nil)
		if err != nil {
			return nil, err
		}
		if iv, err = stats.Mean(theirs, figure.Level); err != nil {
			return nil, err
		}
		add(goodputs, base.Name, "", "mean goodput", iv, n)
		if iv, err = stats.PairedRatio(ours, theirs, figure.Level); err != nil {
			return nil, err
		}
		add(gains, congestion.PINT.Name, base.Name, ofMeans, iv, n)
		_, each, _, err := of(congestion.PINT, &base)
		if err != nil {
			return nil, err
		}
		if iv, err = stats.Mean(each, figure.Level); err != nil {
			return nil, err
		}
		add(gains, congestion.PINT.Name, base.Name, perFlow, iv, n)
	}
	return rows, nil
}

// sizeRows are panel (b) or (c) at one length of runs.
func sizeRows(runs *congestion.Runs, w congestion.Workload, arrival unit.Time, seeds []uint64, buckets int) ([]Row, error) {
	var rows []Row
	add := func(table, scheme, versus string, curve []figure.SizeRow) {
		for _, b := range curve {
			rows = append(rows, Row{
				Table: table, Source: "ours", Workload: w.Name, Scheme: scheme, Versus: versus, Measure: "p95 slowdown",
				Load: sizeLoad, Arrival: 1e3 * arrival.Seconds(), Size: b.Size, Share: b.Share,
				Value: b.Value, Lo: b.Lo, Hi: b.Hi, Flows: b.Flows, Seeds: len(seeds),
			})
		}
	}
	c := congestion.Case{Workload: w, Load: sizeLoad, Arrival: arrival}
	curve := map[string][]figure.SizeRow{}
	for _, s := range []congestion.Scheme{congestion.INT, congestion.PINT} {
		c.Scheme = s
		var err error
		if curve[s.Name], err = runs.Curve(c, seeds, buckets, 0.95); err != nil {
			return nil, err
		}
		add(slowdowns, s.Name, "", curve[s.Name])
	}
	over, err := figure.Over(curve[congestion.PINT.Name], curve[congestion.INT.Name])
	if err != nil {
		return nil, err
	}
	add(changes, congestion.PINT.Name, congestion.INT.Name, over)
	return rows, nil
}

// modelRows are the gains that the residual capacity of a server link predicts: §2
// has goodput in proportion to it. What fills a link is the payload, its headers
// and the ACKs of the traffic in the other direction.
func modelRows(z scale) []Row {
	var rows []Row
	for _, base := range bases(z, last(z.web)) {
		for _, load := range z.loads {
			rows = append(rows, Row{
				Table: gains, Source: "model", Workload: congestion.Web.Name, Scheme: congestion.PINT.Name, Versus: base.Name,
				Measure: residual, Load: load, Arrival: math.NaN(), Size: math.NaN(), Share: math.NaN(),
				Value: congestion.Residual(load, congestion.PINT) / congestion.Residual(load, base), Lo: math.NaN(), Hi: math.NaN(),
			})
		}
	}
	return rows
}

// published is what the document prints: "at 70% load, using PINT improves the
// goodput by 71%" (§6.1). The rest of Fig. 7 is a plot.
var published = []Row{{
	Table: gains, Source: "published", Workload: congestion.Web.Name, Scheme: congestion.PINT.Name, Versus: congestion.INT.Name,
	Measure: "relative goodput improvement", Load: 70, Arrival: math.NaN(), Size: math.NaN(), Share: math.NaN(),
	Value: 1.71, Lo: math.NaN(), Hi: math.NaN(),
}}
