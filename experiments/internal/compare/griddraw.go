package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/internal/lists"
	"pintlab/plots"
)

// The largest numbers of series and of panels in a drawing.
const (
	maxSeries = 8
	maxPanels = 24
)

// plan assigns a role in the drawings to each axis of a campaign.
type plan struct {
	along  int   // the axis along x
	series []int // axes whose values are shown as series
	panels []int // axes whose values are shown as panels
}

// arrange selects the axis along x: the longest numeric axis or, if no axis is numeric, the longest axis. The other
// axes become series. If this makes too many series, only one axis becomes series and the others become panels. If
// nothing can be drawn, `reason` explains why; otherwise it is "".
func (v *gridView) arrange() (p plan, reason string) {
	if len(v.axes) == 0 || len(v.list) < 2 {
		return p, "One combination makes no drawing."
	}
	labels := v.labels()
	rank := func(i int) int { // numeric axes come first, then axes with more values
		if figure.Numeric(labels[i]) {
			return len(labels[i]) + len(v.list)
		}
		return len(labels[i])
	}
	for i := range labels {
		if rank(i) > rank(p.along) {
			p.along = i
		}
	}
	product, widest := 1, -1
	for i := range labels {
		if i == p.along {
			continue
		}
		p.series = append(p.series, i)
		product *= len(labels[i])
		if len(labels[i]) <= maxSeries && (widest < 0 || len(labels[i]) > len(labels[widest])) {
			widest = i
		}
	}
	if product <= maxSeries {
		return p, ""
	}
	p.panels, p.series = p.series, nil
	if widest >= 0 {
		p.series = []int{widest}
		p.panels = slices.DeleteFunc(p.panels, func(i int) bool { return i == widest })
		product /= len(labels[widest])
	}
	if product > maxPanels {
		return p, fmt.Sprintf("No drawings: %d combinations of %s would take %d panels, and a page has room for %d.",
			len(v.list), figure.Count(len(v.axes), "key"), product, maxPanels)
	}
	return p, ""
}

// labels returns the labels of each axis.
func (v *gridView) labels() [][]string {
	labels := make([][]string, len(v.axes))
	for i := range v.axes {
		for _, g := range v.list {
			if !slices.Contains(labels[i], g.labels[i]) {
				labels[i] = append(labels[i], g.labels[i])
			}
		}
	}
	return labels
}

// Drawings draws each number that at least one run has. It also draws the size classes of flows.
func (v *gridView) Drawings(m *figure.Manifest) (drawings []figure.Drawing, err error) {
	how, reason := v.arrange()
	if reason != "" {
		return nil, nil
	}
	foot := m.Footnote
	switch n := v.fewest(); {
	case n == 2:
		foot += "; bars: 95 % intervals. " + twoSeeds
	case n > 2:
		foot += "; bars: 95 % intervals over the seeds"
	}
	for _, c := range append(slices.Clone(v.sources), v.pooled()...) {
		f := plots.Figure{Title: v.titled(c), Footnote: foot, Width: 380}
		if f.Panels, err = v.panels(c, how); err != nil {
			return nil, err
		}
		if !c.shown || len(f.Panels) == 0 || v.byKind(c) { // either no run has the number, or a table shows it
			continue
		}
		if len(f.Panels) > 1 {
			f.Width, f.Columns = plots.PageWidth, min(len(f.Panels), 4)
		}
		drawings = append(drawings, figure.Drawing{
			Name: c.Name, Caption: fmt.Sprintf("%s by %s.", v.titled(c), strings.Join(v.names, ", ")), Plot: f,
		})
		if heat, ok := v.heatMap(c); ok {
			heat.Footnote = m.Footnote
			drawings = append(drawings, figure.Drawing{Name: c.Name + "_heat", Plot: heat,
				Caption: fmt.Sprintf("%s: means over the seeds for each pair of values.", v.titled(c))})
		}
	}
	multiples := plots.Figure{Title: "Completion times by class of flows" + v.together(), Footnote: foot, Columns: 3,
		Width: plots.PageWidth}
	for _, c := range byClass(defaultSizes) {
		if c.share == 0 || len(how.panels) > 0 {
			continue
		}
		list, err := v.panels(c, how)
		if err != nil {
			return nil, err
		}
		for _, p := range list {
			p.Title, p.Y.Label = c.title, "FCT"
			multiples.Panels = append(multiples.Panels, p)
		}
	}
	if len(multiples.Panels) > 0 {
		drawings = append(drawings, figure.Drawing{Name: "fct_classes", Plot: multiples,
			Caption: "Percentiles of the completion times of short, medium and long flows" + v.together() + "."})
	}
	return drawings, nil
}

// panels draws a number as lines if the x axis is numeric, and as bars otherwise. All panels have the same scale.
func (v *gridView) panels(c column, how plan) ([]plots.Panel, error) {
	if c.reals(v) == nil {
		return nil, nil
	}
	name := func(i int) string { return v.axes[i] }
	p := figure.Picture{Names: v.of, X: name(how.along), Y: c.Name, By: lists.Map(how.series, name),
		Panels: lists.Map(how.panels, name), Title: v.titled(c)}
	return p.Draw(v.Table)
}

// Asked returns the rows, the titles of all numbers, and in shown the numbers that are drawn if the options choose
// none.
func (v *gridView) Asked() (t *plots.Table, shown []string, titles map[string]string) {
	titles = map[string]string{}
	for _, c := range slices.Concat(v.sources, runColumns, byClass(defaultSizes)) {
		titles[c.Name] = v.titled(c)
	}
	for _, c := range append(slices.Clone(v.sources), v.pooled()...) {
		if c.shown && c.reals(v) != nil && !v.byKind(c) {
			shown = append(shown, c.Name)
		}
	}
	return v.Table, shown, titles
}

// reals returns the values of a column, or nil if no row has one.
func (c column) reals(v *gridView) []float64 {
	list := v.values[c.Name]
	if slices.ContainsFunc(list, func(x float64) bool { return !math.IsNaN(x) }) {
		return list
	}
	return nil
}

// heatMap draws a number over two settings with at least three values each.
func (v *gridView) heatMap(c column) (plots.Figure, bool) {
	labels := v.labels()
	if len(labels) != 2 || len(labels[0]) < 3 || len(labels[1]) < 3 {
		return plots.Figure{}, false
	}
	z := make([]plots.Values, len(labels[1]))
	for i := range z {
		z[i] = slices.Repeat(plots.Values{math.NaN()}, len(labels[0]))
	}
	for _, g := range v.list {
		z[slices.Index(labels[1], g.labels[1])][slices.Index(labels[0], g.labels[0])] = v.mean(c, g).Value
	}
	axis := func(i int) plots.Axis {
		words := lists.Map(labels[i], func(label string) string { return v.of.ValueInWords(v.axes[i], label) })
		return plots.Axis{Label: figure.Titled(v.axes[i]), Scale: plots.Categorical, Categories: words}
	}
	return plots.Figure{Title: v.titled(c), Width: 380, Panels: []plots.Panel{{
		X: axis(0), Y: axis(1),
		Heat: &plots.Heat{Label: v.titled(c), Unit: c.Unit, Z: z, Values: true},
	}}}, true
}
