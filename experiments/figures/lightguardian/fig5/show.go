package fig5

import (
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/lightguardian/panels"
	"pintlab/experiments/measure/lightguardian/local"
	"pintlab/plots"
)

var (
	memory = plots.Axis{Label: "Memory at the paper's scale", Unit: plots.InBytes, Scale: plots.Log}
	arrive = plots.Axis{Label: "Sketchlets that have arrived", Unit: "%", Scale: plots.Linear}
	wide   = plots.Axis{Label: "Buckets w at the paper's scale", Scale: plots.Log}
	alone  = []string{local.SuMax}

	list = []panels.Panel{
		{Letter: "a", Title: "(a) flow sizes", X: memory, Y: plots.Axis{Label: "ARE", Scale: plots.Log}, Schemes: local.Sketches},
		{Letter: "a, largest", Title: "(a) flow sizes, largest flows", X: memory, Y: plots.Axis{Label: "ARE", Scale: plots.Log}, Schemes: local.Sketches},
		{Letter: "b", Title: "(b) valid answers", X: arrive, Y: plots.Axis{Label: "Valid answers", Unit: "%", Scale: plots.Linear}, Schemes: alone},
		{Letter: "c", Title: "(c) their error", X: arrive, Y: plots.Axis{Label: "ARE", Scale: plots.Log}, Schemes: alone},
		{Letter: "d", Title: "(d) cardinality", X: memory, Y: plots.Axis{Label: "RE", Scale: plots.Log}, Schemes: local.Sketches},
		{Letter: "e", Title: "(e) entropy", X: memory, Y: plots.Axis{Label: "RE", Scale: plots.Log}, Schemes: local.Sketches},
		{Letter: "f", Title: "(f) delay distribution", X: wide, Y: plots.Axis{Label: "WMRE", Scale: plots.Linear}, Schemes: local.Sketches},
		{Letter: "g", Title: "(g) longest time between packets", X: memory, Y: plots.Axis{Label: "ARE", Scale: plots.Log}, Schemes: alone},
		{Letter: "h", Title: "(h) packets until 99 % are carried", X: wide, Y: plots.Axis{Label: "Packets over w", Scale: plots.Log}, Schemes: selections},
	}
)

func check(rows []panels.Row) []figure.Finding {
	return []figure.Finding{
		panels.Below("(a) SuMax has a lower ARE of flow sizes than CM", rows, "a", local.SuMax, local.CM),
		panels.Below("(a) CU has a lower one than SuMax", rows, "a", local.CU, local.SuMax),
		panels.Below("(a) of the largest flows, SuMax has a lower one than CM", rows, "a, largest", local.SuMax, local.CM),
		above("(b) more than 90 % of the answers are valid with 55 % of the sketchlets", rows, 55, 90),
		above("(b) more than 99 % with 80 %", rows, 80, 99),
		panels.Falls("(c) the error falls with more sketchlets", rows, "c", local.SuMax, 1),
		panels.Falls("(e) the error of the entropy falls with the memory", rows, "e", local.SuMax, 1),
		panels.Below("(f) SuMax has a lower WMRE of delays than CM", rows, "f", local.SuMax, local.CM),
		panels.Falls("(g) the error of the longest time between packets falls with the memory", rows, "g", local.SuMax, 1),
		panels.Below("(h) k = 1 needs fewer packets than random selection", rows, "h", "k = 1", "random"),
		panels.Below("(h) k = 4 needs fewer than k = 1", rows, "h", "k = 4", "k = 1"),
	}
}

// above holds the share of valid answers with a share of the sketchlets against the LightGuardian paper's.
func above(statement string, rows []panels.Row, at, want float64) figure.Finding {
	r := panels.At(rows, "b", local.SuMax, at)
	if r == nil {
		return figure.Judge(statement, false, false, "not measured")
	}
	return figure.Judge(statement, r.Value > want, r.Hi < want, "%.4g %%", r.Value)
}

const source = "LightGuardian §8.1, Fig. 5"

var published = []panels.Published{
	{Quantity: "(a) ARE of CM over SuMax, 96 KB", Value: 6.78, Source: source, Of: func(rows []panels.Row) (float64, float64, float64) {
		return panels.Ratio(rows, "a", local.CM, local.SuMax, 96*kb)
	}},
	{Quantity: "(a) ARE of SuMax over CU, 96 KB", Value: 1.75, Source: source, Of: func(rows []panels.Row) (float64, float64, float64) {
		return panels.Ratio(rows, "a", local.SuMax, local.CU, 96*kb)
	}},
	{Quantity: "(a) ARE of CM over SuMax, 96 KB, largest flows", Value: 6.78, Source: source, Of: func(rows []panels.Row) (float64, float64, float64) {
		return panels.Ratio(rows, "a, largest", local.CM, local.SuMax, 96*kb)
	}},
	{Quantity: "(a) ARE of SuMax over CU, 96 KB, largest flows", Value: 1.75, Source: source, Of: func(rows []panels.Row) (float64, float64, float64) {
		return panels.Ratio(rows, "a, largest", local.SuMax, local.CU, 96*kb)
	}},
	{Panel: "b", Scheme: local.SuMax, X: 55, Value: 90, Quantity: "(b) valid answers with 55 % of the sketchlets, more than", Unit: "%", Source: source},
	{Panel: "b", Scheme: local.SuMax, X: 80, Value: 99, Quantity: "(b) valid answers with 80 %, more than", Unit: "%", Source: source},
	{Panel: "c", Scheme: local.SuMax, X: 55, Value: 0.088, Quantity: "(c) ARE with 55 %", Source: "LightGuardian §3"},
	{Panel: "c", Scheme: local.SuMax, X: 80, Value: 1e-2, Quantity: "(c) ARE with 80 %", Source: "LightGuardian §3"},
	{Panel: "c", Scheme: local.SuMax, X: 90, Value: 1e-3, Quantity: "(c) ARE with 90 %", Source: "LightGuardian §3"},
	{Panel: "c", Scheme: local.SuMax, X: 100, Value: 2e-4, Quantity: "(c) ARE with 100 %", Source: "LightGuardian §3"},
	{Panel: "g", Scheme: local.SuMax, X: 6000 * kb, Value: 10, Quantity: "(g) ARE of the longest time between packets, 6 MB, less than", Source: source},
	{Panel: "g", Scheme: local.SuMax, X: 12000 * kb, Value: 0.3, Quantity: "(g) the same, 12 MB, less than", Source: source},
}
