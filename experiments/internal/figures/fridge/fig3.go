package fridge

import (
	"context"
	"fmt"
	"math"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/fridges"
	"pintlab/experiments/results/stats"
	"pintlab/int/fridge"
	"pintlab/netsim/unit"
	"pintlab/plots"
	"pintlab/plots/report"
	"pintlab/workloads/exchange"
)

// Fig3 is Figure 3 of the fridges paper (§5.2). It shows the error of a fridge with 2^12 entries against the entry
// probability p, and the prediction of package tune. The two synthetic traces have delays of up to 2^12 ms and of up
// to 2^6 ms.
var Fig3 = figure.Of[scale3, fridges.Row]{
	Name:    "fridge/fig3",
	Files:   files,
	Scales:  scales3,
	Measure: measure3,
	Check:   check3,
	Ours:    map[string]figure.Ours[fridges.Row]{"best p": bestP},
	Tables:  errorTables,
	Draw:    draw3,
}.Figure()

const (
	entries3 = 1 << 12 // M
	least    = 14      // p from 1 to 2^-14
	swept    = "fridge"
	model    = "predicted"
)

// traces lists the traces, one for each panel, with the best p according to the fridges paper.
var traces = []struct {
	name    string
	longest unit.Time
	best    float64
}{
	{"delays up to 2^12 ms", (1 << 12) * unit.Millisecond, 1.0 / (1 << 9)},
	{"delays up to 2^6 ms", (1 << 6) * unit.Millisecond, 1.0 / (1 << 4)},
}

// scale3 holds what the figure runs at one scale.
type scale3 struct{ seeds, step int }

var scales3 = map[figure.Scale]scale3{figure.Smoke: {2, 3}, figure.Laptop: {fridges.Seeds, 1},
	figure.Paper: {4 * fridges.Seeds, 1}}

func (z scale3) String() string {
	return fmt.Sprintf("two traces of 1.75 million packets, p = 2^0 to 2^-%d, %s", least,
		figure.Count(z.seeds, "hash seed"))
}

func measure3(ctx context.Context, j *figure.Job, z scale3) ([]fridges.Row, error) {
	var rows []fridges.Row
	for _, tr := range traces {
		trace := exchange.Synthetic(tr.longest, j.Seed)
		s, err := fridges.Open(j, tr.name, trace, z.seeds)
		if err != nil {
			return nil, err
		}
		var designs []fridges.Named
		for k := least; k >= 0; k -= z.step {
			designs = append(designs, fridges.Single(swept, entries3, math.Ldexp(1, -k)))
		}
		list, err := s.Measure(ctx, designs)
		if err != nil {
			return nil, err
		}
		for _, r := range list {
			rows = append(rows, r.Row)
			e := s.Model.Predict([]fridge.Part{{Entries: entries3, Probability: r.Row.Probability}})
			p := r.Row
			p.Design, p.Samples, p.Seeds = model, math.NaN(), 0
			p.P50, p.P95, p.P99, p.Max.Value, p.OneMax, p.One.Lo, p.One.Hi = nan, nan, nan, nan, nan, nan, nan
			// If x has a normal distribution, the mean of |x| is √(2/π) times the standard deviation.
			p.One50, p.One95, p.One99 = absolute*e.Errors[0], absolute*e.Errors[1], absolute*e.Errors[2]
			p.One.Value = (p.One50 + p.One95 + p.One99) / 3
			rows = append(rows, p)
		}
		p := fridges.Blank(fridges.ErrorTable, "published", tr.name, swept)
		p.Memory, p.Probability, p.Seeds = entries3, tr.best, fridges.Seeds
		rows = append(rows, p)
		j.Setting("trace, "+tr.name, "fridges §5", "%d requests, %d pairs, delays %v", s.Requests, s.Pairs,
			trace.Delays)
	}
	j.Footnote("Synthetic traces, 1.25 million requests at 1 million/s, 40 %% answered; M = 2^12; %s",
		figure.Count(len(j.SeedList(z.seeds)), "hash seed"))
	return rows, nil
}

var (
	nan      = math.NaN()
	absolute = math.Sqrt(2 / math.Pi)
)

// curve returns our rows for a trace.
func curve(rows []fridges.Row, trace, design string) []fridges.Row {
	return figure.Pick(fridges.Select(rows, fridges.ErrorTable, design),
		func(r *fridges.Row) bool { return r.Trace == trace })
}

// best returns the row with the least error.
func best(rows []fridges.Row) fridges.Row {
	b := fridges.Blank(fridges.ErrorTable, "ours", "", "")
	for _, r := range rows {
		if !(r.One.Value >= b.One.Value) {
			b = r
		}
	}
	return b
}

// around returns the largest error of the other probabilities from half to twice the best p, divided by the error of
// the best p. The 95 % interval is over the seeds of both errors. value is 0 if there is no such probability.
func around(rows []fridges.Row, b fridges.Row) (value, lo, hi float64) {
	for _, r := range rows {
		if r.Probability >= b.Probability/2.01 && r.Probability <= 2.01*b.Probability &&
			r.Probability != b.Probability && !(r.One.Value/b.One.Value <= value) {
			half := math.Hypot((r.One.Hi-r.One.Lo)/2/r.One.Value, (b.One.Hi-b.One.Lo)/2/b.One.Value)
			value = r.One.Value / b.One.Value
			lo, hi = value*math.Exp(-half), value*math.Exp(half)
		}
	}
	return value, lo, hi
}

// alike returns the range of log2 p in which the errors do not differ significantly from the lowest error.
func alike(rows []fridges.Row, b fridges.Row) (lo, hi float64) {
	lo, hi = nan, nan
	for _, r := range rows {
		if x := math.Log2(r.Probability); r.One.Lo <= b.One.Hi {
			if !(lo <= x) {
				lo = x
			}
			if !(hi >= x) {
				hi = x
			}
		}
	}
	return lo, hi
}

func check3(rows []fridges.Row) []figure.Finding {
	var list []figure.Finding
	var ends [][2]float64
	for _, tr := range traces {
		of := curve(rows, tr.name, swept)
		b := best(of)
		lo, hi := alike(of, b)
		ends = append(ends, [2]float64{lo, hi})
		w, lo, hi := around(of, b)
		list = append(list, figure.Judge(tr.name+": half or twice the best p is nearly as good (at most "+
			"1.5 times the error)", w > 0 && hi < 1.5, lo > 1.5, "%.2f (%.2f to %.2f) times the error", w, lo, hi))
	}
	long, short := ends[0], ends[1]
	return append(list, figure.Judge("longer delays need a smaller p", long[1] < short[0], long[0] > short[1],
		"best from 2^%.3g to 2^%.3g against 2^%.3g to 2^%.3g", long[0], long[1], short[0], short[1]))
}

// bestP returns log2 of the p with the lowest error.
func bestP(rows []fridges.Row, p *figure.Published, c *report.Compared) stats.Number {
	of := curve(rows, p.Panel, swept)
	b := best(of)
	c.Over = figure.Count(b.Seeds, "hash seed")
	lo, hi := alike(of, b)
	return stats.Number{Value: math.Log2(b.Probability), Lo: lo, Hi: hi}
}

func draw3(rows []fridges.Row) ([]figure.Drawing, error) {
	f := plots.Figure{Title: "Fig. 3: error against entry probability"}
	for i, tr := range traces {
		p := plots.Panel{
			Title: fmt.Sprintf("(%c) %s", 'a'+i, tr.name),
			X: plots.Axis{Label: "Entry probability p", Scale: plots.Log,
				Lines: []plots.RefLine{{At: tr.best, Label: "published best"}}},
			Y: errorAxis("|log₂(estimated/true)|"),
		}
		for _, q := range []struct {
			name string
			of   func(*fridges.Row) float64
		}{
			{"p50", func(r *fridges.Row) float64 { return r.One50 }},
			{"p95", func(r *fridges.Row) float64 { return r.One95 }},
			{"p99", func(r *fridges.Row) float64 { return r.One99 }},
			{"mean of the three", func(r *fridges.Row) float64 { return r.One.Value }},
		} {
			p.Series = append(p.Series,
				figure.Curve(plots.Series{Name: q.name, Style: plots.Line}, curve(rows, tr.name, swept),
					func(r *fridges.Row) (float64, float64) { return r.Probability, q.of(r) }))
		}
		// Far from the best p, the prediction is outside the axes.
		near := figure.Pick(curve(rows, tr.name, model), func(r *fridges.Row) bool { return r.One.Value < 20 })
		p.Series = append(p.Series,
			figure.Curve(plots.Series{Name: "mean, predicted", Style: plots.Trace}, near,
				func(r *fridges.Row) (float64, float64) { return r.Probability, r.One.Value }))
		f.Panels = append(f.Panels, p)
	}
	return []figure.Drawing{{Name: "fig3", Plot: f}}, nil
}
