package coding

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"pintlab/pint/global"
)

// lemma4 returns a number of coin flips with success probability p. After these flips, the probability of at most k
// successes is at most delta (appendix A.2, Lemma 4).
func lemma4(k int, p, delta float64) int {
	l := -math.Log(delta)
	return int(math.Ceil((float64(k) + 2*l + math.Sqrt(2*float64(k)*l)) / p))
}

// theorem5 returns the number of samples after which each of k coupons has been drawn z times, except with probability
// delta (Theorem 5).
func theorem5(k, z int, delta float64) int {
	a := float64(z-1) + math.Log(float64(k)/delta)
	return int(math.Ceil(float64(k) * (a + math.Sqrt(a*a-float64((z-1)*(z-1))/4))))
}

// theorem8 returns the number of samples after which n of r coupons have been seen, except with probability delta
// (Theorem 8); n is less than r.
func theorem8(n, r int, delta float64) int {
	mean := 0.0
	for i := r - n + 1; i <= r; i++ {
		mean += float64(r) / float64(i)
	}
	l, left := -math.Log(delta), float64(r)/float64(r-n)
	return int(math.Ceil(mean + left*l + math.Sqrt(2*left*mean*l)))
}

// lemma9 returns the number of samples after which all except a share psi of k coupons have been seen, except with
// probability delta (Lemma 9).
func lemma9(k int, psi, delta float64) int {
	l, e := -math.Log(delta), -math.Log(psi)
	return int(math.Ceil(float64(k)*e + l/psi + math.Sqrt(2*float64(k)/psi*e*l)))
}

// seen returns the exact probability that the given number of samples of r coupons shows fewer than n different
// coupons. It evaluates the Markov chain of the number of coupons seen.
func seen(n, r, samples int) float64 {
	p := make([]float64, r+1)
	p[0] = 1
	for range samples {
		for i := r; i > 0; i-- {
			p[i] = p[i]*float64(i)/float64(r) + p[i-1]*float64(r-i+1)/float64(r)
		}
		p[0] = 0
	}
	sum := 0.0
	for _, x := range p[:n] {
		sum += x
	}
	return sum
}

var deltas = []float64{0.5, 0.1, 0.01, 1e-4}

// Lemma 4 is compared with the binomial distribution itself.
func TestLemma4(t *testing.T) {
	for _, k := range []int{1, 2, 5, 25, 200} {
		for _, p := range []float64{0.9, 0.5, 0.1, 1.0 / 256} {
			for _, delta := range deltas {
				n := lemma4(k, p, delta)
				if got := (distuv.Binomial{N: float64(n), P: p}).CDF(float64(k)); got > delta {
					t.Errorf("k = %d, p = %g: at most k in %d with probability %g, want at most %g",
						k, p, n, got, delta)
				}
			}
		}
	}
}

// Theorem 5 is compared with the union bound: the exact probability that a coupon has fewer than z copies, summed over
// the coupons.
func TestTheorem5(t *testing.T) {
	for _, k := range []int{1, 2, 5, 25, 256} {
		for _, z := range []int{1, 2, 5, 20} {
			for _, delta := range deltas {
				n := theorem5(k, z, delta)
				if got := float64(k) * (distuv.Binomial{N: float64(n), P: 1 / float64(k)}).CDF(float64(z-1)); k > 1 &&
					got > delta {
					t.Errorf("%d copies of %d after %d: missed with probability %g, want at most %g",
						z, k, n, got, delta)
				}
			}
		}
	}
}

// Theorem 8 and Lemma 9 are compared with the exact Markov chain.
func TestPartialCoupons(t *testing.T) {
	for _, r := range []int{2, 5, 25, 120} {
		for n := 1; n < r; n += 1 + r/7 {
			for _, delta := range deltas {
				if m := theorem8(n, r, delta); seen(n, r, m) > delta {
					t.Errorf("Theorem 8: fewer than %d of %d after %d with probability %g, want at most %g",
						n, r, m, seen(n, r, m), delta)
				}
			}
		}
		for _, psi := range []float64{0.5, 0.25, 0.1} {
			n := int(math.Ceil(float64(r)*(1-psi) - 1e-9))
			for _, delta := range deltas {
				if m := lemma9(r, psi, delta); seen(n, r, m) > delta {
					t.Errorf("Lemma 9: more than %g of %d missing after %d with probability %g, want at most %g",
						psi, r, m, seen(n, r, m), delta)
				}
			}
		}
	}
}

// The hops that Baseline's hash selects are the coupons. Over 2000 flows, packet counts exceed the bounds at most as
// often as the theorems allow, and the mean number of packets until half of the hops are seen equals the exact mean. A
// correct program fails once in 30 000 runs (4 standard deviations).
func TestBaselineCollectsCoupons(t *testing.T) {
	const hops, flows, z, delta = 25, 2000, 3, 0.1
	all, half := theorem5(hops, z, delta), theorem8(hops/2, hops, delta)
	late, missed, packets := 0, 0, 0
	for flow := range uint64(flows) {
		c, err := New(Config{Schemes: []Scheme{Baseline()}, Mode: Full, Bits: 64, Instances: 1, ValueBits: 64,
			Family: global.Fast(flow)})
		if err != nil {
			t.Fatal(err)
		}
		var copies [hops]int
		distinct, whole, at := 0, 0, 0
		for packet := range uint64(all) {
			set, _ := c.Actors(0, packet, hops)
			hop := set.First() - 1
			if copies[hop]++; copies[hop] == 1 {
				if distinct++; distinct == hops/2 {
					at = int(packet) + 1
				}
			}
			if copies[hop] == z {
				whole++
			}
		}
		if packets += at; at > half || at == 0 {
			late++
		}
		if whole < hops {
			missed++
		}
	}
	most := delta*flows + 4*math.Sqrt(delta*(1-delta)*flows)
	if float64(late) > most || float64(missed) > most {
		t.Errorf(
			"of %d flows %d see half of the hops after more than %d packets and %d miss %d copies after %d, "+
				"want at most %.0f",
			flows, late, half, missed, z, all, most)
	}
	mean, variance := 0.0, 0.0
	for i := range hops / 2 {
		p := float64(hops-i) / hops
		mean, variance = mean+1/p, variance+(1-p)/(p*p)
	}
	if got, sd := float64(packets)/flows, math.Sqrt(variance/flows); math.Abs(got-mean) > 4*sd {
		t.Errorf("half of the hops after %.2f packets, want %.2f ± %.2f", got, mean, 4*sd)
	}
}
