package topo

import "slices"

// Arc is one end of a link as seen from a node: the node at the other end and the link.
type Arc struct {
	Peer NodeID
	Link int32 // index into Graph.Links
}

// Adjacency lists the links of each node, by ascending peer. It is a snapshot: later changes of the
// graph do not affect it.
type Adjacency struct {
	start []int32
	arcs  []Arc
}

// Adjacency returns the neighbour lists of g. It omits links whose ends are not nodes of g;
// Validate reports those.
func (g *Graph) Adjacency() Adjacency {
	n := len(g.Nodes)
	a := Adjacency{start: make([]int32, n+1)}
	for _, l := range g.Links {
		if g.has(l.A) && g.has(l.B) {
			a.start[l.A+1]++
			a.start[l.B+1]++
		}
	}
	for i := range n {
		a.start[i+1] += a.start[i]
	}
	a.arcs = make([]Arc, a.start[n])
	fill := slices.Clone(a.start[:n])
	put := func(at, peer NodeID, link int) {
		a.arcs[fill[at]] = Arc{peer, int32(link)}
		fill[at]++
	}
	for i, l := range g.Links {
		if g.has(l.A) && g.has(l.B) {
			put(l.A, l.B, i)
			put(l.B, l.A, i)
		}
	}
	for i := range n {
		slices.SortFunc(a.arcs[a.start[i]:a.start[i+1]], func(x, y Arc) int {
			if x.Peer != y.Peer {
				return int(x.Peer) - int(y.Peer)
			}
			return int(x.Link) - int(y.Link)
		})
	}
	return a
}

// Of returns the arcs that leave a node, by ascending peer. The caller must not
// change them.
func (a *Adjacency) Of(id NodeID) []Arc { return a.arcs[a.start[id]:a.start[id+1]] }

func (g *Graph) has(id NodeID) bool { return id >= 0 && int(id) < len(g.Nodes) }

// Hosts returns the hosts of g in ascending order.
func (g *Graph) Hosts() []NodeID { return g.ofKind(Host) }

// Switches returns the switches of g in ascending order.
func (g *Graph) Switches() []NodeID { return g.ofKind(Switch) }

func (g *Graph) ofKind(k Kind) []NodeID {
	var ids []NodeID
	for i, n := range g.Nodes {
		if n.Kind == k {
			ids = append(ids, NodeID(i))
		}
	}
	return ids
}
