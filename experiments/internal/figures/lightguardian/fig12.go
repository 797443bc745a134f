package lightguardian

import (
	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/lightguardian"
	"pintlab/experiments/internal/study"
	"pintlab/plots"
)

// The points of the measurements, for the trace at the LightGuardian paper's scale.
var (
	buckets         = []int{1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16}
	arrivalMemories = []int{384 * kb, 768 * kb, 1536 * kb, 3 * mb, 6 * mb}
	delayFlows      = []int{1000, 2000, 5000, 20_000, 100_000}
	// Panels (a) and (b) are drawn against w; panels (c) to (e) are drawn against the number of flows.
	byBuckets = []struct{ panel, kind string }{{"a", lightguardian.Exponential}, {"b", lightguardian.Normal}}
	byFlows   = []struct{ panel, kind string }{{"c", lightguardian.ChiSquare}, {"d", lightguardian.Exponential},
		{"e", lightguardian.Normal}}
)

const (
	delayMemory = 6 * mb  // memory in (c) to (e)
	gapMemory   = 12 * mb // of (h)
)

func delayCells(t *lightguardian.Trace, z lightguardian.LocalScale) []study.Cell {
	var cells []study.Cell
	names, _ := t.OfSizes()
	for _, s := range names {
		for _, p := range byBuckets {
			for _, w := range buckets {
				cells = append(cells, lightguardian.One(p.panel, s, float64(w), func(seed uint64) (float64, error) {
					return t.Delay(s, p.kind, max(w/z.Share, 1), z.Some(lightguardian.DelayLargest), seed)
				}))
			}
		}
		for _, p := range byFlows {
			for _, k := range delayFlows {
				cells = append(cells, lightguardian.One(p.panel, s, float64(k), func(seed uint64) (float64, error) {
					return t.Delay(s, p.kind, delayMemory/z.Share/(4*lightguardian.DelayCells*lightguardian.Arrays),
						max(k/z.Share, 1), seed)
				}))
			}
		}
	}
	// lasts adds queries for the last arrivals of all flows.
	lasts := func(name func(string) string, m int, of *lightguardian.Trace, memory int) {
		x := float64(m)
		cells = append(cells, study.Cell{
			Rows: []row{{Table: name("f"), Scheme: lightguardian.SuMax, X: x},
				{Table: name("g"), Scheme: lightguardian.SuMax, X: x}},
			Work: study.OfSeed(func(seed uint64) ([]float64, error) {
				a, err := of.Arrivals(memory/z.Share, 0, seed)
				return []float64{a.Last, 100 * a.Exact}, err
			}),
		})
	}
	head, plain := t.Head(lightguardian.Coded), func(panel string) string { return panel }
	for _, m := range arrivalMemories {
		lasts(coded, m, head, lightguardian.CodedArrivals(m))
		lasts(plain, m, t, m)
	}
	for _, k := range delayFlows {
		cells = append(cells,
			lightguardian.One("h", lightguardian.SuMax, float64(k), func(seed uint64) (float64, error) {
				a, err := t.Arrivals(gapMemory/z.Share, max(k/z.Share, 1), seed)
				return a.Interval, err
			}))
	}
	return cells
}

var (
	delayPanels = []figure.Panel{
		panel("a", "(a) exponential delays", bucketsAxis, linearWMRE, lightguardian.Sketches...),
		panel("b", "(b) normal delays", bucketsAxis, linearWMRE, lightguardian.Sketches...),
		panel("c", "(c) chi-square delays, 6 MB", flowsAxis, linearWMRE, lightguardian.Sketches...),
		panel("d", "(d) exponential delays, 6 MB", flowsAxis, linearWMRE, lightguardian.Sketches...),
		panel("e", "(e) normal delays, 6 MB", flowsAxis, linearWMRE, lightguardian.Sketches...),
		panel("f", "(f) last arrivals", memoryAxis, lastError, alone...),
		panel("g", "(g) last arrivals that are right", memoryAxis, rightOnes, alone...),
		panel(coded("f"), "(f) as in the published code", memoryAxis, lastError, alone...),
		panel(coded("g"), "(g) as in the published code", memoryAxis, rightOnes, alone...),
		panel("h", "(h) longest times between packets, 12 MB", flowsAxis, logARE, alone...),
	}
)

// fewBuckets judges whether one sketch has smaller errors than another. If the claim fails only with the smallest
// number of buckets, this small number explains the failure.
func fewBuckets(c *figure.Claim, rows []row) figure.Finding {
	more := figure.Pick(rows, func(r *row) bool { return r.X > float64(buckets[0]) })
	f := figure.Beneath("", rows, c.Table, c.Scheme, c.Against)
	if figure.Beneath("", more, c.Table, c.Scheme, c.Against).Outcome == figure.Holds {
		f = f.Because("few buckets") // the section only explains failures with the fewest buckets
	}
	return f
}

// crowdedFirst judges whether SuMax is nearer to CU than to CM at every point. SuMax is expected to be nearer to CM
// where many flows share a counter. So this explains a failure, unless SuMax is also nearer to CM where few flows
// share a counter. Such a point has the fewest flows or, if X of the claim is "last", the most buckets.
func crowdedFirst(c *figure.Claim, rows []row) figure.Finding {
	f, list := nearer(c, rows), figure.PointsOf(rows, c.Table, lightguardian.SuMax)
	if len(list) == 0 {
		return f
	}
	end := list[0].X
	if c.X == "last" {
		end = list[len(list)-1].X
	}
	alone := figure.Pick(rows, func(r *row) bool { return r.X == end })
	if nearer(c, alone).Outcome == figure.Fails {
		return f
	}
	return f.Because("which flows")
}

var (
	lastError = figure.Log("AAE", plots.InSeconds)
	rightOnes = figure.Linear("Packets", "%")
)

// Fig12 is Figure 12 of LightGuardian (appendix D.1): delay distributions, last arrivals and longest times between
// packets. In the paper, panels (a) to (e) show different data sets; here they show different distributions of delays.
var Fig12 = figure.Spec[lightguardian.LocalScale]{
	Name: "lightguardian/fig12", Files: files, Columns: stored,
	Scales: lightguardian.LocalScales,
	Measure: ofTrace(delayCells, func(j *figure.Job, z lightguardian.LocalScale) {
		j.Setting("largest flows of (a) and (b)", "not in the paper", "%d", z.Some(lightguardian.DelayLargest))
	}),
	Claims: map[string]func(*figure.Claim, []row) figure.Finding{"lower with more buckets": fewBuckets,
		"nearer at an end": crowdedFirst},
	Charts: []figure.Chart{{Name: "panels", Title: "SuMax in the network-wide tasks", Columns: 2, Panels: delayPanels}},
}.Figure()
