package fridge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/fridges"
	"pintlab/experiments/results/stats"
	"pintlab/int/fridge"
	"pintlab/internal/lists"
	"pintlab/netsim/unit"
	"pintlab/plots"
	"pintlab/plots/report"
	"pintlab/workloads/exchange"
)

// Fig2 is Figure 2 of the fridges paper (§5.1). It compares three distributions of delays: the true distribution, the
// estimate of a fridge-(2^16, 1), and the estimate of the naive expiring array of the same size. Our traces have the
// characteristics that the paper prints about its own trace.
var Fig2 = figure.Of[scale2, fridges.Row]{
	Name:    "fridge/fig2",
	Files:   files,
	Scales:  scales2,
	Measure: measure2,
	Check:   check2,
	Ours:    map[string]figure.Ours[fridges.Row]{"maximum": maximum},
	Tables:  errorTables,
	Draw:    draw2,
}.Figure()

// The curves.
const (
	truth     = "true"
	corrected = "fridge, p = 1"
	raw       = "fridge without correction"
	naive512  = "naive, T = 512 ms"
	always    = "naive, always replaces (§2.1)"
)

// expiry is the T of the naive array.
const expiry = 512 * unit.Millisecond

// The traces. Both have the mean and the 99th percentile that the fridges paper prints about its trace.
const (
	ispLike     = "ISP-like"
	nearFarName = "near and far hosts"
)

// nearFar is a mixture of the delays of near hosts and of far hosts. We tried parameters to bring the error of the
// naive array close to the published error. The mixture only shows that one trace can cause both published errors.
var nearFar = exchange.Mixture{
	{Share: 0.925, Law: exchange.LogNormal{Mean: 34 * unit.Millisecond, Sigma: 0.8}},
	{Share: 0.075, Law: exchange.LogNormal{Mean: 350 * unit.Millisecond, Sigma: 0.5}},
}

// scale2 holds what the figure runs at one scale.
type scale2 struct {
	// part thins out the trace. The trace has 1/part of the packets in the same time, and each fridge or array has
	// 1/part of the memory.
	part  int64
	seeds int
	// groups is the number of further groups of seeds with which the fridge is measured. Each group has `seeds`
	// seeds.
	groups int
}

// entries returns the number of entries, M. For the whole trace, M is 2^16. For a thinned-out trace, M is smaller in
// proportion, so that the load is the same.
func (z scale2) entries() int { return 1 << 16 / int(z.part) }

var scales2 = map[figure.Scale]scale2{figure.Smoke: {16, 2, 2}, figure.Laptop: {4, fridges.Seeds, 19},
	figure.Paper: {1, fridges.Seeds, 19}}

func (z scale2) String() string {
	return fmt.Sprintf("%.1f million packets in 11.4 s, M = %s, %s", 10/float64(z.part), fridges.Memory(z.entries()),
		figure.Count(z.seeds, "hash seed"))
}

func measure2(ctx context.Context, j *figure.Job, z scale2) (rows []fridges.Row, err error) {
	isp := fridges.ISP(j.Seed, z.part)
	far := isp
	far.Delays = nearFar
	var pairs []string
	for _, t := range []struct {
		name   string
		config exchange.Config
	}{{ispLike, isp}, {nearFarName, far}} {
		s, err := fridges.Open(j, t.name, t.config, z.seeds)
		if err != nil {
			return nil, err
		}
		of, err := measureTrace2(ctx, j, z, s)
		if err != nil {
			return nil, err
		}
		rows = append(rows, of...)
		pairs = append(pairs, fmt.Sprintf("%s: %d requests, %d pairs", t.name, s.Requests, s.Pairs))
		j.Footnote("%s; M = %s; %s", strings.Join(pairs, "; "), fridges.Memory(z.entries()),
			figure.Count(len(s.Seeds), "hash seed"))
		j.Setting(t.name, "fridges §5", "%d requests in %.3g s, delays %v", s.Requests, s.Last.Seconds(),
			t.config.Delays)
	}
	for _, p := range []struct {
		design string
		max    float64
	}{{corrected, 0.08}, {naive512, 1.68}} {
		r := fridges.Blank(fridges.ErrorTable, "published", "ISP", p.design)
		r.Memory, r.Max.Value, r.Seeds = 1<<16, p.max, fridges.Seeds
		rows = append(rows, r)
	}
	j.Setting("memory", "fridges Fig. 2", "2^16 entries for 10 million packets; here %d", z.entries())
	return rows, nil
}

// measureTrace2 measures the designs on one trace.
func measureTrace2(ctx context.Context, j *figure.Job, z scale2, s *fridges.Study) ([]fridges.Row, error) {
	single := fridges.Single(corrected, z.entries(), 1)
	list, err := s.Measure(ctx, []fridges.Named{
		single,
		fridges.Naive(naive512, z.entries(), 1, expiry),
		fridges.Naive(always, z.entries(), 1, 0),
	}, fridges.Corrected, fridges.Raw)
	if err != nil {
		return nil, err
	}
	worst, err := s.Groups(ctx, single, z.groups)
	if err != nil {
		return nil, err
	}
	// The values are the largest error of each design, and then, for each percentile, the fridge's error divided by
	// the error of the array with the threshold.
	intervals := fridges.Resampled(list, j.Seed, func(means []*fridge.Distribution) (values []float64) {
		values = lists.Map(means, func(d *fridge.Distribution) float64 { return fridge.MaxError(d, s.Delays) })
		for _, q := range fridges.Quantiles {
			values = append(values, fridge.Error(means[0], s.Delays, q)/fridge.Error(means[1], s.Delays, q))
		}
		return values
	})
	rows := fridges.CDF(s.Name, truth, s.Delays)
	for i, q := range fridges.Quantiles {
		r := fridges.Blank(fridges.RatioTable, "ours", s.Name, corrected)
		r.Versus, r.Share, r.Memory, r.Seeds = naive512, q, z.entries(), len(s.Seeds)
		r.One = intervals[len(list)+i]
		rows = append(rows, r)
	}
	for i := range list {
		list[i].Row.Max = intervals[i]
	}
	for _, r := range list {
		rows = append(append(rows, r.Row), fridges.CDF(s.Name, r.Row.Design, r.Means[0])...)
	}
	r := fridges.Blank(fridges.GroupsTable, "ours", s.Name, corrected)
	worst = append(worst, list[0].Row.Max.Value)
	slices.Sort(worst)
	r.Memory, r.Seeds = z.entries(), len(worst)*len(s.Seeds)
	r.Max = stats.Number{Value: list[0].Row.Max.Value, Lo: stats.Percentile(worst, (1-stats.Level)/2),
		Hi: stats.Percentile(worst, (1+stats.Level)/2)}
	rows = append(rows, r)
	r = fridges.Blank(fridges.ErrorTable, "ours", s.Name, raw)
	a := fridges.Compare(list[0].Means[1], s.Delays)
	r.Memory, r.Seeds, r.P50, r.P95, r.P99, r.Max.Value = z.entries(), len(s.Seeds), a.P50, a.P95, a.P99, a.Max
	return append(append(rows, r), fridges.CDF(s.Name, raw, list[0].Means[1])...), nil
}

// errors2 returns our row in a table for a design on a trace.
func errors2(rows []fridges.Row, table, trace, design string) fridges.Row {
	for _, r := range fridges.Select(onTrace(rows, trace), table, design) {
		return r
	}
	return fridges.Blank(table, "ours", trace, design)
}

func onTrace(rows []fridges.Row, trace string) []fridges.Row {
	return figure.Pick(rows, func(r *fridges.Row) bool { return r.Trace == trace })
}

func check2(rows []fridges.Row) []figure.Finding {
	of := func(design string) fridges.Row { return errors2(rows, fridges.ErrorTable, ispLike, design) }
	f, n, r, u := of(corrected), of(naive512), of(always), of(raw)
	less := func(statement string, a, b fridges.Row) figure.Finding {
		return figure.Judge(statement, a.One.Hi < b.One.Lo && a.Max.Hi < b.Max.Lo, a.One.Lo > b.One.Hi,
			"maximum %.3f against %.3f; of one seed %.3f against %.3f, intervals to %.3f and from %.3f", a.Max.Value,
			b.Max.Value, a.One.Value, b.One.Value, a.One.Hi, b.One.Lo)
	}
	list := []figure.Finding{
		less("the fridge errs less than the naive array with the published threshold", f, n),
		less("and less than the naive array that always replaces", f, r),
	}
	for _, x := range fridges.Select(onTrace(rows, ispLike), fridges.RatioTable, corrected) {
		list = append(list, figure.Judge(fmt.Sprintf("the fridge estimates the %.0fth percentile much more "+
			"accurately than the naive array (§5.1): with less than half its error", 100*x.Share),
			x.One.Hi < 0.5, x.One.Lo > 1, "%.2f (%.2f to %.2f) times its error, of the mean CDF of all seeds",
			x.One.Value, x.One.Lo, x.One.Hi))
	}
	return append(list, figure.Judge("without the correction, the fridge is as wrong as the array that always replaces",
		u.Max.Value > 0.8*r.Max.Value && u.Max.Value < 1.2*r.Max.Value, u.Max.Value < 0.5*r.Max.Value ||
			u.Max.Value > 2*r.Max.Value, "%.3f against %.3f", u.Max.Value, r.Max.Value).Own())
}

// maximum returns the largest error of a design on a trace. For the fridge, the interval covers further groups with
// the same number of seeds, because the published number is also from one group.
func maximum(rows []fridges.Row, p *figure.Published, c *report.Compared) stats.Number {
	r := errors2(rows, fridges.ErrorTable, p.Panel, p.Scheme)
	c.Over = figure.Count(r.Seeds, "hash seed") + ", bootstrap"
	if g := errors2(rows, fridges.GroupsTable, p.Panel, p.Scheme); g.Seeds > 0 {
		c.Over = fmt.Sprintf("%d groups of %s", g.Seeds/max(1, r.Seeds), figure.Count(r.Seeds, "hash seed"))
		return g.Max
	}
	return r.Max
}

func draw2(rows []fridges.Row) ([]figure.Drawing, error) {
	share := plots.Axis{Label: "Share of the pairs", Scale: plots.Linear, Min: plots.At(0), Max: plots.At(1)}
	panels := make([]plots.Panel, 4)
	for i, trace := range []string{ispLike, nearFarName} {
		laws := plots.Panel{
			Title: []string{"(a) ISP-like", "(b) Near and far hosts"}[i],
			X:     figure.Log("Delay", plots.InSeconds),
			Y:     share,
		}
		ratios := plots.Panel{Title: laws.Title + ", against the truth", X: share,
			Y: figure.Linear("Estimated over true delay", "")}
		ratios.Y.Lines = []plots.RefLine{{At: 1, Label: "equal"}}
		of := onTrace(rows, trace)
		is := cdf(of, truth)
		is.Muted = true
		laws.Series = append(laws.Series, is)
		for _, name := range []string{corrected, naive512, always, raw} {
			s := cdf(of, name)
			laws.Series = append(laws.Series, s)
			s.X, s.Y = s.Y, slices.Clone(s.X)
			for k := range s.Y {
				s.Y[k] /= is.X[k]
			}
			ratios.Series = append(ratios.Series, s)
		}
		panels[i], panels[i+2] = laws, ratios
	}
	d := figure.Draw("fig2", "Fig. 2: estimated distributions of delays", panels...)
	return []figure.Drawing{d}, nil
}
