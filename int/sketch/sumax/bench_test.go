package sumax

import (
	"testing"

	"pintlab/int/sketch/sketchtest"
)

var sink uint64

func BenchmarkSizes(b *testing.B) {
	sketchtest.Bench(b, func() *Sizes { return sizes(b, 3, 1<<16, 1) }, func(s *Sizes, stream []uint64) {
		for _, k := range stream {
			s.Insert(k, 1)
		}
	}, func(s *Sizes, stream []uint64) {
		for _, k := range stream {
			n, _ := s.Estimate(k)
			sink += n
		}
	})
}

// BenchmarkSketch measures a sum and two maxima.
func BenchmarkSketch(b *testing.B) {
	now := uint32(0)
	sketchtest.Bench(b, func() *Sketch {
		s, err := New(3, 1<<16, 1)
		if err != nil {
			b.Fatal(err)
		}
		return s
	}, func(s *Sketch, stream []uint64) {
		for _, k := range stream {
			now++
			s.Record(k, 1, now)
		}
	}, func(s *Sketch, stream []uint64) {
		for _, k := range stream {
			sink += s.Query(k).Size
		}
	})
}

func parts(t testing.TB, s Shape) *Parts {
	t.Helper()
	p, err := NewParts(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// BenchmarkParts also measures the placing of the flows. A query makes a sketchlet.
func BenchmarkParts(b *testing.B) {
	shape := Prototype()
	now := uint32(0)
	buf := make([]byte, 0, SketchletBytes)
	sketchtest.Bench(b, func() *Parts { return parts(b, shape) }, func(p *Parts, stream []uint64) {
		for _, k := range stream {
			now++
			at := shape.Place(k, 1)
			p.Record(&at, now&0x3fff, now, 1000)
		}
	}, func(p *Parts, stream []uint64) {
		n := uint32(shape.Sketchlets())
		for _, k := range stream {
			x := Sketchlet{Device: 1, Interval: 1, ID: uint32(k) % n}
			x.Cells = p.Column(x.ID)
			sink += uint64(x.AppendTo(buf)[23])
		}
	})
}

func BenchmarkDelays(b *testing.B) {
	counts := make([]uint64, 0, 8)
	sketchtest.Bench(b, func() *Delays {
		s, err := NewDelays(3, 1<<16, 8, 1)
		if err != nil {
			b.Fatal(err)
		}
		return s
	}, func(s *Delays, stream []uint64) {
		for _, k := range stream {
			s.Record(k, int(k&7))
		}
	}, func(s *Delays, stream []uint64) {
		for _, k := range stream {
			sink += s.Query(k, counts)[0]
		}
	})
}
