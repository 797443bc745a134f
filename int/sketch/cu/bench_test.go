package cu

import (
	"fmt"
	"testing"

	"pintlab/int/sketch/rows"
	"pintlab/int/sketch/sketchtest"
)

var sink uint64

func BenchmarkSketch(b *testing.B) {
	for _, c := range []struct{ memory, rows int }{{2_000_000, 5}, {900_000, 3}} {
		b.Run(fmt.Sprintf("%d-rows", c.rows), func(b *testing.B) {
			sketchtest.Bench(b, func() *Sketch {
				s, err := New(c.rows, rows.CountersFor(c.memory, c.rows), 1)
				if err != nil {
					b.Fatal(err)
				}
				return s
			}, func(s *Sketch, stream []uint64) {
				for _, k := range stream {
					s.Insert(k)
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
