package latency

import (
	"math/big"
	"testing"

	"pintlab/netsim/unit"
	"pintlab/pint/approx"
	"pintlab/pint/global"
)

// acting is the exact number of the 2^32 words with which hop i acts.
func acting(hop int) uint64 { return uint64(global.ReservoirLimit(hop)) + 1 }

// Every hop of a path is carried with probability 1/k. Exactly: hop i is carried iff it
// acts and none of i+1 … k does, and a word acts with probability acting/2^32, which is
// below 1/i by less than 2^-32; so the product is 1/k to within k·2^-32.
func TestUniformHopExactly(t *testing.T) {
	for _, k := range []int{1, 2, 3, 5, 36, 59, 120} {
		limit := new(big.Rat).SetFrac64(int64(k), 1<<32)
		sum, later := new(big.Rat), big.NewRat(1, 1) // later: no hop after i acts
		for i := k; i >= 1; i-- {
			p := new(big.Rat).SetFrac64(int64(acting(i)), 1<<32)
			p.Mul(p, later)
			later.Mul(later, new(big.Rat).SetFrac64(int64(1<<32-acting(i)), 1<<32))
			sum.Add(sum, p)
			if off := new(big.Rat).Sub(p, big.NewRat(1, int64(k))); off.Abs(off).Cmp(limit) > 0 {
				f, _ := off.Float64()
				t.Errorf("k = %d: hop %d is off 1/k by %g", k, i, f)
			}
		}
		if sum.Cmp(big.NewRat(1, 1)) != 0 {
			t.Errorf("k = %d: probabilities sum to %v", k, sum)
		}
	}
}

// The comparison without a division is the documented one, at the edges and between.
func TestActsIsReservoir(t *testing.T) {
	for hop := 1; hop <= 256; hop++ {
		l := global.ReservoirLimit(hop)
		for _, w := range []uint32{0, 1, l - 1, l, l + 1, 1 << 31, ^uint32(0)} {
			if Acts(w, hop) != global.Reservoir(w, hop) {
				t.Fatalf("hop %d, word %d: %v, want %v", hop, w, Acts(w, hop), global.Reservoir(w, hop))
			}
		}
	}
}

// What switches write hop by hop is what the collector believes was written, and each
// hop is carried equally often: χ² with 9 degrees of freedom exceeds 33.7 with
// probability 1e-4, per family.
func TestEncodeAgreesWithHop(t *testing.T) {
	code, err := approx.NewAdditive(approx.AdditiveConfig{Delta: 0.5, Codes: 256})
	if err != nil {
		t.Fatal(err)
	}
	const hops, packets = 10, 100_000
	for _, f := range []global.Family{global.Fast(7), global.CRC(7)} {
		s := NewSampler(f, 2)
		var seen [hops + 1]int
		for p := range uint64(packets) {
			digest := uint32(99)
			for h := 1; h <= hops; h++ {
				digest = s.Encode(p, h, digest, float64(10*h), code, 0)
			}
			h := s.Hop(p, hops)
			if digest != uint32(10*h) {
				t.Fatalf("%v: packet %d carries %d, the collector expects hop %d", f, p, digest, h)
			}
			seen[h]++
		}
		chi := 0.0
		for _, n := range seen[1:] {
			d := float64(n) - packets/hops
			chi += d * d / (packets / hops)
		}
		if chi > 33.7 {
			t.Errorf("%v: χ² = %.1f over hops %v", f, chi, seen[1:])
		}
	}
}

// Instances are independent samplers: two of them carry the same hop of 10 in about a
// tenth of the packets (100 000 draws, 5 standard deviations are 0.0047).
func TestInstancesAreIndependent(t *testing.T) {
	a, b := NewSampler(global.Fast(1), 0), NewSampler(global.Fast(1), 1)
	same := 0
	for p := range uint64(100_000) {
		if a.Hop(p, 10) == b.Hop(p, 10) {
			same++
		}
	}
	if same < 9_530 || same > 10_470 {
		t.Errorf("two instances agree on %d of 100000 packets, want about 10000", same)
	}
}

func BenchmarkEncode(b *testing.B) {
	code, err := approx.NewLatency(approx.LatencyLow, approx.LatencyHigh, 8, approx.Nearest)
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range []global.Family{global.Fast(1), global.CRC(1)} {
		s := NewSampler(f, 0)
		b.Run(f.String(), func(b *testing.B) {
			b.ReportAllocs()
			d, p := uint32(0), uint64(0)
			for b.Loop() {
				p++
				d = s.Encode(p, int(p%5)+1, d, float64(3*unit.Microsecond), code.Code(), 0)
			}
		})
	}
}
