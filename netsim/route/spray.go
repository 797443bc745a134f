package route

import (
	"pintlab/internal/hash"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// Spray sends each packet on its own path: Dixit et al., "On the Impact of Packet Spraying in Data
// Center Networks", INFOCOM 2013. Paths carry equal numbers of packets, and packets may arrive in
// any order.
type Spray struct {
	// How a switch chooses among next hops.
	Choice string `yaml:"choice" default:"random" oneof:"random|round-robin"`
}

func (*Spray) Splits() Split { return Packets }

func (*Spray) Options(*Options) {}

func (p *Spray) Balancer(g *topo.Graph, seed uint64) Balancer {
	if p.Choice == "round-robin" {
		return &roundRobin{next: make([]uint32, 2*len(g.Links))}
	}
	return &dice{salt: hash.Combine(hash.String("route/spray"), seed)}
}

// dice is random spraying. Each draw is a hash of the node, the flow and the packet.
type dice struct{ salt uint64 }

func (d *dice) Choose(at topo.NodeID, _ unit.Time, next []Port, flow, packet uint64) int {
	return int(hash.Combine(hash.Combine(d.salt^uint64(at), flow), packet) % uint64(len(next)))
}

// roundRobin cycles through the next hops. A list of next hops is identified by its first port.
type roundRobin struct{ next []uint32 }

func (t *roundRobin) Choose(_ topo.NodeID, _ unit.Time, next []Port, _, _ uint64) int {
	n := &t.next[next[0]]
	i := int(*n) % len(next)
	*n = uint32(i) + 1
	return i
}
