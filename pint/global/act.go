package global

import (
	"fmt"
	"iter"
	"math"
	"math/bits"
)

// MaxHops is the length in switches of the longest path that hop sets can represent.
const MaxHops = 256

// Reservoir reports whether hop i (from 1) overwrites the value, given the word g(p,i): word·i <
// 2^32. This equals word <= (2^32-1)/i without the division. A P4 program looks that limit up by
// hop number.
func Reservoir(word uint32, hop int) bool { return uint64(word)*uint64(hop) < 1<<32 }

// Writer returns the hop whose value a reservoir-sampled packet carries after a path of this many
// hops: the last hop that overwrote the value. The purpose must be Act.
func (fn Function) Writer(key Key, hops int) int {
	for i := hops; i > 1; i-- {
		if Reservoir(fn.Word(key, uint64(i)), i) {
			return i
		}
	}
	return 1
}

// Threshold is a probability in units of 2^-32. Words below it act.
type Threshold uint64

// NewThreshold rounds p in [0, 1] to the nearest threshold.
func NewThreshold(p float64) (Threshold, error) {
	if !(p >= 0 && p <= 1) {
		return 0, fmt.Errorf("probability %v is outside [0, 1]", p)
	}
	return Threshold(math.Round(p * (1 << 32))), nil
}

// Pass reports whether a word is below the threshold.
func (t Threshold) Pass(word uint32) bool { return uint64(word) < uint64(t) }

// HopSet is a set of hops 1 … 256; hop i is bit (i-1)%64 of word (i-1)/64.
type HopSet [MaxHops / 64]uint64

// Has reports whether hop i is in the set.
func (s *HopSet) Has(hop int) bool { return s[(hop-1)>>6]>>((hop-1)&63)&1 != 0 }

// Add adds hop i to the set.
func (s *HopSet) Add(hop int) { s[(hop-1)>>6] |= 1 << ((hop - 1) & 63) }

// Remove removes hop i from the set.
func (s *HopSet) Remove(hop int) { s[(hop-1)>>6] &^= 1 << ((hop - 1) & 63) }

// Len returns the number of hops in the set.
func (s *HopSet) Len() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// And returns the hops in both sets.
func (s HopSet) And(t HopSet) HopSet {
	for j := range s {
		s[j] &= t[j]
	}
	return s
}

// AndNot returns the hops in s and not in t.
func (s HopSet) AndNot(t HopSet) HopSet {
	for j := range s {
		s[j] &^= t[j]
	}
	return s
}

// Xor returns the hops in exactly one of the sets.
func (s HopSet) Xor(t HopSet) HopSet {
	for j := range s {
		s[j] ^= t[j]
	}
	return s
}

// All yields the hops in ascending order.
func (s HopSet) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for j, w := range s {
			for ; w != 0; w &= w - 1 {
				if !yield(j<<6 + bits.TrailingZeros64(w) + 1) {
					return
				}
			}
		}
	}
}

// First returns the lowest hop in the set, or 0 if it is empty.
func (s *HopSet) First() int {
	for j, w := range s {
		if w != 0 {
			return j<<6 + bits.TrailingZeros64(w) + 1
		}
	}
	return 0
}

// FirstHops returns the set of hops 1 … n.
func FirstHops(n int) HopSet {
	var s HopSet
	for j := range s {
		if left := n - j<<6; left >= 64 {
			s[j] = ^uint64(0)
		} else if left > 0 {
			s[j] = 1<<left - 1
		}
	}
	return s
}

// Actors returns the set of hops from 1 to hops that act with a threshold. The purpose must be Act.
// It costs one hash per hop.
func (fn Function) Actors(key Key, t Threshold, hops int) HopSet {
	var s HopSet
	for i := 1; i <= hops; i++ {
		if t.Pass(fn.Word(key, uint64(i))) {
			s.Add(i)
		}
	}
	return s
}
