package sumax

import (
	"testing"

	"pintlab/int/sketch/sketchtest"
)

var sink uint64

func BenchmarkSizes(b *testing.B) {
	sketchtest.Bench(b, func() *Sizes { return sizes(b, 3, 1<<16, 1) }, func(s *Sizes, stream []uint64) {
		for _, k := range stream {
			s.Insert(k)
		}
	}, func(s *Sizes, stream []uint64) {
		for _, k := range stream {
			n, _ := s.Estimate(k)
			sink += n
		}
	})
}

// BenchmarkSketch is a sum and two maxima.
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

func BenchmarkParts(b *testing.B) {
	place := func(k uint64) Place {
		i := uint32(k)
		return Place{[2]uint32{i % DelayBuckets, i >> 15 % DelayBuckets}, [4]uint32{i >> 16, uint32(k >> 20 & 0xffff), uint32(k >> 36 & 0xffff), uint32(k >> 48)}}
	}
	now := uint32(0)
	buf := make([]byte, 0, SketchletBytes)
	sketchtest.Bench(b, func() *Parts { return new(Parts) }, func(p *Parts, stream []uint64) {
		for _, k := range stream {
			now++
			at := place(k)
			p.Record(&at, now&0x3fff, now)
		}
	}, func(p *Parts, stream []uint64) {
		for _, k := range stream {
			sink += uint64(p.AppendSketchlet(buf, 1, 1, uint32(k)%Sketchlets)[23])
		}
	})
}
