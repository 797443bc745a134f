package pint

import (
	"context"
	"math"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/pint"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// Fig8 is Figure 8 of PINT (§6.1). It runs HPCC over PINT with the digest on a share p of the packets.
//
// According to the PINT paper, p = 1/16 is about as good as p = 1, but p = 1/256 slows down short flows significantly,
// and also flows above 5 MB. The paper prints no slowdowns.
//
// docs/claims contains the results of the paper scale, from paper.csv in the folder of the figure. At the paper
// scale, all statements of the PINT paper hold. At the laptop scale, the statement about flows above 5 MB is
// undecided. Runs of the laptop scale begin with active flows, and further flows arrive after the measured flows.
var Fig8 = figure.Spec[pint.Scale]{
	Name:    "pint/fig8",
	Files:   files,
	Columns: view,
	Scales:  shareScales,
	Measure: measureShares,
	Claims:  map[string]func(*figure.Claim, []study.Row) figure.Finding{"nearer": nearer},
	Tables:  shareTables,
	Draw:    drawShares,
}.Figure()

// view lists the columns of rows.csv.
var view = columns.View{"table", "workload=case", "scheme", "arrivals:ms=x", "size", "share", "value", "lo", "hi",
	"flows", "seeds"}

// The tables of the rows.
const (
	slowdowns = "slowdown" // 95th percentile of the slowdown in a bucket of flows
	changes   = "change"   // such a slowdown, divided by the slowdown with p = 1
)

// shareSchemes lists the schemes, which differ in the share p of packets that carry HPCC's digest.
var shareSchemes = []study.Scheme{every, pint.Share(16), pint.Share(256)}

// every is the scheme with p = 1, which Fig. 7 calls PINT.
var every = pint.PINT

// name returns the name of a scheme in this figure.
func name(s study.Scheme) string {
	if s.Name == every.Name {
		return "PINT, p = 1"
	}
	return s.Name
}

// load of the figure, %.
const load = 50

const us, ms = unit.Microsecond, unit.Millisecond

// shareScales lists the settings of the scales. At the paper scale, web-search traffic lasts 200 ms, as in the
// published scripts. Hadoop traffic lasts only a quarter of this time, because its flows are so short that there are
// already 850 000. There is one seed, and intervals are over sections of the arrivals.
var shareScales = map[figure.Scale]pint.Scale{
	figure.Smoke: {Seeds: 1, Buckets: 10, Web: []unit.Time{30 * us, 60 * us}, Hadoop: []unit.Time{5 * us, 10 * us}},
	figure.Laptop: {Seeds: 3, Buckets: 20, Web: []unit.Time{1 * ms, 3 * ms}, Hadoop: []unit.Time{500 * us, 1 * ms},
		Steady: true},
	figure.Paper: {Seeds: 1, Sections: 10, Buckets: 20, Web: []unit.Time{200 * ms}, Hadoop: []unit.Time{50 * ms}},
}

func measureShares(ctx context.Context, j *figure.Job, z pint.Scale) ([]study.Row, error) {
	p := study.Study{
		Cells: z.Cells(load, shareSchemes), Seeds: j.SeedList(z.Seeds),
		Measures: []study.Measure{study.BySize(slowdowns, 0.95, z.Buckets)},
	}
	results, err := pint.Run(ctx, j, &p)
	if err != nil {
		return nil, err
	}
	j.Setting("load", "PINT §6.1", "%d %%", load)
	z.Footnote(j, load, len(p.Seeds))
	rows, err := results.Rows(study.All(slowdowns, changes))
	for i := range rows {
		rows[i].Scheme = name(study.Scheme{Name: rows[i].Scheme})
	}
	return rows, err
}

// full returns the rows of the longest runs of each workload. Changes are relative to p = 1.
func full(all []study.Row) []study.Row {
	rows := pint.Longest(all)
	for i := range rows {
		if rows[i].Table == changes {
			rows[i].Against = name(every)
		}
	}
	return rows
}

// nearer judges which of two schemes is nearer to p = 1 over all flow sizes. The nearer scheme has the smaller mean
// distance from p = 1, and fewer buckets that differ significantly from p = 1.
func nearer(c *figure.Claim, all []study.Row) figure.Finding {
	of := func(scheme string) []study.Row { return study.Pick(full(all), c.Case, scheme, name(every), "") }
	near, far := of(c.Scheme), of(c.Against)
	a, m := stats.Distance(near)
	b, n := stats.Distance(far)
	return figure.Judge("", a < b && m < n, a > b && m > n,
		"mean distance %s %% and %s %%; %d and %d of %d buckets differ significantly",
		number.Fixed(stats.Percent(math.Exp(a)), 1), number.Fixed(stats.Percent(math.Exp(b)), 1), m, n, len(far))
}

func shareTables(all []study.Row) []figure.Table {
	some, few := name(shareSchemes[1]), name(shareSchemes[2])
	var list []figure.Table
	for _, w := range []pint.Workload{pint.Web, pint.Hadoop} {
		rows := figure.Pick(full(all), func(r *study.Row) bool { return r.Case == w.Name })
		list = append(list, figure.Lines("slowdowns", figure.ByBuckets(rows),
			figure.UpTo("flows up to"), figure.Share("share"), figure.OfScheme("p = 1", name(every)),
			figure.OfScheme("p = 1/16", some), figure.OfScheme("p = 1/256", few),
			figure.OfPair("1/16 against 1", some, name(every)), figure.OfPair("1/256 against 1", few, name(every)),
			figure.Flows("flows", "")).With(title(w.Name)))
	}
	return list
}

func title(workload string) string {
	if workload == pint.Web.Name {
		return "(a) Web search"
	}
	return "(b) Hadoop"
}

// curves returns the rows of both panels from a table.
func curves(rows []study.Row, table string) []study.Row {
	of := figure.Pick(rows, func(r *study.Row) bool { return r.Table == table })
	return figure.Named(of, func(r *study.Row) (string, string) { return title(r.Case), r.Scheme })
}

func drawShares(all []study.Row) ([]figure.Drawing, error) {
	rows := full(all)
	drawings := []figure.Drawing{
		figure.Drawing{Name: "change", Title: "Slowdown over that with feedback on every packet",
			Caption: "change"}.With(figure.Changes(curves(rows, changes))),
		figure.Drawing{Name: "fig8", Title: "Fig. 8: slowdown by share p of packets with feedback, 50 % load",
			Caption: "slowdown"}.With(figure.Slowdowns(curves(rows, slowdowns))),
	}
	if len(rows) < len(all) { // otherwise, all runs have the same length, and there is nothing to compare
		drawings = append(drawings, drawLength(all))
	}
	return drawings, nil
}

// drawLength draws the mean change relative to p = 1 over all flow sizes, for each p, against the length of the runs.
func drawLength(rows []study.Row) figure.Drawing {
	f := plots.Figure{Title: "Is it settled?"}
	for _, w := range []pint.Workload{pint.Web, pint.Hadoop} {
		p := figure.ByLength("Mean change over the buckets", "%", 0)
		p.Title = title(w.Name)
		for _, sc := range shareSchemes[1:] {
			s := plots.Series{Name: name(sc), Style: plots.Line}
			for _, r := range rows {
				if r.Table != changes || r.Case != w.Name || r.Scheme != name(sc) {
					continue
				}
				// Rows are sorted by length. Each bucket has the same weight.
				if n := len(s.X); n == 0 || s.X[n-1] != r.X/1e3 {
					s.X, s.Y = append(s.X, r.X/1e3), append(s.Y, 0)
				}
				buckets := figure.Pick(rows, func(o *study.Row) bool {
					return o.Table == changes && o.Case == w.Name && o.Scheme == r.Scheme && o.X == r.X
				})
				s.Y[len(s.Y)-1] += 100 * math.Log(r.Value) / float64(len(buckets))
			}
			p.Series = append(p.Series, s)
		}
		f.Panels = append(f.Panels, p)
	}
	return figure.Drawing{Name: "length", Caption: "length", Plot: f}
}
