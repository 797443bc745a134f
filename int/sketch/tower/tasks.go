package tower

import (
	"math"

	"pintlab/int/sketch/mrac"
)

// Cardinality returns the number of flows. It uses linear counting in the array with the most
// counters. ok is false if no counter of this array is zero.
func (s *Sketch) Cardinality() (n float64, ok bool) {
	most := &s.arrays[0]
	for i := range s.arrays {
		if s.arrays[i].counters > most.counters {
			most = &s.arrays[i]
		}
	}
	return mrac.Cardinality(most.Len(), most.zeros())
}

// Distribution returns the number of flows of each size, in ascending order of size. It applies MRAC to each array. The
// first array provides the sizes from 1 on. Each further array provides the sizes from 2^δ − 2 on, where δ is the width
// of the previous array's counters. (The code of SketchINT has 2^δ − 2. §V-A of the SketchINT paper has 2^δ − 1.) With
// δ = 2, 4, 8, 16, 32 the ranges are 1, 2 to 13, 14 to 253, 254 to 65533 and all larger sizes.
func (s *Sketch) Distribution(epochs int) []mrac.Point {
	var all []mrac.Point
	from := uint64(1)
	var counters []uint32
	for i := range s.arrays {
		a := &s.arrays[i]
		to := max(from, a.infinite-1)
		if i == len(s.arrays)-1 {
			to = math.MaxUint64
		}
		counters = a.appendCounters(counters[:0])
		all = append(all, mrac.Between(mrac.Estimate(counters, a.infinite, epochs), from, to)...)
		from = to
	}
	return all
}
