package lightguardian

import (
	_ "embed" // for known.csv

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/lightguardian"
	"pintlab/experiments/study"
	"pintlab/plots"
)

// What is measured, at the LightGuardian paper's scale.
var (
	buckets    = []int{1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16}
	memories12 = []int{384 * kb, 768 * kb, 1500 * kb, 3000 * kb, 6000 * kb}
	bunched12  = []float64{0.1, 0.2, 0.5} // of the time of the trace
	largest12  = []int{1000, 2000, 5000, 20_000, 100_000}
	// By panel: (a) and (b) against w, (c) to (e) against the flows.
	byBuckets = []struct{ panel, kind string }{{"a", lightguardian.Exponential}, {"b", lightguardian.Normal}}
	byFlows   = []struct{ panel, kind string }{{"c", lightguardian.ChiSquare}, {"d", lightguardian.Exponential}, {"e", lightguardian.Normal}}
)

const (
	delayMemory = 6000 * kb  // of (c) to (e)
	gapMemory   = 12000 * kb // of (h)
)

func delayCells(t *lightguardian.Trace, z lightguardian.LocalScale) []study.Cell {
	var cells []study.Cell
	for _, s := range lightguardian.Sketches {
		for _, p := range byBuckets {
			for _, w := range buckets {
				cells = append(cells, lightguardian.One(p.panel, s, float64(w), func(seed uint64) (float64, error) {
					return t.Delay(s, p.kind, max(w/z.Share, 1), z.Some(lightguardian.DelayLargest), seed)
				}))
			}
		}
		for _, p := range byFlows {
			for _, k := range largest12 {
				cells = append(cells, lightguardian.One(p.panel, s, float64(k), func(seed uint64) (float64, error) {
					return t.Delay(s, p.kind, delayMemory/z.Share/(4*lightguardian.DelayCells*lightguardian.Arrays), max(k/z.Share, 1), seed)
				}))
			}
		}
	}
	head := t.Head(lightguardian.Coded)
	for _, m := range memories12 {
		x := float64(m)
		cells = append(cells, study.Cell{
			Rows: []row{
				{Table: coded("f"), Scheme: lightguardian.SuMax, X: x},
				{Table: coded("g"), Scheme: lightguardian.SuMax, X: x},
			},
			Work: study.OfSeed(func(seed uint64) ([]float64, error) {
				a, err := head.Arrivals(lightguardian.CodedArrivals(m)/z.Share, 0, seed)
				return []float64{a.Last, 100 * a.Exact}, err
			}),
		})
		cells = append(cells, study.Cell{
			Rows: []row{
				{Table: "f", Scheme: lightguardian.SuMax, X: x},
				{Table: "g", Scheme: lightguardian.SuMax, X: x},
			},
			Work: study.OfSeed(func(seed uint64) ([]float64, error) {
				a, err := t.Arrivals(m/z.Share, 0, seed)
				return []float64{a.Last, 100 * a.Exact}, err
			}),
		})
	}
	for _, share := range bunched12 {
		b := t.Bunched(share, 1)
		for _, m := range []int{768 * kb, 3000 * kb} {
			cells = append(cells, study.Cell{
				Rows: []row{
					{Table: bunched("f"), Scheme: size(m), X: 100 * share},
					{Table: bunched("g"), Scheme: size(m), X: 100 * share},
				},
				Work: study.OfSeed(func(seed uint64) ([]float64, error) {
					a, err := b.Arrivals(m/z.Share, 0, seed)
					return []float64{a.Last, 100 * a.Exact}, err
				}),
			})
		}
	}
	for _, k := range largest12 {
		cells = append(cells, lightguardian.One("h", lightguardian.SuMax, float64(k), func(seed uint64) (float64, error) {
			a, err := t.Arrivals(gapMemory/z.Share, max(k/z.Share, 1), seed)
			return a.Interval, err
		}))
	}
	return cells
}

var (
	panels12 = []panel{
		{Letter: "a", Title: "(a) exponential delays", X: bucketsAxis, Y: linearWMRE, Schemes: lightguardian.Sketches},
		{Letter: "b", Title: "(b) normal delays", X: bucketsAxis, Y: linearWMRE, Schemes: lightguardian.Sketches},
		{Letter: "c", Title: "(c) chi-square delays, 6 MB", X: flowsAxis, Y: linearWMRE, Schemes: lightguardian.Sketches},
		{Letter: "d", Title: "(d) exponential delays, 6 MB", X: flowsAxis, Y: linearWMRE, Schemes: lightguardian.Sketches},
		{Letter: "e", Title: "(e) normal delays, 6 MB", X: flowsAxis, Y: linearWMRE, Schemes: lightguardian.Sketches},
		{Letter: "f", Title: "(f) last arrivals", X: memoryAxis, Y: plots.Axis{Label: "AAE", Unit: plots.InSeconds, Scale: plots.Log}, Schemes: alone},
		{Letter: "g", Title: "(g) last arrivals that are right", X: memoryAxis, Y: plots.Axis{Label: "Packets", Unit: "%", Scale: plots.Linear}, Schemes: alone},
		{Letter: coded("f"), Title: "(f) as in the published code", X: memoryAxis, Y: plots.Axis{Label: "AAE", Unit: plots.InSeconds, Scale: plots.Log}, Schemes: alone},
		{Letter: coded("g"), Title: "(g) as in the published code", X: memoryAxis, Y: plots.Axis{Label: "Packets", Unit: "%", Scale: plots.Linear}, Schemes: alone},
		{Letter: bunched("f"), Title: "(f) with the packets of a flow bunched", X: bunchedAxis, Y: plots.Axis{Label: "AAE", Unit: plots.InSeconds, Scale: plots.Log}, Schemes: []string{size(768 * kb), size(3000 * kb)}},
		{Letter: bunched("g"), Title: "(g) with the packets of a flow bunched", X: bunchedAxis, Y: plots.Axis{Label: "Packets", Unit: "%", Scale: plots.Linear}, Schemes: []string{size(768 * kb), size(3000 * kb)}},
		{Letter: "h", Title: "(h) longest times between packets, 12 MB", X: flowsAxis, Y: logARE, Schemes: alone},
	}
)

//go:embed fig12/known.csv
var known12 string

var crowded = figure.Known(known12, "few buckets", "Only with 2048 buckets, the fewest, does SuMax err more, by 2 %. The error here is of the shares of the delays, and the LightGuardian paper does not say over how many of the largest flows. Over fewer ones SuMax errs less with these buckets, too. It counts the packets with each delay better in any case, but what it adds wrongly to the smaller of these flows changes their shares more.")

func check12(rows []row) []figure.Finding {
	var findings []figure.Finding
	more := figure.Pick(rows, func(r *row) bool { return r.X > float64(buckets[0]) })
	for _, p := range byBuckets {
		statement := "(" + p.panel + ") SuMax has a lower WMRE than CM, " + p.kind + " delays"
		f := below(statement, rows, p.panel, lightguardian.SuMax, lightguardian.CM)
		if below(statement, more, p.panel, lightguardian.SuMax, lightguardian.CM).Outcome == figure.Holds {
			f = f.Expect(crowded) // which says nothing of more buckets
		}
		findings = append(findings, f)
	}
	for _, p := range byBuckets {
		findings = append(findings, crowdedFirst(nearer("("+p.panel+") SuMax's WMRE is close to CU's (closer than to CM's), "+p.kind+" delays", rows, p.panel), rows, p.panel, -1))
	}
	for _, p := range byFlows {
		findings = append(findings, below("("+p.panel+") SuMax has a lower WMRE than CM for flows of all sizes, "+p.kind+" delays", rows, p.panel, lightguardian.SuMax, lightguardian.CM),
			crowdedFirst(nearer("("+p.panel+") SuMax's WMRE is similar to CU's (closer than to CM's), "+p.kind+" delays", rows, p.panel), rows, p.panel, 1))
	}
	return append(findings, falls("(f) the error of last arrivals falls with the memory", rows, "f", lightguardian.SuMax, 1).Own(),
		falls("(g) the share of right ones grows", rows, "g", lightguardian.SuMax, -1).Own())
}

// crowdedFirst expects SuMax to be nearer to CM where flows fall on each other, if it is nearer to CU at the other end of a panel, which has
// the fewest flows (1) or the most buckets (-1).
func crowdedFirst(f figure.Finding, rows []row, panel string, sign float64) figure.Finding {
	list := pointsOf(rows, panel, lightguardian.SuMax)
	if len(list) == 0 {
		return f
	}
	end := list[0].X
	if sign < 0 {
		end = list[len(list)-1].X
	}
	alone := figure.Pick(rows, func(r *row) bool { return r.X == end })
	if nearer("", alone, panel).Outcome == figure.Fails {
		return f
	}
	return f.Expect(crowdedPlace)
}

var crowdedPlace = figure.Known(known5, "which flows", "SuMax is nearer to CU for flows that are large beside what shares their buckets, and nearer to CM for the others: with few buckets and over many flows. Measured with flow sizes:")

const mixed = "Our trace mixes the packets of all flows uniformly. In a real one the packets of a flow come together, so that its last arrival is seldom hidden by that of another flow in the meantime."

// bunched returns the name of a panel measured on a trace that packs the packets of each flow into a share of the time.
func bunched(panel string) string { return panel + ", bunched" }

var bunchedAxis = plots.Axis{Label: "Time in which the packets of a flow lie", Unit: "%", Scale: plots.Linear}

const source12 = "LightGuardian D.1, Fig. 12"

var published12 = []beside{
	{Panel: "f", Scheme: lightguardian.SuMax, X: 768 * kb, Value: 0.012, Quantity: "(f) AAE of last arrivals, 768 KB", Unit: plots.InSeconds, Source: source12, Within: figure.AtMost, Why: mixed, See: bunched("f")},
	{Panel: "f", Scheme: lightguardian.SuMax, X: 3000 * kb, Value: 0.0015, Quantity: "(f) the same, 3 MB", Unit: plots.InSeconds, Source: source12, Within: figure.AtMost, Why: mixed, See: bunched("f")},
	{Panel: "g", Scheme: lightguardian.SuMax, X: 768 * kb, Value: 87, Quantity: "(g) last arrivals that are right, 768 KB", Unit: "%", Source: source12, Within: figure.Digits(1), Why: mixed, See: bunched("g")},
	{Panel: coded("f"), Scheme: lightguardian.SuMax, X: 768 * kb, Value: 0.012, Quantity: "(f) AAE of last arrivals, 768 KB", Reading: asCoded, Unit: plots.InSeconds, Source: source12, Within: figure.AtMost, Why: mixed, See: bunched("f")},
	{Panel: coded("f"), Scheme: lightguardian.SuMax, X: 3000 * kb, Value: 0.0015, Quantity: "(f) the same, 3 MB", Unit: plots.InSeconds, Source: source12, Within: figure.AtMost, Why: mixed, See: bunched("f")},
	{Panel: coded("g"), Scheme: lightguardian.SuMax, X: 768 * kb, Value: 87, Quantity: "(g) last arrivals that are right, 768 KB", Reading: asCoded, Unit: "%", Source: source12, Within: figure.Digits(1), Why: mixed, See: bunched("g")},
}

// Fig12 is Figure 12 of LightGuardian (appendix D.1): delay distributions, last arrivals and longest
// times between packets.
//
// Package experiments/measure/lightguardian has the definitions. The LightGuardian paper's panels (a) to (e) are of different data sets; ours are of
// different distributions of delays.
//
// Errors of delays are between those of CM and CU, except with the fewest buckets. Fewer of the last arrivals are right than in
// the LightGuardian paper and their AAE is larger, since our trace mixes flows; where the packets of each flow lie in a fifth to a tenth of the time, both are the paper's.
var Fig12 = figure.Of[lightguardian.LocalScale, row]{
	Columns: stored,
	Name:    "lightguardian/fig12",
	Title:   "SuMax in the network-wide tasks",
	Source:  "LightGuardian appendix D.1, Fig. 12 (a) to (h)",
	Claim:   "SuMax is as accurate as CU and more than CM for delays of any distribution; last arrivals become exact with memory.",
	Scales:  lightguardian.LocalScales,
	Measure: ofTrace(delayCells, func(j *figure.Job, z lightguardian.LocalScale) {
		j.Setting("largest flows of (a) and (b)", "not in the paper", "%d", z.Some(lightguardian.DelayLargest))
	}),
	Check:   check12,
	Compare: comparePanels(published12),
	Tables:  panelTables(panels12),
	Draw:    drawPanels("SuMax in the network-wide tasks", "Hollow marks: numbers of the paper's text.", 2, panels12, published12),
	Why: []string{
		mixed,
		"A bucket of a sketch of arrivals has 12 B here; the LightGuardian paper does not say what its memory counts. Its code has 16 B, and takes the first million packets; rows of \"published code\" are these.",
		notTaken,
	},
}.Figure()
