package fig5

import (
	"context"
	"fmt"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/fridge/show"
	"pintlab/experiments/measure/fridges"
	"pintlab/int/fridge/tune"
	"pintlab/netsim/unit"
	"pintlab/plots"
	"pintlab/plots/report"
)

// The designs.
const (
	one       = "one fridge"
	two       = "two fridges"
	free      = "two, free sizes"
	naive1    = "naive, 1 stage"
	naive4    = "naive, 4 stages"
	replacing = "naive, always replaces"
)

var names = []string{one, two, free, naive1, naive4, replacing}

// thresholds are those of which the naive arrays have the best, in milliseconds.
var thresholds = []unit.Time{256, 512, 1024, 2048, 4096}

func do(ctx context.Context, j *figure.Job, z fridges.Sizes) ([]fridges.Row, error) {
	rows, err := fridges.OverMemory(ctx, j, z, func(m *tune.Model, rate float64, entries int) ([]fridges.Named, error) {
		a, err := fridges.Optimized(m, one, tune.Options{Entries: entries, Fridges: 1}, rate)
		if err != nil {
			return nil, err
		}
		b, err := fridges.Optimized(m, two, tune.Options{Entries: entries, Fridges: 2}, rate)
		if err != nil {
			return nil, err
		}
		c, err := fridges.Optimized(m, free, tune.Options{Entries: entries, Fridges: 2, Split: true}, rate)
		if err != nil {
			return nil, err
		}
		list := []fridges.Named{a, b, c, fridges.Naive(replacing, entries, 1, 0)}
		for _, t := range thresholds {
			list = append(list, fridges.Naive(naive1, entries, 1, t*unit.Millisecond), fridges.Naive(naive4, entries, 4, t*unit.Millisecond))
		}
		return list, nil
	})
	if err != nil {
		return nil, err
	}
	return tuned(rows), nil
}

// tuned keeps, of rows of one design and size, the one with the least error by
// the fridges paper's measure.
func tuned(rows []fridges.Row) []fridges.Row {
	var list []fridges.Row
	for _, r := range rows {
		at := -1
		for i := range list {
			if list[i].Design == r.Design && list[i].Memory == r.Memory {
				at = i
			}
		}
		switch {
		case at < 0:
			list = append(list, r)
		case fridges.Combined(&r) < fridges.Combined(&list[at]):
			list[at] = r
		}
	}
	return list
}

func check(rows []fridges.Row) []figure.Finding {
	var list []figure.Finding
	for _, n := range []string{naive1, naive4} {
		s := fridges.Saving(rows, two, n, fridges.Combined)
		// Of few seeds, the variance of one is left in the mean CDF.
		enough := len(rows) > 0 && rows[0].Seeds >= fridges.Seeds
		list = append(list, figure.Judge("two fridges need less memory than the "+n+" array with its best threshold", enough && s > 1.5, enough && s < 0.9,
			"%.2f times less for the same error; one fridge %.2f, two of free sizes %.2f", s, fridges.Saving(rows, one, n, fridges.Combined), fridges.Saving(rows, free, n, fridges.Combined)))
		list = append(list, figure.Finding{
			Statement: "the same of one hash seed on average", Outcome: figure.Found, Known: expiring,
			Detail: fmt.Sprintf("%.2f times less; one fridge %.2f, two of free sizes %.2f", fridges.Saving(rows, two, n, fridges.OneSeed), fridges.Saving(rows, one, n, fridges.OneSeed), fridges.Saving(rows, free, n, fridges.OneSeed)),
		})
	}
	r := fridges.Ratio(rows, two, replacing, fridges.OneSeed)
	return append(list, figure.Judge("two fridges have a much lower error than the naive array that always replaces", r < 0.5, r > 1, "%.3f times its error", r))
}

func compared(rows []fridges.Row) []report.Compared {
	var list []report.Compared
	for _, n := range []string{naive1, naive4} {
		list = append(list, show.Beside("memory saved against "+n+", 2 to 4 times", "", 2, fridges.Saving(rows, two, n, fridges.Combined), "fridges §5.3, Fig. 5", why[1]))
	}
	return list
}

func draw(rows []fridges.Row) ([]figure.Drawing, error) {
	return []figure.Drawing{{
		Name: "fig5", Caption: "Error of percentiles that fridges and naive arrays estimate: of the mean CDF of all hash seeds. Naive arrays have the best of some thresholds for each size.",
		Plot: plots.Figure{Title: "Fig. 5: fridges and naive arrays", Panels: show.ByMemory(rows, names, true)},
	}, {
		Name: "one-seed", Caption: "The same of one hash seed on average.",
		Plot: plots.Figure{Title: "Fridges and naive arrays, one hash seed", Panels: show.ByMemory(rows, names, false)},
	}}, nil
}
