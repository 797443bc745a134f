package bench

import (
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/comparison"
	"pintlab/plots"
)

// draw makes the drawings of a case.
func draw(rows []comparison.Row, name, number string) []figure.Drawing {
	goodput := grid(rows, name, plots.Axis{Label: "Goodput", Unit: plots.InBitsPerSecond}, func(quantity string) bool { return quantity != queues })
	goodput.Title = "Goodput: " + name
	queue := grid(rows, name, plots.Axis{Label: "Queue", Unit: plots.InBytes}, func(quantity string) bool { return quantity == queues })
	queue.Title = "Queue: " + name
	return []figure.Drawing{
		{Name: "goodput-" + number, Plot: goodput, Caption: "Payload acknowledged in each interval, by scheme."},
		{Name: "queue-" + number, Plot: queue, Caption: "Longest queue of the bottleneck in each interval, by scheme."},
	}
}

// grid draws a panel for each scheme, with the same axes.
func grid(rows []comparison.Row, name string, y plots.Axis, wanted func(string) bool) plots.Figure {
	f := plots.Figure{Width: plots.PageWidth, Columns: 4, PanelHeight: 80}
	of := figure.Pick(rows, func(r *comparison.Row) bool { return r.Table == overTime && r.Case == name && wanted(r.Quantity) })
	top, end := 0.0, 0.0
	for i := range of {
		top, end = math.Max(top, of[i].Value), math.Max(end, of[i].X)
	}
	y.Scale, y.Min, y.Max = plots.Linear, plots.At(0), plots.At(1.05*top)
	x := plots.Axis{Label: "Time", Unit: plots.InSeconds, Scale: plots.Linear, Min: plots.At(0), Max: plots.At(end)}
	for _, scheme := range comparison.Schemes(of) {
		p := plots.Panel{Title: scheme, X: x, Y: y}
		at := map[string]int{}
		for _, r := range of {
			if r.Scheme != scheme {
				continue
			}
			i, ok := at[r.Quantity]
			if !ok {
				i = len(p.Series)
				at[r.Quantity] = i
				p.Series = append(p.Series, plots.Series{Name: r.Quantity, Style: plots.Trace})
			}
			p.Series[i].X, p.Series[i].Y = append(p.Series[i].X, r.X), append(p.Series[i].Y, r.Value)
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}
