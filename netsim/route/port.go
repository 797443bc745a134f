package route

import "pintlab/netsim/topo"

// Port is one direction of a link: 2*link leads from end A to end B, and 2*link+1 from B to A. The Port identifies the
// egress port of the sending node.
type Port int32

// Reverse returns the other direction of the same link.
func (p Port) Reverse() Port { return p ^ 1 }

// Link returns the index of the link in Graph.Links.
func (p Port) Link() int { return int(p >> 1) }

// From returns the node that sends through p.
func (p Port) From(g *topo.Graph) topo.NodeID {
	l := &g.Links[p.Link()]
	if p&1 == 0 {
		return l.A
	}
	return l.B
}

// To returns the node that p leads to.
func (p Port) To(g *topo.Graph) topo.NodeID { return p.Reverse().From(g) }
