package global

import (
	"fmt"
	"math"
	"math/bits"
)

// Dyadic is a probability Num/2^Bits that hops draw with Bits pseudo-random bits each: the
// near-linear variant of section 4.2. A packet has Bits pseudo-random vectors with one bit per hop.
// For p = 2^-k a hop acts if and only if its bit is set in all k vectors (their AND). ORs between
// the ANDs yield any other numerator. This makes the PINT paper's "repeating the process" exact.
//
// The bits of hops 32w+1 … 32w+32 of vector j (from 0) form the word Word(key of Vector, 256j + w).
// Hop i uses bit (i-1) mod 32 of this word. The vectors are combined from zero: vector j is OR-ed
// if bit j of Num (from the least significant) is 1, and AND-ed if it is 0.
type Dyadic struct {
	Num  uint32 // 0 … 2^Bits
	Bits uint8  // 0 … 31
}

// NewDyadic returns the multiple of 2^-n nearest to p, in lowest terms, with 0 <= p <= 1 and 1 <= n
// <= 24. It returns an error if a positive p would become 0, or a p below 1 would become 1.
func NewDyadic(p float64, n int) (Dyadic, error) {
	if !(p >= 0 && p <= 1) {
		return Dyadic{}, fmt.Errorf("probability %v is outside [0, 1]", p)
	}
	if n < 1 || n > 24 {
		return Dyadic{}, fmt.Errorf("%d bits for a probability: want 1 to 24", n)
	}
	d := Dyadic{Num: uint32(math.Round(math.Ldexp(p, n))), Bits: uint8(n)}
	if got := d.Probability(); (got == 0) != (p == 0) || (got == 1) != (p == 1) {
		return Dyadic{}, fmt.Errorf("probability %v has no multiple of 2^-%d near it", p, n)
	}
	if d.Num == 0 {
		return Dyadic{}, nil
	}
	even := uint8(bits.TrailingZeros32(d.Num))
	even = min(even, d.Bits)
	return Dyadic{Num: d.Num >> even, Bits: d.Bits - even}, nil
}

// Probability returns Num/2^Bits.
func (d Dyadic) Probability() float64 { return math.Ldexp(float64(d.Num), -int(d.Bits)) }

// combine draws for up to 32 hops at the same time, from word w of the vectors.
func (fn Function) combine(key Key, d Dyadic, w uint64) uint32 {
	if d.Bits == 0 {
		return -d.Num // all or none
	}
	acc := fn.Word(key, w)
	if d.Num&1 == 0 {
		acc = 0
	}
	for j := uint64(1); j < uint64(d.Bits); j++ {
		v := fn.Word(key, j<<8|w)
		if d.Num>>j&1 != 0 {
			acc |= v
		} else {
			acc &= v
		}
	}
	return acc
}

// VectorAct reports whether a hop modifies the digest of a packet. Switches call VectorAct. The purpose must be Vector.
func (fn Function) VectorAct(key Key, d Dyadic, hop int) bool {
	return fn.combine(key, d, uint64(hop-1)>>5)>>((hop-1)&31)&1 != 0
}

// VectorActors returns the set of hops from 1 to hops that act, for the collector. It costs Bits
// hashes per 32 hops.
func (fn Function) VectorActors(key Key, d Dyadic, hops int) HopSet {
	var s HopSet
	for w := 0; w<<5 < hops; w++ {
		s[w>>1] |= uint64(fn.combine(key, d, uint64(w))) << (w & 1 << 5)
	}
	all := FirstHops(hops)
	for j := range s {
		s[j] &= all[j]
	}
	return s
}
