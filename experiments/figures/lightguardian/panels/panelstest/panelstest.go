// Package panelstest tests the claims of figures that are made of panels.
package panelstest

import (
	"testing"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/figure/figuretest"
	"pintlab/experiments/figures/lightguardian/panels"
)

// Order is numbers in the order that the LightGuardian paper reports: each scheme of a panel has the error
// of its place in the list, and errors fall along the axis.
type Order struct {
	At     []float64                      // the points of the axis
	But    map[string]func(n int) float64 // panels, by letter, in which all schemes have this number at point n
	Turned func(x, value float64) float64 // the same numbers in the opposite order
}

// rows are the rows of the panels.
func (o Order) rows(list []panels.Panel, turned bool) (rows []panels.Row) {
	for _, p := range list {
		for i, s := range p.Schemes {
			for n, x := range o.At {
				v := 100 - 10*float64(i) - float64(n)
				if other := o.But[p.Letter]; other != nil {
					v = other(n)
				}
				if turned {
					v = o.Turned(x, v)
				}
				rows = append(rows, panels.Row{Panel: p.Letter, Scheme: s, X: x, Value: v, Lo: v - 0.001, Hi: v + 0.001})
			}
		}
	}
	return rows
}

// Claims wants every claim to hold in the order and to fail in the opposite one. It returns
// the rows in the order.
func (o Order) Claims(t *testing.T, list []panels.Panel, check func([]panels.Row) []figure.Finding) []panels.Row {
	t.Helper()
	rows := o.rows(list, false)
	figuretest.All(t, check(rows), figure.Holds)
	figuretest.All(t, check(o.rows(list, true)), figure.Fails)
	return rows
}
