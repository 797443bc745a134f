package figure

import (
	"fmt"
	"slices"

	"pintlab/experiments/internal/study"
	"pintlab/internal/number"
	"pintlab/plots"
)

// Chart is a drawing with panels of curves. The caption is in the section of the figure's text that has the name of
// the chart. The figure also has a table for each panel.
type Chart struct {
	Name    string // name of the file
	Title   string
	Columns int
	Panels  []Panel
}

// Panel selects the rows that one panel of a drawing, or one table, shows. Each scheme has a curve.
type Panel struct {
	Table   string // table of the rows
	Title   string
	X, Y    plots.Axis
	Schemes []string // in the order of the legend
	Open    bool     // also shows schemes of the rows that Schemes lacks, such as those that a user's program adds
}

// schemes returns the schemes of the rows.
func (p *Panel) schemes(rows []study.Row) []string {
	list := slices.Clone(p.Schemes)
	for _, r := range rows {
		if p.Open && r.Table == p.Table && !slices.Contains(list, r.Scheme) {
			list = append(list, r.Scheme)
		}
	}
	return list
}

// tables returns a table for each panel that has rows.
func (c *Chart) tables(rows []study.Row) (list []Table) {
	for _, p := range c.Panels {
		var of []study.Row
		for _, s := range p.schemes(rows) {
			of = append(of, PointsOf(rows, p.Table, s)...)
		}
		t := Show(fmt.Sprintf("%s: %s against %s.", p.Title, p.Y.Label, p.X.Label), of, "scheme",
			Text("at", func(r study.Row) string { return number.Format(r.X, p.X.Unit, 4) }), "value", "from=lo",
			"to=hi")
		if len(of) > 0 {
			list = append(list, t)
		}
	}
	return list
}

// drawing draws the panels that have points. Published numbers have hollow marks.
func (c *Chart) drawing(rows []study.Row, published []Published) Drawing {
	f := plots.Figure{Title: c.Title, Columns: c.Columns}
	for _, p := range c.Panels {
		panel := plots.Panel{Title: p.Title, X: p.X, Y: p.Y}
		for _, name := range p.schemes(rows) {
			ours := Numbers(plots.Series{Name: name, Style: plots.Line}, PointsOf(rows, p.Table, name), p.Y)
			printed := plots.Series{Name: name, Style: plots.Points, Published: true}
			for _, x := range published {
				if x.Panel == p.Table && x.Scheme == name && x.Against == "" && ours.Some() {
					printed.X, printed.Y = append(printed.X, x.X), append(printed.Y, x.Value)
				}
			}
			panel.Series = append(panel.Series, Drawn(ours, printed)...)
		}
		if slices.ContainsFunc(panel.Series, plots.Series.Some) {
			f.Panels = append(f.Panels, panel)
		}
	}
	return Drawing{Name: c.Name, Plot: f}
}
