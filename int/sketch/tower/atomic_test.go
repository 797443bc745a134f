package tower

import (
	"sync"
	"testing"

	"pintlab/int/sketch/sketchtest"
)

// parallel inserts the stream from several goroutines, which take turns by packet.
func parallel(s interface{ Insert(uint64) }, stream []uint64, goroutines int) {
	var wait sync.WaitGroup
	for g := range goroutines {
		wait.Go(func() {
			for i := g; i < len(stream); i += goroutines {
				s.Insert(stream[i])
			}
		})
	}
	wait.Wait()
}

// With CM insertion, any number of goroutines leave the counters of one.
func TestAtomicLosesNothing(t *testing.T) {
	stream := sketchtest.Skewed(50_000, 3_000, 6)
	c := EqualMemory(2_000, 2, 4, 8, 16, 32)
	want := mustNew(t, c)
	for _, k := range stream {
		want.Insert(k)
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

// With CU insertion, estimates can differ from those of one goroutine, but hardly do.
func TestAtomicConservative(t *testing.T) {
	stream := sketchtest.Skewed(50_000, 3_000, 6)
	c := EqualMemory(20_000, 2, 4, 8, 16, 32)
	c.Conservative = true
	one := mustNew(t, c)
	for _, k := range stream {
		one.Insert(k)
	}
	many, err := NewAtomic(c)
	if err != nil {
		t.Fatal(err)
	}
	parallel(many, stream, 4)
	x, y := sketchtest.Error(one, stream), sketchtest.Error(many, stream)
	if y > x+0.02 {
		t.Errorf("average relative error %.4f with four goroutines, %.4f with one", y, x)
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

// locked is a Sketch behind a lock, the alternative of the paper.
type locked struct {
	mu sync.Mutex
	*Sketch
}

func (l *locked) Insert(key uint64) {
	l.mu.Lock()
	l.Sketch.Insert(key)
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
		sketch interface{ Insert(uint64) }
	}{{"lock-free", atomic}, {"locked", &locked{Sketch: mustNew(b, c)}}} {
		for _, goroutines := range []int{1, 2} {
			b.Run(s.name+"-"+string(rune('0'+goroutines)), func(b *testing.B) {
				best := 0.0
				for b.Loop() {
					before := b.Elapsed()
					parallel(s.sketch, stream, goroutines)
					best = max(best, float64(len(stream))/(b.Elapsed()-before).Seconds()/1e6)
				}
				b.ReportMetric(best, "Mpps")
			})
		}
	}
}
