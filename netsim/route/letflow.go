package route

import (
	"slices"

	"pintlab/internal/hash"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// LetFlow is flowlet switching: Vanini et al., "Let It Flow: Resilient Asymmetric Load Balancing with Flowlet
// Switching", NSDI 2017, §3. A switch has a table that is indexed by a hash of the flow. If the time since the previous
// packet of the same entry exceeds the gap, a packet begins a flowlet, which takes a random next hop. All other packets
// take the next hop of the previous packet. Flows that share an entry share their flowlets.
//
// The LetFlow paper ages entries by one bit that a timer checks; here the gap is exact.
type LetFlow struct {
	// Pause after which a flow may change its path. Packets stay in order if this pause exceeds the differences of path
	// delays.
	Gap unit.Time `yaml:"gap" default:"100us" range:">0s"`
	// Entries of a switch's table; a power of two.
	Entries int `yaml:"entries" default:"65536" range:">=1 <=16777216"`
}

func (*LetFlow) Splits() Split { return Flowlets }

func (*LetFlow) Options(*Options) {}

func (p *LetFlow) Balancer(g *topo.Graph, seed uint64) Balancer {
	return &flowlets{
		gap: p.Gap, entries: p.Entries, salt: hash.Combine(hash.String("route/letflow"), seed),
		tables: make([][]flowlet, len(g.Nodes)),
	}
}

// flowlets implements LetFlow for all switches.
type flowlets struct {
	gap     unit.Time
	entries int
	salt    uint64
	tables  [][]flowlet // by node; made at the first choice of a switch
}

type flowlet struct {
	last unit.Time // arrival of its last packet
	out  Port      // -1: none
}

func (f *flowlets) Choose(at topo.NodeID, now unit.Time, next []Port, flow, packet uint64) int {
	t := f.tables[at]
	if t == nil {
		t = slices.Repeat([]flowlet{{out: -1}}, f.entries)
		f.tables[at] = t
	}
	h := hash.Combine(f.salt^uint64(at), flow)
	e := &t[h&uint64(f.entries-1)]
	// The port of the entry may not be a candidate after a route change, or if the entry belonged to another flow.
	i := slices.Index(next, e.out)
	if i < 0 || now-e.last > f.gap {
		i = int(hash.Combine(h, packet) % uint64(len(next)))
	}
	e.last, e.out = now, next[i]
	return i
}
