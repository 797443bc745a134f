package fig5

import (
	"fmt"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/plots"
	"pintlab/plots/report"
)

// table finds rows.
type table []Row

// in are the rows of a table.
func (t table) in(name, source string) table {
	return figure.Pick(t, func(r *Row) bool { return r.Table == name && r.Source == source })
}

// of is our decode row of a scheme; one without numbers, of which nothing holds, if there
// is none.
func (t table) of(scheme string) Row {
	for _, r := range t.in(decodeTable, "ours") {
		if r.Scheme == scheme {
			return r
		}
	}
	return blank(decodeTable, "ours", scheme, "", 0, 0)
}

func check(rows []Row) []figure.Finding {
	t := table(rows)
	var s [6]Row
	for i, name := range []string{baseline, xor, hybrid, multiLayer, lnc, twoHops} {
		s[i] = t.of(name)
	}
	less := func(statement string, a, b Row) figure.Finding {
		return figure.Judge(statement, a.Mean+a.Half < b.Mean-b.Half, a.Mean-a.Half > b.Mean+b.Half, "%.2f ± %.2f against %.2f ± %.2f packets on average", a.Mean, a.Half, b.Mean, b.Half)
	}
	list := []figure.Finding{
		less("Hybrid needs fewer packets than Baseline", s[2], s[0]),
		less("Hybrid needs fewer packets than XOR", s[2], s[1]),
		less("the multi-layer scheme needs no more packets than Hybrid", s[3], s[2]),
		less("linear network coding needs the fewest packets", s[4], s[3]),
		figure.Judge("two hops take 8/3 packets on average", math.Abs(s[5].Mean-8.0/3) <= 1.5*s[5].Half, math.Abs(s[5].Mean-8.0/3) > 2.5*s[5].Half,
			"%.4f ± %.4f", s[5].Mean, s[5].Half),
	}
	return append(list, t.late(), t.coupons(), t.theorem())
}

// late looks at when half of the hops are known.
func (t table) late() figure.Finding {
	half := map[string]float64{}
	for _, r := range t.in(progressTable, "ours") {
		if _, ok := half[r.Scheme]; !ok && r.Missing <= hops/2.0 {
			half[r.Scheme] = r.Packets
		}
	}
	b, x := half[baseline], half[xor]
	return figure.Judge("(a) Baseline knows half of the hops long before XOR does", b > 0 && x > 1.5*b, b > 0 && x <= b,
		"after %.0f packets against %.0f", b, x)
}

// coupons holds the scheme of A.3 against Baseline's expectation.
func (t table) coupons() figure.Finding {
	confirmed, contradicted, last := true, false, 0.0
	for _, r := range t.in(boundTable, "ours") {
		if r.Hops < 16 {
			continue
		}
		last = r.Coupons / r.Mean
		confirmed = confirmed && r.Mean+r.Half < r.Coupons
		contradicted = contradicted || r.Mean-r.Half > r.Coupons
	}
	return figure.Judge("from 16 hops on the scheme of A.3 needs fewer packets than the coupon collector", confirmed, contradicted, "%.2f times fewer on the longest paths", last)
}

// theorem holds the packets per hop of the longest paths against A.3.
func (t table) theorem() figure.Finding {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, r := range t.in(boundTable, "ours") {
		if r.Hops >= 16 {
			lo, hi = math.Min(lo, r.Mean/r.Revised), math.Max(hi, r.Mean/r.Revised)
		}
	}
	return figure.Judge("Theorem 3: the packets per hop stay bounded: within 50 % of A.3's k (ln log*k + 2) for 16 to 256 hops", lo > 0.5 && hi < 1.5, hi >= 1.5,
		"%.2f to %.2f times as many", lo, hi)
}

func compared(rows []Row) []report.Compared {
	t := table(rows)
	var list []report.Compared
	add := func(what string, published, ours, half, near float64) {
		if math.IsNaN(published) {
			return
		}
		o := report.Deviates
		if math.Abs(ours/published-1) <= near {
			o = report.Holds
		}
		list = append(list, report.Compared{Quantity: what, Unit: "", Published: published, Ours: ours, Lo: ours - half, Hi: ours + half, Outcome: o, Source: "PINT §4.2, Fig. 5"})
	}
	for _, p := range t.in(decodeTable, "published") {
		r := t.of(p.Scheme)
		name := fmt.Sprintf("%s, %d hops: packets", p.Scheme, p.Hops)
		add(name+", median", p.P50, r.P50, 0, 0.03)
		add(name+", 99th percentile", p.P99, r.P99, 0, 0.03)
		add(name+", average", p.Mean, r.Mean, r.Half, 0.03)
	}
	return list
}

// line is a line of the tables.
type line struct {
	Scheme string  `col:"scheme"`
	Params string  `col:"parameters"`
	Hops   int     `col:"hops"`
	Mean   float64 `col:"mean" unit:"packets"`
	Half   float64 `col:"±"`
	P50    float64 `col:"p50" unit:"packets"`
	P99    float64 `col:"p99" unit:"packets"`
}

type boundLine struct {
	Hops    int     `col:"hops k"`
	Params  string  `col:"parameters"`
	Mean    float64 `col:"mean" unit:"packets"`
	Half    float64 `col:"±"`
	Leading float64 `col:"k ln log*k"`
	Revised float64 `col:"k (ln log*k + 2)"`
	Coupons float64 `col:"k H_k"`
}

func tables(rows []Row) []figure.Table {
	t := table(rows)
	var lines []line
	for _, r := range t.in(decodeTable, "ours") {
		lines = append(lines, line{r.Scheme, r.Params, r.Hops, r.Mean, r.Half, r.P50, r.P99})
	}
	var bounds []boundLine
	for _, r := range t.in(boundTable, "ours") {
		bounds = append(bounds, boundLine{r.Hops, r.Params, r.Mean, r.Half, r.Leading, r.Revised, r.Coupons})
	}
	return []figure.Table{
		{Caption: "Packets until all hops are known", Rows: lines},
		{Caption: "The multi-layer scheme of appendix A.3 against Theorem 3 (leading term), A.3 and the coupon collector", Rows: bounds},
	}
}

func draw(rows []Row) ([]figure.Drawing, error) {
	t := table(rows)
	x := plots.Axis{Label: "Packets", Scale: plots.Linear, Min: plots.At(0), Max: plots.At(packets)}
	a := plots.Panel{Title: "(a) Missing hops", X: x, Y: plots.Axis{Label: "Expected missing hops", Scale: plots.Linear, Min: plots.At(0)}}
	b := plots.Panel{Title: "(b) Decoding", X: x, Y: plots.Axis{Label: "Probability that all are known", Scale: plots.Linear, Min: plots.At(0), Max: plots.At(1)}}
	for _, s := range schemes {
		missing := plots.Series{Name: s.name, Style: plots.Trace}
		decoded := missing
		for _, r := range t.in(progressTable, "ours") {
			if r.Scheme == s.name {
				missing.X, missing.Y = append(missing.X, r.Packets), append(missing.Y, r.Missing)
				decoded.X, decoded.Y = append(decoded.X, r.Packets), append(decoded.Y, r.Decoded)
			}
		}
		a.Series, b.Series = append(a.Series, missing), append(b.Series, decoded)
	}
	for _, p := range t.in(decodeTable, "published") {
		if p.Hops == hops {
			b.Series = append(b.Series, plots.Series{Name: p.Scheme, Style: plots.Points, Published: true, X: plots.Values{p.P50, p.P99}, Y: plots.Values{0.5, 0.99}})
		}
	}
	c := plots.Panel{
		X: plots.Axis{Label: "Hops k", Scale: plots.Log},
		Y: plots.Axis{Label: "Packets per hop", Scale: plots.Linear, Min: plots.At(0)},
	}
	ours := plots.Series{Name: "measured", Style: plots.Line}
	theory := []plots.Series{{Name: "ln log*k (Theorem 3)", Style: plots.Trace}, {Name: "ln log*k + 2 (A.3)", Style: plots.Trace}, {Name: "H_k (Baseline)", Style: plots.Trace}}
	runs := 0
	for _, r := range t.in(boundTable, "ours") {
		runs = r.Runs
		k := float64(r.Hops)
		ours.X, ours.Y = append(ours.X, k), append(ours.Y, r.Mean/k)
		ours.Lo, ours.Hi = append(ours.Lo, (r.Mean-r.Half)/k), append(ours.Hi, (r.Mean+r.Half)/k)
		for i, v := range []float64{r.Leading, r.Revised, r.Coupons} {
			theory[i].X, theory[i].Y = append(theory[i].X, k), append(theory[i].Y, v/k)
		}
	}
	c.Series = append([]plots.Series{ours}, theory...)
	return []figure.Drawing{
		{
			Name: "fig5", Caption: "(a) Expected number of hops that are not known, (b) probability that all are, after so many packets.",
			Plot: plots.Figure{Title: fmt.Sprintf("Fig. 5: coding schemes over %d hops", hops), Panels: []plots.Panel{a, b}},
		},
		{
			Name: "theorem3", Caption: "Packets per hop that the multi-layer scheme of appendix A.3 needs, against Theorem 3 and A.3 without their lower-order terms, and against the coupon collector.",
			Plot: plots.Figure{Title: "Theorem 3 on paths of up to 256 hops", Footnote: fmt.Sprintf("%d runs for each path length", runs), Width: 380, Panels: []plots.Panel{c}},
		},
	}, nil
}
