package route

import (
	"math/bits"

	"pintlab/internal/hash"
	"pintlab/internal/invariants"
	"pintlab/netsim/topo"
)

// Permute lets the sender choose the whole path of each packet. The sender uses its paths in a random order until each
// path has had a packet, and then in a new order. Handley et al., "Re-architecting datacenter networks and stacks for
// low latency and high performance", SIGCOMM 2017 (NDP), §3.1. Within an order, the numbers of packets on the paths of
// a flow differ by at most one. Flows use different orders.
//
// A packet has a path number from 0 to 255. A flow with more paths uses 256 of them.
type Permute struct{}

func (*Permute) Splits() Split { return Packets }

func (*Permute) Options(*Options) {}

func (*Permute) Balancer(_ *topo.Graph, seed uint64) Balancer {
	return &permuted{dice{hash.Combine(hash.String("route/permute"), seed)}}
}

// PathBalancer is a Balancer whose senders choose the paths of their packets. Choose handles
// packets that have left the path of their flow, behind a switch that forwards wrongly or after a
// route change.
type PathBalancer interface {
	Balancer
	// Begin initialises the order in which a sender uses its n paths. All packets of a flow in one
	// direction share the value flow.
	Begin(o *Order, flow uint64, n int)
}

// permuted implements Permute.
type permuted struct{ dice }

func (p *permuted) Begin(o *Order, flow uint64, n int) {
	o.state, o.used, o.paths = hash.Combine(p.salt, flow), 0, o.paths[:0]
	for i := range min(n, MostPaths) {
		o.paths = append(o.paths, uint8(i))
	}
	o.listed, o.penalty, o.records = len(o.paths), nil, o.records[:0]
}

// MostPaths is the largest number of paths that a flow uses.
const MostPaths = 256

// Order yields paths in random order. When it has yielded each path once, it starts a new order. With a Penalty, some
// paths are excluded.
type Order struct {
	paths   []uint8 // the paths before index used have come in this order
	used    int
	listed  int // paths from this index on are excluded
	state   uint64
	penalty *Penalty
	records []pathRecord // by path, with a penalty
	epoch   uint32       // number of exclusions and renumberings
}

// Next returns the next path, by one step of the Fisher-Yates shuffle.
func (o *Order) Next() uint8 {
	if o.used == o.listed {
		o.used = 0
		if o.penalty != nil {
			o.judge()
		}
		if invariants.Enabled {
			invariants.Check(o.listed >= 1 && 2*o.listed >= len(o.paths), "%d paths of %d in an order",
				o.listed, len(o.paths))
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

// Paths returns the number of equally short paths from a node to a destination, from 1 to
// MostPaths. It is the product of the numbers of next hops along the first path; other paths may
// have other numbers.
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

// Along returns the port on which a path from a node to a destination leaves the node at; ok is
// false if the path does not cross that node. Any number selects a path. As many consecutive
// numbers as there are paths select all of them.
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
