package overhead

import (
	"fmt"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/results/stats"
	"pintlab/plots"
)

type overheadLine struct {
	Load     string  `col:"load"`
	Overhead int     `col:"overhead" unit:"B"`
	Mean     string  `col:"mean"`
	Change   string  `col:"change"`
	Drops    float64 `col:"drops per 1000 packets"`
	Timeouts float64 `col:"timeouts per flow"`
	Flows    int     `col:"flows"`
}

type variantLine struct {
	What     string  `col:"setting"`
	Overhead int     `col:"overhead" unit:"B"`
	Mean     string  `col:"mean"`
	Change   string  `col:"change"`
	Drops    float64 `col:"drops per 1000 packets"`
	Timeouts float64 `col:"timeouts per flow"`
}

// change prints what overhead changes, with the interval.
func change(r *Row) string { return stats.Change(r.Value, r.Lo, r.Hi) }

// tables makes the tables that people read.
func (m Metric) tables(rows []Row) []figure.Table {
	var main []overheadLine
	var length, varied []variantLine
	for _, r := range rows {
		if r.Source != "ours" {
			continue
		}
		mean, change := plots.FormatValue(r.Mean, m.Unit, 3), change(&r)
		switch r.Table {
		case Overhead:
			if r.Overhead == 0 {
				change = "–"
			}
			main = append(main, overheadLine{fmt.Sprintf("%d %%", r.Load), r.Overhead, mean, change, r.Drops, r.Timeouts, r.Flows})
		case Length:
			length = append(length, variantLine{fmt.Sprintf("arrivals for %g ms", r.Arrival), r.Overhead, mean, change, r.Drops, r.Timeouts})
		case Variant:
			varied = append(varied, variantLine{r.Variant, r.Overhead, mean, change, r.Drops, r.Timeouts})
		}
	}
	return []figure.Table{
		{Rows: main, Caption: m.Name + ", and its change against no overhead on the same flows and paths."},
		{Rows: length, Caption: fmt.Sprintf("The same at %d %% load by length of the arrival window.", variedLoad)},
		{Rows: varied, Caption: fmt.Sprintf("The same at %d %% load by buffer of a port and least timeout.", variedLoad)},
	}
}

type curveLine struct {
	Scheme   string  `col:"scheme"`
	Overhead float64 `col:"overhead" unit:"B"`
	Value    float64 `col:"normalised"`
	Lo       float64 `col:"lo"`
	Hi       float64 `col:"hi"`
	Source   string  `col:"source"`
}

// draw makes the drawings.
func (m Metric) draw(rows []Row) ([]figure.Drawing, error) {
	main, err := m.drawOverhead(rows)
	return []figure.Drawing{main, m.drawLength(rows), m.drawVariants(rows)}, err
}

func (m Metric) drawOverhead(rows []Row) (figure.Drawing, error) {
	var lines []curveLine
	for _, r := range rows {
		if r.Table == Overhead && r.Source != "model" {
			lines = append(lines, curveLine{fmt.Sprintf("%d %% load", r.Load), float64(r.Overhead), r.Value, r.Lo, r.Hi, r.Source})
		}
	}
	p, err := figure.Plot(plots.ByOverhead, lines, plots.Mapping{YLabel: "Normalised " + lower(m.Name)})
	if err != nil {
		return figure.Drawing{}, err
	}
	for _, load := range Loads {
		s := plots.Series{Name: fmt.Sprintf("%d %% load, model", load), Hue: fmt.Sprintf("%d %% load", load), Style: plots.Trace, Pattern: plots.Dotted}
		for _, r := range rows {
			if r.Source == "model" && r.Load == load {
				s.X, s.Y = append(s.X, float64(r.Overhead)), append(s.Y, r.Value)
			}
		}
		if len(s.X) > 0 {
			p.Panels[0].Series = append(p.Panels[0].Series, s)
		}
	}
	p.Width, p.Title = 380, m.title
	return figure.Drawing{Name: m.file, Plot: p, Caption: m.Name + " over that without overhead, on the same flows and paths."}, nil
}

func (m Metric) drawLength(rows []Row) figure.Drawing {
	p := figure.ByLength("Normalised "+lower(m.Name), "", 1)
	for _, b := range lengthBytes[1:] {
		s := plots.Series{Name: fmt.Sprintf("%d B", b), Style: plots.Line}
		for _, r := range rows {
			if r.Table == Length && r.Overhead == b {
				s.X, s.Y, s.Lo, s.Hi = append(s.X, r.Arrival/1e3), append(s.Y, r.Value), append(s.Lo, r.Lo), append(s.Hi, r.Hi)
			}
		}
		if len(s.X) > 0 {
			p.Series = append(p.Series, s)
		}
	}
	return figure.Drawing{
		Name: "length", Caption: fmt.Sprintf("%d %% load: the same for longer and longer runs.", variedLoad),
		Plot: plots.Figure{Title: "Is it settled?", Footnote: footnote(rows, Length), Width: 380, Panels: []plots.Panel{p}},
	}
}

func (m Metric) drawVariants(rows []Row) figure.Drawing {
	p := plots.Panel{
		X: plots.Axis{Label: "Port buffer and least timeout", Scale: plots.Categorical},
		Y: plots.Axis{Label: "Change of " + lower(m.Name), Unit: "%", Scale: plots.Linear},
	}
	s := plots.Series{Name: fmt.Sprintf("%d B", variantBytes[1]), Style: plots.Bar}
	for _, r := range rows {
		if r.Table == Variant {
			s.X, s.Y = append(s.X, float64(len(p.X.Categories))), append(s.Y, stats.Percent(r.Value))
			s.Lo, s.Hi = append(s.Lo, stats.Percent(r.Lo)), append(s.Hi, stats.Percent(r.Hi))
			p.X.Categories = append(p.X.Categories, r.Variant)
		}
	}
	p.Series = []plots.Series{s}
	return figure.Drawing{
		Name: "variants", Caption: fmt.Sprintf("%d %% load: what buffers and timeouts, which the PINT paper does not give, do to the result.", variedLoad),
		Plot: plots.Figure{Title: "Buffers and timeouts", Footnote: footnote(rows, Variant), Width: 380, Panels: []plots.Panel{p}},
	}
}

// footnote describes what the rows of a table have in common.
func footnote(rows []Row, table string) string {
	for _, r := range rows {
		if r.Table != table {
			continue
		}
		s := fmt.Sprintf("Load %d %%, %s", r.Load, figure.Count(r.Seeds, "seed"))
		if table == Variant {
			s += fmt.Sprintf(", arrivals for %g ms", r.Arrival)
		}
		return s + "; bars: 95 % intervals over the seeds"
	}
	return ""
}

// lower makes the first letter small, for the middle of a label.
func lower(s string) string { return string(s[0]|0x20) + s[1:] }
