package trace

import (
	"errors"
	"fmt"
	"slices"

	"pintlab/internal/number"
	"pintlab/netsim/topo"
)

// Map is the network as the collector knows it: its switches, the value that each writes, and which
// switches are neighbours. It has no hosts. It does not change and is safe for concurrent use.
type Map struct {
	switches []topo.NodeID // the switches, by index, in ascending order
	index    []int32       // index of a switch by NodeID; -1 for hosts
	values   []uint64      // by index

	neighbours lists // neighbours of switches, ascending
	links      int

	// A walk through the network is a sequence of states. A state is the list of the last few
	// switches of the walk, all different. head is the last switch of a state, and len its length.
	// A walk's first state has one switch, and each further state has one switch more, up to
	// window. From then on each state drops its first switch. So a walk over states visits no
	// switch twice within window hops. succ lists the possible successors of a state, and pred the
	// possible predecessors.
	window     int
	head       []int32
	len        []int8
	succ, pred lists

	memory memory
}

// maxWindow is the largest number of switches in a state. Dense networks use fewer, so that there
// are at most maxStates states.
const (
	maxWindow = 4
	maxStates = 1 << 14
)

// lists stores many short lists in one slice.
type lists struct{ start, items []int32 }

func (l *lists) of(i int32) []int32 { return l.items[l.start[i]:l.start[i+1]] }

// NewMap makes the map of the switches of a graph and their links. values holds what each switch
// writes, in the order of the graph's switches, without repetitions. If values is nil, the switches
// are numbered from 0 in that order. Mode coding.Linear with few bits needs these numbers. The
// switches must be connected. Parallel links count once.
func NewMap(g *topo.Graph, values []uint64) (*Map, error) {
	m := &Map{switches: g.Switches(), index: make([]int32, len(g.Nodes))}
	n := len(m.switches)
	if n == 0 {
		return nil, errors.New("map without switches")
	}
	if values == nil {
		values = make([]uint64, n)
		for i := range values {
			values[i] = uint64(i)
		}
	}
	if len(values) != n {
		return nil, fmt.Errorf("map of %s: got %s, want one for each switch", number.Count(n, "switch"),
			number.Count(len(values), "switch ID"))
	}
	m.values = append(m.values, values...)
	owner := make(map[uint64]int, n)
	for i, v := range values {
		if o, ok := owner[v]; ok {
			return nil, fmt.Errorf("switches %s and %s have the same ID %d", m.name(g, o), m.name(g, i), v)
		}
		owner[v] = i
	}
	for i := range m.index {
		m.index[i] = -1
	}
	for i, id := range m.switches {
		m.index[id] = int32(i)
	}
	m.adjacency(g)
	m.states()
	if seen := m.reach(0); seen < n {
		return nil, fmt.Errorf("map is not connected: only %d of %d switches can be reached from %s; the decoders "+
			"follow links between switches, not through hosts (separate planes, and rails without a common spine, "+
			"are not connected)", seen, n, m.name(g, 0))
	}
	return m, nil
}

func (m *Map) name(g *topo.Graph, i int) string {
	id := m.switches[i]
	return fmt.Sprintf("%d (%q)", id, g.Nodes[id].Name)
}

func (m *Map) adjacency(g *topo.Graph) {
	adj := g.Adjacency()
	m.neighbours.start = append(m.neighbours.start, 0)
	for i, id := range m.switches {
		last := int32(-1)
		for _, a := range adj.Of(id) { // by ascending peer
			if peer := m.index[a.Peer]; peer >= 0 && peer != last && peer != int32(i) {
				m.neighbours.items = append(m.neighbours.items, peer)
				last = peer
			}
		}
		m.neighbours.start = append(m.neighbours.start, int32(len(m.neighbours.items)))
	}
	m.links = len(m.neighbours.items) / 2
}

// recent holds the switches of a state, oldest first, then -1.
type recent [maxWindow]int32

// states lists the states by length and then lexicographically, with the successors of each.
func (m *Map) states() {
	level := make([]recent, len(m.switches))
	for sw := range level {
		level[sw] = recent{int32(sw), -1, -1, -1}
	}
	var all []recent
	id := map[recent]int32{}
	for {
		m.window++
		for _, r := range level {
			id[r] = int32(len(all))
			all = append(all, r)
			m.head = append(m.head, r[m.window-1])
			m.len = append(m.len, int8(m.window))
		}
		if m.window == maxWindow {
			break
		}
		var longer []recent
		for _, r := range level {
			for _, n := range m.neighbours.of(r[m.window-1]) {
				if !slices.Contains(r[:m.window], n) {
					next := r
					next[m.window] = n
					longer = append(longer, next)
				}
			}
		}
		if len(longer) == 0 || m.window >= 2 && len(all)+len(longer) > maxStates {
			break
		}
		level = longer
	}
	before := make([][]int32, len(all))
	m.succ.start = append(m.succ.start, 0)
	for a, r := range all {
		n := int(m.len[a])
		for _, sw := range m.neighbours.of(m.head[a]) {
			if slices.Contains(r[:n], sw) {
				continue
			}
			next := r
			if n == m.window {
				copy(next[:], r[1:n])
				next[n-1] = sw
			} else {
				next[n] = sw
			}
			b := id[next]
			m.succ.items = append(m.succ.items, b)
			before[b] = append(before[b], int32(a))
		}
		m.succ.start = append(m.succ.start, int32(len(m.succ.items)))
	}
	m.pred.start = append(m.pred.start, 0)
	for _, p := range before {
		m.pred.items = append(m.pred.items, p...)
		m.pred.start = append(m.pred.start, int32(len(m.pred.items)))
	}
}

// lengthAt returns the length of the states at hop j+1.
func (m *Map) lengthAt(j int) int { return min(j+1, m.window) }

// layer returns the bit set of the states of the right length for hop j+1.
func (m *Map) layer(j int) []uint64 {
	set := make([]uint64, m.words())
	for state, n := range m.len {
		if int(n) == m.lengthAt(j) {
			set[state>>6] |= 1 << (state & 63)
		}
	}
	return set
}

// words returns the length of a bit set of states.
func (m *Map) words() int { return (len(m.head) + 63) / 64 }

// distances returns the hop counts from a switch to all switches, or -1 for switches without a path.
func (m *Map) distances(from int32) []int16 {
	d := slices.Repeat([]int16{-1}, len(m.switches))
	d[from] = 0
	queue := make([]int32, 1, len(d))
	queue[0] = from
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		for _, v := range m.neighbours.of(u) {
			if d[v] < 0 {
				d[v] = d[u] + 1
				queue = append(queue, v)
			}
		}
	}
	return d
}

func (m *Map) reach(from int32) int {
	n := 0
	for _, d := range m.distances(from) {
		if d >= 0 {
			n++
		}
	}
	return n
}

// Len returns the number of switches.
func (m *Map) Len() int { return len(m.switches) }

// Links returns the number of neighbouring pairs of switches.
func (m *Map) Links() int { return m.links }

// Values returns the values of the switches, in the order of their node numbers. The caller must not change the slice.
func (m *Map) Values() []uint64 { return m.values }

// Value returns the value of a switch; it returns false if the node is not a switch of the map.
func (m *Map) Value(id topo.NodeID) (uint64, bool) {
	if id < 0 || int(id) >= len(m.index) || m.index[id] < 0 {
		return 0, false
	}
	return m.values[m.index[id]], true
}
