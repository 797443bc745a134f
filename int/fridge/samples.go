package fridge

import (
	"cmp"
	"slices"
)

// Samples keeps every sample of one fridge with its correction factor. Its memory grows
// with the number of samples; the memory of a Tally does not.
type Samples struct{ list []weighted }

type weighted struct {
	delay  uint64
	factor float64
}

// Add keeps a sample: a delay in ticks and its correction factor.
func (s *Samples) Add(delay uint64, factor float64) {
	s.list = append(s.list, weighted{delay, factor})
}

// Distribution returns the estimated distribution of all pairs, Eq. 3. It rises only at delays of samples. The
// Distribution of a Tally rises only in the bins of the samples.
func (s *Samples) Distribution() *Distribution {
	sorted := slices.Clone(s.list)
	slices.SortFunc(sorted, func(a, b weighted) int { return cmp.Compare(a.delay, b.delay) })
	d := &Distribution{}
	for i := 0; i < len(sorted); {
		at, f, v := sorted[i].delay, 0.0, 0.0
		for ; i < len(sorted) && sorted[i].delay == at; i++ {
			w := sorted[i].factor
			f += w
			v += max(float64(w*w)-w, 0)
		}
		d.add(float64(at), float64(at), f, v)
	}
	return d
}
