package latency

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/hash"
)

func mustKLL(t testing.TB, digests int, seed uint64) *kll[uint16] {
	t.Helper()
	s, err := newKLL[uint16](digests, seed)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// checkKLL checks the invariants of the structure.
func checkKLL(t interface{ Fatalf(string, ...any) }, s *kll[uint16]) {
	if int(s.bounds[s.levels]) != len(s.items) {
		t.Fatalf("the highest level ends at %d of %d", s.bounds[s.levels], len(s.items))
	}
	sum := s.pending
	for h := range int(s.levels) {
		if s.bounds[h] > s.bounds[h+1] {
			t.Fatalf("level %d runs from %d to %d", h, s.bounds[h], s.bounds[h+1])
		}
		level := s.items[s.bounds[h]:s.bounds[h+1]]
		if h > 0 && !slices.IsSorted(level) {
			t.Fatalf("level %d is not sorted: %v", h, level)
		}
		sum += uint64(len(level)) << (int(s.base) + h)
	}
	if sum != s.n || s.pending >= 1<<s.base || s.levels > s.limit {
		t.Fatalf("weights sum to %d of %d; pending %d of %d; %d levels of %d",
			sum, s.n, s.pending, 1<<s.base, s.levels, s.limit)
	}
}

func TestKLLInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digests := rapid.IntRange(minDigests, 60).Draw(t, "digests")
		s, err := newKLL[uint16](digests, rapid.Uint64().Draw(t, "seed"))
		if err != nil {
			t.Fatal(err)
		}
		n := rapid.IntRange(0, 4000).Draw(t, "n")
		step := rapid.Uint16().Draw(t, "step")
		lowest, highest := uint16(65535), uint16(0)
		for i := range n {
			c := uint16(i) * step
			lowest, highest = min(lowest, c), max(highest, c)
			s.Add(c)
			checkKLL(t, s)
		}
		items := s.Append(nil)
		sum := uint64(0)
		for _, it := range items {
			sum += it.Weight
			if it.Code < lowest || it.Code > highest {
				t.Fatalf("code %d was never added", it.Code)
			}
		}
		if sum != s.N() || s.N() != uint64(n) || len(items) > digests+1 {
			t.Fatalf("%d items of weight %d for %d values", len(items), sum, n)
		}
		if n <= digests && s.Error(0.01) != 0 {
			t.Fatalf("error %v although every value is held", s.Error(0.01))
		}
	})
}

// The invariants also hold for streams so long that level 0 is merged many times.
func TestKLLLongStream(t *testing.T) {
	for _, digests := range []int{8, 9, 13, 20, 33} {
		s := mustKLL(t, digests, 1)
		for i := range 12_000 {
			s.Add(uint16(i * 31))
			checkKLL(t, s)
		}
		if s.base < 2 {
			t.Errorf("%d digests: base %d after 12000 values", digests, s.base)
		}
	}
}

// The error of the sketch stays within its bound. 200 sketches with different coins estimate nine quantiles of 10 000
// values each. At most a share δ = 0.05 may exceed the bound. The test allows 7 %. If the nine estimates were
// independent and the bound were tight, this would be four standard errors more than δ.
func TestKLLErrorBound(t *testing.T) {
	const n, sketches, delta = 10_000, 200, 0.05
	for _, digests := range []int{16, 100, 400} {
		beyond, worst := 0, 0.0
		var bound float64
		for seed := range uint64(sketches) {
			s := mustKLL(t, digests, seed)
			r := hash.Stream(seed, "kll")
			for _, v := range r.Perm(n) {
				s.Add(uint16(v))
			}
			bound = s.Error(delta)
			items := s.Append(nil)
			for q := 1; q < 10; q++ {
				code, _ := Quantile(items, float64(q)/10)
				// Value v has rank v+1.
				e := float64(code)/n - float64(q)/10
				if e < 0 {
					e = -e
				}
				worst = max(worst, e)
				if e > bound+1.0/n {
					beyond++
				}
			}
		}
		if share := float64(beyond) / (9 * sketches); share > 0.07 {
			t.Errorf("%d digests: %.3f of the quantiles err by more than %.4f, want at most %v",
				digests, share, bound, delta)
		}
		if worst == 0 {
			t.Errorf("%d digests: no error at all, the test is blind", digests)
		}
		t.Logf("%d digests: bound %.4f (δ = %v), worst of %d: %.4f", digests, bound, delta, 9*sketches, worst)
	}
}

// The estimate of a rank is unbiased. The mean error over 2000 sketches is within 4.5 standard
// errors of 0 (probability of a false alarm below 1e-5 per quantile). The standard error is
// computed from the same sketches.
func TestKLLIsUnbiased(t *testing.T) {
	const n, sketches, digests = 3000, 2000, 20
	for _, x := range []uint16{300, 1500, 2970} {
		sum, squares := 0.0, 0.0
		for seed := range uint64(sketches) {
			s := mustKLL(t, digests, seed)
			for v := range n {
				s.Add(uint16(v * 1009 % n))
			}
			rank := 0.0
			for _, it := range s.Append(nil) {
				if it.Code < x {
					rank += float64(it.Weight)
				}
			}
			e := rank - float64(x)
			sum += e
			squares += e * e
		}
		mean, variance := sum/sketches, squares/sketches
		if mean*mean > 4.5*4.5*variance/sketches || variance == 0 {
			t.Errorf("rank of %d: mean error %.2f, standard deviation %.2f over %d sketches",
				x, mean, variance, sketches)
		}
	}
}

func TestKLLIsSeeded(t *testing.T) {
	run := func(seed uint64) []Weighted {
		s := mustKLL(t, 50, seed)
		for v := range 10_000 {
			s.Add(uint16(v * 7919))
		}
		return s.Append(nil)
	}
	if !slices.Equal(run(1), run(1)) {
		t.Error("equal seeds give different sketches")
	}
	if slices.Equal(run(1), run(2)) {
		t.Error("different seeds give equal sketches")
	}
}

func TestKLLRefuses(t *testing.T) {
	for _, d := range []int{-1, 0, 7, 65536} {
		if _, err := newKLL[uint8](d, 0); err == nil {
			t.Errorf("a sketch of %d digests was made", d)
		}
	}
}

func TestKLLDoesNotAllocate(t *testing.T) {
	s := mustKLL(t, 100, 1)
	v := uint16(0)
	if n := testing.AllocsPerRun(100, func() {
		for range 1000 {
			v = v*25173 + 13849
			s.Add(v)
		}
	}); n != 0 {
		t.Errorf("%v allocations per 1000 codes, want 0", n)
	}
}

func BenchmarkAdd(b *testing.B) {
	make8, _ := newKLL[uint8](100, 1)
	make16, _ := newKLL[uint16](1000, 1)
	ring, _ := newNewest[uint8](100)
	counts, _ := NewCounts(8)
	for _, c := range []struct {
		name string
		s    Summary
	}{{"kll/100", make8}, {"kll/1000", make16}, {"raw/100", ring}, {"histogram/8bit", counts}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			v := uint16(0)
			for b.Loop() {
				v = v*25173 + 13849
				c.s.Add(v >> 8)
			}
		})
	}
}

// shape returns the largest capacity of the highest level for which all levels have room.
func TestShape(t *testing.T) {
	for digests := minDigests; digests <= 400; digests++ {
		top, levels := shape(digests)
		want, n := digests, 0
		for ; ; want-- {
			sum := 0
			for n = 0; n < 2 || n < maxLevels && capacity(want, n) > 2; n++ {
				sum += capacity(want, n)
			}
			if sum <= digests {
				break
			}
		}
		if top != want || levels != n {
			t.Fatalf("%d digests: %d at the top of %d levels, want %d of %d", digests, top, levels, want, n)
		}
	}
}
