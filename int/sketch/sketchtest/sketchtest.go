// Package sketchtest tests the promises that every sketch of flow sizes keeps, and makes the
// streams for these tests.
package sketchtest

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/hash"
)

// Frequency is a sketch of flow sizes.
type Frequency interface {
	// Insert counts n packets.
	Insert(key, n uint64)
	// Estimate returns the number of packets of a flow. If ok is false, counters have overflowed and
	// n can be below the true count.
	Estimate(key uint64) (n uint64, ok bool)
}

// Promise contains what a sketch's paper proves about it.
type Promise struct {
	// NeverUnder: no estimate is below the true count.
	NeverUnder bool
	// Beyond returns the probability that the estimate of a flow of n packets exceeds n + eps·packets. packets is the
	// number of all packets. If Beyond is nil, nothing is promised.
	Beyond func(n, packets uint64, eps float64) float64
}

// CountMin returns the promise of Count-Min with d arrays of w counters and independent hashes, by
// Markov's inequality for each array. It also holds for any sketch that is never above Count-Min.
// Sketches that place keys with package rows keep this promise on the streams of Run. On any stream,
// they keep it only with d = 2 (TestAllRowsCollide of rows).
func CountMin(d, w int) Promise {
	return Promise{
		NeverUnder: true,
		Beyond:     func(_, _ uint64, eps float64) float64 { return math.Pow(min(1, 1/(eps*float64(w))), float64(d)) },
	}
}

// NeverAbove checks on random streams that no estimate of one sketch is above the estimate of another with the same
// shape and seed. The function `also` is called with both sketches after each stream. It may be nil.
func NeverAbove[A, B Frequency](t *testing.T, lower func(d, w int, seed uint64) (A, error),
	upper func(d, w int, seed uint64) (B, error), also func(*rapid.T, A, B)) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		d, w := rapid.IntRange(1, 5).Draw(t, "d"), rapid.IntRange(1, 20).Draw(t, "w")
		seed := rapid.Uint64().Draw(t, "seed")
		a, err := lower(d, w, seed)
		if err != nil {
			t.Fatal(err)
		}
		b, err := upper(d, w, seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range rapid.SliceOf(rapid.Uint64Range(0, 60)).Draw(t, "stream") {
			a.Insert(k, 1)
			b.Insert(k, 1)
			x, _ := a.Estimate(k)
			if y, _ := b.Estimate(k); x > y {
				t.Fatalf("flow %d: %d, and %d by the sketch that is never below", k, x, y)
			}
		}
		if also != nil {
			also(t, a, b)
		}
	})
}

// Skewed returns a stream of about the given number of packets, in random order. Flow r has ⌈c/r⌉ packets. The keys are
// random.
func Skewed(packets, flows int, seed uint64) []uint64 {
	harmonic := 0.0
	for r := 1; r <= flows; r++ {
		harmonic += 1 / float64(r)
	}
	c := float64(packets-flows/2) / harmonic
	var keys []uint64
	for r := 1; r <= flows; r++ {
		key := hash.Combine(seed, uint64(r))
		for range int(c/float64(r)) + 1 {
			keys = append(keys, key)
		}
	}
	hash.Stream(seed, "sketchtest").Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	return keys
}

// Count returns the exact sizes of the flows of a stream.
func Count(stream []uint64) map[uint64]uint64 {
	sizes := map[uint64]uint64{}
	for _, k := range stream {
		sizes[k]++
	}
	return sizes
}

// Run checks the promise with several streams. fresh makes an empty sketch for a seed.
//
// The bound is checked on the mean over all flows and seeds. The bound applies to the
// expectation, so only chance could cause a larger mean. With 40 seeds, the share of flows
// beyond the bound has a standard error far below the slack of Markov's inequality, and the
// seeds are fixed.
func Run(t *testing.T, p Promise, fresh func(seed uint64) Frequency) {
	t.Run("Promise", func(t *testing.T) {
		if !p.NeverUnder && p.Beyond == nil {
			return
		}
		const seeds = 40
		type bound struct {
			promised, beyond float64
			flows            int
		}
		bounds := map[float64]*bound{0.0005: {}, 0.002: {}, 0.01: {}}
		for seed := range uint64(seeds) {
			stream := Skewed(20_000, 2_000, seed)
			s := fresh(seed)
			for _, k := range stream {
				s.Insert(k, 1)
			}
			for key, n := range Count(stream) {
				got, ok := s.Estimate(key)
				if p.NeverUnder && ok && got < n {
					t.Fatalf("seed %d: a flow of %d packets is estimated as %d", seed, n, got)
				}
				if p.Beyond == nil {
					continue
				}
				for eps, b := range bounds {
					b.flows++
					b.promised += min(1, p.Beyond(n, uint64(len(stream)), eps))
					if !ok || float64(got) > float64(n)+eps*float64(len(stream)) {
						b.beyond++
					}
				}
			}
		}
		for eps, b := range bounds {
			if b.beyond > b.promised {
				t.Errorf("ε = %v: %.5f of the flows are beyond the bound, promised %.5f",
					eps, b.beyond/float64(b.flows), b.promised/float64(b.flows))
			}
		}
	})
	t.Run("Empty", func(t *testing.T) {
		if n, ok := fresh(1).Estimate(7); n != 0 || !ok {
			t.Errorf("an empty sketch estimates %d (%t)", n, ok)
		}
	})
	t.Run("OneFlow", func(t *testing.T) {
		s := fresh(2)
		for i := range uint64(5000) {
			s.Insert(99, 1)
			if n, ok := s.Estimate(99); n != i+1 || !ok {
				t.Fatalf("after %d packets of one flow: %d (%t)", i+1, n, ok)
			}
		}
		s.Insert(99, 3000)
		if n, ok := s.Estimate(99); n != 8000 || !ok {
			t.Errorf("after 5000 packets of one flow and 3000 at once: %d (%t)", n, ok)
		}
	})
	t.Run("SameSeedSameAnswers", func(t *testing.T) {
		a, b := fresh(3), fresh(3)
		stream := Skewed(5000, 500, 8)
		for _, k := range stream {
			a.Insert(k, 1)
			b.Insert(k, 1)
		}
		for k := range Count(stream) {
			x, _ := a.Estimate(k)
			y, _ := b.Estimate(k)
			if x != y {
				t.Fatalf("estimates %d and %d", x, y)
			}
		}
	})
	t.Run("AllocatesNothing", func(t *testing.T) {
		s := fresh(4)
		stream := Skewed(4000, 500, 8)
		for _, k := range stream { // an exact sketch is a map, which grows
			s.Insert(k, 1)
		}
		i := 0
		if n := testing.AllocsPerRun(1000, func() { s.Insert(stream[i], 1); s.Estimate(stream[i]); i++ }); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
	t.Run("AgainstTheExactMap", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			s := fresh(rapid.Uint64().Draw(t, "seed"))
			sizes := map[uint64]uint64{}
			weights := rapid.OneOf(rapid.Just(uint64(1)), rapid.Uint64Range(1, 2000))
			for _, k := range rapid.SliceOf(rapid.Uint64Range(0, 40)).Draw(t, "stream") {
				before, _ := s.Estimate(k)
				n := weights.Draw(t, "weight")
				s.Insert(k, n)
				sizes[k] += n
				after, _ := s.Estimate(k)
				if after < before {
					t.Fatalf("an insertion lowers the estimate from %d to %d", before, after)
				}
			}
			for k, n := range sizes {
				if got, ok := s.Estimate(k); p.NeverUnder && ok && got < n {
					t.Fatalf("a flow of %d packets is estimated as %d", n, got)
				}
			}
		})
	})
}

// chunk is the number of packets that Bench times at once. They take about two milliseconds, less than the time slice
// that a busy machine gives to a process.
const chunk = 100_000

// Bench measures the speed of insertions and queries, in millions of packets per second (Mpps). The stream is as long
// as the stream in the SketchINT paper: 2.3 M packets of 170 K flows. For each chunk of the stream, the fastest pass
// counts, which reduces the effect of other work on the machine.
func Bench[S any](b *testing.B, fresh func() S, insert, query func(s S, stream []uint64)) {
	stream := Skewed(2_300_000, 170_000, 1)
	s := fresh()
	measure := func(name string, f func(S, []uint64)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			best := map[int]float64{}
			for b.Loop() {
				for at := 0; at < len(stream); at += chunk {
					before := b.Elapsed()
					f(s, stream[at:min(at+chunk, len(stream))])
					seconds := (b.Elapsed() - before).Seconds()
					if old, ok := best[at]; !ok || seconds < old {
						best[at] = seconds
					}
				}
			}
			sum := 0.0
			for _, seconds := range best {
				sum += seconds
			}
			b.ReportMetric(float64(len(stream))/sum/1e6, "Mpps")
		})
	}
	measure("insert", insert)
	measure("query", query)
}

// Error returns the average relative error of a sketch over all flows of a stream that has been
// inserted: the mean of |estimate − size| / size.
func Error(s Frequency, stream []uint64) float64 {
	sum, flows := 0.0, 0
	for k, n := range Count(stream) {
		got, _ := s.Estimate(k)
		sum += math.Abs(float64(got)-float64(n)) / float64(n)
		flows++
	}
	return sum / float64(flows)
}

// SameError inserts the stream of each seed into two sketches, and fails if their average
// relative errors differ by more than three standard errors of the mean difference.
func SameError(t *testing.T, seeds int, pair func(seed uint64) (stream []uint64, a, b Frequency)) {
	t.Helper()
	var sum, squares, level float64
	for seed := range uint64(seeds) {
		stream, a, b := pair(seed)
		for _, k := range stream {
			a.Insert(k, 1)
			b.Insert(k, 1)
		}
		x, y := Error(a, stream), Error(b, stream)
		sum += x - y
		squares += (x - y) * (x - y)
		level += y
	}
	n := float64(seeds)
	mean := sum / n
	deviation := math.Sqrt((squares/n - mean*mean) / (n - 1))
	if math.Abs(mean) > 3*deviation {
		t.Errorf("the average relative errors differ by %.5f ± %.5f at a level of %.5f", mean, deviation, level/n)
	}
}
