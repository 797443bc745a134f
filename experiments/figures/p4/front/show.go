package front

import (
	"fmt"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/p4/fixedpoint"
	"pintlab/plots"
)

// bar is the mean error of U that we ask of a program.
const bar = 0.01

// of is the row of a program.
func of(rows []Row, form fixedpoint.Form) Row {
	for _, r := range rows {
		if r.Program == programs[form] {
			return r
		}
	}
	return Row{Mean: math.NaN(), Slowdown: math.NaN()}
}

func check(rows []Row) []figure.Finding {
	ours, paper := of(rows, fixedpoint.Difference), of(rows, fixedpoint.AppendixB)
	fewest, least := math.MaxInt, math.Inf(1)
	for _, r := range rows {
		fewest = min(fewest, r.Stages)
		if r.Form == fixedpoint.AppendixB.String() && r.Stages <= paper.Stages {
			least = min(least, r.Mean)
		}
	}
	return []figure.Finding{
		figure.Judge(fmt.Sprintf("hpcc_util errs by at most %.0f %% on the mean", 100*bar), ours.Mean <= bar, ours.Mean > bar, "%.2f %%", 100*ours.Mean),
		figure.Judge("no member needs fewer stages", ours.Stages > 0 && ours.Stages == fewest, ours.Stages > fewest, "%d stages; the fewest are %d", ours.Stages, fewest),
		figure.Judge("it needs fewer stages than appendix B and errs less", ours.Stages < paper.Stages && ours.Mean < paper.Mean, ours.Stages > paper.Stages || ours.Mean > paper.Mean,
			"%d and %d stages; errors of %.2f %% and %.0f %%; the best of appendix B on the front %.2f %%", ours.Stages, paper.Stages, 100*ours.Mean, 100*paper.Mean, 100*least),
	}
}

// line is a member in the table that people read.
type line struct {
	Form     string `col:"form"`
	Entries  string `col:"entries right at"`
	Bits     string `col:"q of time, load, power"`
	Tables   string `col:"tables in a row"`
	Stages   int    `col:"stages"`
	Memory   string `col:"memory"`
	Mean     string `col:"mean error"`
	P99      string `col:"p99"`
	Slowdown string `col:"slowdowns off by"`
	Program  string `col:"program"`
	Front    string `col:"front"`
}

func tables(rows []Row) []figure.Table {
	var lines []line
	for _, r := range rows {
		l := line{
			Form: r.Form, Entries: r.Entries, Bits: fmt.Sprintf("%d, %d, %d", r.TimeBits, r.LoadBits, r.PowerBits),
			Tables: fmt.Sprintf("%d, %d, %d", r.Time, r.Load, r.Power), Stages: r.Stages,
			Memory: plots.FormatValue(float64(r.Memory), plots.InBytes, 3),
			Mean:   fmt.Sprintf("%.2g %%", 100*r.Mean), P99: fmt.Sprintf("%.2g %%", 100*r.P99), Slowdown: "-", Program: r.Program, Front: r.Front,
		}
		if !math.IsNaN(r.Slowdown) {
			l.Slowdown = fmt.Sprintf("%.1f %%", 100*r.Slowdown)
		}
		lines = append(lines, l)
	}
	return []figure.Table{{Rows: lines, Caption: fmt.Sprintf(
		"The front of stages, memory of tables and mean error of U, of %d members of the family, and the members that are programs. Slowdowns: mean distance of the 95th percentiles from those with exact arithmetic (p4/arithmetic).",
		rows[0].Searched)}}
}

// draw is the error over memory, a curve for each number of stages.
func draw(rows []Row) ([]figure.Drawing, error) {
	p := plots.Panel{
		X: plots.Axis{Label: "Memory of tables", Unit: "B", Scale: plots.Log},
		Y: plots.Axis{Label: "Mean error of U", Unit: "%", Scale: plots.Log},
	}
	add := func(name string, style plots.Style, keep func(Row) bool) {
		s := plots.Series{Name: name, Style: style}
		for _, r := range rows {
			if keep(r) {
				s.X, s.Y = append(s.X, float64(r.Memory)), append(s.Y, 100*r.Mean)
			}
		}
		if len(s.X) > 0 {
			p.Series = append(p.Series, s)
		}
	}
	for stages := range 16 {
		add(fmt.Sprintf("%d stages, front", stages), plots.Line, func(r Row) bool { return r.Front == yes && r.Stages == stages })
	}
	for _, form := range fixedpoint.Forms() {
		add(fmt.Sprintf("%s, %d stages", programs[form], of(rows, form).Stages), plots.Points, func(r Row) bool { return r.Program == programs[form] })
	}
	return []figure.Drawing{{Name: "front", Caption: "Mean error of U over the memory of tables: for each number of stages the members of the front, and the programs.", Plot: plots.Figure{
		Title: "Arithmetic of a switch", Panels: []plots.Panel{p},
	}}}, nil
}
