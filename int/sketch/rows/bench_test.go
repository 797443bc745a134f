package rows

import (
	"fmt"
	"testing"

	"pintlab/int/sketch/sketchtest"
)

var sink uint64

func BenchmarkCountMin(b *testing.B) {
	for _, c := range []struct{ memory, rows int }{{2_000_000, 5}, {900_000, 3}} {
		b.Run(fmt.Sprintf("%d-rows", c.rows), func(b *testing.B) {
			sketchtest.Bench(b, func() *CountMin {
				s, err := NewCountMin(c.rows, CountersFor(c.memory, c.rows), 1)
				if err != nil {
					b.Fatal(err)
				}
				return s
			}, func(s *CountMin, stream []uint64) {
				for _, k := range stream {
					s.Insert(k, 1)
				}
			}, func(s *CountMin, stream []uint64) {
				for _, k := range stream {
					n, _ := s.Estimate(k)
					sink += n
				}
			})
		})
	}
}
