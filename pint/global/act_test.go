package global

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// Section 4.1: every hop is the last writer with probability 1/k, and hop i
// overwrites with probability 1/i.
func TestReservoirIsUniform(t *testing.T) {
	const n = 1 << 16
	for _, f := range families() {
		for _, hops := range []int{1, 2, 5, 59, 256} {
			counts := make([]int, hops)
			fn := f.Function(Act, 3)
			for packet := range uint64(n) {
				counts[fn.Writer(fn.Key(packet), hops)-1]++
			}
			if hops == 1 {
				continue
			}
			if z := chi2(counts, n); math.Abs(z) > limit {
				t.Errorf("%v, %d hops: chi-square is %.1f deviations off", f, hops, z)
			}
		}
	}
}

// The collector's Writer returns the last switch that wrote, hop by hop.
func TestWriterIsTheLastToOverwrite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := families()[rapid.IntRange(0, 1).Draw(t, "family")]
		hops := rapid.SampledFrom([]int{1, 2, 3, 10, 59, 64, 65, 255, MaxHops}).Draw(t, "hops")
		packet := rapid.Uint64().Draw(t, "packet")
		fn := f.Function(Act, rapid.Uint8().Draw(t, "instance"))
		key := fn.Key(packet)
		last := 0
		for i := 1; i <= hops; i++ {
			if Reservoir(fn.Word(key, uint64(i)), i) {
				last = i
			}
		}
		if got := fn.Writer(key, hops); got != last {
			t.Fatalf("Writer = %d, want %d", got, last)
		}
	})
}

// reservoirLimit returns the largest word with which a hop overwrites the value.
func reservoirLimit(hop int) uint32 { return uint32(math.MaxUint32 / uint64(hop)) }

func TestReservoirLimits(t *testing.T) {
	if !Reservoir(math.MaxUint32, 1) {
		t.Error("the first hop does not always write")
	}
	for hop, want := range map[int]uint32{1: 0xffffffff, 2: 0x7fffffff, 3: 0x55555555, 256: 0x00ffffff} {
		if got := reservoirLimit(hop); got != want {
			t.Errorf("the limit of hop %d = %#x, want %#x", hop, got, want)
		}
	}
}

func TestThreshold(t *testing.T) {
	for _, tt := range []struct {
		p    float64
		want Threshold
	}{{0, 0}, {0.5, 1 << 31}, {1, 1 << 32}, {0.1, 429496730}} {
		got, err := NewThreshold(tt.p)
		if err != nil || got != tt.want {
			t.Errorf("NewThreshold(%v) = %d, %v, want %d", tt.p, got, err, tt.want)
		}
	}
	if always, _ := NewThreshold(1); !always.Pass(math.MaxUint32) {
		t.Error("probability 1 does not always pass")
	}
	if never, _ := NewThreshold(0); never.Pass(0) {
		t.Error("probability 0 passes")
	}
	for _, p := range []float64{-0.1, 1.1, math.NaN(), math.Inf(1)} {
		if _, err := NewThreshold(p); err == nil {
			t.Errorf("NewThreshold(%v) is accepted", p)
		}
	}
}

func TestNewDyadic(t *testing.T) {
	for _, tt := range []struct {
		p    float64
		n    int
		want Dyadic
	}{{0, 4, Dyadic{}}, {1, 4, Dyadic{1, 0}}, {0.5, 4, Dyadic{1, 1}}, {0.1, 3, Dyadic{1, 3}}, {0.6, 4, Dyadic{5, 3}},
		{0.1, 8, Dyadic{13, 7}}} {
		got, err := NewDyadic(tt.p, tt.n)
		if err != nil || got != tt.want {
			t.Errorf("NewDyadic(%v, %d) = %+v, %v, want %+v", tt.p, tt.n, got, err, tt.want)
		}
	}
	for _, tt := range []struct {
		p float64
		n int
	}{{0.01, 3}, {0.999, 3}, {-1, 3}, {2, 3}, {0.5, 0}, {0.5, 25}, {math.NaN(), 3}} {
		if got, err := NewDyadic(tt.p, tt.n); err == nil {
			t.Errorf("NewDyadic(%v, %d) = %+v, want an error", tt.p, tt.n, got)
		}
	}
}

// A hop acts with the stated probability, independently of its neighbours, and the switch and the
// collector agree. The frequency of 2^16 packets is within five standard errors; with 14 hops in
// each test, the probability that any test fails is below 1e-4.
func TestVectorsAct(t *testing.T) {
	const n = 1 << 16
	for _, f := range families() {
		for _, d := range []Dyadic{{1, 1}, {1, 3}, {5, 3}, {13, 7}} {
			p := d.Probability()
			fn := f.Function(Vector, 0)
			var acts [70]int
			both := 0
			for packet := range uint64(n) {
				key := fn.Key(packet)
				s := fn.VectorActors(key, d, 70)
				for i := range acts {
					if s.Has(i + 1) {
						acts[i]++
					}
				}
				if s.Has(1) && s.Has(2) {
					both++
				}
				hop := int(packet%70) + 1
				if fn.VectorAct(key, d, hop) != s.Has(hop) {
					t.Fatalf("%v: switch and collector disagree about packet %d, hop %d", f, packet, hop)
				}
			}
			check := func(what string, got int, p float64) {
				if z := (float64(got) - n*p) / math.Sqrt(n*p*(1-p)); math.Abs(z) > limit {
					t.Errorf("%v, p = %v: %s is %.1f deviations off", f, d.Probability(), what, z)
				}
			}
			for _, hop := range []int{1, 2, 31, 32, 33, 64, 65, 70} {
				check("a hop's frequency", acts[hop-1], p)
			}
			check("hops 1 and 2 together", both, p*p)
		}
	}
}

func TestHopSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := map[int]bool{}
		var s HopSet
		for _, h := range rapid.SliceOf(rapid.IntRange(1, MaxHops)).Draw(t, "hops") {
			if want[h] {
				s.Remove(h)
				delete(want, h)
			} else {
				s.Add(h)
				want[h] = true
			}
		}
		first := 0
		for h := MaxHops; h >= 1; h-- {
			if s.Has(h) != want[h] {
				t.Fatalf("Has(%d) = %v", h, s.Has(h))
			}
			if want[h] {
				first = h
			}
		}
		n, last := 0, 0
		for h := range s.All() {
			if h <= last || !want[h] {
				t.Fatalf("All yields %d after %d", h, last)
			}
			n, last = n+1, h
		}
		if n != len(want) {
			t.Fatalf("All yields %d hops, want %d", n, len(want))
		}
		odd := FirstHops(128).Xor(s)
		if odd.Len() != lenOf(FirstHops(128).AndNot(s))+lenOf(s.AndNot(FirstHops(128))) ||
			s.And(odd).AndNot(FirstHops(128)) != s.AndNot(FirstHops(128)) {
			t.Fatal("And, AndNot and Xor disagree")
		}
		if s.Len() != len(want) || s.First() != first {
			t.Fatalf("Len, First = %d, %d, want %d, %d", s.Len(), s.First(), len(want), first)
		}
	})
	for _, n := range []int{0, 1, 63, 64, 65, 256} {
		if s := FirstHops(n); s.Len() != n || (n > 0 && !s.Has(n)) {
			t.Errorf("FirstHops(%d) has %d hops", n, s.Len())
		}
	}
}

func lenOf(s HopSet) int { return s.Len() }

// acting returns the exact number of the 2^32 words with which hop i acts.
func acting(hop int) uint64 { return uint64(reservoirLimit(hop)) + 1 }

// A packet carries each hop of a path with probability 1/k, computed exactly. It carries hop i if hop i acts and none
// of i+1 … k does. A hop acts with probability acting/2^32, which is below 1/i by less than 2^-32. So the product is
// 1/k up to k·2^-32.
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

// The comparison without a division agrees with the documented division, at the edges and between them.
func TestReservoirIsItsLimit(t *testing.T) {
	for hop := 1; hop <= 256; hop++ {
		l := reservoirLimit(hop)
		for _, w := range []uint32{0, 1, l - 1, l, l + 1, 1 << 31, ^uint32(0)} {
			if Reservoir(w, hop) != (w <= l) {
				t.Fatalf("hop %d, word %d: %v, want %v", hop, w, Reservoir(w, hop), w <= l)
			}
		}
	}
}
