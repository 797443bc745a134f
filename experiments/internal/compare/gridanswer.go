package compare

import (
	"fmt"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/internal/lists"
)

// mostCompared is the largest number of combinations that the grid shows.
const mostCompared = 60

// Answer compares the values of the settings. The answer contains a sentence for each setting, and a grid that
// compares the values of the last setting. It is nil if there is nothing to compare.
func (v *gridView) Answer() *figure.Answer {
	main := v.main()
	changes := v.changes(main)
	times := figure.Pick(main, func(c *column) bool { return c.base() == main[0].base() })
	var a figure.Answer
	for i, axis := range v.axes {
		own := figure.Pick(changes, func(r *change) bool { return r.Table == axis })
		for _, c := range times {
			of := figure.Pick(own, func(r *change) bool { return r.Quantity == c.Name })
			if len(of) == 0 {
				continue
			}
			name, subject := v.names[i], meanTime
			if c.part != "" {
				name += ", " + c.part
			}
			if c.base() == "job_time" {
				subject = timeOfJob
			}
			a.Text = append(a.Text, name+": "+inWords(subject, of)+".")
		}
	}
	for _, c := range times {
		text := v.lackOfFlows(lackInWords, v.list...)
		if c.base() == "job_time" {
			text = v.lack(lackInWords, openJobs, c.part, v.list...)
			if text != "" && c.part != "" {
				text = c.part + ": " + text
			}
		}
		if text != "" && len(changes) == 0 {
			text += "; nothing to compare"
		}
		if text += "."; text != "." && !slices.Contains(a.Text, text) {
			a.Text = append(a.Text, text)
		}
	}
	if len(changes) == 0 {
		if len(a.Text) == 0 {
			return nil
		}
		return &a
	}
	rows := v.compared(main, changes, mostCompared)
	last := v.names[len(v.axes)-1]
	a.Grid = answerGrid(rows, shownOf(main), func(of string) string { return strings.TrimPrefix(of+": "+last, ": ") })
	a.Grid.Head[0] = last
	all := figure.Pick(slices.Concat(v.pooled(), v.sources), func(c *column) bool { return !c.count && !v.empty(*c) })
	heads := []string{"other settings", last}[2-min(2, len(v.axes)):]
	a.Export = export(v.compared(all, v.changes(all), len(v.list)), shownOf(all), heads...)
	a.Grid.Caption = gridCaption(fmt.Sprintf("%s %s with the same seeds", last, rows[0].Scheme), changes[0].Seeds)
	if len(v.list) > mostCompared {
		a.Grid.Caption += fmt.Sprintf(" The first %d of %d combinations.", mostCompared, len(v.list))
	}
	return &a
}

// shownOf describes how tables of the answer show columns.
func shownOf(of []column) []shown {
	return lists.Map(of, func(c column) shown { return shown{c.Name, c.title, c.Unit, c.share} })
}

// compared returns the numbers of the first combinations, and how they change with the last setting. Case contains
// the values of the other settings, and Scheme contains the value of the last setting.
func (v *gridView) compared(of []column, changes []change, first int) (rows []study.Row) {
	last := len(v.axes) - 1
	for _, g := range v.list[:min(first, len(v.list))] {
		for _, c := range of {
			rows = append(rows, study.Row{Table: measures, Case: v.others(g, last), Scheme: g.labels[last],
				Quantity: c.Name, Unit: c.Unit, Sized: stats.Whole(v.mean(c, g))})
		}
	}
	shown := study.Cases(rows)
	return append(rows, figure.Pick(changes, func(r *change) bool {
		return r.Table == v.axes[last] && slices.Contains(shown, r.Case)
	})...)
}
