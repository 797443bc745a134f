package fridge

import (
	"cmp"
	"slices"
)

// Samples keeps the delays of all samples of one fridge with their correction factors. Its memory grows with the
// number of different delays; the memory of a Tally does not.
type Samples struct {
	list []summed
	most int // samples in the list at which equal delays are added up
}

// summed is a delay with the sum f of the correction factors of its samples and the variance v of this sum.
type summed struct {
	delay uint64
	f, v  float64
}

// compactAt is the number of samples at which equal delays are added up for the first time.
const compactAt = 1 << 16

// Add keeps a sample: a delay in ticks and its correction factor.
func (s *Samples) Add(delay uint64, factor float64) {
	s.list = append(s.list, summed{delay, factor, max(float64(factor*factor)-factor, 0)})
	if len(s.list) >= max(s.most, compactAt) {
		s.compact()
		s.most = 2 * len(s.list)
	}
}

// compact sorts the list and adds up the samples of each delay.
func (s *Samples) compact() {
	slices.SortStableFunc(s.list, func(a, b summed) int { return cmp.Compare(a.delay, b.delay) })
	kept := s.list[:0]
	for _, x := range s.list {
		if n := len(kept) - 1; n >= 0 && kept[n].delay == x.delay {
			kept[n].f += x.f
			kept[n].v += x.v
		} else {
			kept = append(kept, x)
		}
	}
	s.list = kept
}

// Distribution returns the estimated distribution of all pairs, Eq. 3. It rises only at delays of samples. The
// Distribution of a Tally rises only in the bins of the samples.
func (s *Samples) Distribution() *Distribution {
	s.compact()
	d := &Distribution{}
	for _, x := range s.list {
		d.add(float64(x.delay), float64(x.delay), x.f, x.v)
	}
	return d
}
