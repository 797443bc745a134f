package tower

import (
	"fmt"
	"testing"

	"pintlab/int/sketch/sketchtest"
)

var sink uint64

func BenchmarkTower(b *testing.B) {
	for _, c := range []struct {
		memory int
		bits   []int
	}{{2_000_000, []int{2, 4, 8, 16, 32}}, {900_000, []int{8, 16, 32}}, {900_000, []int{4, 12, 24}}} {
		for _, conservative := range []bool{false, true} {
			name := fmt.Sprintf("CM-%d", len(c.bits))
			if conservative {
				name = fmt.Sprintf("CU-%d", len(c.bits))
			}
			b.Run(name, func(b *testing.B) {
				sketchtest.Bench(b, func() *Sketch {
					config := EqualMemory(c.memory, c.bits...)
					config.Conservative = conservative
					s, err := New(config)
					if err != nil {
						b.Fatal(err)
					}
					return s
				}, func(s *Sketch, stream []uint64) {
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
}
