package route

import (
	"slices"

	"pintlab/internal/hash"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// LetFlow is flowlet switching: Vanini et al., "Let It Flow: Resilient Asymmetric Load
// Balancing with Flowlet Switching", NSDI 2017, §3. A switch has a table by a hash of the
// flow. A packet that comes longer than the gap after the one before it in its entry begins a
// flowlet, which takes a random next hop; all others follow the packet before. Flows that
// share an entry share their flowlets.
//
// The paper ages entries by one bit that a timer looks at; here the gap is exact.
type LetFlow struct {
	// Pause after which a flow may change its path. Packets stay in order if it exceeds the differences of path
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

// flowlets is LetFlow at all switches.
type flowlets struct {
	gap     unit.Time
	entries int
	salt    uint64
	tables  [][]flowlet // by node; made when a switch has its first choice
}

type flowlet struct {
	last unit.Time // when its last packet came
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
	// After a change of routes, or with another flow, the entry may name a wrong port.
	i := slices.Index(next, e.out)
	if i < 0 || now-e.last > f.gap {
		i = int(hash.Combine(h, packet) % uint64(len(next)))
	}
	e.last, e.out = now, next[i]
	return i
}
