package fig4

import (
	"context"
	"fmt"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/fridge/show"
	"pintlab/experiments/measure/fridges"
	"pintlab/int/fridge/tune"
	"pintlab/plots"
)

// The designs.
const (
	one    = "one fridge"
	narrow = "two, estimated weights"
	two    = "two, expected weights"
	split2 = "two, free sizes"
	split3 = "three, free sizes"
	split4 = "four, free sizes"
	staged = "one in four stages"
	// With an eighth of the best lifetime.
	hasty       = "one fridge, short lifetime"
	hastyStaged = "in four stages, short lifetime"
)

var names = []string{one, narrow, two, split2, split3, split4}

func do(ctx context.Context, j *figure.Job, z fridges.Sizes) ([]fridges.Row, error) {
	return fridges.OverMemory(ctx, j, z, func(m *tune.Model, rate float64, entries int) ([]fridges.Named, error) {
		var list []fridges.Named
		for _, d := range []struct {
			name string
			o    tune.Options
		}{
			{one, tune.Options{Entries: entries, Fridges: 1}},
			{narrow, tune.Options{Entries: entries, Fridges: 2}},
			{two, tune.Options{Entries: entries, Fridges: 2}},
			{split2, tune.Options{Entries: entries, Fridges: 2, Split: true}},
			{split3, tune.Options{Entries: entries, Fridges: 3, Split: true}},
			{split4, tune.Options{Entries: entries, Fridges: 4, Split: true}},
		} {
			n, err := fridges.Optimized(m, d.name, d.o, rate)
			if err != nil {
				return nil, err
			}
			n.Eq7 = d.name == narrow
			list = append(list, n)
		}
		p := list[0].Probability
		fast := min(8*p, 1)
		return append(list, inStages(staged, entries, p), fridges.Single(hasty, entries, fast), inStages(hastyStaged, entries, fast)), nil
	})
}

// inStages is a design of a fridge in four stages.
func inStages(name string, entries int, p float64) fridges.Named {
	return fridges.Named{
		Name: name, Params: fmt.Sprintf("4 × %d p=%.3g", entries/4, p), Memory: entries, Probability: p,
		Design: fridges.Stages(entries, 4, p),
	}
}

func check(rows []fridges.Row) []figure.Finding {
	ratio := func(a, b string) float64 { return fridges.Ratio(rows, a, b, fridges.Combined) }
	equal, free, bins := ratio(two, one), ratio(split2, one), ratio(narrow, two)
	stages, short := ratio(staged, one), ratio(hastyStaged, hasty)
	return []figure.Finding{
		figure.Judge("two fridges of equal size are more accurate than one", equal < 0.95, equal > 1.05, "%.2f times its error, over all sizes", equal).Expect(gains),
		figure.Judge("two fridges of free sizes are more accurate than one", free < 0.95, free > 1.05, "%.2f times its error", free).Expect(gains),
		{Statement: "the same of one hash seed on average", Outcome: figure.Found, Detail: fmt.Sprintf("two of equal size %.2f, two, three and four of free sizes %.2f, %.2f and %.2f times the error of one",
			fridges.Ratio(rows, two, one, fridges.OneSeed), fridges.Ratio(rows, split2, one, fridges.OneSeed),
			fridges.Ratio(rows, split3, one, fridges.OneSeed), fridges.Ratio(rows, split4, one, fridges.OneSeed)), Known: gainsWhy},
		figure.Judge("estimated weights (Eq. 7) are no better than expected ones", bins > 0.95, bins < 0.8, "%.2f times their error", bins),
		figure.Judge("with lifetimes shorter than the delays, a fridge in four stages is less accurate than one", short > 1.1, short < 0.95, "%.2f times its error", short),
		{Statement: "the same with the best lifetime of a single stage", Outcome: figure.Found, Detail: fmt.Sprintf("%.2f times its error", stages), Known: lifetimes},
	}
}

func draw(rows []fridges.Row) ([]figure.Drawing, error) {
	return []figure.Drawing{{
		Name: "fig4", Caption: "Error of percentiles that one fridge and several estimate: of the mean CDF of all hash seeds.",
		Plot: plots.Figure{Title: "Fig. 4: one fridge and several", Panels: show.ByMemory(rows, names, true)},
	}, {
		Name: "one-seed", Caption: "The same of one hash seed on average.",
		Plot: plots.Figure{Title: "One fridge and several, one hash seed", Panels: show.ByMemory(rows, names, false)},
	}, {
		Name: "stages", Caption: "Fridges in one and in four stages (§4.1), with the best entry probability of one stage and with eight times that; of one hash seed on average.",
		Plot: plots.Figure{Title: "§4.1: fridges in stages, one hash seed", Panels: show.ByMemory(rows, []string{one, staged, hasty, hastyStaged}, false)},
	}}, nil
}
