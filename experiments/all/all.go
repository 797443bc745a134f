// Package all lists the figures. Adding one is a line here.
package all

import (
	"fmt"
	"strings"

	"pintlab/experiments/compare"
	"pintlab/experiments/figure"
	"pintlab/experiments/p4/arithmetic"
	"pintlab/experiments/pint/fig1"
	"pintlab/experiments/pint/fig10"
	"pintlab/experiments/pint/fig11"
	"pintlab/experiments/pint/fig2"
	"pintlab/experiments/pint/fig5"
	"pintlab/experiments/pint/fig7"
	"pintlab/experiments/pint/fig8"
	"pintlab/experiments/pint/fig9"
	"pintlab/experiments/sweep"
)

// Figures are the figures of the documents, in their order.
func Figures() []*figure.Figure {
	return []*figure.Figure{
		&fig1.Figure,
		&fig2.Figure,
		&fig5.Figure,
		&fig7.Figure,
		&fig8.Figure,
		&fig9.Figure,
		&fig10.Figure,
		&fig11.Figure,
		&arithmetic.Figure,
	}
}

// Find is the figure of that name; "fig7" is short for the first figure that is
// called so, "pint/fig7". "sweep/NAME" is a sweep that has been run.
func Find(name string) (*figure.Figure, error) {
	if sweepName, ok := strings.CutPrefix(name, sweep.Prefix); ok {
		return sweep.Stored(sweepName), nil
	}
	var names []string
	for _, f := range append(Figures(), &compare.Figure) {
		if f.Name == name || f.Short() == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return nil, fmt.Errorf("no figure %q (figures: %s)", name, strings.Join(names, ", "))
}
