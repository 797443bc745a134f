package load

import (
	"fmt"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/hpcc/bench"
	"pintlab/experiments/measure/comparison"
	"pintlab/plots"
)

func tables(rows []comparison.Row) []figure.Table {
	var list []figure.Table
	for _, c := range cases {
		of := figure.Pick(rows, func(r *comparison.Row) bool { return r.Case == c.name })
		list = append(list, figure.Lines(fmt.Sprintf("%s: slowdown of the shortest and of the longest group of flows; queue over all switch ports and looks during the arrivals; time paused; slowdown of the incast's flows.", c.name),
			figure.BySchemes(of), figure.Scheme("scheme"), figure.Value("short p50", "", "p50"), figure.Value("short p95", "", "p95"), figure.Value("short p99", "", "p99"),
			figure.Last("long p50", "p50"), figure.Last("long p95", "p95"), figure.Value("queue p50", "KB", queue50), figure.Value("queue p95", "KB", queue95),
			figure.Value("queue p99", "KB", queue99), figure.Value("longest", "KB", longest), figure.Value("paused", "%", paused),
			figure.Value("most paused port", "%", mostPaused), figure.Value("incast p95", "", incast95)))
	}
	return list
}

// The schemes of the paper and those that came later, each with HPCC.
var groups = []struct {
	file, title string
	schemes     []comparison.Scheme
}{
	{"paper", "the schemes of the paper, and PINT", []comparison.Scheme{bench.HPCC, bench.PINT, bench.DCQCN, bench.DCQCNWin, bench.Timely, bench.TimelyWin, bench.DCTCP}},
	{"later", "HPCC and what came later", []comparison.Scheme{bench.HPCC, bench.PINT, bench.Swift, bench.Power, bench.PowerPINT, bench.Theta, bench.NDP}},
}

// point is a point of a curve of slowdowns. Intervals of so many curves would hide them.
type point struct {
	Percentile string  `col:"percentile"`
	Scheme     string  `col:"scheme"`
	Size       float64 `col:"size" unit:"B"`
	Share      float64 `col:"share" unit:"%"`
	Value      float64 `col:"value"`
	Flows      int     `col:"flows"`
}

func draw(rows []comparison.Row) ([]figure.Drawing, error) {
	var list []figure.Drawing
	for i, c := range cases {
		for _, g := range groups {
			var points []point
			for _, s := range g.schemes {
				for _, percentile := range percentiles {
					for _, r := range comparison.Pick(rows, c.name, s.Name, "", percentile) {
						points = append(points, point{percentile, s.Name, r.Size, r.Share, r.Value, r.Flows})
					}
				}
			}
			f, err := figure.Plot(plots.SlowdownBySize, points, plots.Mapping{Y: "value", Panel: "percentile", MinCount: figure.Enough(0.95)})
			if err != nil {
				return nil, err
			}
			f.Title = fmt.Sprintf("Slowdown by flow size, %s: %s", c.name, g.title)
			list = append(list, figure.Drawing{Name: fmt.Sprintf("slowdown-%d-%s", i+1, g.file), Plot: f, Caption: "Percentiles of the slowdown by flow size; ticks are equal shares of the flows apart."})
		}
	}
	for _, g := range groups {
		list = append(list, figure.Drawing{
			Name: "queue-" + g.file, Caption: "Share of ports and time with a queue above a length, over all switch ports during the arrivals.",
			Plot: drawQueues(rows, g.title, g.schemes),
		})
	}
	return append(list, figure.Drawing{
		Name: "paused", Caption: "Share of the time for which PFC has paused a port, mean of all ports of hosts and switches.", Plot: drawPauses(rows),
	}), nil
}

// drawQueues draws a panel for each traffic.
func drawQueues(rows []comparison.Row, title string, schemes []comparison.Scheme) plots.Figure {
	f := plots.Figure{Title: "Queues: " + title, Width: plots.PageWidth}
	least := 1.0 // share that is shown
	for _, c := range cases {
		p := plots.Panel{
			Title: c.name,
			X:     plots.Axis{Label: "Queue length", Unit: plots.InBytes, Scale: plots.Log, Min: plots.At(1e3), Max: plots.At(2e7)},
			Y:     plots.Axis{Label: "Share above", Scale: plots.Log, Max: plots.At(1)},
		}
		for _, s := range schemes {
			curve := plots.Series{Name: s.Name, Style: plots.Line}
			for _, r := range comparison.Pick(rows, c.name, s.Name, "", atOrBelow) {
				if r.Size > 0 && r.Value < 1 {
					curve.X, curve.Y = append(curve.X, r.Size), append(curve.Y, 1-r.Value)
					least = math.Min(least, 1-r.Value)
				}
			}
			if len(curve.X) > 0 {
				p.Series = append(p.Series, curve)
			}
		}
		f.Panels = append(f.Panels, p)
	}
	for i := range f.Panels {
		f.Panels[i].Y.Min = plots.At(math.Max(least, 1e-4))
	}
	return f
}

// drawPauses draws a bar for each scheme and traffic.
func drawPauses(rows []comparison.Row) plots.Figure {
	p := plots.Panel{
		X: plots.Axis{Label: "Scheme", Scale: plots.Categorical},
		Y: plots.Axis{Label: "Time paused", Unit: "%", Scale: plots.Linear, Min: plots.At(0)},
	}
	for _, c := range cases {
		s := plots.Series{Name: c.name, Style: plots.Bar}
		for _, scheme := range all {
			for _, r := range comparison.Pick(rows, c.name, scheme.Name, "", paused) {
				if c.name == cases[0].name {
					p.X.Categories = append(p.X.Categories, scheme.Name)
				}
				s.X, s.Y = append(s.X, float64(len(s.X))), append(s.Y, 100*r.Value)
				s.Lo, s.Hi = append(s.Lo, max(0, 100*r.Lo)), append(s.Hi, 100*r.Hi)
			}
		}
		p.Series = append(p.Series, s)
	}
	return plots.Figure{Title: "Time paused", Width: plots.PageWidth, PanelHeight: 120, Panels: []plots.Panel{p}}
}
