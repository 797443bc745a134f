package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/study"
	"pintlab/internal/lists"
)

// mostSaid is the largest number of changes in a sentence, and mostCompared that of combinations in the grid.
const (
	mostSaid     = 3
	mostCompared = 60
)

// Answer compares the values of the settings: a sentence for each setting, and a grid of the values of the last one. It
// is nil if nothing can be compared.
func (v *gridView) Answer() *figure.Answer {
	main := v.main()
	changes := v.changes(main)
	if len(changes) == 0 {
		return nil
	}
	var a figure.Answer
	for i, axis := range v.axes {
		own := figure.Pick(changes, func(r *change) bool { return r.Table == axis })
		for _, c := range main {
			of := figure.Pick(own, func(r *change) bool { return r.Quantity == c.Name })
			if len(of) > 0 && c.base() == main[0].base() {
				title := strings.ToLower(c.title[:1]) + c.title[1:]
				a.Text = append(a.Text, fmt.Sprintf("%s, %s: %s.", shorten(v.axes)[i], title, said(of)))
			}
		}
	}
	if changes[0].Seeds == 1 {
		a.Text = append(a.Text, "One seed decides nothing.")
	}
	rows := v.compared(main, changes)
	list := lists.Map(main, func(c column) shown { return shown{c.Name, c.title, c.Unit} })
	last := shorten(v.axes)[len(v.axes)-1]
	a.Grid = answerGrid(rows, list, func(of string) string { return strings.TrimPrefix(of+", "+last, ", ") })
	a.Grid.Head[0] = last
	a.Grid.Caption = gridCaption(fmt.Sprintf("%s=%s with the same seeds", last, rows[0].Scheme), changes[0].Seeds)
	if len(v.list) > mostCompared {
		a.Grid.Caption += fmt.Sprintf(" The first %d of %d combinations.", mostCompared, len(v.list))
	}
	return &a
}

// compared returns the numbers of each combination and the changes by the last setting: Case has the values of the
// others, and Scheme that of the last one.
func (v *gridView) compared(of []column, changes []change) (rows []study.Row) {
	last := len(v.axes) - 1
	for _, g := range v.list[:min(mostCompared, len(v.list))] {
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

// said lists changes, or the smallest and the largest of many.
func said(of []change) string {
	say := func(r change) string {
		text := fmt.Sprintf("%s with %s over %s", changed(&r), r.Scheme, r.Against)
		if r.Case != "" {
			text += " at " + r.Case
		}
		return text
	}
	if len(of) <= mostSaid {
		return strings.Join(lists.Map(of, say), "; ")
	}
	byValue := func(a, b change) int { return cmp.Compare(a.Value, b.Value) }
	return "from " + say(slices.MinFunc(of, byValue)) + " to " + say(slices.MaxFunc(of, byValue))
}
