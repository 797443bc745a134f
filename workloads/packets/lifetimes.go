package packets

import (
	"math/rand/v2"

	"pintlab/internal/numeric"
	"pintlab/netsim/unit"
)

// lifetimes draws the packets of flows that live for a part of the window, in order of time. It is a heap of the
// flows by their next packet, so it needs memory for each flow, not for each packet.
type lifetimes struct {
	heap   []lifetime
	random *rand.Rand
}

// lifetime contains the packets that a flow has not yet sent.
type lifetime struct {
	next, end unit.Time // times of its next packet and of the end of the flow
	rank      int
	packets   int // number of packets left, including the next one
}

func newLifetimes(sizes []int, share float64, window unit.Time, random *rand.Rand) *lifetimes {
	l := &lifetimes{make([]lifetime, len(sizes)), random}
	whole := float64(window)
	for r, n := range sizes {
		start := float64(float64(random.Float64()*(1+share))-share) * whole
		f := &l.heap[r]
		*f = lifetime{
			next: unit.Time(max(0, start)), end: min(window, unit.Time(start+float64(share*whole))+1),
			rank: r, packets: n,
		}
		f.advance(random)
	}
	for i := len(l.heap)/2 - 1; i >= 0; i-- {
		l.sink(i)
	}
	return l
}

// advance moves next to the first of the flow's packets, which are uniform from next to end. The first of n uniform
// numbers in (0, 1) is distributed as 1 - u^(1/n).
func (f *lifetime) advance(random *rand.Rand) {
	x := numeric.Exponential(random.Uint64()) / float64(f.packets)
	f.next = min(f.next+unit.Time(float64(f.end-f.next)*float64(x*numeric.Growth(-x))), f.end-1)
}

// draw returns the next packet.
func (l *lifetimes) draw() (rank int, at unit.Time) {
	f := &l.heap[0]
	rank, at = f.rank, f.next
	if f.packets--; f.packets > 0 {
		f.advance(l.random)
	} else {
		last := len(l.heap) - 1
		l.heap[0], l.heap = l.heap[last], l.heap[:last]
	}
	l.sink(0)
	return rank, at
}

// sink moves entry i below all entries that come before it.
func (l *lifetimes) sink(i int) {
	for {
		first := 2*i + 1
		if first >= len(l.heap) {
			return
		}
		if right := first + 1; right < len(l.heap) && l.heap[right].before(&l.heap[first]) {
			first = right
		}
		if !l.heap[first].before(&l.heap[i]) {
			return
		}
		l.heap[i], l.heap[first] = l.heap[first], l.heap[i]
		i = first
	}
}

// before reports whether f is drawn before g.
func (f *lifetime) before(g *lifetime) bool {
	return f.next < g.next || f.next == g.next && f.rank < g.rank
}
