package latency

import (
	"fmt"
	"math"
)

// The constants of theorems 1 and 2. A packet carries hop i with probability 1/k. So after z
// packets hop i has Bin(z, 1/k) samples. Given the number n of these samples, they are a random
// n-subset of the hop's stream, drawn without replacement.
//
// Quantiles. The rank of the sample's φ-quantile is outside φ ± ε only if the share of samples
// below one of the two values of rank φ ± ε is off by ε. Hoeffding's inequality also holds for
// draws without replacement (Hoeffding 1963, section 6), so this has probability at most exp(−2nε²)
// on each side. Over the binomial n the mean of exp(−2nε²) is exactly (1 − (1 − exp(−2ε²))/k)^z, so
// no Chernoff bound on n is needed:
//
//	P[error > ε] <= 2·(1 − (1 − exp(−2ε²))/k)^z
//
// For all hops together, the bound is k times as large. The exponent is about −2ε²z/k, so
// z = O(k·ε⁻²). This agrees with theorem 1.

// sampleError returns the smallest ε that the error exceeds with probability at most delta. It
// solves the bound with c one-sided events instead of 2: 1 − exp(−2ε²) = k·(1 − (δ/c)^(1/z)).
func sampleError(packets, hops int, c, delta float64) float64 {
	if packets < 1 {
		return 1
	}
	x := -math.Expm1(math.Log(delta/c)/float64(packets)) * float64(hops)
	if x >= 1 {
		return 1
	}
	return math.Min(1, math.Sqrt(-math.Log1p(-x)/2))
}

// SampleError returns a bound ε_s of the rank error of one hop, after this number of packets of a
// flow over this number of hops. The error exceeds ε_s with probability at most delta. 1 means that
// there is no bound. Sampled codes keep the order of the values, so coding adds no rank error
// except for ties.
func SampleError(packets, hops int, delta float64) float64 {
	return sampleError(packets, hops, 2, delta)
}

// Guarantee is the bound of theorem 1 or 2 with its constants.
type Guarantee struct {
	Sample float64 // ε_s, by Hoeffding's inequality over a binomial number of samples
	Sketch float64 // ε_a, by the bound of the sketch
}

// Total returns ε = ε_s + ε_a.
func (g Guarantee) Total() float64 { return math.Min(1, g.Sample+g.Sketch) }

// Theorem1 returns a bound of the rank error of one quantile of one hop with a KLL of this number
// of digests per hop (0: all samples are kept), except with probability delta. Half of delta is for
// the sampling and half for the sketch. The number of samples of the sketch is random. The bound
// assumes at most twice the expected number. The sketch's half of delta covers the other cases if
// there are enough packets (Chernoff: exp(−z/3k)).
func Theorem1(packets, hops, digests int, delta float64) (Guarantee, error) {
	if packets < 0 || hops < 1 || !(delta > 0 && delta < 1) {
		return Guarantee{}, fmt.Errorf("latency: theorem 1 for %d packets, %d hops, delta %v: "+
			"want packets >= 0, hops >= 1, 0 < delta < 1", packets, hops, delta)
	}
	var g Guarantee
	if digests == 0 {
		g.Sample = SampleError(packets, hops, delta)
		return g, nil
	}
	g.Sample = SampleError(packets, hops, delta/2)
	// The sketch's error bound is not monotone in n between 1 and 2z/k, so use the largest bound in
	// this range. Flows with more than 2z/k samples count as failures.
	tail := math.Exp(-float64(packets) / float64(3*hops))
	rest := delta/2 - tail
	if rest <= 0 {
		g.Sketch = 1
		return g, nil
	}
	s, err := newKLL[uint8](digests, 0)
	if err != nil {
		return Guarantee{}, err
	}
	for n := 1; n <= 2*packets/hops+1; n++ {
		s.Add(0)
		g.Sketch = math.Max(g.Sketch, s.Error(rest))
	}
	return g, nil
}

// Theorem2 returns a bound of the error of the share of a value among the samples of one hop, for
// all 2^bits codes at the same time, with a Space-Saving summary of this number of counters per
// hop. To find all values of share θ or more and none below θ − ε, report every value whose count
// reaches θ − ε/2, where ε/2 = Sample + Sketch. This fails with probability at most delta. ε is
// halved because a value may be over- or underestimated.
//
// For one value, sampling errs by more than ε_s in the relevant direction with probability at most
// (1 − (1 − exp(−2ε_s²))/k)^z. The union bound over the codes multiplies this probability by
// 2^bits. Space-Saving always overestimates by at most 1/counters.
func Theorem2(packets, hops, bits, counters int, delta float64) (Guarantee, error) {
	if packets < 0 || hops < 1 || bits < 1 || bits > 16 || counters < 1 || !(delta > 0 && delta < 1) {
		return Guarantee{}, fmt.Errorf("latency: theorem 2 for %d packets, %d hops, %d bits, %d counters, delta %v: "+
			"want packets >= 0, hops and counters >= 1, 1 to 16 bits, 0 < delta < 1",
			packets, hops, bits, counters, delta)
	}
	return Guarantee{
		Sample: sampleError(packets, hops, math.Ldexp(1, bits), delta),
		Sketch: 1 / float64(counters),
	}, nil
}
