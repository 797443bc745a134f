package pint

import (
	"context"
	"errors"
	"fmt"
	"math"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/pint"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/internal/lists"
	"pintlab/pint/coding"
	"pintlab/plots"
	"pintlab/plots/report"
)

// Fig5 is Figure 5 of PINT (§4.2). It shows how fast the coding schemes collect the values of 25 hops if a packet has
// space for one whole value.
//
// The PINT paper reports the expected number of missing hops (a) and the probability that all hops are known (b),
// after 0 to 200 packets, for Baseline, XOR and Hybrid. It prints the median and the 99th percentile of the packets
// that Baseline and Hybrid need. Our figure adds the multi-layer scheme of appendix A.2, linear network coding, the
// example of two hops (8/3 packets), and Theorem 3 and appendix A.3 on paths of up to 256 hops.
var Fig5 = figure.Of[codingScale, codingRow]{
	Name:    "pint/fig5",
	Files:   files,
	Scales:  codingScales,
	Measure: measureCoding,
	Claims: map[string]func(*figure.Claim, []codingRow) figure.Finding{
		"fewer packets": fewer, "similar end": similarEnd, "half of the hops": late, "coupons": coupons,
		"theorem": theorem,
	},
	Ours: map[string]figure.Ours[codingRow]{
		"average": average,
		"median":  quantile(0.5, 1), "median from 0": quantile(0.5, 0), "p99": quantile(0.99, 1),
		"likely": quantile(1-1.0/hops, 1), "known": sharesKnown,
	},
	Values: map[string]func([]codingRow) []any{"coupons": func([]codingRow) []any {
		const printed = 189 // packets of Baseline at the 99th percentile
		runs := samples(0.99, printed)
		return []any{collector(0.5), collector(0.99), hops, printed, 100 * collected(printed), printed, runs / 1000}
	}, "other probabilities": func(rows []codingRow) []any {
		text := table(rows).of(hybrid)
		values := []any{text.P50, text.P99}
		for _, o := range otherHybrids {
			r := table(rows).of(otherName(o.tau, o.p))
			values = append(values, o.p, o.tau, r.P50, r.P99)
		}
		return values
	}},
	Tables: codingTables,
	Draw:   drawCoding,
}.Figure()

// codingRow is a line of rows.csv.
type codingRow struct {
	// Table is "progress" for the curves of (a) and (b), "decode" for the packets until all hops are known, and "bound"
	// for Theorem 3 and A.3.
	Table   string  `col:"table"`
	Source  string  `col:"source"` // ours or published
	Scheme  string  `col:"scheme"`
	Params  string  `col:"parameters"`
	Hops    int     `col:"hops"`
	Packets float64 `col:"packets"` // in progress: number of packets that have arrived
	Missing float64 `col:"missing" unit:"hops"`
	Decoded float64 `col:"decoded"` // share of the runs that know all hops
	Mean    float64 `col:"mean" unit:"packets"`
	Half    float64 `col:"half_width"` // half of the 95 % interval of missing or mean
	P50     float64 `col:"p50" unit:"packets"`
	P99     float64 `col:"p99" unit:"packets"`
	Leading float64 `col:"leading_term" unit:"packets"` // k ln log*k, Theorem 3
	Revised float64 `col:"revised" unit:"packets"`      // k (ln log*k + 2), A.3
	Coupons float64 `col:"coupons" unit:"packets"`      // k H_k, Baseline's expectation
	Runs    int     `col:"runs"`
}

// The tables of the rows.
const (
	progressTable = "progress"
	decodeTable   = "decode"
	boundTable    = "bound"
)

// The schemes.
const (
	baseline   = "Baseline"
	xor        = "XOR"
	hybrid     = "Hybrid"
	plotted    = "Hybrid, p = 7.75/25" // as in the authors' plotting code
	multiLayer = "Multi-layer"
	lnc        = "Linear network coding"
	twoHops    = "Interleaved"
)

// hops is the path length of the figure (k and d in the paper). packets is the end of the x axis.
const hops, packets = 25, 200

// codingScheme is a curve.
type codingScheme struct {
	name   string
	scheme coding.Scheme
}

var codingSchemes = []codingScheme{
	{baseline, coding.Baseline()},
	{xor, coding.XOR(1.0 / hops)},
	{hybrid, coding.Hybrid(hops)},
	{multiLayer, coding.MultiLayer(hops, 2)},
	{lnc, coding.LNC()},
	{plotted, interleaved(0.75, 7.75/hops)},
}

// interleaved returns a variant of Hybrid with the share tau of Baseline packets and the XOR probability p.
func interleaved(tau, p float64) coding.Scheme {
	return coding.Scheme{Name: "hybrid", Tau: tau, XOR: []float64{p}}
}

// otherHybrids lists variants of Hybrid with other XOR probabilities, or with fewer Baseline packets. With the
// formula in the text, p is ln ln 25/ln 25 = 0.363. With logarithms to base 2, p is 0.477.
var otherHybrids = []struct{ tau, p float64 }{{0.75, 0.3}, {0.75, 0.477}, {0.7, 0.363}}

// otherName returns the name of a variant.
func otherName(tau, p float64) string { return fmt.Sprintf("%s, τ = %g, p = %g", hybrid, tau, p) }

// codingScale contains the settings of a scale.
type codingScale struct {
	runs   int // runs of the figure
	bounds int // runs for Theorem 3, for each path length
}

var codingScales = map[figure.Scale]codingScale{
	figure.Smoke:  {300, 20},
	figure.Laptop: {10_000, 300},
	figure.Paper:  {100_000, 10_000},
}

// lengths lists the path lengths for Theorem 3.
var lengths = []int{2, 4, 8, 16, 32, 64, 128, 256}

func (z codingScale) String() string {
	return fmt.Sprintf("%d runs for each scheme, %d for each of %d path lengths of Theorem 3", z.runs, z.bounds,
		len(lengths))
}

// blank returns a row without numbers.
func blank(table, source, scheme, params string, hops, runs int) codingRow {
	r := columns.Blank[codingRow]()
	r.Table, r.Source, r.Scheme, r.Params, r.Hops, r.Runs = table, source, scheme, params, hops, runs
	return r
}

func measureCoding(ctx context.Context, j *figure.Job, z codingScale) ([]codingRow, error) {
	if j.Seeds > 0 || len(j.Set) > 0 {
		return nil, errors.New("--seeds and --set have no effect on this figure: it simulates no network")
	}
	var codings, bounds []pint.Coding
	for _, s := range codingSchemes {
		codings = append(codings, pint.Coding{Scheme: s.scheme, Hops: hops, Packets: packets})
	}
	names := lists.Map(codingSchemes, func(s codingScheme) string { return s.name })
	names = append(names, twoHops)
	codings = append(codings, pint.Coding{Scheme: coding.Interleaved(0.5, 1), Hops: 2})
	for _, o := range otherHybrids {
		names = append(names, otherName(o.tau, o.p))
		codings = append(codings, pint.Coding{Scheme: interleaved(o.tau, o.p), Hops: hops})
	}
	decoded, err := pint.Decode(ctx, j, pint.Trials{Seed: j.Seed, Runs: z.runs}, codings)
	if err != nil {
		return nil, err
	}
	var rows []codingRow
	for i, s := range codingSchemes {
		for n, p := range decoded[i].Curve {
			r := blank(progressTable, "ours", s.name, s.scheme.String(), hops, z.runs)
			r.Packets, r.Missing, r.Decoded, r.Half = float64(n), p.Missing, p.Decoded, p.Half
			rows = append(rows, r)
		}
	}
	until := func(table, name string, c *pint.Coding, d *pint.Decoded) codingRow {
		r := blank(table, "ours", name, c.String(), c.Hops, d.Runs())
		r.Mean, r.Half, r.P99 = d.Mean(), d.HalfWidth(), float64(d.Quantile(0.99))
		return r
	}
	for i, d := range decoded {
		r := until(decodeTable, names[i], &codings[i], &d)
		r.P50 = float64(d.Quantile(0.5))
		rows = append(rows, r)
	}
	for _, k := range lengths {
		bounds = append(bounds, pint.Coding{Scheme: coding.MultiLayerRevised(k, 0), Hops: k})
	}
	if decoded, err = pint.Decode(ctx, j, pint.Trials{Seed: j.Seed, Runs: z.bounds}, bounds); err != nil {
		return nil, err
	}
	for i, k := range lengths {
		r, b := until(boundTable, multiLayer, &bounds[i], &decoded[i]), pint.BoundsOf(k)
		r.Leading, r.Revised, r.Coupons = b.Theorem3, b.Revised, b.Coupons
		rows = append(rows, r)
	}
	j.Footnote("%d hops, a whole value in each packet; %d runs for each curve", hops, z.runs)
	j.Setting("path", "PINT Fig. 5", "k = d = %d hops, q bits each, digests of q bits", hops)
	return append(rows, published()...), nil
}

// published returns the numbers that the PINT paper prints (§4.2) as rows.
func published() []codingRow {
	b, h, two := blank(decodeTable, "published", baseline, "", hops, 0),
		blank(decodeTable, "published", hybrid, "", hops, 0), blank(decodeTable, "published", twoHops, "", 2, 0)
	b.P50, b.P99, h.P50, h.P99, two.Mean = 89, 189, 41, 68, 8.0/3
	return []codingRow{b, h, two}
}

// table finds rows.
type table []codingRow

// in returns the rows of a table.
func (t table) in(name, source string) table {
	return figure.Pick(t, func(r *codingRow) bool { return r.Table == name && r.Source == source })
}

// of returns our decode row of a scheme. If there is none, it returns a row without numbers, which fails every check.
func (t table) of(scheme string) codingRow {
	if r := figure.Find(t.in(decodeTable, "ours"), func(r *codingRow) bool { return r.Scheme == scheme }); r != nil {
		return *r
	}
	return blank(decodeTable, "ours", scheme, "", 0, 0)
}

// needed returns the mean number of packets with its interval.
func (r *codingRow) needed() stats.Number { return stats.Around(r.Mean, r.Half) }

// fewer makes a finding. The finding holds if a scheme needs fewer packets than another scheme.
func fewer(c *figure.Claim, rows []codingRow) figure.Finding {
	a, b := table(rows).of(c.Scheme), table(rows).of(c.Against)
	return comparing(a, b, a.needed().Under(1, b.needed()), b.needed().Under(1, a.needed()))
}

// similarEnd makes a finding. The finding holds if the numbers of packets that two schemes need differ by at most the
// amount of the claim, as a share.
func similarEnd(c *figure.Claim, rows []codingRow) figure.Finding {
	a, b := table(rows).of(c.Scheme), table(rows).of(c.Against)
	over, lo, hi := a.needed().Ratio(b.needed()), 1-c.Amount, 1+c.Amount
	return comparing(a, b, over.Inside(lo, hi), over.Above(hi) || over.Below(lo))
}

// comparing makes a finding whose detail lists the packets that two schemes need.
func comparing(a, b codingRow, confirmed, contradicted bool) figure.Finding {
	return figure.Judge("", confirmed, contradicted, "%.2f ± %.2f against %.2f ± %.2f packets on average", a.Mean,
		a.Half, b.Mean, b.Half)
}

// late makes a finding. The finding holds if a scheme knows half of the hops long before another scheme.
func late(c *figure.Claim, rows []codingRow) figure.Finding {
	half := map[string]float64{}
	for _, r := range table(rows).in(progressTable, "ours") {
		if _, ok := half[r.Scheme]; !ok && r.Missing <= hops/2.0 {
			half[r.Scheme] = r.Packets
		}
	}
	a, b := half[c.Scheme], half[c.Against]
	return figure.Judge("", a > 0 && b > c.Amount*a, a > 0 && b <= a, "after %.0f packets against %.0f", a, b)
}

// coupons judges whether the scheme of A.3 needs fewer packets than Baseline is expected to need, on paths of at
// least 16 hops.
func coupons(_ *figure.Claim, rows []codingRow) figure.Finding {
	confirmed, contradicted, last := true, false, 0.0
	for _, r := range table(rows).in(boundTable, "ours") {
		if r.Hops < 16 {
			continue
		}
		last = r.Coupons / r.Mean
		confirmed = confirmed && r.needed().Below(r.Coupons)
		contradicted = contradicted || r.needed().Above(r.Coupons)
	}
	return figure.Judge("", confirmed && last > 0, contradicted, "%.2f times fewer on the longest paths", last)
}

// theorem judges whether the scheme of A.3 needs no more packets than its bound allows.
func theorem(_ *figure.Claim, rows []codingRow) figure.Finding {
	bounds := table(rows).in(boundTable, "ours")
	confirmed, contradicted := len(bounds) > 0, false
	least, most := math.Inf(1), math.Inf(-1)
	for _, r := range bounds {
		least, most = min(least, r.Mean/r.Revised), max(most, r.Mean/r.Revised)
		confirmed = confirmed && r.needed().Hi <= r.Revised
		contradicted = contradicted || r.needed().Above(r.Revised)
	}
	return figure.Judge("", confirmed, contradicted, "%.2f to %.2f times as many", least, most)
}

// average returns the mean number of packets that a scheme needs.
func average(rows []codingRow, p *figure.Published, c *report.Compared) stats.Number {
	r := table(rows).of(p.Scheme)
	c.Over = figure.Count(r.Runs, "run")
	return r.needed()
}

// quantile returns a function that finds a quantile of the packets that a scheme needs. `first` is the number of the
// first packet, 0 or 1.
func quantile(q float64, first int) figure.Ours[codingRow] {
	return func(rows []codingRow, p *figure.Published, c *report.Compared) stats.Number {
		t := table(rows)
		c.Over = figure.Count(t.of(p.Scheme).Runs, "run")
		end := func(sign float64) float64 { return t.end(p.Scheme, q, sign) + float64(first-1) }
		return stats.Number{Value: end(0), Lo: end(-1), Hi: end(1)}
	}
}

// sharesKnown returns the percentage of the runs for which the printed number of packets suffices. The paper numbers
// packets from 0.
func sharesKnown(rows []codingRow, p *figure.Published, c *report.Compared) stats.Number {
	for _, r := range table(rows).in(progressTable, "ours") {
		if r.Scheme == p.Scheme && r.Packets == p.X+1 {
			c.Over = figure.Count(r.Runs, "run")
			return stats.Around(100*r.Decoded, 196*math.Sqrt(r.Decoded*(1-r.Decoded)/float64(r.Runs)))
		}
	}
	return stats.None()
}

// samples returns the largest number of runs in which the given number of packets may still be measured as the
// quantile q of Baseline. This requires that q is in the 95 % interval of the share of runs that need at most this
// number of packets.
func samples(q float64, packets int) int {
	return int(q * (1 - q) * math.Pow(1.96/(q-collected(packets)), 2))
}

// collected returns the probability that the given number of packets contains the values of all hops, if each packet
// contains the value of one random hop.
func collected(packets int) float64 {
	var known [hops + 1]float64 // probability that this many hops are known
	known[0] = 1
	for range packets {
		for k := hops; k > 0; k-- {
			known[k] = known[k]*float64(k)/hops + known[k-1]*float64(hops-k+1)/hops
		}
		known[0] = 0
	}
	return known[hops]
}

// collector returns a quantile of the number of packets that Baseline needs until all hops are known.
func collector(q float64) int {
	n := hops
	for collected(n) < q {
		n++
	}
	return n
}

// end returns a quantile of the packets until all hops are known, read from the curve of a scheme. With sign 0, it
// returns the quantile; with sign −1 or 1, it returns the lower or upper end of the quantile's 95 % interval. The
// result is NaN if the curve does not reach the quantile.
func (t table) end(scheme string, q, sign float64) float64 {
	for _, r := range t.in(progressTable, "ours") {
		if r.Scheme == scheme && r.Decoded >= q+sign*1.96*math.Sqrt(q*(1-q)/float64(r.Runs)) {
			return r.Packets
		}
	}
	return math.NaN()
}

func codingTables(rows []codingRow) []figure.Table {
	t := table(rows)
	return []figure.Table{
		figure.Show("packets", t.in(decodeTable, "ours"), "scheme", "parameters", "hops", "mean", "±=half_width", "p50",
			"p99"),
		figure.Show("bounds", t.in(boundTable, "ours"),
			"hops k=hops", "parameters", "mean", "±=half_width", "k ln log*k:=leading_term",
			"k (ln log*k + 2):=revised", "k H_k:=coupons"),
	}
}

func drawCoding(rows []codingRow) ([]figure.Drawing, error) {
	t := table(rows)
	x := plots.Axis{Label: "Packets", Scale: plots.Linear, Min: plots.At(0), Max: plots.At(packets)}
	a := plots.Panel{Title: "(a) Missing hops", X: x,
		Y: plots.Axis{Label: "Expected missing hops", Scale: plots.Linear, Min: plots.At(0)}}
	b := plots.Panel{Title: "(b) Decoding", X: x, Y: plots.Axis{Label: "Probability that all are known",
		Scale: plots.Linear, Min: plots.At(0), Max: plots.At(1)}}
	for _, s := range codingSchemes {
		of := figure.Pick(t.in(progressTable, "ours"), func(r *codingRow) bool { return r.Scheme == s.name })
		curve := plots.Series{Name: s.name, Style: plots.Trace}
		a.Series = append(a.Series,
			figure.Curve(curve, of, func(r *codingRow) (x, y float64) { return r.Packets, r.Missing }))
		b.Series = append(b.Series,
			figure.Curve(curve, of, func(r *codingRow) (x, y float64) { return r.Packets, r.Decoded }))
	}
	for _, p := range t.in(decodeTable, "published") {
		if p.Hops == hops {
			b.Series = append(b.Series, plots.Series{Name: p.Scheme, Style: plots.Points, Published: true,
				X: plots.Values{p.P50, p.P99}, Y: plots.Values{0.5, 0.99}})
		}
	}
	c := plots.Panel{
		X: plots.Axis{Label: "Hops k", Scale: plots.Log},
		Y: plots.Axis{Label: "Packets per hop", Scale: plots.Linear, Min: plots.At(0)},
	}
	bounds := t.in(boundTable, "ours")
	c.Series = append(c.Series, figure.Ranges(plots.Series{Name: "measured", Style: plots.Line}, bounds,
		func(r *codingRow) (x, y, lo, hi float64) {
			k := float64(r.Hops)
			return k, r.Mean / k, (r.Mean - r.Half) / k, (r.Mean + r.Half) / k
		}))
	for _, s := range []struct {
		name string
		of   func(*codingRow) float64
	}{
		{"ln log*k (Theorem 3)", func(r *codingRow) float64 { return r.Leading }},
		{"ln log*k + 2 (A.3)", func(r *codingRow) float64 { return r.Revised }},
		{"H_k (Baseline)", func(r *codingRow) float64 { return r.Coupons }},
	} {
		c.Series = append(c.Series,
			figure.Curve(plots.Series{Name: s.name, Style: plots.Trace}, bounds, func(r *codingRow) (x, y float64) {
				return float64(r.Hops), s.of(r) / float64(r.Hops)
			}))
	}
	runs := 0
	if n := len(bounds); n > 0 {
		runs = bounds[n-1].Runs
	}
	return []figure.Drawing{
		{
			Name: "fig5", Caption: "fig5",
			Plot: plots.Figure{Title: fmt.Sprintf("Fig. 5: coding schemes over %d hops", hops),
				Panels: []plots.Panel{a, b}},
		},
		{
			Name: "theorem3", Caption: "theorem3",
			Plot: plots.Figure{Title: "Theorem 3 on paths of up to 256 hops",
				Footnote: fmt.Sprintf("%d runs for each path length", runs), Width: 380, Panels: []plots.Panel{c}},
		},
	}, nil
}
