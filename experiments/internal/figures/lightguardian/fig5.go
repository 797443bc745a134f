package lightguardian

import (
	"fmt"
	"maps"
	"math"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/lightguardian"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/int/sketch/sumax"
	"pintlab/internal/hash"
)

// Fig5 is Figure 5 of LightGuardian (§8.1). It shows the accuracy of SuMax, CM and CU, and the accuracy of SuMax if
// only a part of the sketchlets has arrived. It also shows how many packets k+chance selection needs. The laptop
// scale takes 10 s of CPU.
var Fig5 = figure.Spec[lightguardian.LocalScale]{
	Name: "lightguardian/fig5", Files: files, Columns: stored,
	Scales: fig5Scales(),
	Measure: ofTrace(localCells, func(j *figure.Job, z lightguardian.LocalScale) {
		j.Setting("largest flows of (a) to (c) and (f)", "LightGuardian §8.1: 1 K in (b) and (c)", "%d",
			z.Some(askedFlows))
		j.Setting("delays", "LightGuardian §8.1: chi-square, λ_d = 8", "chi-square with four degrees of "+
			"freedom, λ_d = %d", lightguardian.DelayCells)
	}),
	Claims: map[string]func(*figure.Claim, []row) figure.Finding{"nearer, all flows": allFlows, "nearer": nearer,
		"shares of delays": delayShares, "effect of w": effect},
	Charts: []figure.Chart{{Name: "panels", Title: "SuMax in the local tasks", Columns: 2, Panels: localPanels}},
}.Figure()

// fig5Scales returns the scales of all local figures, but with more seeds at the paper scale. If only a part of the
// sketchlets has arrived, the errors differ much between seeds.
func fig5Scales() map[figure.Scale]lightguardian.LocalScale {
	scales := maps.Clone(lightguardian.LocalScales)
	scales[figure.Paper] = lightguardian.LocalScale{Share: 1, Seeds: 40}
	return scales
}

// theorem returns the name of a curve of panel (i). The name consists of `measured` or `allowed`, and a percentage.
func theorem(scheme string, share float64) string { return fmt.Sprintf("%s, %g %%", scheme, share) }

// measured and allowed name the curves of panel (i): the measured share of the answers, and the bound of Theorem 6.1.
const measured, allowed = "measured", "Theorem 6.1"

// The points of the measurements, for the LightGuardian paper's scale.
var (
	sizeMemories    = []int{96 * kb, 192 * kb, 384 * kb, 576 * kb, 768 * kb}
	shares          = []float64{0.1, 0.25, 0.4, 0.55, 0.7, 0.8, 0.9, 1}
	taskMemories    = []int{192 * kb, 384 * kb, 768 * kb, 1536 * kb}
	delayBuckets    = []int{1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17}
	gapMemories     = []int{3 * mb, 6 * mb, 12 * mb, 24 * mb}
	selectedBuckets = []int{1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16}
	boundShares     = []float64{55, 100} // %
	boundLimits     = []float64{1, 1.5, 2, 4, 8, 16, 32}
)

// partial is the memory in panels (b) and (c). askedFlows is the number of largest flows that are queried.
const (
	partial    = 768 * kb
	askedFlows = 1000
)

// selections lists the ways of selecting sketchlets in panel (h).
var selections = []string{"random", "k = 1", "k = 2", "k = 4", "round robin"}

func localCells(t *lightguardian.Trace, z lightguardian.LocalScale) []study.Cell {
	var cells []study.Cell
	head := t.Head(lightguardian.Coded)
	names, tasks := t.OfSizes()
	for _, s := range names {
		for _, m := range sizeMemories {
			x := float64(m)
			cells = append(cells, study.Cell{
				Rows: []row{{Table: "a", Scheme: s, X: x}, {Table: "a, largest", Scheme: s, X: x}},
				Work: study.OfSeed(func(seed uint64) ([]float64, error) {
					return t.Size(s, m/z.Share, []int{0, z.Some(askedFlows)}, seed)
				}),
			})
		}
		for _, m := range sizeMemories {
			cells = append(cells,
				study.Cell{
					Rows: []row{{Table: coded("a"), Scheme: s, X: float64(m)}},
					Work: study.OfSeed(func(seed uint64) ([]float64, error) {
						return head.Cells(s, m/z.Share, []int{z.Some(askedFlows)}, seed)
					}),
				})
		}
		for _, m := range taskMemories {
			if !tasks(s) {
				break
			}
			x := float64(m)
			cells = append(cells, study.Cell{
				Rows: []row{{Table: "d", Scheme: s, X: x}, {Table: "e", Scheme: s, X: x}},
				Work: study.OfSeed(func(seed uint64) ([]float64, error) {
					flows, h, _, err := t.Tasks(s, m/z.Share, seed)
					return []float64{flows, h}, err
				}),
			})
		}
		for _, w := range delayBuckets {
			cells = append(cells, lightguardian.One("f", s, float64(w), func(seed uint64) (float64, error) {
				return t.Delay(s, lightguardian.ChiSquare, max(1, w/z.Share), z.Some(lightguardian.DelayLargest), seed)
			}), lightguardian.One(coded("f"), s, float64(w), func(seed uint64) (float64, error) {
				return head.Counts(s, lightguardian.ChiSquare, max(1, w/z.Share), z.Some(lightguardian.DelayLargest),
					seed)
			}))
		}
	}
	parts := study.Cell{Work: study.OfSeed(func(seed uint64) ([]float64, error) {
		valid, are, err := t.Part(partial/z.Share, z.Some(askedFlows), shares, seed)
		for i := range valid {
			valid[i] *= 100
		}
		return append(valid, are...), err
	})}
	asCoded := study.Cell{Work: study.OfSeed(func(seed uint64) ([]float64, error) {
		return head.PartCells(partial/z.Share, z.Some(askedFlows), shares, seed)
	})}
	for _, x := range shares {
		asCoded.Rows = append(asCoded.Rows, row{Table: coded("c"), Scheme: lightguardian.SuMax, X: 100 * x})
	}
	for _, panel := range []string{"b", "c"} {
		for _, x := range shares {
			parts.Rows = append(parts.Rows, row{Table: panel, Scheme: lightguardian.SuMax, X: 100 * x})
		}
	}
	cells = append(cells, parts, asCoded)
	for _, share := range boundShares {
		c := study.Cell{Work: study.OfSeed(func(seed uint64) ([]float64, error) {
			is, bound, err := t.Outside(partial/z.Share, share/100, boundLimits, seed)
			return append(is, bound...), err
		})}
		for _, scheme := range []string{measured, allowed} {
			for _, x := range boundLimits {
				c.Rows = append(c.Rows, row{Table: "i", Scheme: theorem(scheme, share), X: x})
			}
		}
		cells = append(cells, c)
	}
	for _, m := range gapMemories {
		cells = append(cells,
			lightguardian.One(coded("g"), lightguardian.SuMax, float64(m), func(seed uint64) (float64, error) {
				a, err := head.Arrivals(lightguardian.CodedArrivals(m)/z.Share, z.Some(askedFlows), seed)
				return a.Interval, err
			}))
		cells = append(cells,
			lightguardian.One("g", lightguardian.SuMax, float64(m), func(seed uint64) (float64, error) {
				a, err := t.Arrivals(m/z.Share, 0, seed)
				return a.Interval, err
			}))
	}
	for _, s := range selections {
		for _, w := range selectedBuckets {
			cells = append(cells, lightguardian.One("h", s, float64(w), func(seed uint64) (float64, error) {
				n, err := required(s, w/z.Share, seed)
				return n / float64(w/z.Share), err
			}))
		}
	}
	return cells
}

// enough is the share of the sketchlets after which panel (h) stops counting packets. carried is 1/λ_c.
const (
	enough  = 0.99
	carried = 16
)

// required returns the number of packets until packets have carried the share `enough` of w sketchlets.
func required(selection string, w int, seed uint64) (float64, error) {
	kind, k := "k+chance", 0
	switch selection {
	case "random":
		kind = "random"
	case "round robin":
		kind = "round-robin"
	default:
		if _, err := fmt.Sscanf(selection, "k = %d", &k); err != nil {
			return 0, err
		}
	}
	c, err := sumax.NewChooser(kind, k, w)
	if err != nil {
		return 0, err
	}
	seen, left := make([]bool, w), int(math.Ceil(enough*float64(w)))
	for i := 1; ; i++ {
		// Mix64 mixes the seed, because with Combine alone, small seeds would have the same draws in another order.
		id, _ := c.Choose(hash.Combine(hash.Mix64(seed), uint64(i)))
		if seen[id] {
			continue
		}
		seen[id] = true
		if left--; left == 0 {
			return float64(carried * i), nil
		}
	}
}

var (
	arrive = figure.Linear("Sketchlets that have arrived", "%")

	localPanels = []figure.Panel{
		panel("a", "(a) flow sizes", memoryAxis, logARE, lightguardian.Sketches...),
		panel("a, largest", "(a) flow sizes, largest flows", memoryAxis, logARE, lightguardian.Sketches...),
		panel(coded("a"), "(a) flow sizes, as in the published code", memoryAxis, logARE, lightguardian.Sketches...),
		panel("b", "(b) valid answers", arrive, figure.Linear("Valid answers", "%"), alone...),
		panel(coded("c"), "(c) error, as in the published code", arrive, logARE, alone...),
		panel("c", "(c) error of the valid answers", arrive, logARE, alone...),
		panel("d", "(d) cardinality", memoryAxis, figure.Log("RE", ""), lightguardian.Sketches...),
		panel("e", "(e) entropy", memoryAxis, figure.Log("RE", ""), lightguardian.Sketches...),
		panel("f", "(f) delay distribution", bucketsAxis, linearWMRE, lightguardian.Sketches...),
		panel(coded("f"), "(f) as in the published code", bucketsAxis, linearWMRE, lightguardian.Sketches...),
		panel("g", "(g) longest time between packets", memoryAxis, logARE, alone...),
		panel(coded("g"), "(g) as in the published code", memoryAxis, logARE, alone...),
		panel("h", "(h) packets until 99 % are carried", bucketsAxis, figure.Log("Packets over w", ""), selections...),
		panel("i", "Theorem 6.1: answers outside a bound", figure.Log("Error over the packets of a bucket", ""),
			figure.Log("Share of the valid answers", ""), theorem(allowed, 55), theorem(measured, 55),
			theorem(allowed, 100), theorem(measured, 100)),
	}
)

// allFlows judges whether the error of SuMax over all flows is nearer to the error of CU than of CM. If this is true
// only for the largest flows, the choice of flows explains the difference.
func allFlows(c *figure.Claim, rows []row) figure.Finding {
	f := nearer(c, rows)
	if nearer(&figure.Claim{Table: c.Table + ", largest"}, rows).Outcome == figure.Holds {
		f = f.Because("which flows")
	}
	return f
}

// delayShares judges whether SuMax has a lower WMRE of delays. If it has not, the counts of the first packets explain
// this.
func delayShares(c *figure.Claim, rows []row) figure.Finding {
	return figure.Beneath("", rows, c.Table, c.Scheme, c.Against).Because("counts", whichDelays(rows)...)
}

// effect judges whether the number of packets that k = 1 saves over random selection grows with w.
func effect(_ *figure.Claim, rows []row) figure.Finding {
	var list []row
	least, most := math.Inf(1), math.Inf(-1)
	for _, r := range figure.PointsOf(rows, "h", "k = 1") {
		if n := figure.RatioAt(rows, "h", "random", "k = 1", r.X); !n.Missing() {
			list = append(list, row{X: r.X, Sized: stats.Whole(n)})
			least, most = min(least, n.Value), max(most, n.Value)
		}
	}
	f := figure.Monotonic("", list, -1)
	f.Detail = fmt.Sprintf("random selection needs %s times the packets; %.3f to %.3f over w", f.Detail, least, most)
	return f
}

// whichDelays returns the WMRE of CM divided by the WMRE of SuMax, for counts of delays. These ratios are far from 1.
// For shares of delays, SuMax is no better than CM.
func whichDelays(rows []row) (list []figure.Stored) {
	for _, w := range delayBuckets[:4] { // with more buckets, SuMax has almost no error
		n := figure.RatioAt(rows, coded("f"), lightguardian.CM, lightguardian.SuMax, float64(w))
		if !n.Missing() {
			list = append(list, figure.Stored{
				Quantity: "WMRE of counts, CM over SuMax", Value: n.Value, Half: (n.Hi - n.Lo) / 2,
				Conditions: fmt.Sprintf("%d buckets, these rows", w),
			})
		}
	}
	return list
}
