// Package entropy estimates the entropy of flow sizes, −Σ (n/N)·log₂(n/N) over the flows
// with n of all N packets (SketchINT, §V-A).
package entropy

import "math"

// Online keeps the entropy of a stream up to date: with each packet of a flow it replaces
// the term n·log₂n of the flow, so that at the end the entropy is log₂N − Σ n·log₂n / N.
// The sizes come from a sketch, before and after its insertion. The zero Online has seen
// no packet.
//
// This is how the code of SketchINT measures entropy, while the SketchINT paper (§V-A) computes it from the
// flow size distribution.
type Online struct {
	sum     float64
	packets uint64
}

// Packet adds one packet of a flow. before and after are the estimates of its size around
// the packet.
func (o *Online) Packet(before, after uint64) {
	o.packets++
	if before != after {
		o.sum += term(after) - term(before)
	}
}

// Value returns the entropy in bits, 0 before the first packet.
func (o *Online) Value() float64 {
	if o.packets == 0 {
		return 0
	}
	return math.Log2(float64(o.packets)) - o.sum/float64(o.packets)
}

// term returns n·log₂n.
func term(n uint64) float64 {
	if n < 2 {
		return 0
	}
	return float64(n) * math.Log2(float64(n))
}

// Sum is the entropy of flows whose sizes are known: Add them, then take Value. It serves
// as the truth and for sketches that know their counters only at the end.
type Sum struct {
	sum, packets float64
}

// Add adds a number of flows of the same size. A negative number removes them.
func (s *Sum) Add(size uint64, flows float64) {
	s.sum += flows * term(size)
	s.packets += flows * float64(size)
}

// Value returns the entropy in bits, 0 without packets.
func (s *Sum) Value() float64 {
	if s.packets <= 0 {
		return 0
	}
	return math.Log2(s.packets) - s.sum/s.packets
}
