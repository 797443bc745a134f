package fig2

import (
	"context"

	"pintlab/experiments/figure"
	"pintlab/experiments/pint/overhead"
	"pintlab/plots"
)

// Figure is Fig. 2.
var Figure = figure.Figure{
	Name:   "pint/fig2",
	Title:  "Goodput of long flows under telemetry overhead",
	Source: "PINT §2, Fig. 2",
	Claim:  "The goodput of flows above 10 MB shrinks with the bytes of telemetry on each packet, about in proportion to the residual capacity, and so by more than the bytes themselves at high load.",
	Size:   overhead.Sizes(),
	Measure: func(ctx context.Context, j *figure.Job) (*plots.Table, error) {
		return overhead.Measure(ctx, j, overhead.Goodput, published())
	},
	Check:   func(t *plots.Table) ([]figure.Finding, error) { return overhead.Check(t, -1) },
	Compare: overhead.Goodput.Compare,
	Tables:  overhead.Goodput.Tables,
	Draw: func(t *plots.Table, m *figure.Manifest) ([]figure.Drawing, error) {
		return overhead.Goodput.Draw("fig2", "Fig. 2: goodput of long flows by overhead, web search", t, m)
	},
	Why: why,
}

var why = []string{}

// published is what §2 prints: goodput "degrades by 10%" at 48 B, "20% degradation"
// at 108 B. The rest of Fig. 2 is a plot. The model is the document's own.
func published() []overhead.Row {
	return append([]overhead.Row{overhead.Published(70, 48, 0.90), overhead.Published(70, 108, 0.80)}, overhead.Model()...)
}
