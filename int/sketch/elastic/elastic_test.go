package elastic

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pintlab/int/sketch/mrac"
	"pintlab/int/sketch/rows"
	"pintlab/int/sketch/sketchtest"
	"pintlab/internal/errtest"
)

func mustNew(t testing.TB, bytes int, share float64, seed uint64) *Sketch {
	t.Helper()
	s, err := New(bytes, share, seed)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPromise(t *testing.T) {
	sketchtest.Run(t, sketchtest.Promise{NeverUnder: true}, func(seed uint64) sketchtest.Frequency {
		return mustNew(t, 6000, 0.25, seed)
	})
}

func insert(s *Sketch, key uint64, times int) {
	for range times {
		s.Insert(key, 1)
	}
}

// check fails unless the flow has the given estimate and is, or is not, in the heavy part.
func check(t *testing.T, s *Sketch, key, want uint64, heavy bool) {
	t.Helper()
	n, ok := s.Estimate(key)
	h, inHeavy := s.Heavy(key)
	if n != want || !ok || inHeavy != heavy || inHeavy && h != want {
		t.Errorf("flow %d: %d (%t), in the heavy part %t; want %d, %t", key, n, ok, inHeavy, want, heavy)
	}
}

// One bucket is computed by hand. Flows 1 to 7 fill it with 2 packets each, except flow 7, which has 3. Sixteen packets
// of other flows enter the light part. The seventeenth exceeds 8·2 and evicts the first flow with the smallest counter.
func TestEviction(t *testing.T) {
	s := mustNew(t, 64+(1<<16), 0.001, 1)
	if len(s.heavy) != 1 {
		t.Fatal(len(s.heavy), "buckets")
	}
	for k := uint64(1); k <= 7; k++ {
		insert(s, k, 2)
	}
	insert(s, 7, 1)
	insert(s, 100, 10)
	insert(s, 101, 6)
	check(t, s, 1, 2, true)
	check(t, s, 7, 3, true)
	check(t, s, 100, 10, false)
	check(t, s, 101, 6, false)
	insert(s, 100, 1)
	check(t, s, 1, 2, false)   // evicted together with its count
	check(t, s, 100, 11, true) // flagged: 1 here and 10 in the light part
	insert(s, 100, 4)
	check(t, s, 100, 15, true)
	// The guard was reset: the next smallest counter is 2.
	insert(s, 102, 16)
	check(t, s, 2, 2, true)
	insert(s, 102, 1)
	check(t, s, 2, 2, false)
	check(t, s, 102, 17, true)
	// The light part is added to the count of a flagged flow: 102 has one packet there.
	insert(s, 103, 8)
	check(t, s, 102, 17, true)
	insert(s, 103, 1)
	check(t, s, 102, 17, false)
	check(t, s, 103, 9, true)
	if n := s.CountHeavy(9); n != 2 { // 100 and 103
		t.Errorf("%d flows of at least 9 packets", n)
	}
}

func TestLightPartOverflows(t *testing.T) {
	s := mustNew(t, 64+(1<<16), 0.001, 1)
	for k := uint64(1); k <= 7; k++ {
		insert(s, k, 1000)
	}
	insert(s, 100, 254)
	check(t, s, 100, 254, false)
	insert(s, 100, 3)
	if n, ok := s.Estimate(100); n != 255 || ok {
		t.Error(n, ok)
	}
}

func TestTasks(t *testing.T) {
	s := mustNew(t, 60_000, 1.0/16, 3)
	stream := sketchtest.Skewed(60_000, 6_000, 4)
	for _, k := range stream {
		s.Insert(k, 1)
	}
	// Linear counting at load 0.1 has a standard error of 0.3 % of the flows of the light part.
	if n, ok := s.Cardinality(); !ok || math.Abs(n-6000) > 80 {
		t.Error(n, ok)
	}
	var truth mrac.EntropySum
	for _, n := range sketchtest.Count(stream) {
		truth.Add(n, 1)
	}
	if got := s.Entropy(); math.Abs(got/truth.Value()-1) > 0.02 {
		t.Errorf("entropy %.4f, want %.4f", got, truth.Value())
	}
	flows := 0.0
	for _, p := range s.Distribution(20) {
		flows += p.Flows
	}
	if math.Abs(flows-6000) > 120 {
		t.Errorf("%.1f flows", flows)
	}
	if s.Memory() != 60_000 {
		t.Error(s.Memory())
	}
	s.Reset()
	if n, _ := s.Cardinality(); n != 0 {
		t.Error(n, "after Reset")
	}
}

func TestRefuses(t *testing.T) {
	for _, c := range []struct {
		bytes int
		share float64
		want  string
	}{
		{0, 0.25, "elastic: memory … 0 bytes … heavy share … 0.25 makes 0 buckets … 0 counters, … 1 to 67108864"},
		{255, 0.25, "elastic: memory … 255 bytes … heavy share … 0.25 makes 0 buckets … 255 counters, … 1 to 67108864"},
		{1000, 1, "elastic: heavy share 1, … 0 … 1"},
	} {
		if _, err := New(c.bytes, c.share, 0); !errtest.Says(err, c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

var sink uint64

// A flow is found at the first place with its identity. This also works if several places have the same identity, if
// the identity equals the identity of an empty place, and if the place is next to the guard word.
func TestPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SampledFrom([]uint32{0, 1, 2, 1 << 31, 1<<31 | 1, 1<<32 - 1, 0xffff, 0xffff0000})
		var b bucket
		for i := range b.flow {
			b.flow[i], b.count[i] = words.Draw(t, "identity"), words.Draw(t, "count")
		}
		flow := words.Draw(t, "flow")
		want := slices.Index(b.flow[:flows], flow)
		if want < 0 {
			want = guard
		}
		if got := place(&b, flow); got != want {
			t.Errorf("%x in %x: place %d, want %d", flow, b.flow, got, want)
		}
		smallest, least := b.smallest()
		for i, c := range b.count[:flows] {
			if c&^flagged < least || c&^flagged == least && i < smallest {
				t.Errorf("smallest of %x: %d at %d", b.count, least, smallest)
			}
		}
	})
}

func BenchmarkElastic(b *testing.B) {
	for _, bytes := range []int{2_000_000, 900_000} {
		b.Run(map[int]string{2_000_000: "2MB", 900_000: "900KB"}[bytes], func(b *testing.B) {
			sketchtest.Bench(b, func() *Sketch { return mustNew(b, bytes, 0.25, 1) },
				func(s *Sketch, stream []uint64) {
					for _, k := range stream {
						s.Insert(k, 1)
					}
				}, func(s *Sketch, stream []uint64) {
					for _, k := range stream {
						n, _ := s.Estimate(k)
						sink += n
					}
				})
		})
	}
}

// InsertAll equals Insert for each packet, even if flows are evicted and counters are full.
func TestInsertAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, err := New(rapid.IntRange(300, 3000).Draw(t, "bytes"), 0.5, 7)
		if err != nil {
			t.Fatal(err)
		}
		b := &Sketch{a.mixed, slices.Clone(a.heavy), slices.Clone(a.light)}
		keys := rapid.SliceOfN(rapid.Uint64Range(0, 100), 0, 3*batch).Draw(t, "keys")
		for i, k := range keys {
			a.Insert(k, 1)
			if i == len(keys)/2 {
				b.InsertAll(keys[:i+1])
				if p := a.find(k); place(&a.heavy[p.bucket()], p.flow()) != guard { // fill the counter, keep the flag
					n := place(&a.heavy[p.bucket()], p.flow())
					a.heavy[p.bucket()].count[n] |= flagged - 1
					b.heavy[p.bucket()].count[n] |= flagged - 1
				}
				keys = append(slices.Clone(keys[i+1:]), k)
				break
			}
		}
		for _, k := range keys {
			a.Insert(k, 1)
		}
		b.InsertAll(keys)
		if !slices.Equal(a.heavy, b.heavy) || !slices.Equal(a.light, b.light) {
			t.Fatal("other counters")
		}
	})
}

// locate returns the same as find, for all keys and numbers of buckets.
func TestLocate(t *testing.T) {
	if !vector {
		t.Skip("needs a processor with AVX2")
	}
	rapid.Check(t, func(t *rapid.T) {
		mixed, buckets := rapid.Uint64().Draw(t, "seed"), rapid.Uint64Range(1, rows.MaxCounters).Draw(t, "buckets")
		var keys [2 * lanes]uint64
		var spots [2 * lanes]spot
		for i := range keys {
			keys[i] = rapid.Uint64().Draw(t, "key")
		}
		locate(spots[:], &keys[0], buckets, mixed)
		for i, k := range keys {
			if want := spotOf(k, buckets, mixed); spots[i] != want {
				t.Fatalf("spot of %#x is %#x, want %#x", k, spots[i], want)
			}
		}
	})
}

func BenchmarkInsertAll(b *testing.B) {
	sketchtest.Bench(b, func() *Sketch { return mustNew(b, 2_000_000, 0.25, 1) }, (*Sketch).InsertAll,
		func(*Sketch, []uint64) {})
}

// A counter of the heavy part that is full is only a lower bound of the flow's size.
func TestFullCounter(t *testing.T) {
	s, err := New(4096, 1./4, 1)
	if err != nil {
		t.Fatal(err)
	}
	s.Insert(7, flagged-2)
	if n, ok := s.Estimate(7); n != flagged-2 || !ok {
		t.Errorf("%d, %v; want the exact size", n, ok)
	}
	s.Insert(7, 5)
	if n, ok := s.Estimate(7); n != flagged-1 || ok {
		t.Errorf("%d, %v; want at least %d", n, ok, flagged-1)
	}
}
