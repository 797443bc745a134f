package trace

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"pintlab/internal/hash"
)

// scratch is the working memory of one refinement. Decoders borrow it, so that between packets they
// store only the packets' digests and, at the end, a few paths.
//
// A path is a walk through layers. Layer j holds the possible states at hop j+1. A state is alive
// if a walk over alive states from the first layer to the last contains it.
type scratch struct {
	n      int       // layers
	states []int32   // layer after layer, ascending in each
	prefix []float64 // by position in states: number of walks from the first layer to the state
	suffix []float64 // by position in states: number of walks from the state to the last layer
	at     []int     // start of each layer in states; n+1 entries
	bits   float64   // log2 of the number of walks

	sum     []float64 // by state, zero between uses
	reached []uint64  // bit set of states, empty between uses
	near    []uint64  // bit set of switches

	search search
}

func newScratch(m *Map) *scratch {
	return &scratch{
		sum: make([]float64, len(m.head)), reached: make([]uint64, m.words()), near: make([]uint64, (m.Len()+63)/64),
	}
}

func (s *scratch) layer(j int) []int32 { return s.states[s.at[j]:s.at[j+1]] }

// neighbours returns those switches of the set to that have a neighbour in the set from. A nil set
// means all switches. set is the memory for the result. Unless to is nil, set must be the same
// slice as to.
func (s *scratch) neighbours(m *Map, from, to, set []uint64) []uint64 {
	if from == nil {
		return to
	}
	clear(s.near)
	for w, x := range from {
		for ; x != 0; x &= x - 1 {
			for _, n := range m.neighbours.of(int32(w<<6 | bits.TrailingZeros64(x))) {
				s.near[n>>6] |= 1 << (n & 63)
			}
		}
	}
	for w := range set {
		if to == nil {
			set[w] = s.near[w]
		} else {
			set[w] &= s.near[w]
		}
	}
	return set
}

// sweep keeps the states in the given layers (bit sets) that are alive and whose head is allowed at
// their hop, and counts the walks. allowed has a bit set of switches for each hop, nil if all are
// allowed. It returns false if there is no walk.
func (s *scratch) sweep(m *Map, layers [][]uint64, allowed [][]uint64) bool {
	s.n = len(layers)
	s.states, s.prefix, s.at = s.states[:0], s.prefix[:0], append(s.at[:0], 0)
	for j, layer := range layers { // forward: walks that lead to each state
		var ok []uint64
		if allowed != nil {
			ok = allowed[j]
		}
		before := len(s.states)
		for w, x := range layer {
			reached := s.reached[w]
			if j == 0 {
				reached = ^uint64(0)
			}
			s.reached[w] = 0
			for y := reached &^ x; j > 0 && y != 0; y &= y - 1 {
				s.sum[w<<6|bits.TrailingZeros64(y)] = 0
			}
			for x &= reached; x != 0; x &= x - 1 {
				a := int32(w<<6 | bits.TrailingZeros64(x))
				walks := 1.0
				if j > 0 {
					walks, s.sum[a] = s.sum[a], 0
				}
				if h := m.head[a]; ok == nil || ok[h>>6]>>(h&63)&1 != 0 {
					s.states = append(s.states, a)
					s.prefix = append(s.prefix, walks)
				}
			}
		}
		s.at = append(s.at, len(s.states))
		if before == len(s.states) {
			return false
		}
		if j+1 < len(layers) {
			s.spread(m, j)
		}
	}
	return s.backward(m)
}

// spread adds the prefix counts of a layer to its successors.
func (s *scratch) spread(m *Map, j int) {
	for i := s.at[j]; i < s.at[j+1]; i++ {
		for _, b := range m.succ.of(s.states[i]) {
			s.sum[b] += s.prefix[i]
			s.reached[b>>6] |= 1 << (b & 63)
		}
	}
}

// backward counts the walks to the last layer and removes dead ends, layer by layer from the last.
// It returns false if there is no walk.
func (s *scratch) backward(m *Map) bool {
	if cap(s.suffix) < len(s.states) {
		s.suffix = make([]float64, len(s.states), 2*len(s.states))
	}
	s.suffix = s.suffix[:len(s.states)]
	total := 0.0
	for j := s.n - 1; j >= 0; j-- {
		total = 0
		for i := s.at[j]; i < s.at[j+1]; i++ {
			walks := 1.0
			if j < s.n-1 {
				walks = 0
				for _, b := range m.succ.of(s.states[i]) {
					walks += s.sum[b]
				}
			}
			s.suffix[i] = walks
			total += walks
		}
		if j < s.n-1 {
			for _, b := range s.layer(j + 1) {
				s.sum[b] = 0
			}
		}
		if j > 0 {
			for i := s.at[j]; i < s.at[j+1]; i++ {
				s.sum[s.states[i]] = s.suffix[i]
			}
		}
	}
	if total == 0 {
		return false
	}
	s.bits = log2(total)
	s.compact()
	return true
}

// loops estimates, from a fixed sample, log2 of the ratio of all walks to the walks that visit no
// switch twice. The estimate only helps to decide when to search.
func (s *scratch) loops(m *Map) float64 {
	const samples = 4096
	r := hash.Stream(0, "trace/loops", uint64(s.n))
	seen := make([]int32, m.Len()) // last sample that visited a switch, from 1
	simple := 1
	for n := int32(1); n <= samples; n++ {
		ok := true
		from := s.pick(r, 0, s.layer(0))
		for j := 0; ok; {
			sw := m.head[s.states[from]]
			ok = seen[sw] != n
			seen[sw] = n
			if j++; j == s.n {
				break
			}
			from = s.pick(r, j, m.succ.of(s.states[from]))
		}
		if ok {
			simple++
		}
	}
	return log2(float64(samples)) - log2(float64(min(simple, samples)))
}

// pick draws one of those given states that are alive in layer j, and returns its position. The
// probability of a state is proportional to its number of walks to the last layer.
func (s *scratch) pick(r *rand.Rand, j int, states []int32) int {
	total := 0.0
	for _, a := range states {
		if i := s.find(j, a); i >= 0 {
			total += s.suffix[i]
		}
	}
	left := r.Float64() * total
	last := -1
	for _, a := range states {
		if i := s.find(j, a); i >= 0 {
			last = i
			if left -= s.suffix[i]; left < 0 {
				break
			}
		}
	}
	return last
}

// log2 returns the binary logarithm of a positive x, interpolated linearly between powers of two.
// The result is at most 0.09 too small, and the same on every machine.
func log2(x float64) float64 {
	if math.IsInf(x, 1) {
		return x
	}
	m, e := math.Frexp(x)
	return float64(e) + (2*m - 2)
}

// compact removes the states without a walk to the last layer.
func (s *scratch) compact() {
	k, from := 0, 0
	for j := range s.n {
		to := s.at[j+1]
		for i := from; i < to; i++ {
			if s.suffix[i] > 0 {
				s.states[k], s.prefix[k], s.suffix[k] = s.states[i], s.prefix[i], s.suffix[i]
				k++
			}
		}
		from = to
		s.at[j+1] = k
	}
	s.states, s.prefix, s.suffix = s.states[:k], s.prefix[:k], s.suffix[:k]
}
