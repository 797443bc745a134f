// Package show has the tables, axes and panels that the figures of fridges share.
package show

import (
	"math"
	"slices"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/fridges"
	"pintlab/plots"
	"pintlab/plots/report"
)

// Curve is a curve of CDF rows.
func Curve(rows []fridges.Row, design string) plots.Series {
	s := plots.Series{Name: design, Style: plots.Trace}
	for _, r := range fridges.Select(rows, fridges.CDFTable, design) {
		s.X, s.Y = append(s.X, r.Delay), append(s.Y, r.Share)
	}
	return s
}

// ErrorAxis is the axis of |log2(estimated/true)|.
func ErrorAxis(label string) plots.Axis { return plots.Axis{Label: label, Scale: plots.Log} }

// MemoryAxis is the axis of memory, with a tick at every second of the sizes, the largest
// among them.
func MemoryAxis(sizes []int) plots.Axis {
	a := plots.Axis{Label: "Memory M (entries)", Scale: plots.Log}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	for i := (len(sizes) + 1) % 2; i < len(sizes); i += 2 {
		a.Ticks = append(a.Ticks, plots.Tick{At: float64(sizes[i]), Label: fridges.Memory(sizes[i])})
	}
	return a
}

// ByMemory are panels of the errors of designs against memory: the median, the 95th and
// the 99th percentile, of the mean CDF of all seeds or of one seed on average. An error
// of 0 is left out.
func ByMemory(rows []fridges.Row, designs []string, combined bool) []plots.Panel {
	var panels []plots.Panel
	var sizes []int
	for _, r := range rows {
		sizes = append(sizes, r.Memory)
	}
	for _, p := range []struct {
		title   string
		of, one func(*fridges.Row) float64
	}{
		{"(a) Median", func(r *fridges.Row) float64 { return r.P50 }, func(r *fridges.Row) float64 { return r.One50 }},
		{"(b) 95th percentile", func(r *fridges.Row) float64 { return r.P95 }, func(r *fridges.Row) float64 { return r.One95 }},
		{"(c) 99th percentile", func(r *fridges.Row) float64 { return r.P99 }, func(r *fridges.Row) float64 { return r.One99 }},
	} {
		panel := plots.Panel{Title: p.title, X: MemoryAxis(sizes), Y: ErrorAxis("|log2(estimated/true)|")}
		of := p.one
		if combined {
			of = p.of
			panel.Y.Min = plots.At(0.001)
		}
		for _, d := range designs {
			s := plots.Series{Name: d, Style: plots.Line}
			for _, r := range fridges.Select(rows, fridges.ErrorTable, d) {
				e := of(&r)
				if e == 0 {
					e = math.NaN()
				}
				s.X, s.Y = append(s.X, float64(r.Memory)), append(s.Y, e)
			}
			panel.Series = append(panel.Series, s)
		}
		panels = append(panels, panel)
	}
	return panels
}

// line is a line of the tables that people read.
type line struct {
	Trace   string  `col:"trace"`
	Design  string  `col:"design"`
	Params  string  `col:"parameters"`
	Memory  int     `col:"memory" unit:"entries"`
	P50     float64 `col:"p50"`
	P95     float64 `col:"p95"`
	P99     float64 `col:"p99"`
	Max     float64 `col:"5–95 max"`
	One     float64 `col:"one seed"`
	Half    float64 `col:"±"`
	Samples float64 `col:"samples"`
}

// Tables are the errors of all designs.
func Tables(rows []fridges.Row) []figure.Table {
	var lines []line
	for _, r := range fridges.Select(rows, fridges.ErrorTable, "") {
		lines = append(lines, line{
			r.Trace, r.Design, r.Params, r.Memory, short(r.P50), short(r.P95), short(r.P99), short(r.Max), short(r.One), short((r.Hi - r.Lo) / 2), math.Round(r.Samples),
		})
	}
	return []figure.Table{{
		Caption: "|log2(estimated/true)| of percentiles: of the mean CDF of all hash seeds, and of one seed (mean of p50, p95 and p99, with the 95 % interval over seeds)",
		Rows:    lines,
	}}
}

// short keeps what a reader can use.
func short(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// Beside is a number beside the published one.
func Beside(quantity, unit string, published, ours float64, source, note string) report.Compared {
	return figure.Beside(report.Compared{Quantity: quantity, Unit: unit, Published: published, Ours: ours, Lo: math.NaN(), Hi: math.NaN(), Source: source, Note: note})
}
