package route

import (
	"math"

	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// Halves is the rate at which the first half of the hosts, by number, can send to the second half at the same time. It
// is the maximum flow over the links; hosts do not forward, and links inside servers do not count. The generators
// number their hosts along the network, so for their graphs this rate is the bisection bandwidth. For an arbitrary
// graph, the minimum over all ways to halve the hosts is a hard problem and not attempted. If the number of hosts is
// odd, the second half is the larger one.
type Halves struct {
	Rate  unit.Rate `json:"rate"`  // math.MaxInt64 if the sum of the link rates overflows
	Hosts unit.Rate `json:"hosts"` // sum of the link rates of the first half's hosts
}

func halves(g *topo.Graph) *Halves {
	total := unit.Rate(0)
	for _, l := range g.Links {
		if l.Rate > (math.MaxInt64-total)/2 {
			return &Halves{Rate: math.MaxInt64, Hosts: math.MaxInt64}
		}
		total += l.Rate
	}
	hosts := g.Hosts()
	firstOfSecond := hosts[len(hosts)/2]
	n := len(g.Nodes)
	f := newFlow(n+2, len(g.Links))
	source, sink := int32(n), int32(n+1)
	h := &Halves{}
	for _, l := range g.Links {
		a, b := l.A, l.B
		if g.Nodes[a].Kind == topo.Switch {
			a, b = b, a // if one end is a host, a is now that end
		}
		if g.Nodes[b].Inside {
			continue
		}
		first := a < firstOfSecond
		switch {
		case g.Nodes[a].Kind == topo.Switch: // and so is b
			f.join(int32(a), int32(b), l.Rate, l.Rate)
		case g.Nodes[b].Kind == topo.Host:
			if first != (b < firstOfSecond) {
				f.join(source, sink, l.Rate, 0)
				h.Hosts += l.Rate
			}
		case first:
			f.join(source, int32(b), l.Rate, 0)
			h.Hosts += l.Rate
		default:
			f.join(int32(b), sink, l.Rate, 0)
		}
	}
	h.Rate = f.max(source, sink)
	return h
}

// flow is Dinic's maximum-flow algorithm (Dinitz, 1970): breadth-first levels, then a blocking flow
// along them, until the sink is unreachable.
type flow struct {
	adj   [][]int32 // outgoing edges by node; edges e and e^1 are each other's reverse
	head  []int32
	left  []unit.Rate // remaining capacity of an edge
	level []int32
	next  []int // by node: its edges before this one are exhausted in this phase
}

func newFlow(nodes, edges int) *flow {
	return &flow{
		adj: make([][]int32, nodes), level: make([]int32, nodes), next: make([]int, nodes),
		head: make([]int32, 0, 2*edges), left: make([]unit.Rate, 0, 2*edges),
	}
}

// join adds a link between a and b. The parameter there is the capacity from a to b, and back the capacity from b to a.
func (f *flow) join(a, b int32, there, back unit.Rate) {
	e := int32(len(f.head))
	f.head = append(f.head, b, a)
	f.left = append(f.left, there, back)
	f.adj[a] = append(f.adj[a], e)
	f.adj[b] = append(f.adj[b], e+1)
}

func (f *flow) max(source, sink int32) unit.Rate {
	total := unit.Rate(0)
	for f.setLevels(source, sink) {
		clear(f.next)
		for {
			pushed := f.push(source, sink, math.MaxInt64)
			if pushed == 0 {
				break
			}
			total += pushed
		}
	}
	return total
}

func (f *flow) setLevels(source, sink int32) bool {
	for i := range f.level {
		f.level[i] = -1
	}
	f.level[source] = 0
	queue := []int32{source}
	for i := 0; i < len(queue); i++ {
		at := queue[i]
		for _, e := range f.adj[at] {
			if to := f.head[e]; f.left[e] > 0 && f.level[to] < 0 {
				f.level[to] = f.level[at] + 1
				queue = append(queue, to)
			}
		}
	}
	return f.level[sink] >= 0
}

// push sends a flow of at most limit from a node to the sink along the levels.
func (f *flow) push(at, sink int32, limit unit.Rate) unit.Rate {
	if at == sink {
		return limit
	}
	for ; f.next[at] < len(f.adj[at]); f.next[at]++ {
		e := f.adj[at][f.next[at]]
		to := f.head[e]
		if f.left[e] == 0 || f.level[to] != f.level[at]+1 {
			continue
		}
		if sent := f.push(to, sink, min(limit, f.left[e])); sent > 0 {
			f.left[e] -= sent
			f.left[e^1] += sent
			return sent
		}
	}
	return 0
}
