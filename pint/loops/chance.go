package loops

import (
	"fmt"
	"math"
)

// FalseReport returns the probability that a packet over a path of this number of distinct switches
// is reported as looping.
//
// The result is exact if the hashes of a packet at different switches are independent and uniform.
// The digest at hop i was written by an earlier switch or by the source. In either case it is
// independent of hop i's hash. So hop i matches with probability q = 2^-b, independently of earlier
// hops and of whether the digest is frozen. The number of matches is thus binomial, and the packet
// is reported if and only if there are more than T matches:
//
//	P = Σ_{j > T} C(k, j)·q^j·(1−q)^(k−j)
func (c Config) FalseReport(hops int) (float64, error) {
	if err := c.validate(); err != nil {
		return 0, err
	}
	if hops < 0 || hops > math.MaxInt16 {
		return 0, fmt.Errorf("loops: a path of %d hops, want 0 to %d", hops, math.MaxInt16)
	}
	q := math.Ldexp(1, -c.Bits)
	// term is C(k, j)·q^j·(1−q)^(k−j). All terms are positive, so adding the smallest first keeps
	// the sum accurate to a few units in the last place.
	least := c.Threshold + 1
	if least > hops {
		return 0, nil
	}
	term := 1.0
	for range hops - least {
		term *= 1 - q
	}
	for j := 1; j <= least; j++ {
		term *= q * float64(hops-least+j) / float64(j)
	}
	terms := []float64{term}
	for j := least; j < hops && term > 0; j++ {
		term *= q / (1 - q) * float64(hops-j) / float64(j+1)
		terms = append(terms, term)
	}
	sum := 0.0
	for i := len(terms) - 1; i >= 0; i-- {
		sum += terms[i]
	}
	return math.Min(sum, 1), nil
}
