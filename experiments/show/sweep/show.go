package sweep

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/results/stats"
	"pintlab/internal/lists"
	"pintlab/netsim/unit"
	"pintlab/plots"
	"pintlab/plots/report"
)

// screen is the width of a terminal in columns, and the largest width of a table.
const screen = 80

// least lists the numbers that a table omits if it is too wide, the first one first.
var least = []string{"p50_slowdown", "drops", "goodput_long", "p95_slowdown", "p99_slowdown"}

// tables returns a table with one line for each combination. It omits numbers that no run has, and numbers
// that do not fit a terminal.
func tables(t *plots.Table) ([]report.Table, error) {
	axes, list, err := groups(t)
	if err != nil {
		return nil, err
	}
	shown := slices.DeleteFunc(pooled(t), func(c column) bool { return !c.shown })
	var missing, narrow []string
	shown = slices.DeleteFunc(shown, func(c column) bool {
		values, _ := t.Reals(c.Name) // table reports the error
		empty := !slices.ContainsFunc(values, func(v float64) bool { return !math.IsNaN(v) })
		if empty {
			missing = append(missing, c.title)
		}
		return empty
	})
	out, err := table(t, axes, list, shown)
	for _, name := range least {
		at := slices.IndexFunc(shown, func(c column) bool { return c.Name == name })
		if err != nil || out.Width() <= screen {
			break
		}
		if at >= 0 {
			narrow = append(narrow, shown[at].title)
			shown = slices.Delete(shown, at, at+1)
			out, err = table(t, axes, list, shown)
		}
	}
	if err != nil {
		return nil, err
	}
	caption := "Means over the seeds with 95 % intervals; ~ marks percentiles of too few flows."
	if seeds(list) == 2 {
		caption += " " + twoSeeds
	}
	if slices.ContainsFunc(shown, func(c column) bool {
		values, _ := t.Reals(c.Name) // table reports the error
		return slices.ContainsFunc(list, func(g group) bool { return partly(values, g.rows) })
	}) {
		caption += ofSeeds
	}
	if len(missing) > 0 {
		caption += " No run has: " + strings.Join(missing, ", ") + "."
	}
	if len(narrow) > 0 {
		caption += " For want of room not here, but in the drawings and in rows.csv: " + strings.Join(narrow, ", ") +
			"."
	}
	if _, reason := arrange(axes, list); reason != "" {
		caption += " " + reason
	}
	classes, err := classTable(t, axes, list)
	if err != nil {
		return nil, err
	}
	changes, err := changesTable(t)
	if err != nil {
		return nil, err
	}
	sources, err := sourceTables(t, axes, list)
	if err != nil {
		return nil, err
	}
	return figure.Reports(slices.Concat(sources, []figure.Table{{Rows: out, Caption: caption}}, classes, changes))
}

// What a number means that some seeds do not have.
const (
	ofSeeds = " \"of N\": only N of the seeds have such flows."
	ofJobs  = " \"of N\": only in N of the seeds has the job ended."
)

// partly reports whether some of the rows have a number and others do not.
func partly(values []float64, rows []int) bool {
	none := lists.Count(rows, func(r int) bool { return values != nil && math.IsNaN(values[r]) })
	return none > 0 && none < len(rows)
}

// twoSeeds warns about intervals of two seeds.
const twoSeeds = "With two seeds an interval is ±12.7 standard errors: take more before believing a difference."

// seeds returns the smallest number of seeds of a combination.
func seeds(list []group) int {
	n := math.MaxInt
	for _, g := range list {
		n = min(n, len(g.rows))
	}
	return n
}

// labels returns columns with the values of the axes.
func labels[L any](axes []string, of func(L) group) []figure.Column[L] {
	var cells []figure.Column[L]
	for i, a := range short(axes) {
		cells = append(cells, figure.Text(a, func(l L) string { return of(l).labels[i] }))
	}
	return cells
}

// table returns a table of the axes, the seeds and some numbers.
func table(t *plots.Table, axes []string, list []group, shown []column) (*plots.Table, error) {
	counted, err := t.Reals(countedColumn)
	if err != nil {
		return nil, err
	}
	cells := append(labels(axes, func(g group) group { return g }),
		figure.Whole("seeds", "", func(g group) int64 { return int64(len(g.rows)) }))
	for _, c := range shown {
		values, err := t.Reals(c.Name)
		if err != nil {
			return nil, err
		}
		cells = append(cells, figure.Text(c.title, func(g group) string { return number(c, values, counted, g.rows) }))
	}
	return figure.Lines("", list, cells...).Plain()
}

// number formats the mean of a column over the rows of a combination: with ~ if it is a percentile of too few flows in
// one of them, and with how many have it if some do not. counts are the flows behind it, nil if they are not known.
func number(c column, values, counts []float64, rows []int) string {
	v, lo, hi := mean(values, rows, c.least)
	if c.Name == sourceFlows.Name { // a count of what was measured, not a measurement
		lo, hi = v, v
	}
	text := spread(v, lo, hi, c.Unit)
	have := slices.DeleteFunc(slices.Clone(rows), func(r int) bool { return math.IsNaN(values[r]) })
	if c.share > 0 && counts != nil &&
		slices.ContainsFunc(have, func(r int) bool { return !stats.Enough(int(counts[r]), c.share) }) {
		text = "~" + text
	}
	if partly(values, rows) {
		text += fmt.Sprintf(" of %d", len(have))
	}
	return text
}

// spread formats a mean with its interval.
func spread(v, lo, hi float64, unit string) string {
	if math.IsNaN(v) {
		return "–"
	}
	s := plots.FormatValue(v, unit, 3)
	if lo < hi {
		s += fmt.Sprintf(" (%s to %s)", plots.FormatValue(lo, unit, 3), plots.FormatValue(hi, unit, 3))
	}
	return s
}

// short shortens keys to their last words, as long as they differ from each other and from the other
// columns.
func short(axes []string) []string {
	out := slices.Clone(axes)
	for i, a := range axes {
		for cut := strings.LastIndexByte(a, '.'); cut >= 0; cut = strings.LastIndexByte(a[:cut], '.') {
			name := a[cut+1:]
			same := func(o string) bool { return o == name || strings.HasSuffix(o, "."+name) }
			if name != "seeds" && !slices.ContainsFunc(slices.Concat(axes[:i], axes[i+1:]), same) {
				out[i] = name
				break
			}
		}
	}
	return out
}

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

// arrange puts the longest axis along x and the others into series. If this makes too many series, one axis
// remains there and the others make panels. reason explains why there is no drawing, or is "".
func arrange(axes []string, list []group) (p plan, reason string) {
	if len(axes) == 0 || len(list) < 2 {
		return p, "One combination makes no drawing."
	}
	labels := make([][]string, len(axes))
	for i := range axes {
		for _, g := range list {
			if !slices.Contains(labels[i], g.labels[i]) {
				labels[i] = append(labels[i], g.labels[i])
			}
		}
		if len(labels[i]) > len(labels[p.along]) {
			p.along = i
		}
	}
	p.places = labels[p.along]
	product, widest := 1, -1
	for i := range axes {
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
			len(list), figure.Count(len(axes), "key"), product, maxPanels)
	}
	return p, ""
}

// name returns the values of some axes with their keys: "eta=0.9, p=1/16".
func (g group) name(keys []string, axes []int) string {
	parts := lists.Map(axes, func(i int) string { return keys[i] + "=" + g.labels[i] })
	return strings.Join(parts, ", ")
}

func draw(t *plots.Table, m *figure.Manifest) ([]figure.Drawing, error) {
	axes, list, err := groups(t)
	if err != nil {
		return nil, err
	}
	how, reason := arrange(axes, list)
	if reason != "" {
		return nil, nil
	}
	keys := short(axes)
	foot := m.Footnote
	switch n := seeds(list); {
	case n == 2:
		foot += "; bars: 95 % intervals. " + twoSeeds
	case n > 2:
		foot += "; bars: 95 % intervals over the seeds"
	}
	x, at := place(axes[how.along], how.places)
	var drawings []figure.Drawing
	for _, c := range append(storedSources(t), pooled(t)...) {
		if !c.shown {
			continue
		}
		values, err := t.Reals(c.Name)
		if err != nil {
			return nil, err
		}
		f := plots.Figure{Title: c.title, Footnote: foot, Width: 380}
		f.Panels = panels(c, values, list, keys, how, x, at)
		if len(f.Panels) == 0 { // no run has the number
			continue
		}
		if len(f.Panels) > 1 {
			f.Width, f.Columns = plots.PageWidth, min(len(f.Panels), 4)
		}
		drawings = append(drawings, figure.Drawing{
			Name: c.Name, Caption: fmt.Sprintf("%s by %s.", c.title, strings.Join(axes, ", ")), Plot: f,
		})
		if heat, ok := heatMap(c, values, list, axes); ok {
			heat.Footnote = m.Footnote
			drawings = append(drawings,
				figure.Drawing{Name: c.Name + "_heat", Caption: fmt.Sprintf("%s: means over the seeds for "+
					"each pair of values.", c.title), Plot: heat})
		}
	}
	multiples := plots.Figure{Title: "Completion times by class of flows", Footnote: foot, Columns: len(percentiles),
		Width: plots.PageWidth}
	for _, c := range byClass(DefaultSizes) {
		if c.share == 0 || len(how.panels) > 0 || !t.Has(c.Name) {
			continue
		}
		values, err := t.Reals(c.Name)
		if err != nil {
			return nil, err
		}
		for _, p := range panels(c, values, list, keys, how, x, at) {
			p.Title, p.Y.Label = c.title, "Completion time"
			multiples.Panels = append(multiples.Panels, p)
		}
	}
	if len(multiples.Panels) > 0 {
		drawings = append(drawings, figure.Drawing{Name: "fct_classes", Caption: "Percentiles of the completion " +
			"times of short, medium and long flows.", Plot: multiples})
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
		{plots.InBytes, func(s string) (float64, error) { v, err := unit.ParseBytes(s); return float64(v), err }},
		{plots.InSeconds, func(s string) (float64, error) { v, err := unit.ParseTime(s); return v.Seconds(), err }},
		{plots.InBitsPerSecond, func(s string) (float64, error) {
			v, err := unit.ParseRate(s)
			return float64(v),
				err
		}},
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

// panels draws a number as bars, or as lines along a numeric axis. All panels have the same scale.
func panels(c column, values []float64, list []group, keys []string, how plan, x plots.Axis,
	at []float64) (made []plots.Panel) {
	style := plots.Bar
	if x.Scale != plots.Categorical {
		style = plots.Line
	}
	along := func(g group) float64 { return at[slices.Index(how.places, g.labels[how.along])] }
	list = slices.SortedStableFunc(slices.Values(list), func(a, b group) int { return cmp.Compare(along(a), along(b)) })
	most := 0.0
	for _, g := range list {
		v, lo, hi := mean(values, g.rows, c.least)
		if math.IsNaN(v) {
			continue
		}
		if most = max(most, v); !math.IsNaN(hi) {
			most = max(most, min(hi, 3*v)) // a longer interval leaves the panels
		}
		title := g.name(keys, how.panels)
		i := slices.IndexFunc(made, func(p plots.Panel) bool { return p.Title == title })
		if i < 0 {
			i = len(made)
			made = append(made,
				plots.Panel{Title: title, X: x,
					Y: plots.Axis{Label: c.title, Unit: c.Unit, Scale: plots.Linear, Min: plots.At(0)}})
		}
		p := &made[i]
		name := g.name(keys, how.series)
		name = cmp.Or(name, c.title)
		k := slices.IndexFunc(p.Series, func(s plots.Series) bool { return s.Name == name })
		if k < 0 {
			k = len(p.Series)
			p.Series = append(p.Series, plots.Series{Name: name, Style: style})
		}
		s := &p.Series[k]
		s.X, s.Y = append(s.X, along(g)), append(s.Y, v)
		s.Lo, s.Hi = append(s.Lo, lo), append(s.Hi, hi)
	}
	if len(made) > 1 && most > 0 {
		for i := range made {
			made[i].Y.Max = plots.At(1.05 * most)
		}
	}
	return made
}

// heatMap draws a number over two settings with at least three values each.
func heatMap(c column, values []float64, list []group, axes []string) (plots.Figure, bool) {
	if len(axes) != 2 {
		return plots.Figure{}, false
	}
	var labels [2][]string
	for _, g := range list {
		for i, l := range g.labels {
			if !slices.Contains(labels[i], l) {
				labels[i] = append(labels[i], l)
			}
		}
	}
	if len(labels[0]) < 3 || len(labels[1]) < 3 {
		return plots.Figure{}, false
	}
	z := make([]plots.Values, len(labels[1]))
	for i := range z {
		z[i] = slices.Repeat(plots.Values{math.NaN()}, len(labels[0]))
	}
	for _, g := range list {
		z[slices.Index(labels[1], g.labels[1])][slices.Index(labels[0], g.labels[0])], _,
			_ = mean(values, g.rows, c.least)
	}
	return plots.Figure{Title: c.title, Width: 380, Panels: []plots.Panel{{
		X:    plots.Axis{Label: axes[0], Scale: plots.Categorical, Categories: labels[0]},
		Y:    plots.Axis{Label: axes[1], Scale: plots.Categorical, Categories: labels[1]},
		Heat: &plots.Heat{Label: c.title, Unit: c.Unit, Z: z, Values: true},
	}}}, true
}
