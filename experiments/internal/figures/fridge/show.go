package fridge

import (
	"math"
	"slices"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/fridges"
	"pintlab/internal/lists"
	"pintlab/plots"
)

// cdf returns a curve of CDF rows.
func cdf(rows []fridges.Row, design string) plots.Series {
	return figure.Curve(plots.Series{Name: design, Style: plots.Trace}, fridges.Select(rows, fridges.CDFTable, design),
		func(r *fridges.Row) (x, y float64) { return r.Delay, r.Share })
}

// errorAxis returns the axis of |log₂(estimated/true)|.
func errorAxis(label string) plots.Axis { return figure.Log(label, "") }

// memoryAxis returns the axis of memory. It has a tick at every second size, including the largest.
func memoryAxis(sizes []int) plots.Axis {
	a := figure.Log("Memory M (entries)", "")
	sizes = slices.Compact(slices.Sorted(slices.Values(sizes))) // Sorted copies: Compact clears the end of its list
	for i := (len(sizes) + 1) % 2; i < len(sizes); i += 2 {
		a.Ticks = append(a.Ticks, plots.Tick{At: float64(sizes[i]), Label: fridges.Memory(sizes[i])})
	}
	return a
}

// byMemory returns three panels of error against memory, for the median, the 95th and the 99th percentile. Each
// design has a curve. If combined is set, a panel shows the errors of the mean CDF of all seeds. Otherwise it shows
// the mean error of one seed. Errors of 0 are omitted.
func byMemory(rows []fridges.Row, designs []string, combined bool) []plots.Panel {
	var panels []plots.Panel
	sizes := lists.Map(fridges.Select(rows, fridges.ErrorTable, ""), func(r fridges.Row) int { return r.Memory })
	for _, p := range []struct {
		title   string
		of, one func(*fridges.Row) float64
	}{
		{"(a) Median", func(r *fridges.Row) float64 { return r.P50 }, func(r *fridges.Row) float64 { return r.One50 }},
		{"(b) 95th percentile", func(r *fridges.Row) float64 { return r.P95 },
			func(r *fridges.Row) float64 { return r.One95 }},
		{"(c) 99th percentile", func(r *fridges.Row) float64 { return r.P99 },
			func(r *fridges.Row) float64 { return r.One99 }},
	} {
		panel := plots.Panel{Title: p.title, X: memoryAxis(sizes), Y: errorAxis("|log₂(estimated/true)|")}
		of := p.one
		if combined {
			of = p.of
			panel.Y.Min = plots.At(0.001)
		}
		for _, d := range designs {
			s := plots.Series{Name: d, Style: plots.Line}
			panel.Series = append(panel.Series,
				figure.Curve(s, fridges.Select(rows, fridges.ErrorTable, d),
					func(r *fridges.Row) (x, y float64) { return float64(r.Memory), of(r) }))
		}
		panels = append(panels, panel)
	}
	return panels
}

// errorTables returns the errors of all designs.
func errorTables(rows []fridges.Row) []figure.Table {
	real := func(head string, of func(*fridges.Row) float64) figure.Column[fridges.Row] {
		return figure.Real(head, "", func(r fridges.Row) float64 { return short(of(&r)) })
	}
	return []figure.Table{figure.Show(
		"errors",
		fridges.Select(rows, fridges.ErrorTable, ""), "trace", "design", "parameters", "memory",
		real("p50", func(r *fridges.Row) float64 { return r.P50 }),
		real("p95", func(r *fridges.Row) float64 { return r.P95 }),
		real("p99", func(r *fridges.Row) float64 { return r.P99 }),
		real("5–95 max", func(r *fridges.Row) float64 { return r.Max.Value }),
		real("one seed", func(r *fridges.Row) float64 { return r.One.Value }),
		real("±", func(r *fridges.Row) float64 { return (r.One.Hi - r.One.Lo) / 2 }),
		figure.Real("samples", "", func(r fridges.Row) float64 { return math.Round(r.Samples) }))}
}

// short rounds a number to the digits that a reader can use.
func short(x float64) float64 { return math.Round(x*1e4) / 1e4 }
