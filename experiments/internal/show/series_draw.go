package show

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/internal/lists"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// coloured is the largest number of lines with distinct colours.
const coloured = 8

// chart is a drawing with panels one above the other. Panels without curves are omitted.
type chart struct {
	name, title, caption string
	panels               []panel
}

// panel describes a panel over time with the curves of a measure.
type panel struct {
	measure, label, unit string
	top                  float64 // maximum of the axis; 0 for automatic
	whole                bool    // the measure is a number of things
	// over is a measure with a single curve. This curve is added if there are more curves of the main measure than
	// colours.
	over, overName string
}

// Panels of one run and of several.
var (
	portPanels = []panel{
		{measure: queue, label: "Queue length", unit: plots.InBytes},
		{measure: utilisation, label: "Utilisation", top: 1.02},
	}
	fairnessPanels = []panel{
		{measure: fairness, label: "Jain index", top: 1.02},
		{measure: underWay, label: "Flows", whole: true},
	}
	pausedPanels = []panel{{measure: pausedShare, label: "Time paused", unit: "%"}}
	markPanels   = []panel{
		{measure: marks, label: "ECN marks", unit: "packets", whole: true},
		{measure: drops, label: "Drops", unit: "packets", whole: true},
	}
)

// charts are the drawings of one run over time.
var charts = []chart{
	{"series-ports", "Queues and utilisation over time", "Queue length of the ports with the longest queues, and " +
		"the utilisation of their links since the previous sample.", portPanels},
	{"series-fairness", "Goodput by flow and fairness", "Payload delivered in each interval, flow by flow; " +
		"Jain's index of these goodputs (1 if all are equal); and the mean number of flows under way.",
		slices.Concat([]panel{{measure: goodput, label: "Goodput", unit: plots.InBitsPerSecond, over: meanGoodput,
			overName: "mean of all flows"}}, fairnessPanels)},
	{"series-rates", "Rate and load by flow", "Rate that the congestion control sets, and its estimate of the " +
		"utilisation U of the path, flow by flow.", []panel{
		{measure: pacing, label: "Pacing rate", unit: plots.InBitsPerSecond}, {measure: load, label: "U"},
	}},
	{"series-paused", "Time paused by layer", "Share of each interval for which PFC has paused the ports of a " +
		"layer, on average.", pausedPanels},
	{"series-marks", "ECN marks and drops over time", "Packets marked and dropped so far, by layer.", markPanels},
}

// Drawings returns the drawings, in order.
func (v *Series) Drawings() []figure.Drawing {
	var list []figure.Drawing
	add := func(name, title, caption string, height float64, panels ...plots.Panel) {
		f := plots.Figure{Title: title, Footnote: v.footnote, Width: 430, PanelHeight: height, Columns: 1,
			Panels: panels}
		list = append(list, figure.Drawing{Name: name, Caption: caption, Plot: f})
	}
	if lines := v.lines(queueCDF, plots.Step); len(lines) > 0 {
		x := queueAxis(lines)
		panels := []plots.Panel{{X: x, Y: plots.Axis{Label: "Share of time at or below", Scale: plots.Linear,
			Min: plots.At(0), Max: plots.At(1)}, Series: lines}}
		if tails := above(lines); len(tails) > 0 {
			panels = append(panels, plots.Panel{X: x, Y: tailAxis(), Series: tails})
		}
		add("series-queue-cdf", "Queue length by layer", "Distribution of the queue length over ports and time, by "+
			"layer: above, the share of the time at or below a length; below, the share above it.", 150, panels...)
	}
	for _, s := range charts {
		var panels []plots.Panel
		for _, p := range s.panels {
			if made, ok := v.panel(&p); ok {
				panels = append(panels, made)
			}
		}
		markFaults(panels, v)
		if s.name == "series-rates" && len(panels) == 1 { // no control of the run knows U
			s.title, s.caption = "Rate by flow", "Rate that the congestion control sets, flow by flow."
		}
		if len(panels) > 0 {
			add(s.name, s.title, s.caption, 130, panels...)
		}
	}
	if p, ok := v.pauseBars(); ok {
		add("series-paused-ports", "Time paused by port", "Share of the time for which PFC has paused a port, for "+
			"the ports that were paused longest.", 190, p)
	}
	return list
}

// queueAxis returns the axis of distributions of the queue length. The axis ends at the length of the longest queue,
// unless that is 0.
func queueAxis(lines []plots.Series) plots.Axis {
	x := plots.Axis{Label: "Queue length", Unit: plots.InBytes, Scale: plots.Linear, Min: plots.At(0)}
	longest := 0.0
	for _, s := range lines {
		longest = max(longest, slices.Max(s.X))
	}
	if longest > 0 {
		x.Max = plots.At(longest)
	}
	return x
}

// tailAxis returns the y axis of the curves that the function `above` returns.
func tailAxis() plots.Axis {
	return plots.Axis{Label: "Share of time above", Scale: plots.Log, Max: plots.At(1)}
}

// above converts distributions to the share of time above each value. This makes rare long queues visible. A curve ends
// at the first length that the queue never exceeds.
func above(cdf []plots.Series) []plots.Series {
	var list []plots.Series
	for _, s := range cdf {
		tail := plots.Series{Name: s.Name, Style: s.Style}
		for i, share := range s.Y {
			if i > 0 && s.Y[i-1] < 1 {
				tail.X, tail.Y = append(tail.X, s.X[i]), append(tail.Y, 1-share)
			}
		}
		if len(tail.X) > 0 {
			list = append(list, tail)
		}
	}
	return list
}

func (v *Series) panel(p *panel) (plots.Panel, bool) {
	lines := v.lines(p.measure, plots.Trace)
	if len(lines) > coloured {
		lines = v.quantiles(p, lines)
		for _, front := range v.lines(p.over, plots.Trace) {
			front.Name = p.overName
			lines = append(lines, front)
		}
	}
	return p.draw(lines, v.from, v.to), len(lines) > 0
}

// namedFaults is the largest number of times of faults in a drawing that have labels.
const namedFaults = 8

// markFaults marks the beginning and the end of the faults of the runs in panels over time. The first panel has the
// labels. A fault that not all runs have is labelled with the run.
func markFaults(panels []plots.Panel, views ...*Series) {
	var lines []plots.RefLine
	for _, v := range views {
		for _, f := range v.faults {
			same := func(o *Series) bool { return slices.Contains(o.faults, f) }
			for _, x := range instants(f) {
				line := plots.RefLine{At: columns.Round(x.at.Seconds()), Label: x.text}
				if lists.Count(views, same) < len(views) {
					line.Label += ", " + v.label
				}
				if v.from <= x.at && x.at <= v.to && !slices.Contains(lines, line) {
					lines = append(lines, line)
				}
			}
		}
	}
	for i := range panels {
		marked := slices.Clone(lines)
		for k := range marked {
			if i > 0 || len(lines) > namedFaults {
				marked[k].Label = ""
			}
		}
		panels[i].X.Lines = marked
	}
}

// quantity returns the label of the panel within a text. All panels of a drawing share a legend, so the names of lines
// that belong to a single panel contain it.
func (p *panel) quantity() string {
	if len(p.label) > 1 {
		return strings.ToLower(p.label)
	}
	return p.label
}

// draw returns the panel with curves over the time from `from` to `to`.
func (p *panel) draw(lines []plots.Series, from, to unit.Time) plots.Panel {
	y := plots.Axis{Label: p.label, Unit: p.unit, Scale: plots.Linear, Min: plots.At(0), Whole: p.whole}
	if p.top != 0 {
		y.Max = plots.At(p.top)
	}
	x := plots.Axis{Label: "Time", Unit: plots.InSeconds, Scale: plots.Linear,
		Min: plots.At(columns.Round(from.Seconds())), Max: plots.At(columns.Round(to.Seconds()))}
	return plots.Panel{X: x, Y: y, Series: lines}
}

// ofIntervals lists the measures whose values apply to the preceding interval.
var ofIntervals = []string{goodput, meanGoodput, fairness, underWay, pausedShare}

// lines returns the curves of a measure. Shares of time paused are in percent.
func (v *Series) lines(measure string, style plots.Style) []plots.Series {
	factor := 1.0
	if measure == pausedShare {
		factor = 100
	}
	var list []plots.Series
	for _, c := range v.curves {
		if c.measure != measure || len(c.x) == 0 {
			continue
		}
		s := plots.Series{Name: c.name, Style: style}
		for i, x := range c.x {
			y := factor * c.y[i]
			if slices.Contains(ofIntervals, measure) {
				// The line is level during an interval. It is interrupted where an interval is missing.
				begin := math.Max(v.from.Seconds(), x-v.interval.Seconds())
				if i > 0 && begin-c.x[i-1] > v.interval.Seconds()/2 {
					s.X, s.Y = append(s.X, begin), append(s.Y, math.NaN())
				} else if i > 0 {
					begin = c.x[i-1]
				}
				s.X, s.Y = append(s.X, begin), append(s.Y, y)
			}
			s.X, s.Y = append(s.X, x), append(s.Y, y)
		}
		list = append(list, s)
	}
	return list
}

// pauseBars draws the pause times of ports, the longest first.
func (v *Series) pauseBars() (plots.Panel, bool) {
	s := plots.Series{Name: "paused", Style: plots.Bar}
	x := plots.Axis{Label: "Port (from-to)", Scale: plots.Categorical}
	for _, c := range v.curves {
		if c.measure == pausedBy {
			x.Categories = append(x.Categories, c.name)
			s.X, s.Y = append(s.X, c.x[0]), append(s.Y, 100*c.y[0])
		}
	}
	if len(s.X) == 0 {
		return plots.Panel{}, false
	}
	y := plots.Axis{Label: "Time paused", Unit: "%", Scale: plots.Linear, Min: plots.At(0)}
	return plots.Panel{X: x, Y: y, Series: []plots.Series{s}}, true
}

// quantiles returns three curves: the median of a measure's curves over time, with a band between their 10 % and 90 %
// quantiles; the curve with the highest mean; and the curve with the lowest mean. The highest and the lowest mean are
// chosen only among curves that last long enough. If these two means are equal, quantiles returns the median only.
func (v *Series) quantiles(p *panel, lines []plots.Series) []plots.Series {
	measure := p.measure
	curves := figure.Pick(v.curves, func(c *curve) bool { return c.measure == measure && len(c.x) > 0 })
	at := map[float64][]float64{} // values by time
	for _, c := range curves {
		for _, x := range c.x {
			at[x] = nil
		}
	}
	times := slices.Sorted(maps.Keys(at))
	for _, c := range curves {
		for i, x := range c.x { // a value applies until the time of the next value
			at[x] = append(at[x], c.y[i])
			k, _ := slices.BinarySearch(times, x)
			for k++; i+1 < len(c.x) && times[k] < c.x[i+1] && !slices.Contains(ofIntervals, measure); k++ {
				at[times[k]] = append(at[times[k]], c.y[i])
			}
		}
	}
	band := plots.Series{Name: "median of the flows, band: 10 % to 90 %", Style: plots.Trace}
	for i, x := range times {
		slices.Sort(at[x])
		from := x
		if i > 0 && slices.Contains(ofIntervals, measure) { // constant over an interval
			from = max(times[i-1], x-v.interval.Seconds())
		}
		for _, x := range slices.Compact([]float64{from, x}) {
			band.X, band.Y = append(band.X, x), append(band.Y, stats.Percentile(at[times[i]], 0.5))
			band.Lo = append(band.Lo, stats.Percentile(at[times[i]], 0.1))
			band.Hi = append(band.Hi, stats.Percentile(at[times[i]], 0.9))
		}
	}
	span := func(c *curve) float64 { return c.x[len(c.x)-1] - c.x[0] }
	longest := 0.0
	for _, c := range curves {
		longest = max(longest, span(&c))
	}
	curves = figure.Pick(curves, func(c *curve) bool { return span(c) >= longest/20 }) // else they would be invisible
	order := func(a, b curve) int { return cmp.Compare(stat.Mean(a.y, nil), stat.Mean(b.y, nil)) }
	list := []plots.Series{band}
	highest, lowest := slices.MaxFunc(curves, order), slices.MinFunc(curves, order)
	if order(highest, lowest) == 0 {
		return list
	}
	for _, end := range []struct {
		of   curve
		name string
	}{{highest, "highest mean " + p.quantity()}, {lowest, "lowest mean " + p.quantity()}} {
		line := lines[slices.IndexFunc(lines, func(s plots.Series) bool { return s.Name == end.of.name })]
		line.Name += ", " + end.name
		list = append(list, line)
	}
	return list
}
