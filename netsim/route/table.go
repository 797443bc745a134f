package route

import (
	"fmt"
	"strings"

	"pintlab/internal/mem"
	"pintlab/netsim/topo"
)

// Options set how to choose among shortest paths. The zero value is ascending order and Mix with
// seed 0. Routes lead from hosts to hosts; in a graph without hosts, from switches to switches.
type Options struct {
	Order CandidateOrder
	Hash  ECMP
	Seed  uint64 // seed of Mix
	// Weighted gives each candidate a share of the flows in proportion to the rate at which it
	// reaches the destination, instead of equal shares.
	Weighted bool
}

// Table holds the routes of one graph. It does not change after New, so any number of goroutines
// may read it.
type Table struct {
	graph *topo.Graph
	ends  []topo.NodeID // by port: the node that it leads to
	hash  ECMP
	salt  []uint64
	arcs  arcs

	group []int32 // by node: its column, -1 if it is not a destination
	row   []int32 // by node: its row, -1 for a host with at most one link
	cols  int
	cells []uint32 // row*cols + column → a candidate set, or none, or attached

	setStart []uint32 // candidate set i is setPorts[setStart[i]:setStart[i+1]]
	setPorts []Port
	// By port of a set: the sum of the weights of the set's ports up to this one; nil if all weights are equal.
	setWeights []uint64

	hostPeers   bool    // some link joins two hosts
	lengths     []int64 // number of unordered pairs of endpoints, by switches on their shortest paths
	unreachable int64   // number of such pairs without a path
}

// Values of a cell that are not a candidate set.
const (
	none     = ^uint32(0)     // no path
	attached = ^uint32(0) - 1 // the node is a neighbour of every host of the group
)

// New computes the routes of g. It returns an error if Validate does, or if some hosts cannot reach
// each other; the error names the first few pairs.
func New(g *topo.Graph, o Options) (*Table, error) {
	t, err := NewExcluding(g, o, nil)
	if err != nil {
		return nil, err
	}
	if t.unreachable > 0 {
		var b strings.Builder
		for i, pair := range t.withoutPath(3) {
			if i > 0 {
				b.WriteString("; ")
			}
			fmt.Fprintf(&b, "%s and %s", g.Label(pair[0]), g.Label(pair[1]))
		}
		return nil, fmt.Errorf("route: %d pairs of %s cannot reach each other (hosts do not forward): %s",
			t.unreachable, t.endpointNoun(), b.String())
	}
	return t, nil
}

// NewExcluding computes the routes of g without the links that are true in down, which is indexed
// by link; nil excludes none. Pairs without a path are not an error: they have no next hops, and
// Unreachable lists them.
func NewExcluding(g *topo.Graph, o Options, down []bool) (*Table, error) {
	if err := g.Validate(); err != nil {
		return nil, fmt.Errorf("route: %w", err)
	}
	if down != nil && len(down) != len(g.Links) {
		return nil, fmt.Errorf("route: %d entries for the state of %d links, want one for each "+
			"link", len(down), len(g.Links))
	}
	if int(o.Order) >= len(orderNames) || int(o.Hash) >= len(ecmpNames) {
		return nil, fmt.Errorf("route: order %s, hash %s, want one of %v and one of %v",
			o.Order, o.Hash, orderNames, ecmpNames)
	}
	return build(g, o, down)
}

// NextHops returns the candidates at a node on the shortest paths to a destination, in the order of
// Options. It is empty if at is dst, if there is no path, or if dst is not a destination. The slice
// is shared: the caller must not change it.
func (t *Table) NextHops(at, dst topo.NodeID) []Port {
	col, r := *mem.At(t.group, dst), *mem.At(t.row, at)
	if at == dst || col < 0 {
		return nil
	}
	if t.hostPeers && t.isHost(at) {
		for i := t.arcs.start[at]; i < t.arcs.start[at+1]; i++ {
			if t.arcs.peer[i] == dst {
				return t.arcs.port[i : i+1 : i+1]
			}
		}
	}
	if r < 0 { // a host with at most one link
		lo, hi := t.arcs.start[at], t.arcs.start[at+1]
		if lo == hi {
			return nil
		}
		if r = t.row[t.arcs.peer[lo]]; r < 0 || t.isHost(t.arcs.peer[lo]) || t.cells[int(r)*t.cols+int(col)] == none {
			return nil
		}
		return t.arcs.port[lo:hi:hi]
	}
	set := *mem.At(t.cells, int(r)*t.cols+int(col))
	if set < attached {
		a, b := *mem.At(t.setStart, set), *mem.At(t.setStart, set+1)
		return t.setPorts[a:b:b]
	}
	if set == none {
		return nil
	}
	// The ports from the destination and the ports to the destination belong to the same links.
	for i := t.arcs.start[dst]; i < t.arcs.start[dst+1]; i++ {
		if t.arcs.peer[i] == at {
			return t.arcs.back[i : i+1 : i+1]
		}
	}
	panic("route: a neighbour of a group is not linked to its host") // a bug in build
}

// Pick returns the next hop that a flow takes at a node; ok is false without one.
func (t *Table) Pick(at, dst topo.NodeID, tuple FiveTuple) (p Port, ok bool) {
	next := t.NextHops(at, dst)
	switch {
	case len(next) == 0:
		return -1, false
	case len(next) == 1:
		return next[0], true
	case t.setWeights == nil:
		return next[t.index(at, tuple, len(next))], true
	}
	sums := t.sums(at, dst, len(next))
	draw := t.hashOf(at, tuple) % sums[len(sums)-1]
	i := 0
	for sums[i] <= draw {
		i++
	}
	return next[i], true
}

// sums returns the sums of the weights of a node's n next hops up to each of them. n must be more than 1, because only
// several candidates always form a set. The table must have weights.
func (t *Table) sums(at, dst topo.NodeID, n int) []uint64 {
	a := t.setStart[t.cells[int(t.row[at])*t.cols+int(t.group[dst])]]
	return t.setWeights[a : int(a)+n]
}

// Divide returns the next hops at a node and how much of the traffic x of many flows takes each of them. It appends
// these parts to buf.
func (t *Table) Divide(buf []float64, at, dst topo.NodeID, x float64) ([]Port, []float64) {
	next := t.NextHops(at, dst)
	if len(next) < 2 || t.setWeights == nil {
		for range next {
			buf = append(buf, x/float64(len(next)))
		}
		return next, buf
	}
	sums, before := t.sums(at, dst, len(next)), uint64(0)
	for _, sum := range sums {
		buf = append(buf, x*float64(sum-before)/float64(sums[len(sums)-1]))
		before = sum
	}
	return next, buf
}

// Path appends the ports that a flow crosses to buf: the port of the source, then one of each
// switch. The last port leads to dst. It appends nothing if src is dst or if there is no path.
func (t *Table) Path(buf []Port, src, dst topo.NodeID, tuple FiveTuple) []Port {
	col := *mem.At(t.group, dst)
	for at := src; at != dst; {
		// This inlines Pick for the common case, because a run with many short flows spends much of
		// its time here.
		if r := t.row[at]; r >= 0 && col >= 0 && t.setWeights == nil && !t.hostPeers {
			if set := t.cells[int(r)*t.cols+int(col)]; set < attached {
				next := t.setPorts[t.setStart[set]:t.setStart[set+1]]
				p := next[0]
				if len(next) > 1 {
					p = next[t.index(at, tuple, len(next))]
				}
				buf = append(buf, p)
				at = t.ends[p]
				continue
			}
		}
		p, ok := t.Pick(at, dst, tuple)
		if !ok {
			break // this can happen only at src, because every candidate leads to dst
		}
		buf = append(buf, p)
		at = t.ends[p]
	}
	return buf
}

// Graph returns the graph of t.
func (t *Table) Graph() *topo.Graph { return t.graph }

// reachable reports whether there is a path between two nodes. dst must be a
// destination; a node reaches itself.
func (t *Table) reachable(src, dst topo.NodeID) bool {
	return src == dst || len(t.NextHops(src, dst)) > 0
}

// MaxHops returns the largest number of switches on a shortest path between two hosts. In a graph
// without hosts it counts the switches between two switches, including both. Pairs without a path
// do not count.
func (t *Table) MaxHops() int { return max(len(t.lengths)-1, 0) }

// withoutPath returns the first few pairs without a path, in ascending order.
func (t *Table) withoutPath(limit int) [][2]topo.NodeID {
	var pairs [][2]topo.NodeID
	if t.unreachable == 0 {
		return nil
	}
	ends := t.endpoints()
	for i, a := range ends {
		for _, b := range ends[i+1:] {
			if len(pairs) >= limit {
				return pairs
			}
			if !t.reachable(a, b) {
				pairs = append(pairs, [2]topo.NodeID{a, b})
			}
		}
	}
	return pairs
}

func (t *Table) isHost(id topo.NodeID) bool { return t.graph.Nodes[id].Kind == topo.Host }

// endpoints returns the nodes where flows start and end: the hosts, or the switches of a graph
// without hosts.
func (t *Table) endpoints() []topo.NodeID {
	if hosts := t.graph.Hosts(); len(hosts) > 0 {
		return hosts
	}
	return t.graph.Switches()
}

func (t *Table) endpointNoun() string {
	if len(t.graph.Hosts()) > 0 {
		return "hosts"
	}
	return "switches"
}
