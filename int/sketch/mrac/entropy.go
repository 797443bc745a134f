package mrac

// OnlineEntropy and EntropySum estimate the entropy of flow sizes, −Σ (n/N)·log₂(n/N), where n is the
// size of a flow and N the number of all packets (SketchINT, §V-A).

import "math"

// OnlineEntropy keeps the entropy of a stream up to date: with each packet of a flow it replaces the term n·log₂n of
// the flow, so that at the end the entropy is log₂N − Σ n·log₂n / N. The sizes are the estimates of a sketch before and
// after the insertion of the packet. The zero OnlineEntropy has seen no packet.
//
// This is how the code of SketchINT measures entropy, while the SketchINT paper (§V-A) computes it from the
// flow size distribution.
type OnlineEntropy struct {
	sum   float64
	total uint64
}

// Insert adds n packets or bytes of a flow. before and after are the estimates of its size before and after this
// insertion.
func (o *OnlineEntropy) Insert(n, before, after uint64) {
	o.total += n
	if before != after {
		o.sum += term(after) - term(before)
	}
}

// Value returns the entropy in bits, 0 before the first packet.
func (o *OnlineEntropy) Value() float64 {
	if o.total == 0 {
		return 0
	}
	return math.Log2(float64(o.total)) - o.sum/float64(o.total)
}

// term returns n·log₂n.
func term(n uint64) float64 {
	if n < 2 {
		return 0
	}
	return float64(n) * math.Log2(float64(n))
}

// EntropySum is the entropy of flows whose sizes are known: Add them, then take Value. It is used for the
// true entropy, and for sketches that estimate sizes only at the end.
type EntropySum struct {
	sum, packets float64
}

// Add adds a number of flows of the same size. A negative number removes them.
func (s *EntropySum) Add(size uint64, flows float64) {
	s.sum += flows * term(size)
	s.packets += flows * float64(size)
}

// Value returns the entropy in bits, 0 without packets.
func (s *EntropySum) Value() float64 {
	if s.packets <= 0 {
		return 0
	}
	return math.Log2(s.packets) - s.sum/s.packets
}
