package compare

import (
	"fmt"
	"math"
	"strings"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/comparison"
	"pintlab/experiments/results/stats"
	"pintlab/plots"
	"pintlab/plots/report"
)

// shown are the measures of the answer, with the words above them and the unit of the rows.
var shown = []struct{ quantity, head, unit string }{
	{meanFCT, "mean FCT", plots.InSeconds}, {p50, "p50 slowdown", ""}, {p95, "p95 slowdown", ""}, {p99, "p99 slowdown", ""},
	{goodput, "goodput of long flows", plots.InBitsPerSecond},
}

// answer returns a sentence for each workload that compares the schemes, and a table of them.
func answer(rows []comparison.Row) figure.Answer {
	a := figure.Answer{Grid: report.Grid{Head: []string{"scheme"}}}
	for _, s := range shown {
		a.Grid.Head = append(a.Grid.Head, s.head)
	}
	for _, of := range comparison.Cases(rows) {
		own := figure.Pick(rows, func(r *comparison.Row) bool { return r.Case == of && (r.Table == measures || r.Table == ratios) })
		schemes := comparison.Schemes(own)
		g := report.GridGroup{Title: sentence(of)}
		for _, scheme := range schemes {
			cells := []report.GridCell{{Text: scheme}}
			for _, s := range shown {
				cells = append(cells, gridCell(own, scheme, schemes[0], s.quantity, s.unit))
			}
			g.Rows = append(g.Rows, cells)
		}
		a.Grid.Groups = append(a.Grid.Groups, g)
		a.Text = append(a.Text, sentence(of)+": "+inWords(own, schemes)+".")
	}
	base := comparison.Schemes(rows)[0]
	a.Grid.Caption = fmt.Sprintf("Below each number: its change against %s on the same flows and paths, with the interval over the seeds. Blue is better, orange worse; pale if the interval holds 0.", base)
	if rows[0].Seeds == 1 {
		a.Grid.Caption = fmt.Sprintf("Below each number: its change against %s on the same flows and paths. One seed has no intervals and decides nothing.", base)
	}
	a.Table = table(rows, base)
	return a
}

// gridCell formats a number of a scheme and its change relative to the first scheme.
func gridCell(rows []comparison.Row, scheme, base, quantity, unit string) report.GridCell {
	v := comparison.One(rows, "", scheme, quantity)
	v.Unit = unit
	c := report.GridCell{Text: v.String()}
	if unit == "" && !math.IsNaN(v.Value) {
		c.Text = fmt.Sprintf("%.2f", v.Value)
	}
	for _, r := range comparison.Pick(rows, "", scheme, base, quantity) {
		c.Detail = changed(&r)
		better := (r.Value > 1) == moreIsBetter(quantity)
		switch {
		case math.IsNaN(r.Lo):
		case better:
			c.Lean = report.Better
		default:
			c.Lean = report.Worse
		}
		c.Sure = stats.Significant(r.Lo, r.Hi, 1)
	}
	return c
}

// table returns the answer on a terminal.
func table(rows []comparison.Row, base string) *plots.Table {
	of := figure.Pick(rows, func(r *comparison.Row) bool { return r.Table == measures || r.Table == ratios })
	return figure.Lines("", figure.BySchemes(of), figure.Case("workload"), figure.Scheme("scheme"),
		figure.Value("FCT", "us", meanFCT), figure.Value("p50", "", p50), figure.Value("p95", "", p95), figure.Value("p99", "", p99),
		figure.Real("Gb/s", "", func(l figure.Line) float64 { return l.Find("", "", goodput).Value / 1e9 }),
		figure.Text("FCT vs "+base, func(l figure.Line) string {
			if r := l.Find("", base, meanFCT); !math.IsNaN(r.Value) {
				return changed(&r)
			}
			return ""
		})).Rows.(*plots.Table)
}

// changed prints a change with its interval to two digits: "-13 % (-15 to -11)".
func changed(r *comparison.Row) string {
	if math.IsNaN(r.Lo) {
		return percent(r.Value) + " %"
	}
	return fmt.Sprintf("%s %% (%s to %s)", percent(r.Value), percent(r.Lo), percent(r.Hi))
}

// percent prints a ratio as a change in percent, to two digits or to a tenth.
func percent(ratio float64) string {
	if p := stats.Percent(ratio); math.Abs(p) < 9.95 {
		return fmt.Sprintf("%+.1f", p)
	}
	return fmt.Sprintf("%+.0f", stats.Percent(ratio))
}

// spoken returns the name of a scheme within a sentence.
func spoken(scheme string) string { return strings.Replace(scheme, ", ", " over ", 1) }

// inWords describes the mean completion times of the schemes relative to that of the first.
func inWords(rows []comparison.Row, schemes []string) string {
	var sure, open []string
	seeds := 0
	with, than := "time with ", " than with "+spoken(schemes[0])
	for _, scheme := range schemes[1:] {
		for _, r := range comparison.Pick(rows, "", scheme, schemes[0], meanFCT) {
			seeds = r.Seeds
			if !math.IsNaN(r.Lo) && !stats.Significant(r.Lo, r.Hi, 1) {
				open = append(open, spoken(scheme))
				continue
			}
			way := "less"
			if r.Value > 1 {
				way = "more"
			}
			sure = append(sure, fmt.Sprintf("%s %% %s %s%s%s", percent(r.Value)[1:], way, with, spoken(scheme), than))
			with, than = "with ", ""
		}
	}
	var parts []string
	if len(sure) > 0 {
		parts = append(parts, "flows take "+strings.Join(sure, ", "))
	}
	if len(open) > 0 {
		parts = append(parts, fmt.Sprintf("%s do not tell the mean time with %s from that with %s", figure.Count(seeds, "seed"), strings.Join(open, ", "), spoken(schemes[0])))
	}
	switch {
	case len(parts) == 0:
		return "nothing to compare"
	case seeds == 1:
		parts = append(parts, "one seed decides nothing")
	}
	return strings.Join(parts, "; ")
}

// soFar returns the preliminary answer while seeds still run: as several lines, and as one.
func soFar(rows []comparison.Row) (text, line string, err error) {
	a := answer(rows)
	var b strings.Builder
	fmt.Fprintln(&b)
	if err := a.Table.WriteText(&b); err != nil {
		return "", "", err
	}
	seeds := 0
	for _, r := range rows {
		seeds = max(seeds, r.Seeds)
	}
	fmt.Fprintf(&b, "so far, after %d seeds\n", seeds)
	return b.String(), fmt.Sprintf("after %d seeds: %s", seeds, strings.Join(a.Text, " ")), nil
}
