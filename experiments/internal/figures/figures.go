// Package figures lists the figures. To add one, add a line here.
package figures

import (
	"fmt"
	"strings"

	"pintlab/experiments/internal/compare"
	"pintlab/experiments/internal/figures/ai"
	"pintlab/experiments/internal/figures/cc"
	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/figures/fridge"
	"pintlab/experiments/internal/figures/hpcc"
	"pintlab/experiments/internal/figures/lightguardian"
	"pintlab/experiments/internal/figures/p4"
	"pintlab/experiments/internal/figures/pint"
	"pintlab/experiments/internal/figures/scale"
	"pintlab/experiments/internal/figures/sketchint"
	"pintlab/experiments/internal/figures/telemetry"
	"pintlab/experiments/scenario"
)

// Figures returns the figures of the papers, in the order of tables and pages.
func Figures() []*figure.Figure {
	return []*figure.Figure{
		&pint.Fig1,
		&pint.Fig2,
		&pint.Fig5,
		&pint.Fig7,
		&pint.Fig8,
		&pint.Fig9,
		&pint.Fig10,
		&pint.Fig11,
		&pint.Remarks,
		&fridge.Fig2,
		&fridge.Fig3,
		&fridge.Fig4,
		&fridge.Fig5,
		&fridge.Search,
		&fridge.LUT,
		&fridge.Speed,
		&p4.Arithmetic,
		&p4.Front,
		&sketchint.Fig5,
		&sketchint.Fig6,
		&sketchint.Fig7,
		&sketchint.Fig8,
		&sketchint.Table4,
		&sketchint.Trace,
		&lightguardian.Fig5,
		&lightguardian.Fig6,
		&lightguardian.Fig7,
		&lightguardian.Fig8,
		&lightguardian.Fig9,
		&lightguardian.Fig10,
		&lightguardian.Fig11,
		&lightguardian.Fig12,
		&lightguardian.Fig13,
		&lightguardian.Fig14,
		&lightguardian.Trace,
		&cc.PowerTCP,
		&cc.Fridge,
		&cc.Recovery,
		&cc.Balancing,
		&cc.NDP,
		&telemetry.Faults,
		&telemetry.Routes,
		&scale.Cost,
		&scale.Estimate,
		&hpcc.LongShort,
		&hpcc.IncastFigure,
		&hpcc.Mice,
		&hpcc.Fairness,
		&hpcc.Sampled,
		&hpcc.Load,
		&hpcc.WAI,
		&hpcc.Eta,
		&hpcc.Encodings,
		&telemetry.SideBySide,
		&ai.Allreduce,
		&ai.Alltoall,
		&ai.Jobs,
		&ai.Median,
	}
}

// Find returns the figure with the given name. A short name such as "fig7" stands for the first figure that has
// this name after its folder, here "pint/fig7". "sweep/NAME" stands for a stored sweep.
func Find(name string) (*figure.Figure, error) { return findIn(nil, name) }

// findIn is like Find for a program with further protocols.
func findIn(l *scenario.Language, name string) (*figure.Figure, error) {
	if sweepName, ok := strings.CutPrefix(name, compare.GridPrefix); ok {
		return compare.StoredGrid(sweepName, figure.Names{Protocols: l.Protocols()}), nil
	}
	var names []string
	for _, f := range append(Figures(), &compare.Figure, &compare.Full, &compare.Network) {
		if f.Name == name || f.Short() == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return nil, fmt.Errorf("no figure %q (figures: %s)", name, strings.Join(names, ", "))
}
