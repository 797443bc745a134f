// Package figures lists the figures. Adding one is a line here.
package figures

import (
	"fmt"
	"strings"

	"pintlab/experiments/figures/cc/balancing"
	ccfridge "pintlab/experiments/figures/cc/fridge"
	figndp "pintlab/experiments/figures/cc/ndp"
	"pintlab/experiments/figures/cc/powertcp"
	"pintlab/experiments/figures/cc/recovery"
	"pintlab/experiments/figures/compare"
	"pintlab/experiments/figures/figure"
	fridge2 "pintlab/experiments/figures/fridge/fig2"
	fridge3 "pintlab/experiments/figures/fridge/fig3"
	fridge4 "pintlab/experiments/figures/fridge/fig4"
	fridge5 "pintlab/experiments/figures/fridge/fig5"
	"pintlab/experiments/figures/fridge/lut"
	mice "pintlab/experiments/figures/hpcc/elephant-mice"
	"pintlab/experiments/figures/hpcc/eta"
	"pintlab/experiments/figures/hpcc/fairness"
	"pintlab/experiments/figures/hpcc/incast"
	"pintlab/experiments/figures/hpcc/load"
	longshort "pintlab/experiments/figures/hpcc/long-short"
	"pintlab/experiments/figures/hpcc/wai"
	guardfig10 "pintlab/experiments/figures/lightguardian/fig10"
	guardfig11 "pintlab/experiments/figures/lightguardian/fig11"
	guardfig12 "pintlab/experiments/figures/lightguardian/fig12"
	guardfig13 "pintlab/experiments/figures/lightguardian/fig13"
	guardfig14 "pintlab/experiments/figures/lightguardian/fig14"
	guardfig5 "pintlab/experiments/figures/lightguardian/fig5"
	guardfig6 "pintlab/experiments/figures/lightguardian/fig6"
	guardfig7 "pintlab/experiments/figures/lightguardian/fig7"
	guardfig8 "pintlab/experiments/figures/lightguardian/fig8"
	guardfig9 "pintlab/experiments/figures/lightguardian/fig9"
	"pintlab/experiments/figures/p4/arithmetic"
	"pintlab/experiments/figures/p4/front"
	"pintlab/experiments/figures/pint/fig1"
	"pintlab/experiments/figures/pint/fig10"
	"pintlab/experiments/figures/pint/fig11"
	"pintlab/experiments/figures/pint/fig2"
	"pintlab/experiments/figures/pint/fig5"
	"pintlab/experiments/figures/pint/fig7"
	"pintlab/experiments/figures/pint/fig8"
	"pintlab/experiments/figures/pint/fig9"
	sketchfig5 "pintlab/experiments/figures/sketchint/fig5"
	sketchfig6 "pintlab/experiments/figures/sketchint/fig6"
	sketchfig7 "pintlab/experiments/figures/sketchint/fig7"
	sketchfig8 "pintlab/experiments/figures/sketchint/fig8"
	"pintlab/experiments/figures/telemetry/faults"
	sidebyside "pintlab/experiments/figures/telemetry/side-by-side"
	"pintlab/experiments/show/sweep"
)

// Figures are the figures of the papers, in their order.
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
		&fridge2.Figure,
		&fridge3.Figure,
		&fridge4.Figure,
		&fridge5.Figure,
		&lut.Figure,
		&arithmetic.Figure,
		&front.Figure,
		&sketchfig5.Figure,
		&sketchfig6.Figure,
		&sketchfig7.Figure,
		&sketchfig8.Figure,
		&guardfig5.Figure,
		&guardfig6.Figure,
		&guardfig7.Figure,
		&guardfig8.Figure,
		&guardfig9.Figure,
		&guardfig10.Figure,
		&guardfig11.Figure,
		&guardfig12.Figure,
		&guardfig13.Figure,
		&guardfig14.Figure,
		&powertcp.Figure,
		&ccfridge.Figure,
		&recovery.Figure,
		&balancing.Figure,
		&figndp.Figure,
		&faults.Figure,
		&longshort.Figure,
		&incast.Figure,
		&mice.Figure,
		&fairness.Figure,
		&load.Figure,
		&wai.Figure,
		&eta.Figure,
		&sidebyside.Figure,
	}
}

// Find is the figure of that name; "fig7" is short for the first figure that is
// called so, "pint/fig7". "sweep/NAME" is a sweep that has been run.
func Find(name string) (*figure.Figure, error) {
	if sweepName, ok := strings.CutPrefix(name, sweep.Prefix); ok {
		return sweep.Stored(sweepName), nil
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
