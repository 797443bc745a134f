package route

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"pintlab/netsim/topo"
)

// maxCells limits the table to 1 GiB.
const maxCells = 1 << 28

// arcs holds the usable links of each node in candidate order, in one array per field. The links of
// node i are at start[i]:start[i+1].
type arcs struct {
	start []int32
	peer  []topo.NodeID
	port  []Port // towards the peer
	back  []Port // from the peer
}

func newArcs(g *topo.Graph, o CandidateOrder, down []bool) arcs {
	adj := g.Adjacency()
	n := 2 * len(g.Links)
	a := arcs{
		start: make([]int32, 1, len(g.Nodes)+1),
		peer:  make([]topo.NodeID, 0, n), port: make([]Port, 0, n), back: make([]Port, 0, n),
	}
	for i := range g.Nodes {
		at := topo.NodeID(i)
		list := adj.Of(at)
		for j := range list {
			arc := list[j]
			if o == Descending {
				arc = list[len(list)-1-j]
			}
			if down != nil && down[arc.Link] {
				continue
			}
			p := Port(2 * arc.Link)
			if g.Links[arc.Link].A != at {
				p++
			}
			a.peer, a.port, a.back = append(a.peer, arc.Peer), append(a.port, p), append(a.back, p.Reverse())
		}
		a.start = append(a.start, int32(len(a.peer)))
	}
	return a
}

// group is a set of destinations with the same routes: hosts that are linked to the same switches.
type group struct {
	roots   []topo.NodeID // the switches, in candidate order; a destination that is a switch is its own root
	members int64         // number of endpoints among the destinations
}

// builder holds the data that is needed only while a table is made.
type builder struct {
	*Table
	groups []group
	sets   map[string]uint32  // candidate set, as its ports and weights → its number
	direct map[[2]int32]int64 // pairs of columns → pairs of hosts that are linked directly

	dist  []int32 // distance from the current group, by node; switches only
	queue []topo.NodeID
	place []int32 // position in queue, by switch; nil if candidates are in the order of arcs
	chain []int32 // arcs of the current candidates
	ports []Port
	key   []byte

	weighted bool
	reach    []uint64 // by switch: the rate in bit/s at which it reaches the current group
	weights  []uint64 // weights of ports
}

func build(g *topo.Graph, o Options, down []bool) (*Table, error) {
	b := &builder{
		Table: &Table{
			graph: g, ends: ends(g), hash: o.Hash, salt: salts(o.Seed, len(g.Nodes)),
			arcs:  newArcs(g, o.Order, down),
			group: make([]int32, len(g.Nodes)), row: make([]int32, len(g.Nodes)),
			setStart: []uint32{0},
		},
		sets: make(map[string]uint32), direct: make(map[[2]int32]int64),
		dist:     make([]int32, len(g.Nodes)),
		weighted: o.Weighted, reach: make([]uint64, len(g.Nodes)),
	}
	b.makeGroups()
	rows := b.makeRows()
	if o.Order == Descending {
		b.place = make([]int32, len(g.Nodes))
	}
	if cells := int64(rows) * int64(b.cols); cells > maxCells {
		return nil, fmt.Errorf("route: %d nodes that choose × %d groups of destinations = %d table cells, want at "+
			"most %d",
			rows, b.cols, cells, maxCells)
	}
	b.cells = make([]uint32, rows*b.cols)
	b.countDirect()
	for col := range b.groups {
		if b.twins(col) {
			b.turn(col)
		} else {
			b.search(col)
			if b.weighted {
				b.weigh()
			}
			b.fillColumn(col, nil)
		}
		b.measure(col)
	}
	return b.Table, nil
}

// ends returns, for each port of a graph, the node that it leads to.
func ends(g *topo.Graph) []topo.NodeID {
	to := make([]topo.NodeID, 2*len(g.Links))
	for p := range to {
		to[p] = Port(p).To(g)
	}
	return to
}

// makeGroups assigns a column to every destination.
func (b *builder) makeGroups() {
	hosts := len(b.graph.Hosts())
	columns := make(map[string]int32)
	var roots []topo.NodeID
	for i := range b.graph.Nodes {
		at := topo.NodeID(i)
		roots = roots[:0]
		switch {
		case b.isHost(at):
			for _, p := range b.peers(at) {
				if b.isHost(p) {
					b.hostPeers = true
				} else {
					roots = append(roots, p)
				}
			}
		case hosts > 0:
			b.group[i] = -1
			continue
		default:
			roots = append(roots, at)
		}
		b.key = b.key[:0]
		for _, r := range roots {
			b.key = binary.LittleEndian.AppendUint32(b.key, uint32(r))
		}
		col, known := columns[string(b.key)]
		if !known {
			col = int32(len(b.groups))
			columns[string(b.key)] = col
			b.groups = append(b.groups, group{roots: slices.Clone(roots)})
		}
		b.groups[col].members++
		b.group[i] = col
	}
	b.cols = len(b.groups)
}

// makeRows numbers the nodes that may have several next hops.
func (b *builder) makeRows() int {
	n := 0
	for i := range b.graph.Nodes {
		at := topo.NodeID(i)
		if b.isHost(at) && len(b.peers(at)) < 2 {
			b.row[i] = -1
			continue
		}
		b.row[i] = int32(n)
		n++
	}
	return n
}

// countDirect counts, per pair of columns, the pairs of hosts that are linked directly and so need
// no switch.
func (b *builder) countDirect() {
	if !b.hostPeers {
		return
	}
	for i := range b.graph.Nodes {
		at := topo.NodeID(i)
		for _, p := range b.peers(at) {
			if b.isHost(at) && b.isHost(p) && at < p {
				x, y := b.group[at], b.group[p]
				b.direct[[2]int32{min(x, y), max(x, y)}]++
				b.countPairs(0, 1)
			}
		}
	}
}

// search fills dist with the distances of the switches from a group, counted over switches only.
func (b *builder) search(col int) {
	for i := range b.dist {
		b.dist[i] = -1
	}
	b.queue = b.queue[:0]
	for _, r := range b.groups[col].roots {
		b.dist[r] = 0
		b.queue = append(b.queue, r)
	}
	for head := 0; head < len(b.queue); head++ {
		at := b.queue[head]
		for _, p := range b.peers(at) {
			if b.dist[p] < 0 && !b.isHost(p) {
				b.dist[p] = b.dist[at] + 1
				b.queue = append(b.queue, p)
			}
		}
	}
	if b.place != nil {
		for i, at := range b.queue {
			b.place[at] = int32(i)
		}
	}
}

// twins reports whether a group and the previous one are each behind a single switch, and both
// switches have the same neighbouring switches. Then only nodes next to one of the two switches
// have different routes to the groups.
func (b *builder) twins(col int) bool {
	if col == 0 || b.weighted || b.place != nil || len(b.groups[col].roots) != 1 || len(b.groups[col-1].roots) != 1 {
		return false
	}
	here := b.switches(nil, b.groups[col].roots[0])
	return len(here) > 0 && slices.Equal(here, b.switches(nil, b.groups[col-1].roots[0]))
}

// switches appends the neighbours of a node that are switches.
func (b *builder) switches(list []topo.NodeID, at topo.NodeID) []topo.NodeID {
	for _, p := range b.peers(at) {
		if !b.isHost(p) {
			list = append(list, p)
		}
	}
	return list
}

// turn changes dist from the previous group to its twin, and fills in the column of the twin.
func (b *builder) turn(col int) {
	before, here := b.groups[col-1].roots[0], b.groups[col].roots[0]
	b.dist[before], b.dist[here] = 2, 0
	for row := range len(b.cells) / b.cols {
		b.cells[row*b.cols+col] = b.cells[row*b.cols+col-1]
	}
	b.fillColumn(col, slices.Concat(b.peers(before), b.peers(here), []topo.NodeID{before, here}))
}

// fillColumn writes the candidates of some nodes towards a group. If nodes is nil, it writes the candidates of all
// nodes.
func (b *builder) fillColumn(col int, nodes []topo.NodeID) {
	for i := range cmp.Or(len(nodes), len(b.row)) {
		if nodes != nil {
			i = int(nodes[i])
		}
		r := b.row[i]
		if r < 0 {
			continue
		}
		at := topo.NodeID(i)
		cell := &b.cells[int(r)*b.cols+col]
		d := b.dist[at]
		if b.isHost(at) {
			d = b.hostDist(at)
		}
		switch {
		case d < 0:
			*cell = none
		case d == 0:
			*cell = attached
		default:
			b.candidates(at, d)
			*cell = b.intern()
		}
	}
}

// candidates finds the ports of a node at distance d from the group that lead to the group, and the weights of these
// ports.
func (b *builder) candidates(at topo.NodeID, d int32) {
	b.ports, b.weights, b.chain = b.ports[:0], b.weights[:0], b.chain[:0]
	for a := b.arcs.start[at]; a < b.arcs.start[at+1]; a++ {
		if b.dist[b.arcs.peer[a]] == d-1 {
			b.chain = append(b.chain, a)
		}
	}
	if b.place != nil {
		slices.SortStableFunc(b.chain,
			func(x, y int32) int { return cmp.Compare(b.place[b.arcs.peer[x]], b.place[b.arcs.peer[y]]) })
	}
	for _, a := range b.chain {
		port := b.arcs.port[a]
		b.ports = append(b.ports, port)
		if b.weighted {
			b.weights = append(b.weights,
				min(uint64(b.graph.Links[port.Link()].Rates()[port&1]), b.reach[b.arcs.peer[a]]))
		}
	}
}

// weigh fills reach. A switch next to the destinations reaches them at any rate. The reach of any other switch is the
// sum, over its candidates, of the smaller of two rates: the rate of the link, and the reach of the switch at the other
// end.
func (b *builder) weigh() {
	for _, at := range b.queue { // by ascending distance
		if b.dist[at] == 0 {
			b.reach[at] = math.MaxUint64
			continue
		}
		b.candidates(at, b.dist[at])
		b.reach[at] = 0
		for _, w := range b.weights {
			b.reach[at] += w
		}
	}
}

// hostDist returns the distance of a host, which is the distance of its nearest switch plus one. It returns -1 if there
// is no path.
func (b *builder) hostDist(host topo.NodeID) int32 {
	if d := b.nearest(b.peers(host)); d >= 0 {
		return d + 1
	}
	return -1
}

// nearest returns the smallest distance of some nodes, or -1 if none has a path.
func (b *builder) nearest(nodes []topo.NodeID) int32 {
	best := int32(-1)
	for _, n := range nodes {
		if d := b.dist[n]; d >= 0 && (best < 0 || d < best) {
			best = d
		}
	}
	return best
}

// intern stores the candidate set in ports and weights, unless it is stored already, and returns
// its number.
func (b *builder) intern() uint32 {
	ports := b.ports
	b.key = b.key[:0]
	for _, p := range ports {
		b.key = binary.LittleEndian.AppendUint32(b.key, uint32(p))
	}
	for _, w := range b.weights {
		b.key = binary.LittleEndian.AppendUint64(b.key, w)
	}
	if id, ok := b.sets[string(b.key)]; ok {
		return id
	}
	id := uint32(len(b.setStart) - 1)
	b.sets[string(b.key)] = id
	b.setPorts = append(b.setPorts, ports...)
	sum := uint64(0)
	for _, w := range b.weights {
		sum += w
		b.setWeights = append(b.setWeights, sum)
	}
	b.setStart = append(b.setStart, uint32(len(b.setPorts)))
	return id
}

// measure counts the pairs of endpoints of a group and each group with the same or a smaller number. It counts the
// pairs by path length, or as unreachable.
func (b *builder) measure(col int) {
	here := &b.groups[col]
	for other := range col + 1 {
		pairs := here.members * b.groups[other].members
		if other == col {
			pairs = here.members * (here.members - 1) / 2
		}
		pairs -= b.direct[[2]int32{int32(other), int32(col)}]
		if pairs == 0 {
			continue
		}
		if d := b.nearest(b.groups[other].roots); d < 0 {
			b.unreachable += pairs
		} else {
			b.countPairs(int(d)+1, pairs)
		}
	}
}

// countPairs adds pairs of endpoints whose paths cross this many switches.
func (b *builder) countPairs(hops int, pairs int64) {
	for len(b.lengths) <= hops {
		b.lengths = append(b.lengths, 0)
	}
	b.lengths[hops] += pairs
}

func (b *builder) peers(at topo.NodeID) []topo.NodeID {
	return b.arcs.peer[b.arcs.start[at]:b.arcs.start[at+1]]
}
