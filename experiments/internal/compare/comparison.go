package compare

import (
	"context"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/study"
)

// comparison compares schemes in several cases. In each case, all schemes have the same flows and paths.
type comparison struct {
	name, title, source, claim string
	scales                     map[figure.Scale]sizes
	free                       []string // keys that a user may change
	// groups returns the schemes of each case.
	groups func(*figure.Job, sizes) ([]group, error)
	// record records the configuration that was measured, and writes the footnote.
	record func(context.Context, *figure.Job, *measurement) error
}

// figure returns the comparison as a figure. Tables and drawings depend only on the rows, so the figure can also draw
// stored rows of other schemes.
func (c comparison) figure() figure.Figure {
	f := figure.Spec[sizes]{
		Name: c.name, Scales: c.scales, Columns: view, Measure: c.measure, Check: check, Answer: answer, Tables: tables,
		Draw: draw,
	}.Figure()
	f.Title, f.Source, f.Claim = c.title, c.source, c.claim
	return f
}

func (c comparison) measure(ctx context.Context, j *figure.Job, z sizes) ([]study.Row, error) {
	groups, err := c.groups(j, z)
	if err != nil {
		return nil, err
	}
	m, err := measure(ctx, j, z, groups, c.free)
	if err != nil {
		return nil, err
	}
	if err := c.record(ctx, j, m); err != nil {
		return nil, err
	}
	return m.results.Rows(order(groups, m.results))
}
