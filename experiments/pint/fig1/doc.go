package fig1

import (
	"context"

	"pintlab/experiments/figure"
	"pintlab/experiments/pint/overhead"
	"pintlab/plots"
)

// Figure is Fig. 1.
var Figure = figure.Figure{
	Name:   "pint/fig1",
	Title:  "Flow completion time under telemetry overhead",
	Source: "PINT §2, Fig. 1",
	Claim:  "Average completion times grow with the bytes of telemetry on each packet, by more than the bytes themselves, and more at high load than at average load.",
	Size:   overhead.Sizes(),
	Measure: func(ctx context.Context, j *figure.Job) (*plots.Table, error) {
		return overhead.Measure(ctx, j, overhead.FCT, published())
	},
	Check:   func(t *plots.Table) ([]figure.Finding, error) { return overhead.Check(t, 1) },
	Compare: overhead.FCT.Compare,
	Tables:  overhead.FCT.Tables,
	Draw: func(t *plots.Table, m *figure.Manifest) ([]figure.Drawing, error) {
		return overhead.FCT.Draw("fig1", "Fig. 1: completion time by overhead, web search", t, m)
	},
	Why: why,
}

var why = []string{}

// published is what §2 prints: "the average FCT increases by 10%" at 48 B, "a 25%
// increase" at 108 B. The rest of Fig. 1 is a plot.
func published() []overhead.Row {
	return []overhead.Row{overhead.Published(70, 48, 1.10), overhead.Published(70, 108, 1.25)}
}
