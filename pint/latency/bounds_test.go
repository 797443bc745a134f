package latency

import (
	"math"
	"slices"
	"testing"

	"pintlab/int/sketch/spacesaving"
	"pintlab/internal/hash"
	"pintlab/pint/global"
)

// At SampleError, the bound in the package's comment equals delta: 2·(1 − (1 − exp(−2ε²))/k)^z.
func TestSampleErrorSolvesTheBound(t *testing.T) {
	for _, hops := range []int{1, 5, 59} {
		for _, z := range []int{500, 5000, 1 << 20} {
			e := SampleError(z, hops, 0.01)
			if got := 2 * math.Pow(1+math.Expm1(-2*e*e)/float64(hops), float64(z)); e < 1 && math.Abs(got-0.01) > 1e-9 {
				t.Errorf("z %d, k %d: failure at ε = %v is %v", z, hops, e, got)
			}
		}
	}
	if SampleError(0, 5, 0.1) != 1 || SampleError(3, 59, 0.1) != 1 {
		t.Error("a bound without samples says something")
	}
}

// With k = 1, this is plain Hoeffding: 2·exp(−2zε²) = δ.
func TestSampleErrorIsHoeffding(t *testing.T) {
	if got, want := SampleError(1000, 1, 0.05), math.Sqrt(math.Log(2/0.05)/2000); math.Abs(got-want) > 1e-12 {
		t.Errorf("SampleError = %v, want %v", got, want)
	}
}

// Measurements agree with Theorem 1. A flow of z packets over k hops, whose values at each hop are a permutation of 0 …
// z−1, is sampled and sketched. The rank of each estimated quantile may be outside of φ ± ε with probability δ. The
// test checks one hop of each of 2000 flows. If the bound were tight, the share of failures would exceed δ = 0.1 by 3.4
// standard errors (0.023) once in 3000 runs of the test. With a third of ε, the share of failures must be large;
// otherwise the measurement would detect nothing.
func TestTheorem1(t *testing.T) {
	const z, k, flows, delta = 1000, 5, 2000, 0.1
	for _, digests := range []int{0, 100, 20} {
		g, err := Theorem1(z, k, digests, delta)
		if err != nil {
			t.Fatal(err)
		}
		for _, phi := range []float64{0.5, 0.99} {
			beyond, near := 0, 0
			for flow := range uint64(flows) {
				act := global.Fast(flow).Function(global.Act, 0)
				var s Summary
				if digests == 0 {
					s, err = newNewest[uint16](z)
				} else {
					s, err = newKLL[uint16](digests, flow)
				}
				if err != nil {
					t.Fatal(err)
				}
				hop := 1 + int(flow%k)
				for p, v := range hash.Stream(flow, "theorem1").Perm(z) {
					if act.Writer(act.Key(uint64(p)), k) == hop {
						s.Add(uint16(v))
					}
				}
				e := 1.0
				if v, ok := Quantile(s.Append(nil), phi); ok {
					e = max(0, float64(v)/z-phi, phi-float64(v+1)/z)
				}
				if e > g.Total() {
					beyond++
				}
				if e > g.Total()/3 {
					near++
				}
			}
			if share := float64(beyond) / flows; share > delta+0.023 {
				t.Errorf("%d digests, φ = %v: %.4f of the flows err by more than %v", digests, phi, share, g.Total())
			}
			if phi == 0.5 && near < flows/20 {
				t.Errorf("%d digests: only %d of %d flows err by a third of the bound; the test is blind",
					digests, near, flows)
			}
			t.Logf("%d digests, φ = %v: %d of %d beyond %.4f", digests, phi, beyond, flows, g.Total())
		}
	}
}

func TestTheoremsRefuse(t *testing.T) {
	if _, err := Theorem1(100, 0, 0, 0.1); err == nil {
		t.Error("theorem 1 accepts no hops")
	}
	if _, err := Theorem1(100, 5, 3, 0.1); err == nil {
		t.Error("theorem 1 accepts a sketch of 3 digests")
	}
	if _, err := Theorem2(100, 5, 17, 10, 0.1); err == nil {
		t.Error("theorem 2 accepts 17 bits")
	}
	if g, err := Theorem1(10, 5, 100, 0.01); err != nil || g.Total() != 1 {
		t.Errorf("theorem 1 after 10 packets: %v, %v; want a bound of 1", g, err)
	}
}

// Measurements and exact counts agree with Theorem 2, for a stream in which value v has the share 2^-(v+1). With ε/2 =
// ε_s + ε_a, reporting at θ − ε/2 must find all values with a share of at least θ and none below θ − ε, except in a
// share δ = 0.1 of 1000 flows (3.4 standard errors: 0.032).
func TestTheorem2(t *testing.T) {
	const z, k, bits, counters, flows, delta, theta = 4000, 3, 4, 40, 1000, 0.1, 0.25
	g, err := Theorem2(z, k, bits, counters, delta)
	if err != nil {
		t.Fatal(err)
	}
	eps := 2 * g.Total()
	if eps >= theta {
		t.Fatalf("ε = %v says nothing about θ = %v", eps, theta)
	}
	stream := make([]uint64, 0, z)
	share := map[uint64]float64{}
	for v := uint64(0); len(stream) < z; v = (v + 1) % (1 << bits) {
		for range (z - len(stream) + 1) / 2 {
			stream = append(stream, v)
			share[v] += 1.0 / z
		}
	}
	wrong, found := 0, map[uint64]int{}
	for flow := range uint64(flows) {
		act := global.Fast(flow).Function(global.Act, 3)
		s, err := spacesaving.New(counters, 0)
		if err != nil {
			t.Fatal(err)
		}
		for p, i := range hash.Stream(flow, "theorem2").Perm(z) {
			if act.Writer(act.Key(uint64(p)), k) == 2 {
				s.Add(stream[i])
			}
		}
		f := FrequentFlow{hops: []*spacesaving.Summary{s}}
		var reported []uint64
		for _, it := range f.Values(1, theta-eps/2, nil) {
			reported = append(reported, it.Key)
			found[it.Key]++
		}
		bad := false
		for v, sh := range share {
			in := slices.Contains(reported, v)
			bad = bad || sh >= theta && !in || sh < theta-eps && in
		}
		if bad {
			wrong++
		}
	}
	if s := float64(wrong) / flows; s > delta+0.032 {
		t.Errorf("%.4f of the flows report wrongly, want at most %v", s, delta)
	}
	if found[0] != flows || found[1] < flows*9/10 || found[5] != 0 {
		t.Errorf("values found: %v", found)
	}
}

func TestFrequentFlow(t *testing.T) {
	f, err := NewFrequentFlow(3000, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	if size := f.SizeBytes(); size > 3000 || size < 2000 || f.Hops() != 3 {
		t.Errorf("%d bytes of 3000, %d hops", size, f.Hops())
	}
	for i := range uint64(100) {
		f.Add(2, i%4*i%2)
		f.Add(2, 7)
	}
	got := f.Values(2, 0.5, nil)
	if len(got) != 1 || got[0].Key != 7 || got[0].Count != 100 || f.N(2) != 200 {
		t.Errorf("Values = %v of %d", got, f.N(2))
	}
	if got := f.Values(1, 0.1, nil); len(got) != 0 {
		t.Errorf("a hop without values has %v", got)
	}
	if _, err := NewFrequentFlow(300, 3, 1); err == nil {
		t.Error("300 bytes for 3 hops are accepted")
	}
}
