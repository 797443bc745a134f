package route

import (
	"math/bits"

	"pintlab/internal/hash"
	"pintlab/internal/invariants"
	"pintlab/netsim/topo"
)

// Permute lets the sender choose the path of each packet from end to end: it takes its paths in
// a random order until each has had a packet, and then in another one. Handley et al.,
// "Re-architecting datacenter networks and stacks for low latency and high performance",
// SIGCOMM 2017 (NDP), §3.1. The packets of a flow are spread evenly to the packet, and flows do
// not use the same order.
//
// A packet has a number for its path, from 0 to 255. A flow with more paths uses 256 of them.
type Permute struct{}

func (*Permute) Splits() Split { return Packets }

func (*Permute) Options(*Options) {}

func (*Permute) Balancer(_ *topo.Graph, seed uint64) Balancer {
	return &permuted{dice{hash.Combine(hash.String("route/permute"), seed)}}
}

// PathBalancer is a Balancer by which senders choose the paths of their packets. Choose is
// for packets that are not on a path of their flow: behind a switch that forwards wrongly, or
// after a change of routes.
type PathBalancer interface {
	Balancer
	// Begin makes the order in which a sender uses its n paths. flow is what packets of a
	// flow have in common in one direction.
	Begin(o *Order, flow uint64, n int)
}

// permuted is Permute.
type permuted struct{ dice }

func (p *permuted) Begin(o *Order, flow uint64, n int) {
	o.state, o.used, o.paths = hash.Combine(p.salt, flow), 0, o.paths[:0]
	for i := range min(n, MostPaths) {
		o.paths = append(o.paths, uint8(i))
	}
	o.listed, o.penalty, o.records = len(o.paths), nil, o.records[:0]
}

// MostPaths is how many paths a flow uses at most.
const MostPaths = 256

// Order is a random order of paths, and after each of them has come, another one. With a
// Penalty some are left out.
type Order struct {
	paths   []uint8 // those up to used have come in this round
	used    int
	listed  int // paths from this index on are left out
	state   uint64
	penalty *Penalty
	records []pathRecord // by path, with a penalty
	epoch   uint32       // how often a path was left out or paths were numbered anew
}

// Next returns the path that comes next: a step of the shuffle of Fisher and Yates.
func (o *Order) Next() uint8 {
	if o.used == o.listed {
		o.used = 0
		if o.penalty != nil {
			o.judge()
		}
		if invariants.Enabled {
			invariants.Check(o.listed >= 1 && 2*o.listed >= len(o.paths), "%d paths of %d in an order", o.listed, len(o.paths))
		}
	}
	o.state = hash.Mix64(o.state + 0x9e37_79b9_7f4a_7c15)
	i := o.used
	draw, _ := bits.Mul64(o.state, uint64(o.listed-i))
	j := i + int(draw)
	o.paths[i], o.paths[j] = o.paths[j], o.paths[i]
	o.used++
	return o.paths[i]
}

// Paths returns the number of equally short paths from a node to a destination, the product of the
// choices on the way, at least 1; MostPaths stands for any larger number. If the number of choices
// depends on the path, the choices along the first path count.
func (t *Table) Paths(from, dst topo.NodeID) int {
	n := 1
	for at := from; at != dst && n < MostPaths; {
		next := t.NextHops(at, dst)
		if len(next) == 0 {
			break
		}
		n *= len(next)
		at = next[0].To(t.graph)
	}
	return min(n, MostPaths)
}

// Along returns the port by which a path from a node to a destination goes on at another node; ok
// is false if it does not cross that. Any number is a path; as many consecutive numbers as there
// are paths name all of them.
func (t *Table) Along(at, from, dst topo.NodeID, path uint) (p Port, ok bool) {
	for here := from; here != dst; {
		next := t.NextHops(here, dst)
		if len(next) == 0 {
			break
		}
		p = next[0]
		if n := uint(len(next)); n > 1 {
			p = next[path%n]
			path /= n
		}
		if here == at {
			return p, true
		}
		here = p.To(t.graph)
	}
	return -1, false
}
