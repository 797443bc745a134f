package fridge

import (
	"pintlab/experiments/figures/cc/contest"
	"pintlab/experiments/figures/figure"
)

// How far apart numbers may be that count as the same: slowdowns, and estimates of measurements.
const (
	similar  = 0.15
	unbiased = 0.02
)

func check(rows []Row) []figure.Finding {
	of := func(s signal, quantity string) []Row { return contest.Pick(rows, "", s.name, "", quantity) }
	var list []figure.Finding
	for _, c := range contest.Cases(rows) {
		list = append(list, figure.Similar(c+": flows of all sizes are as fast by a fridge of 2^14 entries as by the host's clock",
			contest.Pick(rows, c, ample.name, host.name, p95), similar))
	}
	return append(list,
		figure.Similar("estimates for each destination are unbiased, also in a fridge of 2^6 entries", of(small, bias), unbiased),
		figure.Similar("so are those for each flow", of(flows, bias), unbiased),
		figure.Lower("one estimate for a switch is too short without the correction", of(wholeRaw, bias)),
		figure.Similar("and unbiased with it", of(whole, bias), unbiased),
		figure.Higher("a fridge that is too small says nothing where round trips are long", of(small, silent)),
		contest.More("the same memory tells more with a smaller entry probability", rows, smallRare.name, small.name, told, contest.Cases(rows)...),
	)
}
