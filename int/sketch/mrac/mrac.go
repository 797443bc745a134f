// Package mrac estimates the number of flows of each size, from an array of counters. Each packet has incremented one
// of the counters.
//
//	Kumar, Sung, Xu, Wang, "Data Streaming Algorithms for Efficient and Accurate Estimation
//	of Flow Size Distribution", SIGMETRICS 2004, section 4: expectation maximisation.
//
// # The step
//
// With n_s flows of size s over w counters, the number of flows of size s in a counter is Poisson with mean λ_s =
// n_s/w. A counter of value v holds one of the multisets of sizes with sum v. A multiset with f_s flows of each size s
// has the probability Π λ_s^f_s/f_s!, up to a factor that is the same for all multisets. An epoch replaces n_s with its
// expectation, given the counters.
//
// The sum over the multisets of j flows with sum v is R_j(v), the j-fold convolution of λ with itself over j!. So the
// expected number of flows of size s in a counter of value v is
//
//	λ_s · Σ_{j<k} R_j(v−s) / Σ_{1≤j≤k} R_j(v)
//
// if at most k flows share the counter. This takes convolutions; the code of SketchINT enumerates the multisets. Both
// compute the same numbers.
//
// # As in the code of SketchINT
//
//   - The first guess is one flow for each counter that is not zero.
//   - At most 6 flows share a counter of value 50 or less, 4 up to 300, 3 up to 600 and 2 above.
//   - A counter that has overflowed holds either two flows that are too large for the array, or
//     exactly one such flow, alone or with smaller flows whose sum is at most 2^δ − 1. The case in
//     which only smaller flows overflow the counter is left out.
package mrac

import (
	"maps"
	"math"
	"slices"
)

// Epochs is the number of epochs that the code of SketchINT runs.
const Epochs = 20

// Point is a number of flows of one size.
type Point struct {
	Size  uint64  `json:"packets"`
	Flows float64 `json:"flows"`
}

// Estimate returns the distribution of the sizes of the flows behind the counters, in ascending
// order of size. infinite is the value of an overflowed counter, or 0 if counters cannot overflow.
// Flows that are too large for the array have the size infinite in the result.
func Estimate(counters []uint32, infinite uint64, epochs int) []Point {
	e := newEstimator(counters, infinite)
	for range epochs {
		e.epoch()
	}
	points := make([]Point, len(e.sizes))
	for i, s := range e.sizes {
		points[i] = Point{s, e.flows[i]}
	}
	return points
}

// few is the largest value of a counter that more than two flows may share.
const few = 600

// reach contains, at index j, the largest value up to few of a counter that j flows may share.
var reach = [...]uint64{few, few, few, few, 300, 50, 50}

// most returns the largest number of flows that may share a counter of value v.
func most(v uint64) int {
	if v > few {
		return 2
	}
	k := len(reach) - 1
	for reach[k] < v {
		k--
	}
	return k
}

type estimator struct {
	width    float64
	infinite uint64
	sizes    []uint64    // the values of counters, ascending; no other size gets flows
	counters []float64   // with the value sizes[i]
	flows    []float64   // n
	rate     []float64   // λ
	next     []float64   // numbers of flows for the next epoch
	dense    [][]float64 // dense[j][v] = R_j(v) for v <= few
}

func newEstimator(counters []uint32, infinite uint64) *estimator {
	count := map[uint64]float64{}
	for _, c := range counters {
		if c != 0 {
			count[uint64(c)]++
		}
	}
	e := &estimator{width: float64(len(counters)), infinite: infinite, sizes: slices.Sorted(maps.Keys(count))}
	for _, v := range e.sizes {
		e.counters = append(e.counters, count[v])
		e.flows = append(e.flows, count[v])
	}
	e.rate, e.next = make([]float64, len(e.sizes)), make([]float64, len(e.sizes))
	e.dense = make([][]float64, len(reach))
	for j := range e.dense {
		e.dense[j] = make([]float64, few+1)
	}
	return e
}

// epoch takes one step of expectation maximisation.
func (e *estimator) epoch() {
	for i, n := range e.flows {
		e.rate[i] = n / e.width
	}
	e.convolve()
	clear(e.next)
	for i, v := range e.sizes {
		switch {
		case v == e.infinite:
			e.overflowed(i)
		case v <= few:
			e.small(v, e.counters[i])
		default:
			e.large(i)
		}
	}
	e.flows, e.next = e.next, e.flows
}

// convolve computes the tables of R_j, without flows that are too large for the array.
func (e *estimator) convolve() {
	for j := range e.dense {
		clear(e.dense[j])
	}
	e.dense[0][0] = 1
	for j := 1; j < len(e.dense); j++ {
		limit := reach[j]
		for i, s := range e.sizes {
			if s > limit || s == e.infinite {
				break
			}
			l := e.rate[i] / float64(j)
			from, to := e.dense[j-1], e.dense[j]
			for v := s; v <= limit; v++ {
				to[v] += l * from[v-s]
			}
		}
	}
}

// small adds the flows of the counters with a value of at most few.
func (e *estimator) small(v uint64, counters float64) {
	k := most(v)
	total := 0.0
	for j := 1; j <= k; j++ {
		total += e.dense[j][v]
	}
	for i, s := range e.sizes {
		if s > v {
			break
		}
		sum := 0.0
		for j := range k {
			sum += e.dense[j][v-s]
		}
		e.next[i] += counters * e.rate[i] * sum / total
	}
}

// large adds the flows of the counters with a value above few: one flow or two.
func (e *estimator) large(at int) {
	v, counters := e.sizes[at], e.counters[at]
	pairs := e.pairs(v, 0)
	total := e.rate[at] + pairs
	e.next[at] += counters * e.rate[at] / total
	if pairs > 0 {
		e.pairs(v, counters/total)
	}
}

// pairs returns the sum of the weights of all pairs of sizes that add up to v. It adds the flows of
// each pair, times weight, to the flows of the next epoch.
func (e *estimator) pairs(v uint64, weight float64) (sum float64) {
	hi := len(e.sizes) - 1
	for lo := 0; lo <= hi; lo++ {
		for hi >= lo && e.sizes[lo]+e.sizes[hi] > v {
			hi--
		}
		if hi < lo || e.sizes[lo]+e.sizes[hi] != v {
			continue
		}
		p := e.rate[lo] * e.rate[hi]
		if lo == hi {
			p /= 2
		}
		sum += p
		if weight > 0 {
			e.next[lo] += weight * p
			e.next[hi] += weight * p
		}
	}
	return sum
}

// overflowed adds the flows of the counters that have overflowed.
func (e *estimator) overflowed(at int) {
	k := most(e.infinite)
	rate, counters := e.rate[at], e.counters[at]
	// share[i] is the weight of the multisets with a flow of size i in addition to the large one.
	total := rate + rate*rate/2
	two := rate * rate / 2
	share := make([]float64, at)
	if e.infinite <= few {
		below := make([][]float64, k) // below[j][v] = Σ_{u<=v} R_j(u)
		for j := range below {
			below[j] = make([]float64, e.infinite+1)
			sum := 0.0
			for v := range below[j] {
				sum += e.dense[j][v]
				below[j][v] = sum
			}
		}
		for j := 1; j < k; j++ {
			total += rate * below[j][e.infinite]
		}
		for i, s := range e.sizes[:at] {
			for j := range k - 1 {
				share[i] += rate * e.rate[i] * below[j][e.infinite-s]
			}
		}
	} else { // at most one smaller flow
		for i := range share {
			share[i] = rate * e.rate[i]
			total += share[i]
		}
	}
	e.next[at] += counters * (total + two) / total // all multisets hold one large flow, and the pairs hold a second
	for i, p := range share {
		e.next[i] += counters * p / total
	}
}

// Cardinality returns the number of flows that touched an array of counters, −w·ln(z/w), if z of w
// counters are still zero. If no counter is zero, the estimate is infinite: ok is false, and Cardinality
// returns the estimate for one zero, w·ln w, as the code of SketchINT does.
//
//	Whang, Vander-Zanden, Taylor, "A Linear-Time Probabilistic Counting Algorithm for
//	Database Applications", ACM Transactions on Database Systems 15(2), 1990, section 2.
func Cardinality(counters, zeros int) (flows float64, ok bool) {
	w := float64(counters)
	if zeros == 0 {
		return w * math.Log(w), false
	}
	return w * math.Log(w/float64(zeros)), true
}
