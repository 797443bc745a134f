package telemetry

import (
	"testing"

	"pgregory.net/rapid"
)

// Reports 0 to n−1 are sent, some are lost, and the others come in any order. The collector counts exactly the lost
// reports, even if the numbers wrap around.
func TestNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.SampledFrom([]uint32{0, 1<<32 - 5}).Draw(t, "first")
		n := rapid.IntRange(1, 40).Draw(t, "sent")
		s := Numbers{next: first}
		var arrived []uint32
		for i := range n {
			if rapid.Bool().Draw(t, "arrives") {
				arrived = append(arrived, first+uint32(i))
			}
		}
		for _, number := range rapid.Permutation(arrived).Draw(t, "order") {
			s.Hear(number)
		}
		if lost := s.Lost(first + uint32(n)); s.Received != int64(len(arrived)) || lost != int64(n-len(arrived)) {
			t.Fatalf("%d received, %d lost; want %d, %d", s.Received, lost, len(arrived), n-len(arrived))
		}
	})
}
