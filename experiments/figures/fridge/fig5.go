package fridge

import (
	"context"
	"fmt"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/fridges"
	"pintlab/experiments/results/stats"
	"pintlab/int/fridge/tune"
	"pintlab/netsim/unit"
	"pintlab/plots"
	"pintlab/plots/report"
)

// Fig5 is Figure 5 of the fridges paper (§5.3): errors of the median, the 95th and
// the 99th percentile of one fridge, two fridges and the naive expiring array in one and
// four stages, by memory.
//
// The fridges paper reports that two fridges match the naive array with 2 to 4 times less memory.
// The threshold of the naive arrays is the best of some for each size, as in the fridges paper;
// p and (p1, p2) are those of package tune. Below them: the array that always replaces.
var Fig5 = figure.Of[fridges.Sizes, fridges.Row]{
	Name:    "fridge/fig5",
	Title:   "Fridges against naive arrays, by memory",
	Source:  "fridges §5.3, Fig. 5",
	Claim:   "Two fridges reach the accuracy of the naive arrays with 2 to 4 times less memory.",
	Scales:  fridges.SizeScales,
	Measure: measure5,
	Check:   check5,
	Compare: compare5,
	Tables:  errorTables,
	Draw:    draw5,
	Why:     why5,
}.Figure()

const expiring = "The mean CDF of ten seeds, the fridges paper's measure, shows bias and hides variance. An array whose requests expire at an age beyond nearly all delays has little bias, as Fig. 2 explains, and with one seed it is as accurate as a fridge: it holds M requests for the threshold's time each, about as many as a fridge of that lifetime gives samples, and all of them count alike. Its threshold was chosen with the truth at hand; a fridge says itself how much it can be trusted."

var why5 = []string{
	expiring,
	"The memory that a design needs for an error is read off the straight line through the logarithms of the naive array's errors and sizes; the fridges paper reads it off its figure.",
	"An entry of a fridge has a counter that the naive array does without, 12 bytes against 8 in a switch. The fridges paper compares entries, and so do we; in bytes the saving is two thirds of it.",
	"The threshold of each naive array is the one with the least error on this very trace, with the truth at hand, as the fridges paper does it; the p of the fridges come from a formula.",
}

// The designs.
const (
	twoFridges = "two fridges"
	naive1     = "naive, 1 stage"
	naive4     = "naive, 4 stages"
	replacing  = "naive, always replaces"
)

var names5 = []string{one, twoFridges, split2, naive1, naive4, replacing}

// thresholds are the thresholds of the naive arrays, in milliseconds. Each size takes the best of them.
var thresholds = []unit.Time{256, 512, 1024, 2048, 4096}

func measure5(ctx context.Context, j *figure.Job, z fridges.Sizes) ([]fridges.Row, error) {
	rows, err := fridges.OverMemory(ctx, j, z, func(m *tune.Model, rate float64, entries int) ([]fridges.Named, error) {
		a, err := fridges.Optimized(m, one, tune.Options{Entries: entries, Fridges: 1}, rate)
		if err != nil {
			return nil, err
		}
		b, err := fridges.Optimized(m, twoFridges, tune.Options{Entries: entries, Fridges: 2}, rate)
		if err != nil {
			return nil, err
		}
		c, err := fridges.Optimized(m, split2, tune.Options{Entries: entries, Fridges: 2, Split: true}, rate)
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

// tuned keeps one row of each design and size: the one with the least error by the fridges paper's measure.
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

func check5(rows []fridges.Row) []figure.Finding {
	var list []figure.Finding
	for _, n := range []string{naive1, naive4} {
		s := fridges.Saving(rows, twoFridges, n, fridges.Combined)
		// With few seeds, the mean CDF keeps much of the variance of one seed.
		enough := len(rows) > 0 && rows[0].Seeds >= fridges.Seeds
		list = append(list, figure.Judge("two fridges need less memory than the "+n+" array with its best threshold", enough && s > 1.5, enough && s < 0.9,
			"%.2f times less for the same error; one fridge %.2f, two of free sizes %.2f", s, fridges.Saving(rows, one, n, fridges.Combined), fridges.Saving(rows, split2, n, fridges.Combined)))
		list = append(list, figure.Finding{
			Statement: "the same of one hash seed on average", Outcome: figure.Found, Known: expiring,
			Detail: fmt.Sprintf("%.2f times less; one fridge %.2f, two of free sizes %.2f", fridges.Saving(rows, twoFridges, n, fridges.OneSeed), fridges.Saving(rows, one, n, fridges.OneSeed), fridges.Saving(rows, split2, n, fridges.OneSeed)),
		})
	}
	r := fridges.Ratio(rows, twoFridges, replacing, fridges.OneSeed)
	return append(list, figure.Judge("two fridges have a much lower error than the naive array that always replaces", r < 0.5, r > 1, "%.3f times its error", r))
}

// bySize returns the 95 % interval, over the sizes, of the memory that two fridges save.
func bySize(rows []fridges.Row, peer string) (lo, hi float64, over string) {
	var logs stats.PerSeed
	sizes := fridges.Select(rows, fridges.ErrorTable, twoFridges)
	for _, r := range sizes {
		one := append(fridges.Select(rows, fridges.ErrorTable, peer), r)
		logs.Add(math.Log(fridges.Saving(one, twoFridges, peer, fridges.Combined)), 1)
	}
	m, err := logs.Mean()
	if err != nil {
		return math.NaN(), math.NaN(), ""
	}
	return math.Exp(m.Lo), math.Exp(m.Hi), figure.Count(len(sizes), "size")
}

func compare5(rows []fridges.Row) []report.Compared {
	var list []report.Compared
	for _, n := range []string{naive1, naive4} {
		c := report.Compared{
			Quantity: "memory saved against " + n + ", times", Published: 3, Ours: fridges.Saving(rows, twoFridges, n, fridges.Combined),
			Source: "fridges §5.3, Fig. 5", Note: why5[1],
		}
		c.Lo, c.Hi, c.Over = bySize(rows, n)
		list = append(list, figure.Beside(c, figure.Range(1)))
	}
	return list
}

func draw5(rows []fridges.Row) ([]figure.Drawing, error) {
	return []figure.Drawing{{
		Name: "fig5", Caption: "Error of percentiles that fridges and naive arrays estimate: of the mean CDF of all hash seeds. Naive arrays have the best of some thresholds for each size.",
		Plot: plots.Figure{Title: "Fig. 5: fridges and naive arrays", Panels: byMemory(rows, names5, true)},
	}, {
		Name: "one-seed", Caption: "The same of one hash seed on average.",
		Plot: plots.Figure{Title: "Fridges and naive arrays, one hash seed", Panels: byMemory(rows, names5, false)},
	}}, nil
}
