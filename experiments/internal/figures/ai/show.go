package ai

import (
	"cmp"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/study"
	"pintlab/internal/number"
	"pintlab/plots"
)

// measured returns the rows of schemes that could be run.
func measured(rows []study.Row) []study.Row {
	return figure.Pick(rows, func(r *study.Row) bool { return !strings.HasPrefix(r.Quantity, refused) })
}

// has reports whether a quantity was measured.
func has(rows []study.Row, quantity string) bool {
	return slices.ContainsFunc(rows, func(r study.Row) bool { return r.Quantity == quantity })
}

func tables(rows []study.Row) []figure.Table {
	refusals := figure.Pick(rows,
		func(r *study.Row) bool { return strings.HasPrefix(r.Quantity, refused) && r.Case == healthy })
	ran := measured(rows)
	cells := []figure.Cell{
		figure.Case("network"), figure.Scheme("scheme"), figure.Value("completion", "us", completion),
		figure.Value("p99 of messages", "", messages99),
	}
	if has(ran, exposed) {
		cells = slices.Insert(cells, 3, figure.Value("exposed communication", "us", exposed))
	}
	if has(ran, bus) {
		cells = append(cells, figure.Value("bus bandwidth", "Gb/s", bus))
	}
	cells = append(cells, figure.Value("telemetry", "%", telemetry),
		figure.Value("sent again", "%", again), figure.Value("trimmed", "%", trimmed),
		figure.Value("dropped", "%", dropped))
	list := []figure.Table{
		figure.Lines("schemes", figure.BySchemes(ran), cells...),
		figure.Lines("pairs", ratios(ran),
			figure.Case("network"), figure.Scheme("scheme"), figure.Against("against", completion),
			figure.Change("completion", completion), figure.Change("p99 of messages", messages99)),
	}
	if len(refusals) > 0 {
		list = append(list, figure.Lines("refusals", figure.BySchemes(refusals),
			figure.Scheme("scheme"),
			figure.Text("why", func(l figure.Line) string { return strings.TrimPrefix(l[0].Quantity, refused) })))
	}
	return list
}

// ratios returns a line for each pair of a scheme and the scheme that it is compared with.
func ratios(rows []study.Row) []figure.Line {
	return figure.By(figure.Pick(rows, func(r *study.Row) bool { return r.Against != "" }),
		func(r *study.Row) string { return r.Case + "\n" + r.Scheme + "\n" + r.Against })
}

// parts splits the name of a scheme into the control and the balancer.
func parts(scheme string) (control, balancer string) {
	i := strings.LastIndex(scheme, ", ")
	return scheme[:i], scheme[i+2:]
}

// draw makes the drawings.
func draw(rows []study.Row) ([]figure.Drawing, error) {
	ran := measured(rows)
	bars := func(title, quantity string, y plots.Axis) plots.Figure {
		f := plots.Figure{Title: title, Width: plots.PageWidth, Columns: 1, PanelHeight: panelHeight}
		for _, network := range networks {
			of := figure.Pick(ran, func(r *study.Row) bool { return r.Case == network })
			for i := range of { // each balancer has a group of bars
				of[i].Scheme, of[i].Case = parts(of[i].Scheme)
			}
			p := figure.Bars(of, quantity, y)
			p.Title = sentence(network)
			f.Panels = append(f.Panels, p)
		}
		return f
	}
	list := []figure.Drawing{
		{Name: "completion",
			Plot: bars("Completion time by balancer", completion,
				figure.Linear("Completion time", plots.InSeconds))},
		{Name: "telemetry", Plot: cost(ran)},
	}
	if has(ran, bus) {
		list = slices.Insert(list, 1, figure.Drawing{Name: "bus",
			Plot: bars("Bus bandwidth by balancer", bus,
				plots.Axis{Label: "Bus bandwidth", Unit: plots.InBitsPerSecond, Scale: plots.Linear,
					Min: plots.At(0)})})
	}
	return list, nil
}

// panelHeight is the height of a panel, in points.
const panelHeight = 130

// sentence returns a name with a capital letter, for the beginning of a title.
func sentence(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// side is the distance along x between the points of controls that have the same number of telemetry bytes.
const side = 0.15

// cost draws the completion time against the telemetry per payload. Each amount of telemetry is a category.
func cost(ran []study.Row) plots.Figure {
	f := plots.Figure{Title: "Completion time by telemetry per payload", Width: plots.PageWidth, Columns: 2,
		PanelHeight: panelHeight}
	left := -0.5
	for _, network := range networks {
		top := 0.0 // all panels of a network have the same range, so that a reader can compare them
		for _, r := range ran {
			if r.Case != network || r.Quantity != completion || r.Against != "" {
				continue
			}
			if top = max(top, r.Value); r.Hi > top {
				top = r.Hi
			}
		}
		for _, b := range []balancer{ecmp, reps} {
			p := plots.Panel{Title: sentence(network) + ", " + b.name,
				Y: plots.Axis{Label: "Completion time", Unit: plots.InSeconds, Scale: plots.Linear, Min: plots.At(0),
					Max: plots.At(1.03 * top)}}
			var bytes []study.Row // in the order of the controls, so that the colours are the same as in the bar charts
			for _, c := range controls {
				bytes = append(bytes, study.Pick(ran, network, c.with(b), "", telemetry)...)
			}
			word := func(r study.Row) string { return number.Format(100*r.Value, "%", 2) }
			var words []string // in ascending order
			for _, r := range slices.SortedStableFunc(slices.Values(bytes),
				func(x, y study.Row) int { return cmp.Compare(x.Value, y.Value) }) {
				words = append(words, word(r))
			}
			words = slices.Compact(words)
			equals := make([]int, len(words)) // number of controls in each category
			for i := range bytes {
				at := slices.Index(words, word(bytes[i]))
				x := float64(at) + side*float64(equals[at])
				equals[at]++
				name, _ := parts(bytes[i].Scheme)
				p.Series = append(p.Series, figure.Ranges(plots.Series{Name: name, Style: plots.Points},
					study.Pick(ran, network, bytes[i].Scheme, "", completion),
					func(r *study.Row) (_, y, lo, hi float64) { return x, r.Value, r.Lo, r.Hi }))
			}
			most := float64(len(words)) - 0.5
			p.X = plots.Axis{Label: "Telemetry per payload", Scale: plots.Linear, Min: &left, Max: &most}
			for at, word := range words {
				p.X.Ticks = append(p.X.Ticks, plots.Tick{At: float64(at) + side*float64(equals[at]-1)/2, Label: word})
			}
			f.Panels = append(f.Panels, p)
		}
	}
	return f
}
