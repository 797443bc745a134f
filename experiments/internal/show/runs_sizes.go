package show

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/internal/number"
	"pintlab/plots"
)

// sizeRows returns the rows of a run by size and class. They contain slowdowns and, if there are few sizes, also
// completion times. If a class has several rows, a total of the class follows them.
func sizeRows(run string, flows *store.Flows) []RunRow {
	var rows []RunRow
	for _, t := range stats.SizeTables(flows, stats.Everything(), stats.SizeRows) {
		all := append(t.Rows, t.All)
		if len(t.Rows) == 1 {
			all = t.Rows // the single row is the total
		}
		for i, b := range all {
			size, share := float64(b.MaxSize), math.NaN()
			if i == len(t.Rows) {
				size = math.NaN()
			} else if len(t.Rows) == stats.SizeRows && !t.Few { // equal numbers of flows
				share = 100 * float64(i+1) / stats.SizeRows
			}
			add := func(table, measure string, v float64) {
				rows = append(rows, RunRow{Table: table, Run: run, Measure: measure, Size: size, Share: share, Value: v,
					Flows: b.N, Class: t.ClassName(), Least: float64(b.MinSize)})
			}
			add(slowdowns, "mean", b.Mean)
			add(slowdowns, "p50", b.P50)
			add(slowdowns, "p95", b.P95)
			add(slowdowns, "p99", b.P99)
			if t.Few {
				add(bySizes, "mean", b.FCT.Mean)
				add(bySizes, "p50", b.FCT.P50)
				add(bySizes, "p95", b.FCT.P95)
				add(bySizes, "p99", b.FCT.P99)
			}
		}
	}
	return rows
}

// sizeLine contains numbers about the flows of a run in a range of sizes.
type sizeLine struct {
	RunRow
	values map[[2]string]float64    // by table and measure
	bounds map[[2]string][2]float64 // intervals of the values
}

// sizeLines collects rows with the same sizes. The result is sorted by size, and totals come last.
func sizeLines(rows []RunRow) []sizeLine {
	var list []sizeLine
	for _, r := range rows {
		if r.Table != slowdowns && r.Table != bySizes {
			continue
		}
		same := func(l sizeLine) bool {
			return l.Run == r.Run && l.Class == r.Class && l.Least == r.Least &&
				(l.Size == r.Size || l.total() && math.IsNaN(r.Size))
		}
		if n := len(list); n == 0 || !same(list[n-1]) {
			list = append(list, sizeLine{r, map[[2]string]float64{}, map[[2]string][2]float64{}})
		}
		l, of := &list[len(list)-1], [2]string{r.Table, r.Measure}
		l.values[of], l.bounds[of] = r.Value, [2]float64{r.lo, r.hi}
	}
	slices.SortStableFunc(list, func(a, b sizeLine) int {
		if a.total() || b.total() {
			return cmp.Compare(b.Size, a.Size) // cmp orders NaN before numbers
		}
		return cmp.Compare(a.Size, b.Size)
	})
	return list
}

// total reports whether the line is the total of a class.
func (l *sizeLine) total() bool { return math.IsNaN(l.Size) }

// few reports whether the class has few sizes, so that each size has a line.
func (l *sizeLine) few() bool { _, ok := l.values[[2]string{bySizes, "mean"}]; return ok }

// sizes returns the range of sizes as text.
func (l *sizeLine) sizes() string {
	switch most := number.Format(l.Size, plots.InBytes, 3); {
	case l.total():
		return "all"
	case l.few(): // a line for each size, and sizes may differ by a byte
		return number.Format(l.Size, plots.InBytes, 13)
	case l.Least == l.Size:
		return most
	default:
		return number.Format(l.Least, plots.InBytes, 3) + " to " + most
	}
}

var classes = []string{"background", "incast"}

// sizeTables returns a table for each class, with a line for each size or range of sizes of each run.
func sizeTables(rows []RunRow) []figure.Table {
	lines := sizeLines(rows)
	var list []figure.Table
	for _, class := range classes {
		of := figure.Pick(lines, func(l *sizeLine) bool { return l.Class == class })
		if len(of) == 0 {
			continue
		}
		cells := []figure.Column[sizeLine]{
			figure.Text("run", func(l sizeLine) string { return l.Run }),
			figure.Text("size", func(l sizeLine) string { return l.sizes() }),
			figure.Whole("flows", "", func(l sizeLine) int64 { return int64(l.Flows) }),
		}
		add := func(table, name, unit string) {
			for _, m := range []string{"mean", "p50", "p95", "p99"} {
				cells = append(cells, figure.Text(m+" "+name, func(l sizeLine) string {
					v, ok := l.values[[2]string{table, m}]
					if !ok {
						return "–"
					}
					return shown(m, number.Format(v, unit, 4), l.Flows)
				}))
			}
		}
		caption := "Slowdown"
		if slices.ContainsFunc(of, func(l sizeLine) bool { return l.few() }) {
			caption = "Completion time and slowdown"
			add(bySizes, "FCT", plots.InSeconds)
		}
		add(slowdowns, "slowdown", "")
		list = append(list,
			figure.Lines(caption+" of the flows of class "+class+" by size; ~ marks percentiles of too few flows.", of,
				cells...))
	}
	return list
}

// classCurve returns the name and the pattern of the curve of a class in a run. mixed reports whether the drawing has
// several classes.
func classCurve(run, class string, mixed bool) (name string, pattern plots.Pattern) {
	switch {
	case !mixed:
		return run, plots.Solid
	case class == classes[0]:
		return run + ", " + class, plots.Solid
	}
	return run + ", " + class, plots.Dotted
}

// drawSizes draws slowdowns by size. If all classes have few sizes, it also draws completion times, and sizes are
// categories. Otherwise, the x axis shows the share of flows if all runs have the same sizes at the same shares, and
// the size if not. Each run has a colour, and the line of its incast is dotted.
func drawSizes(rows []RunRow) []figure.Drawing {
	of := map[[2]string]int{} // number of lines of a run and class
	lines := slices.DeleteFunc(sizeLines(rows), func(l sizeLine) bool { return l.total() })
	few, shares, mixed := true, true, false
	ticks := map[float64]float64{} // maps shares to sizes
	for _, l := range lines {
		of[[2]string{l.Run, l.Class}]++
		few, mixed = few && l.few(), mixed || l.Class != lines[0].Class
		if first, ok := ticks[l.Share]; !ok {
			ticks[l.Share] = l.Size
		} else if math.Abs(first-l.Size) > 0.05*first {
			shares = false
		}
		shares = shares && !math.IsNaN(l.Share)
	}
	shares = shares && !mixed
	var single []string
	lines = slices.DeleteFunc(lines, func(l sizeLine) bool { // a single range cannot show how slowdown depends on size
		is := !few && !l.few() && of[[2]string{l.Run, l.Class}] == 1
		if is {
			single = append(single, l.Run)
		}
		return is
	})
	if len(lines) == 0 {
		return nil
	}
	f := plots.Figure{Title: "Slowdown by flow size"}
	x := plots.Axis{Label: "Flow size", Unit: plots.InBytes, Scale: plots.Log}
	tables := []string{slowdowns}
	caption := fmt.Sprintf("Percentiles of the slowdown by flow size, about %d %% of the flows of a "+
		"class in each point.", 100/stats.SizeRows)
	switch {
	case few:
		f.Title, tables = "Completion time and slowdown by flow size", []string{bySizes, slowdowns}
		caption = "Percentiles of completion time and slowdown by flow size."
		x = plots.Axis{Label: "Flow size", Scale: plots.Categorical}
	case shares:
		x = plots.Axis{Label: fmt.Sprintf("Flow size (each tick: %d %% of the flows)", 100/stats.SizeRows),
			Scale: plots.SizeBuckets, Sizes: []float64{0}}
		for _, share := range slices.Sorted(maps.Keys(ticks)) {
			x.Sizes = append(x.Sizes, ticks[share])
		}
	}
	place := func(l *sizeLine) string {
		if mixed && l.Class != classes[0] {
			return l.sizes() + ", " + l.Class
		}
		return l.sizes()
	}
	for _, class := range classes {
		for _, l := range lines {
			if name := place(&l); few && l.Class == class && !slices.Contains(x.Categories, name) {
				x.Categories = append(x.Categories, name)
			}
		}
	}
	first := func(run string) int { return slices.IndexFunc(rows, func(r RunRow) bool { return r.Run == run }) }
	slices.SortStableFunc(lines, func(a, b sizeLine) int { return cmp.Compare(first(a.Run), first(b.Run)) })
	for _, table := range tables {
		for _, m := range []string{"p50", "p95", "p99"} {
			p := plots.Panel{Title: m + " slowdown", X: x, Y: plots.Axis{Label: "Slowdown", Scale: plots.Log}}
			if table == bySizes {
				p.Title, p.Y = m+" FCT", plots.Axis{Label: "Completion time", Unit: plots.InSeconds, Scale: plots.Log}
			}
			bars := few && spanned(lines, [2]string{table, m}) <= 10 // otherwise the smallest bar would be invisible
			if bars {
				p.Y.Scale = plots.Linear
			}
			for _, l := range lines {
				name, at, style, pattern := l.Run, l.Size, plots.Line, plots.Solid
				switch {
				case few:
					at, style = float64(slices.Index(x.Categories, place(&l))), plots.Points
					if bars {
						style = plots.Bar
					}
				case shares:
					at = l.Share
				case mixed:
					name, pattern = classCurve(l.Run, l.Class, mixed)
				}
				i := slices.IndexFunc(p.Series, func(s plots.Series) bool { return s.Name == name })
				if i < 0 {
					i, p.Series = len(p.Series),
						append(p.Series, plots.Series{Name: name, Hue: l.Run, Style: style, Pattern: pattern})
				}
				s := &p.Series[i]
				s.X, s.Y = append(s.X, at), append(s.Y, l.values[[2]string{table, m}])
				if b := l.bounds[[2]string{table, m}]; b[1] != 0 { // an interval may begin at 0, so test its upper end
					s.Lo, s.Hi = append(s.Lo, b[0]), append(s.Hi, b[1])
				}
				s.Weak = append(s.Weak, !stats.Enough(l.Flows, percentiles[m]))
			}
			f.Panels = append(f.Panels, p)
		}
	}
	for _, l := range lines {
		if l.bounds[[2]string{slowdowns, "mean"}][1] != 0 {
			f.Footnote = overSeeds
		}
	}
	if len(single) > 0 {
		f.Footnote = strings.TrimPrefix(f.Footnote+"; too few flows for a curve: "+strings.Join(single, ", "), "; ")
	}
	return []figure.Drawing{{Name: "slowdown", Caption: caption, Plot: f}}
}

// spanned returns the ratio of the largest to the smallest of some values.
func spanned(lines []sizeLine, of [2]string) float64 {
	least, most := math.Inf(1), 0.0
	for _, l := range lines {
		least, most = min(least, l.values[of]), max(most, l.values[of])
	}
	return most / least
}
