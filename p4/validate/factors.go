package validate

import (
	"math"

	"pintlab/int/fridge"
	"pintlab/internal/hash"
	"pintlab/p4/fixedpoint"
)

// FactorRow describes how whole factors change the histogram of a fridge.
type FactorRow struct {
	Entries     uint32  `json:"entries"`     // M
	Probability float64 `json:"probability"` // p
	Samples     int     `json:"samples"`
	Error       float64 `json:"error"` // largest relative error of the CDF, where the CDF is above 5 %
	Prefixes    int     `json:"prefixes"`
}

// factorErrors runs requests through fridges. From the same samples it computes the distribution of delays twice,
// with a switch's factors and with exact factors, and compares the two. Delays are log-uniform from 1 to M, counted
// in requests that enter; a fridge of M entries is meant for this range.
func factorErrors(requests int, seed uint64) ([]FactorRow, error) {
	var rows []FactorRow
	for _, c := range []fridge.FactorsConfig{
		{Entries: 1 << 12, Probability: 1, Limit: 1 << 15},
		{Entries: 1 << 12, Probability: 1.0 / 2, Limit: 1 << 15},
		{Entries: 1 << 16, Probability: 1.0 / 2, Limit: 1 << 19},
		{Entries: 1 << 12, Probability: 1.0 / 8, Limit: 1 << 15},
		{Entries: 1 << 16, Probability: 1.0 / 8, Limit: 1 << 19},
		{Entries: 1 << 12, Probability: 1.0 / 16, Limit: 1 << 15},
	} {
		f, err := fridge.NewFactors(c)
		if err != nil {
			return nil, err
		}
		row := FactorRow{Entries: c.Entries, Probability: c.Probability, Prefixes: len(fixedpoint.FactorPrefixes(f))}
		row.Samples, row.Error = factorError(f, requests, seed)
		rows = append(rows, row)
	}
	return rows, nil
}

// factorError draws the samples that survive. If x other requests follow a request, the request survives with
// probability (1-1/M)^x.
func factorError(f *fridge.Factors, requests int, seed uint64) (samples int, worst float64) {
	const bins = 64
	c := f.Config()
	r := hash.Stream(seed, "p4/validate/factors")
	var exact, table [bins]float64
	top := math.Log2(float64(c.Entries))
	stay := math.Log1p(-1 / float64(c.Entries))
	for range requests {
		at := r.Float64() * top
		x := uint32(math.Exp2(at))
		if r.Float64() >= c.Probability || r.Float64() >= math.Exp(stay*float64(x)) {
			continue
		}
		samples++
		bin := min(int(at/top*bins), bins-1)
		exact[bin] += math.Exp(-stay*float64(x)) / c.Probability
		table[bin] += float64(f.Factor(x))
	}
	sum := func(h *[bins]float64) (total float64) {
		for _, v := range h {
			total += v
		}
		return total
	}
	totalExact, totalTable := sum(&exact), sum(&table)
	a, b := 0.0, 0.0
	for i := range exact {
		a += exact[i] / totalExact
		b += table[i] / totalTable
		if a > 0.05 {
			worst = max(worst, math.Abs(b/a-1))
		}
	}
	return samples, worst
}
