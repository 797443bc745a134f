package tower

import (
	"sync"
	"testing"

	"pgregory.net/rapid"

	"pintlab/int/sketch/sketchtest"
)

// parallel inserts the stream from several goroutines, which take turns by packet.
func parallel(s interface{ Insert(key, n uint64) }, stream []uint64, goroutines int) {
	var wait sync.WaitGroup
	for g := range goroutines {
		wait.Go(func() {
			for i := g; i < len(stream); i += goroutines {
				s.Insert(stream[i], 1)
			}
		})
	}
	wait.Wait()
}

// With CM insertion any number of goroutines leaves the same counters as a single goroutine.
func TestAtomicLosesNothing(t *testing.T) {
	stream := sketchtest.Skewed(50_000, 3_000, 6)
	c := EqualMemory(2_000, 2, 4, 8, 16, 32)
	want := mustNew(t, c)
	for _, k := range stream {
		want.Insert(k, 1)
	}
	got, err := NewAtomic(c)
	if err != nil {
		t.Fatal(err)
	}
	parallel(got, stream, 4)
	for k := range sketchtest.Count(stream) {
		x, _ := want.Estimate(k)
		if y, _ := got.Estimate(k); x != y {
			t.Fatalf("%d, want %d", y, x)
		}
	}
	if got.Memory() < c.Counters[0]/4*5 || got.Memory() > 2_000+5*3 {
		t.Errorf("%d bytes", got.Memory())
	}
}

// between fails unless the estimates of a sketch with concurrent CU insertion are within the bounds of every schedule.
// An insertion of n packets leaves each counter of the flow at least n above the smallest counter that the insertion
// read. An estimate is therefore at least the number of packets that a single goroutine inserted. An insertion adds at
// most n to a counter, so an estimate is at most the estimate with CM insertion.
func between(t *testing.T, s *Atomic, c Config, stream []uint64, goroutines int) {
	t.Helper()
	c.Conservative = false
	most := mustNew(t, c)
	least := map[uint64]uint64{}
	for g := range goroutines {
		own := map[uint64]uint64{}
		for i := g; i < len(stream); i += goroutines {
			own[stream[i]]++
			most.Insert(stream[i], 1)
			least[stream[i]] = max(least[stream[i]], own[stream[i]])
		}
	}
	for k, low := range least {
		high, _ := most.Estimate(k)
		if n, ok := s.Estimate(k); ok && n < low || n > high {
			t.Errorf("%d goroutines: a flow is estimated as %d, want %d to %d", goroutines, n, low, high)
		}
	}
}

// With CU insertion one goroutine gives the same estimates as Sketch, and many goroutines keep the bounds.
func TestAtomicConservative(t *testing.T) {
	stream := sketchtest.Skewed(50_000, 3_000, 6)
	c := EqualMemory(20_000, 2, 4, 8, 16, 32)
	c.Conservative = true
	one := mustNew(t, c)
	for _, k := range stream {
		one.Insert(k, 1)
	}
	for _, goroutines := range []int{1, 4} {
		s, err := NewAtomic(c)
		if err != nil {
			t.Fatal(err)
		}
		parallel(s, stream, goroutines)
		between(t, s, c, stream, goroutines)
		for k := range sketchtest.Count(stream) {
			x, _ := one.Estimate(k)
			if y, _ := s.Estimate(k); goroutines == 1 && x != y {
				t.Fatalf("%d, want %d", y, x)
			}
		}
	}
}

func TestAtomicPromise(t *testing.T) {
	sketchtest.Run(t, sketchtest.Promise{NeverUnder: true}, func(seed uint64) sketchtest.Frequency {
		c := EqualMemory(4000, 2, 4, 8, 16, 32)
		c.Seed = seed
		s, err := NewAtomic(c)
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}

// written inserts the stream from several goroutines with writers, which take turns by packet.
func written(s *Atomic, stream []uint64, goroutines int) {
	var wait sync.WaitGroup
	for g := range goroutines {
		wait.Go(func() {
			w := s.Writer()
			for i := g; i < len(stream); i += goroutines {
				w.Insert(stream[i], 1)
			}
			w.Flush()
		})
	}
	wait.Wait()
}

// After Flush, writers with CM insertion leave the same counters as single insertions.
func TestWritersLoseNothing(t *testing.T) {
	stream := sketchtest.Skewed(50_000, 3_000, 6)
	c := EqualMemory(2_000, 2, 4, 8, 16, 32)
	want := mustNew(t, c)
	for _, k := range stream {
		want.Insert(k, 1)
	}
	for _, goroutines := range []int{1, 4} {
		got, err := NewAtomic(c)
		if err != nil {
			t.Fatal(err)
		}
		written(got, stream, goroutines)
		for k := range sketchtest.Count(stream) {
			x, _ := want.Estimate(k)
			if y, _ := got.Estimate(k); x != y {
				t.Fatalf("%d goroutines: %d, want %d", goroutines, y, x)
			}
		}
	}
}

// The test uses CU insertion. No estimate of a single writer is too small. The average error of writers that take
// turns hardly differs from the error without writers. Writers that insert at the same time keep the bounds.
func TestWritersConservative(t *testing.T) {
	stream := sketchtest.Skewed(50_000, 3_000, 6)
	c := EqualMemory(20_000, 2, 4, 8, 16, 32)
	c.Conservative = true
	one := mustNew(t, c)
	for _, k := range stream {
		one.Insert(k, 1)
	}
	x := sketchtest.Error(one, stream)
	for _, writers := range []int{1, 4} {
		turns, err := NewAtomic(c)
		if err != nil {
			t.Fatal(err)
		}
		all := make([]*Writer, writers)
		for i := range all {
			all[i] = turns.Writer()
		}
		for i, k := range stream {
			all[i%writers].Insert(k, 1)
		}
		for _, w := range all {
			w.Flush()
		}
		between(t, turns, c, stream, writers)
		for k, n := range sketchtest.Count(stream) {
			if got, ok := turns.Estimate(k); ok && got < n {
				t.Fatalf("%d writers: a flow of %d packets is estimated as %d", writers, n, got)
			}
		}
		if y := sketchtest.Error(turns, stream); y > x+0.02 {
			t.Errorf("average relative error %.4f with %d writers, %.4f without", y, writers, x)
		}
		together, err := NewAtomic(c)
		if err != nil {
			t.Fatal(err)
		}
		written(together, stream, writers)
		between(t, together, c, stream, writers)
	}
}

// Before Flush an estimate misses the gathered packets, fewer than maxGathered per flow. A second Flush inserts
// nothing.
func TestWriterLags(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, err := NewAtomic(EqualMemory(100_000, 8, 16, 32))
		if err != nil {
			t.Fatal(err)
		}
		w := s.Writer()
		sizes := map[uint64]uint64{}
		for _, k := range rapid.SliceOf(rapid.Uint64Range(0, 3)).Draw(t, "stream") {
			for range rapid.SampledFrom([]int{1, 70}).Draw(t, "packets") {
				w.Insert(k, 1)
				sizes[k]++
			}
		}
		// The last inserted flows are still gathered.
		for k, n := range sizes {
			if got, _ := s.Estimate(k); got > n || got+(lookahead+1)*maxGathered <= n {
				t.Fatalf("before Flush a flow of %d packets is estimated as %d", n, got)
			}
		}
		for range 2 {
			w.Flush()
			for k, n := range sizes {
				if got, _ := s.Estimate(k); got != n {
					t.Fatalf("after Flush a flow of %d packets is estimated as %d", n, got)
				}
			}
		}
	})
}

func TestWriterAllocatesNothing(t *testing.T) {
	s, err := NewAtomic(EqualMemory(20_000, 2, 4, 8, 16, 32))
	if err != nil {
		t.Fatal(err)
	}
	w, i := s.Writer(), 0
	stream := sketchtest.Skewed(2_000, 500, 8)
	if n := testing.AllocsPerRun(1000, func() { w.Insert(stream[i], 1); i++ }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// locked is a Sketch with a lock, the paper's alternative.
type locked struct {
	mu sync.Mutex
	*Sketch
}

func (l *locked) Insert(key, n uint64) {
	l.mu.Lock()
	l.Sketch.Insert(key, n)
	l.mu.Unlock()
}

func BenchmarkGoroutines(b *testing.B) {
	stream := sketchtest.Skewed(2_300_000, 170_000, 1)
	c := EqualMemory(2_000_000, 2, 4, 8, 16, 32)
	atomic, err := NewAtomic(c)
	if err != nil {
		b.Fatal(err)
	}
	for _, s := range []struct {
		name   string
		insert func(goroutines int)
	}{
		{"writers", func(n int) { written(atomic, stream, n) }},
		{"lock-free", func(n int) { parallel(atomic, stream, n) }},
		{"locked", func(n int) { parallel(&locked{Sketch: mustNew(b, c)}, stream, n) }},
	} {
		for _, goroutines := range []int{1, 2} {
			b.Run(s.name+"-"+string(rune('0'+goroutines)), func(b *testing.B) {
				best := 0.0
				for b.Loop() {
					before := b.Elapsed()
					s.insert(goroutines)
					best = max(best, float64(len(stream))/(b.Elapsed()-before).Seconds()/1e6)
				}
				b.ReportMetric(best, "Mpps")
			})
		}
	}
}
