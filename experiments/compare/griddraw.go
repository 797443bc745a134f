package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/study"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// Largest numbers of series and panels in a drawing.
const (
	maxSeries = 8
	maxPanels = 24
)

// plan is the role of each axis of a campaign in its drawings.
type plan struct {
	along  int      // the axis along x
	places []string // labels of that axis
	series []int    // axes that distinguish series
	panels []int    // axes that distinguish panels
}

// arrange puts the longest axis of numbers, or else of words, along x and the others into series. If this makes too
// many series, one axis remains there and the others make panels. reason explains why there is no drawing, or is "".
func (v *gridView) arrange() (p plan, reason string) {
	if len(v.axes) == 0 || len(v.list) < 2 {
		return p, "One combination makes no drawing."
	}
	labels := v.labels()
	rank := func(i int) int { // numbers before words, then the number of values
		if x, _ := place("", labels[i]); x.Scale != plots.Categorical {
			return len(labels[i]) + len(v.list)
		}
		return len(labels[i])
	}
	for i := range labels {
		if rank(i) > rank(p.along) {
			p.along = i
		}
	}
	p.places = labels[p.along]
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

// Drawings draws each number that some run has, and the classes of flows.
func (v *gridView) Drawings(m *figure.Manifest) ([]figure.Drawing, error) {
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
	var drawings []figure.Drawing
	for _, c := range append(slices.Clone(v.sources), v.pooled()...) {
		f := plots.Figure{Title: c.title, Footnote: foot, Width: 380}
		f.Panels = v.panels(c, how)
		if !c.shown || len(f.Panels) == 0 || v.byKind(c) { // no run has the number, or a table does
			continue
		}
		if len(f.Panels) > 1 {
			f.Width, f.Columns = plots.PageWidth, min(len(f.Panels), 4)
		}
		drawings = append(drawings, figure.Drawing{
			Name: c.Name, Caption: fmt.Sprintf("%s by %s.", c.title, strings.Join(v.axes, ", ")), Plot: f,
		})
		if heat, ok := v.heatMap(c); ok {
			heat.Footnote = m.Footnote
			drawings = append(drawings, figure.Drawing{Name: c.Name + "_heat", Plot: heat,
				Caption: fmt.Sprintf("%s: means over the seeds for each pair of values.", c.title)})
		}
	}
	multiples := plots.Figure{Title: "Completion times by class of flows", Footnote: foot, Columns: 3,
		Width: plots.PageWidth}
	for _, c := range byClass(defaultSizes) {
		if c.share == 0 || len(how.panels) > 0 {
			continue
		}
		for _, p := range v.panels(c, how) {
			p.Title, p.Y.Label = c.title, "Completion time"
			multiples.Panels = append(multiples.Panels, p)
		}
	}
	if len(multiples.Panels) > 0 {
		drawings = append(drawings, figure.Drawing{Name: "fct_classes", Plot: multiples,
			Caption: "Percentiles of the completion times of short, medium and long flows."})
	}
	return drawings, nil
}

// place returns the x axis and the position of each label. The axis is numeric if all labels are numbers of
// one unit, else categorical.
func place(label string, labels []string) (plots.Axis, []float64) {
	for _, as := range []struct {
		unit string
		read func(string) (float64, error)
	}{
		{"", func(s string) (float64, error) { return strconv.ParseFloat(s, 64) }},
		{plots.InBytes, float(unit.ParseBytes)},
		{plots.InSeconds, func(s string) (float64, error) { v, err := unit.ParseTime(s); return v.Seconds(), err }},
		{plots.InBitsPerSecond, float(unit.ParseRate)},
	} {
		var at []float64
		for _, l := range labels {
			if v, err := as.read(l); err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) && v < float64(math.MaxInt64)/2 {
				at = append(at, v)
			}
		}
		if len(at) < len(labels) || len(labels) < 3 { // too few values for a curve
			continue
		}
		x := plots.Axis{Label: label, Unit: as.unit, Scale: plots.Linear}
		if least := slices.Min(at); least > 0 && slices.Max(at) >= 20*least {
			x.Scale = plots.Log
		}
		return x, at
	}
	at := make([]float64, len(labels))
	for i := range at {
		at[i] = float64(i)
	}
	return plots.Axis{Label: label, Scale: plots.Categorical, Categories: labels}, at
}

func float[T unit.Bytes | unit.Rate](parse func(string) (T, error)) func(string) (float64, error) {
	return func(s string) (float64, error) {
		v, err := parse(s)
		return float64(v), err
	}
}

// panels draws a number as bars, or as lines along a numeric axis. All panels have the same scale.
func (v *gridView) panels(c column, how plan) []plots.Panel {
	x, at := place(v.axes[how.along], how.places)
	keys, most := shorten(v.axes), 0.0
	var rows []study.Row
	for _, g := range v.list {
		m := v.mean(c, g)
		if m.Missing() {
			continue
		}
		if most = max(most, m.Value); m.Bounded() {
			most = max(most, min(m.Hi, 3*m.Value)) // a longer interval leaves the panels
		}
		rows = append(rows, study.Row{Case: g.name(keys, how.panels), Scheme: cmp.Or(g.name(keys, how.series), c.title),
			X: at[slices.Index(how.places, g.labels[how.along])], Quantity: c.Name, Sized: stats.Whole(m)})
	}
	slices.SortStableFunc(rows, func(a, b study.Row) int { return cmp.Compare(a.X, b.X) })
	y := plots.Axis{Label: c.title, Unit: c.Unit, Scale: plots.Linear, Min: plots.At(0)}
	list := figure.Panels(rows, c.Name, x, y)
	for i := range list {
		if len(list) > 1 && most > 0 {
			list[i].Y.Max = plots.At(1.05 * most)
		}
		for k := range list[i].Series {
			if x.Scale == plots.Categorical {
				list[i].Series[k].Style = plots.Bar
			}
		}
	}
	return list
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
	return plots.Figure{Title: c.title, Width: 380, Panels: []plots.Panel{{
		X:    plots.Axis{Label: v.axes[0], Scale: plots.Categorical, Categories: labels[0]},
		Y:    plots.Axis{Label: v.axes[1], Scale: plots.Categorical, Categories: labels[1]},
		Heat: &plots.Heat{Label: c.title, Unit: c.Unit, Z: z, Values: true},
	}}}, true
}
