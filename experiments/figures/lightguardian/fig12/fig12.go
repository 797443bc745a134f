// Package fig12 is Figure 12 of LightGuardian (appendix D.1): delay distributions, last arrivals and longest
// times between packets.
//
// Package local has the definitions. The LightGuardian paper's panels (a) to (e) are of different data sets; ours are of
// different distributions of delays.
//
// Errors of delays are between those of CM and CU. Fewer of the last arrivals are right than in the paper, and the AAE is ten times
// the paper's and more.
package fig12

import (
	"context"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/lightguardian/panels"
	"pintlab/experiments/measure/lightguardian/local"
	"pintlab/plots"
)

const kb = 1000

// What is measured, at the LightGuardian paper's scale.
var (
	buckets  = []int{1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16}
	memories = []int{384 * kb, 768 * kb, 1500 * kb, 3000 * kb, 6000 * kb}
	largest  = []int{1000, 2000, 5000, 20_000, 100_000}
	// By panel: (a) and (b) against w, (c) to (e) against the flows.
	byBuckets = []struct{ panel, kind string }{{"a", local.Exponential}, {"b", local.Normal}}
	byFlows   = []struct{ panel, kind string }{{"c", local.ChiSquare}, {"d", local.Exponential}, {"e", local.Normal}}
)

const (
	delayMemory = 6000 * kb  // of (c) to (e)
	gapMemory   = 12000 * kb // of (h)
)

func measure(ctx context.Context, j *figure.Job, z local.Scale) ([]panels.Row, error) {
	t, err := local.Load(z, j.Seed)
	if err != nil {
		return nil, err
	}
	var cells []local.Cell
	for _, s := range local.Sketches {
		for _, p := range byBuckets {
			for _, w := range buckets {
				cells = append(cells, local.One(p.panel, s, float64(w), func(seed uint64) (float64, error) {
					return t.Delay(s, p.kind, max(w/z.Share, 1), z.Some(local.DelayLargest), seed)
				}))
			}
		}
		for _, p := range byFlows {
			for _, k := range largest {
				cells = append(cells, local.One(p.panel, s, float64(k), func(seed uint64) (float64, error) {
					return t.Delay(s, p.kind, delayMemory/z.Share/(4*local.DelayCells*local.Arrays), max(k/z.Share, 1), seed)
				}))
			}
		}
	}
	for _, m := range memories {
		x := float64(m)
		cells = append(cells, local.Cell{
			Rows: []panels.Row{{Panel: "f", Scheme: local.SuMax, X: x}, {Panel: "g", Scheme: local.SuMax, X: x}},
			Of: func(seed uint64) ([]float64, error) {
				a, err := t.Arrivals(m/z.Share, 0, seed)
				return []float64{a.Last, 100 * a.Exact}, err
			},
		})
	}
	for _, k := range largest {
		cells = append(cells, local.One("h", local.SuMax, float64(k), func(seed uint64) (float64, error) {
			a, err := t.Arrivals(gapMemory/z.Share, max(k/z.Share, 1), seed)
			return a.Interval, err
		}))
	}
	seeds := j.SeedList(z.Seeds)
	list, err := local.Measure(ctx, j, cells, seeds)
	if err != nil {
		return nil, err
	}
	local.Tell(j, z, t, len(seeds))
	j.Setting("largest flows of (a) and (b)", "not in the paper", "%d", z.Some(local.DelayLargest))
	return list, nil
}

var (
	wide  = plots.Axis{Label: "Buckets w at the paper's scale", Scale: plots.Log}
	flows = plots.Axis{Label: "Largest flows at the paper's scale", Scale: plots.Log}
	bytes = plots.Axis{Label: "Memory at the paper's scale", Unit: plots.InBytes, Scale: plots.Log}
	wmre  = plots.Axis{Label: "WMRE", Scale: plots.Linear}
	alone = []string{local.SuMax}

	list = []panels.Panel{
		{Letter: "a", Title: "(a) exponential delays", X: wide, Y: wmre, Schemes: local.Sketches},
		{Letter: "b", Title: "(b) normal delays", X: wide, Y: wmre, Schemes: local.Sketches},
		{Letter: "c", Title: "(c) chi-square delays, 6 MB", X: flows, Y: wmre, Schemes: local.Sketches},
		{Letter: "d", Title: "(d) exponential delays, 6 MB", X: flows, Y: wmre, Schemes: local.Sketches},
		{Letter: "e", Title: "(e) normal delays, 6 MB", X: flows, Y: wmre, Schemes: local.Sketches},
		{Letter: "f", Title: "(f) last arrivals", X: bytes, Y: plots.Axis{Label: "AAE", Unit: plots.InSeconds, Scale: plots.Log}, Schemes: alone},
		{Letter: "g", Title: "(g) last arrivals that are right", X: bytes, Y: plots.Axis{Label: "Packets", Unit: "%", Scale: plots.Linear}, Schemes: alone},
		{Letter: "h", Title: "(h) longest times between packets, 12 MB", X: flows, Y: plots.Axis{Label: "ARE", Scale: plots.Log}, Schemes: alone},
	}
)

func check(rows []panels.Row) []figure.Finding {
	var findings []figure.Finding
	for _, p := range byBuckets {
		findings = append(findings, panels.Below("("+p.panel+") SuMax has a lower WMRE than CM, "+p.kind+" delays", rows, p.panel, local.SuMax, local.CM))
	}
	for _, p := range byFlows {
		findings = append(findings, panels.Below("("+p.panel+") SuMax has a lower WMRE than CM for flows of all sizes, "+p.kind+" delays", rows, p.panel, local.SuMax, local.CM))
	}
	return append(findings, panels.Falls("(f) the error of last arrivals falls with the memory", rows, "f", local.SuMax, 1),
		panels.Falls("(g) the share of right ones grows", rows, "g", local.SuMax, -1))
}

const source = "LightGuardian D.1, Fig. 12"

var published = []panels.Published{
	{Panel: "f", Scheme: local.SuMax, X: 768 * kb, Value: 0.012, Quantity: "(f) AAE of last arrivals, 768 KB, less than", Unit: plots.InSeconds, Source: source},
	{Panel: "f", Scheme: local.SuMax, X: 3000 * kb, Value: 0.0015, Quantity: "(f) the same, 3 MB, less than", Unit: plots.InSeconds, Source: source},
	{Panel: "g", Scheme: local.SuMax, X: 768 * kb, Value: 87, Quantity: "(g) last arrivals that are right, 768 KB", Unit: "%", Source: source},
}

// Figure is Fig. 12.
var Figure = figure.Of[local.Scale, panels.Row]{
	Name:    "lightguardian/fig12",
	Title:   "SuMax in the network-wide tasks",
	Source:  "LightGuardian appendix D.1, Fig. 12 (a) to (h)",
	Claim:   "SuMax is as accurate as CU and more than CM for delays of any distribution; last arrivals become exact with memory.",
	Scales:  local.Scales,
	Measure: measure,
	Check:   check,
	Compare: panels.Compare(published),
	Tables:  panels.Tables(list),
	Draw:    panels.Draw("SuMax in the network-wide tasks", "Hollow marks: numbers of the paper's text.", 2, list, published),
	Why: []string{
		"Our trace mixes the packets of all flows uniformly. In a real one the packets of a flow come together, so that its last arrival is seldom hidden by that of another flow in the meantime.",
		"A bucket of a sketch of arrivals has 12 B here; the LightGuardian paper does not say what its memory counts.",
	},
}.Figure()
