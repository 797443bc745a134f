package transport

import (
	"slices"

	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// stage is one step of a flow's path. It is a port. But if packets may take several equally short paths, it is all
// ports at the same distance in links from the flow's source.
type stage struct {
	fastest netsim.PortID
	delay   unit.Time // shortest of any port
	total   unit.Rate // total rate of all ports
	wide    bool      // more than one port
}

// stageFinder finds the stages of flows. It reuses its memory.
type stageFinder struct {
	found    []stage
	at, next []topo.NodeID
}

// find returns the stages from a port to a host. The first stage has only that port, because the
// sending host uses no other port.
func (s *stageFinder) find(n *netsim.Network, routes *route.Table, first netsim.PortID, dst topo.NodeID) []stage {
	g := routes.Graph()
	s.found = append(s.found[:0], stage{first, n.PortDelay(first), n.PortRate(first), false})
	s.at = append(s.at[:0], first.To(g))
	for s.at[0] != dst {
		x := stage{fastest: -1, delay: unit.Never}
		s.next = s.next[:0]
		for _, at := range s.at {
			for _, p := range routes.NextHops(at, dst) {
				r := n.PortRate(p)
				x.wide = x.fastest >= 0
				x.total += r
				x.delay = min(x.delay, n.PortDelay(p))
				if !x.wide || r > n.PortRate(x.fastest) {
					x.fastest = p
				}
				s.next = append(s.next, p.To(g))
			}
		}
		if x.fastest < 0 {
			break // there is no path any more: the flow keeps its old path
		}
		s.found = append(s.found, x)
		slices.Sort(s.next)
		s.at, s.next = slices.Compact(s.next), s.at
	}
	return s.found
}

// rateOf returns the rate of the slowest stage.
func rateOf(found []stage) unit.Rate {
	r := found[0].total
	for _, x := range found[1:] {
		r = min(r, x.total)
	}
	return r
}

// SpreadRate returns the rate at which packets of a flow that uses all shortest paths at the same
// time can reach a host.
func SpreadRate(n *netsim.Network, routes *route.Table, first netsim.PortID, dst topo.NodeID) unit.Rate {
	var s stageFinder
	return rateOf(s.find(n, routes, first, dst))
}
