package topo

import (
	"cmp"
	"fmt"
	"slices"

	"pintlab/internal/hash"
	"pintlab/netsim/unit"
)

// ISP is a network of switches as internet providers have: sites in a plane, joined by short links
// into rings of a dozen hops. Most sites have two links, and few links are long. It replaces maps
// of real networks, which cannot be distributed. Number of nodes, number of links and diameter are
// exactly as requested. There are no hosts. The zero value is not valid; start from DefaultISP or
// USCarrierISP.
type ISP struct {
	Nodes    int       `yaml:"nodes"`    // 2..4096
	Links    int       `yaml:"links"`    // Nodes-1..3·Nodes-6, because the network is connected and planar
	Diameter int       `yaml:"diameter"` // longest shortest path, in links, 1..Nodes-1
	Seed     uint64    `yaml:"seed"`     // selects the network
	Rate     unit.Rate `yaml:"rate"`     // rate of every link, > 0
	Delay    unit.Time `yaml:"delay"`    // propagation of every link, 0..MaxDelay
}

// DefaultISP has the size of Kentucky Datalink: 754 switches, 895 links, paths of up to
// 59 switches.
func DefaultISP() ISP {
	return ISP{Nodes: 754, Links: 895, Diameter: 58, Seed: 1, Rate: 10 * unit.Gbps, Delay: unit.Millisecond}
}

// USCarrierISP has the size of US Carrier: 158 switches, 189 links, paths of up to 36
// switches.
func USCarrierISP() ISP {
	return ISP{Nodes: 158, Links: 189, Diameter: 35, Seed: 1, Rate: 10 * unit.Gbps, Delay: unit.Millisecond}
}

// Build makes the graph. Its error lists every rule that c breaks, or reports that no network with
// these numbers was found.
//
// A minimum spanning tree joins the sites. The other links close rings: they join near sites that
// are many hops apart, leaves first. The longer and narrower the plane, the larger the diameter. So
// Build bisects the shape of the plane until the diameter fits, and draws new sites if no shape
// does.
func (c ISP) Build() (*Graph, error) {
	v := violations{what: "isp"}
	v.count("nodes", c.Nodes, 2, 1<<12)
	if c.Nodes >= 2 {
		v.count("links", c.Links, c.Nodes-1, max(c.Nodes-1, 3*c.Nodes-6))
		v.count("diameter", c.Diameter, 1, c.Nodes-1)
	}
	v.rate("rate", c.Rate)
	v.delay("delay", c.Delay)
	if err := v.err(); err != nil {
		return nil, err
	}
	const attempts = 64
	nearest := -1
	for attempt := range uint64(attempts) {
		lo, hi := ispSquare, ispLine
		for lo <= hi {
			shape := (lo + hi) / 2
			p := newISPPlane(c, attempt, shape)
			d := p.diameter()
			if d == c.Diameter {
				return c.graph(p), nil
			}
			if nearest < 0 || abs(d-c.Diameter) < abs(nearest-c.Diameter) {
				nearest = d
			}
			if d < c.Diameter {
				lo = shape + 1
			} else {
				hi = shape - 1
			}
		}
	}
	return nil, fmt.Errorf("isp: no network of %d nodes and %d links with diameter %d found; the nearest had %d",
		c.Nodes, c.Links, c.Diameter, nearest)
}

func (c ISP) graph(p *ispPlane) *Graph {
	b := newBuilder(fmt.Sprintf("isp-%d-%d-%d", c.Nodes, c.Links, c.Diameter), c.Nodes, c.Links)
	b.nodes(c.Nodes, Switch, -1, "s")
	for u, peers := range p.peers {
		for _, v := range peers {
			if int(v) > u {
				b.link(NodeID(u), NodeID(v), c.Rate, c.Delay)
			}
		}
	}
	return b.g
}

func abs(x int) int { return max(x, -x) }

// The ratio of the sides of the plane goes from 1 to about 4000 in steps. A shape is the number of such a step.
const (
	ispSquare = 0
	ispLine   = 96
)

// ispPlane is the network under construction. Coordinates and squared distances are integers, so that the network is
// the same on every machine.
type ispPlane struct {
	x, y  []int64
	peers [][]int32
	links int

	depth []int32 // scratch of bfs: hops plus one, 0 unvisited
	queue []int32
}

func newISPPlane(c ISP, attempt uint64, shape int) *ispPlane {
	n := c.Nodes
	p := &ispPlane{x: make([]int64, n), y: make([]int64, n), peers: make([][]int32, n), depth: make([]int32, n)}
	// The sides are 2^20·2^(shape/16) and 2^20/2^(shape/16), linearly interpolated between
	// powers of two.
	stretch := int64(16+shape%16) << (shape / 16)
	r := hash.Stream(c.Seed, "topo/isp", attempt)
	for i := range n {
		p.x[i] = r.Int64N(1<<20) * stretch / 16
		p.y[i] = r.Int64N(1<<20) * 16 / stretch
	}
	p.tree()
	p.rings(c.Links)
	return p
}

// far returns the squared distance of two sites.
func (p *ispPlane) far(u, v int) int64 {
	dx, dy := p.x[u]-p.x[v], p.y[u]-p.y[v]
	return dx*dx + dy*dy
}

func (p *ispPlane) join(u, v int) {
	p.peers[u] = append(p.peers[u], int32(v))
	p.peers[v] = append(p.peers[v], int32(u))
	p.links++
}

// tree joins the sites by a minimum spanning tree (Prim).
func (p *ispPlane) tree() {
	n := len(p.x)
	best := make([]int64, n) // distance to the tree
	via := make([]int, n)
	in := make([]bool, n)
	for v := range n {
		best[v], via[v] = p.far(0, v), 0
	}
	in[0] = true
	for range n - 1 {
		u := -1
		for v := range n {
			if !in[v] && (u < 0 || best[v] < best[u]) {
				u = v
			}
		}
		in[u] = true
		p.join(via[u], u)
		for v := range n {
			if d := p.far(u, v); !in[v] && d < best[v] {
				best[v], via[v] = d, u
			}
		}
	}
}

// ispPair is a possible link.
type ispPair struct {
	u, v int32
	far  int64
}

// rings adds links up to the requested number. Rings of at least ten hops come first, then smaller
// ones. Within a size, links at sites with one link come first.
func (p *ispPlane) rings(links int) {
	for near := 8; ; near *= 2 { // rarely repeats
		pairs := p.near(near)
		for ring := 10; ring >= 3; ring-- {
			for leaves := 2; leaves >= 0; leaves-- {
				for _, q := range pairs {
					if p.links == links {
						return
					}
					if p.leaves(q) >= leaves && !p.within(q.u, q.v, int32(ring-2)) {
						p.join(int(q.u), int(q.v))
					}
				}
			}
		}
		if near >= len(p.x) {
			return
		}
	}
}

func (p *ispPlane) leaves(q ispPair) int {
	n := 0
	if len(p.peers[q.u]) == 1 {
		n++
	}
	if len(p.peers[q.v]) == 1 {
		n++
	}
	return n
}

// near returns the pairs of sites in which one site is among the k sites nearest to the other, shortest distance first.
func (p *ispPlane) near(k int) []ispPair {
	rows := make([][]ispPair, len(p.x))
	for u := range p.x {
		row := make([]ispPair, 0, k+1) // ascending
		for v := range p.x {
			q := ispPair{int32(u), int32(v), p.far(u, v)}
			if v == u || len(row) == k && row[k-1].far <= q.far {
				continue
			}
			i := len(row)
			for ; i > 0 && row[i-1].far > q.far; i-- {
			}
			row = slices.Insert(row, i, q)
			row = row[:min(k, len(row))]
		}
		rows[u] = row
	}
	var pairs []ispPair
	for u, row := range rows {
		for _, q := range row {
			back := slices.ContainsFunc(rows[q.v], func(o ispPair) bool { return int(o.v) == u })
			if int(q.v) > u || !back {
				pairs = append(pairs, q)
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b ispPair) int { return cmp.Compare(a.far, b.far) })
	return pairs
}

// within reports whether two sites are at most this many hops apart.
func (p *ispPlane) within(u, v, hops int32) bool {
	p.bfs(u, hops)
	found := p.depth[v] != 0
	for _, w := range p.queue {
		p.depth[w] = 0
	}
	return found
}

// bfs marks the sites within this many hops of u in depth and queue. The caller clears depth.
func (p *ispPlane) bfs(u int32, hops int32) {
	p.queue = append(p.queue[:0], u)
	p.depth[u] = 1
	for i := 0; i < len(p.queue); i++ {
		at := p.queue[i]
		if p.depth[at] > hops {
			return
		}
		for _, w := range p.peers[at] {
			if p.depth[w] == 0 {
				p.depth[w] = p.depth[at] + 1
				p.queue = append(p.queue, w)
			}
		}
	}
}

func (p *ispPlane) diameter() int {
	longest := int32(0)
	for u := range p.peers {
		p.bfs(int32(u), int32(len(p.x)))
		longest = max(longest, p.depth[p.queue[len(p.queue)-1]]-1)
		clear(p.depth)
	}
	return int(longest)
}
