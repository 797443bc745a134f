package fridge

import (
	"context"
	"fmt"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/fridges"
	"pintlab/experiments/results/stats"
)

// Fig4 is Figure 4 of the fridges paper (§5.3). It compares the errors of two fridges and of one fridge, by memory,
// with the best entry probabilities. We also measure designs that §5.3 does not cover: three and four fridges, and
// fridges of different sizes. In addition, we measure a fridge in four pipeline stages, which §4.1 advises against.
var Fig4 = figure.Of[fridges.Sizes, fridges.Row]{
	Name:    "fridge/fig4",
	Files:   files,
	Scales:  fridges.SizeScales,
	Measure: measure4,
	Claims: map[string]func(*figure.Claim, []fridges.Row) figure.Finding{"more accurate": moreAccurate,
		"less accurate": lessAccurate, "of more fridges": ofMore},
	Tables: errorTables,
	Draw:   draw4,
}.Figure()

// The designs.
const (
	one         = "one fridge"
	narrow      = "two, estimated weights"
	twoExpected = "two, expected weights"
	split2      = "two, free sizes"
	split3      = "three, free sizes"
	split4      = "four, free sizes"
	staged      = "one in four stages"
	// hasty is like one, and hastyStaged is like staged, but with an eighth of the best lifetime.
	hasty       = "one fridge, short lifetime"
	hastyStaged = "in four stages, short lifetime"
)

var names4 = []string{one, narrow, twoExpected, split2, split3, split4}

func measure4(ctx context.Context, j *figure.Job, z fridges.Sizes) ([]fridges.Row, error) {
	return fridges.OverMemory(ctx, j, z, func(s *fridges.Study, entries int) ([]fridges.Named, error) {
		list, err := s.Optimized(entries, fridges.Best{Name: one, Fridges: 1}, fridges.Best{Name: narrow, Fridges: 2},
			fridges.Best{Name: twoExpected, Fridges: 2}, fridges.Best{Name: split2, Fridges: 2, Free: true},
			fridges.Best{Name: split3, Fridges: 3, Free: true}, fridges.Best{Name: split4, Fridges: 4, Free: true})
		if err != nil {
			return nil, err
		}
		list[1].Eq7 = true
		p := list[0].Probability
		fast := min(8*p, 1)
		return append(list, inStages(staged, entries, p), fridges.Single(hasty, entries, fast),
			inStages(hastyStaged, entries, fast)), nil
	})
}

// inStages returns a design of a fridge in four stages.
func inStages(name string, entries int, p float64) fridges.Named {
	return fridges.Named{
		Name: name, Params: fmt.Sprintf("4 × %d p=%.3g", entries/4, p), Memory: entries, Probability: p,
		Design: fridges.Stages(entries, 4, p),
	}
}

// against returns the ratio of the errors of two designs, as numbers and in words.
func against(c *figure.Claim, rows []fridges.Row) (m stats.Number, text string) {
	m = fridges.OneSeedRatio(rows, c.Scheme, c.Against)
	return m, fmt.Sprintf("%s times its error, of one hash seed; of the mean CDF of all %.2f", m.Format(3),
		fridges.Ratio(rows, c.Scheme, c.Against, fridges.Combined))
}

func moreAccurate(c *figure.Claim, rows []fridges.Row) figure.Finding {
	m, text := against(c, rows)
	return figure.Judge("", m.Below(1), m.Hi >= 1 && m.Above(nearly), "%s", text)
}

func lessAccurate(c *figure.Claim, rows []fridges.Row) figure.Finding {
	m, text := against(c, rows)
	return figure.Judge("", m.Above(1), m.Below(1), "%s", text)
}

func ofMore(_ *figure.Claim, rows []fridges.Row) figure.Finding {
	return figure.Finding{Outcome: figure.Found, Detail: fmt.Sprintf(
		"three and four of free sizes %.2f and %.2f times the error of one",
		fridges.Ratio(rows, split3, one, fridges.OneSeed), fridges.Ratio(rows, split4, one, fridges.OneSeed),
	)}.Explained("gains")
}

func draw4(rows []fridges.Row) ([]figure.Drawing, error) {
	return []figure.Drawing{
		figure.Draw("fig4", "Fig. 4: one fridge and several", byMemory(rows, names4, true)...),
		figure.Draw("one-seed", "One fridge and several, one hash seed", byMemory(rows, names4, false)...),
		figure.Draw("stages", "§4.1: fridges in stages, one hash seed",
			byMemory(rows, []string{one, staged, hasty, hastyStaged}, false)...),
	}, nil
}
