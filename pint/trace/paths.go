package trace

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"pintlab/internal/number"
	"pintlab/netsim/topo"
)

// Paths draws random shortest paths of given lengths.
type Paths struct {
	m        *Map
	distance [][]int16
	pairs    map[int][][2]int32 // by hops
}

// NewPaths finds the pairs of ends (nil: all switches) that are these numbers of switches apart. It
// returns an error for a length without a pair.
func NewPaths(m *Map, ends []topo.NodeID, lengths []int) (*Paths, error) {
	p := &Paths{m: m, distance: m.allDistances(), pairs: map[int][][2]int32{}}
	var at []int32
	for _, id := range ends {
		if _, ok := m.Value(id); !ok {
			return nil, fmt.Errorf("end %d is not a switch of the map", id)
		}
		at = append(at, m.index[id])
	}
	if ends == nil {
		for sw := range m.switches {
			at = append(at, int32(sw))
		}
	}
	longest := 0
	for _, a := range at {
		for _, b := range at {
			hops := int(p.distance[a][b]) + 1
			longest = max(longest, hops)
			if slices.Contains(lengths, hops) {
				p.pairs[hops] = append(p.pairs[hops], [2]int32{a, b})
			}
		}
	}
	for _, hops := range lengths {
		if len(p.pairs[hops]) == 0 {
			return nil, fmt.Errorf("no shortest path has %s; the longest has %d", number.Count(hops, "switch"),
				longest)
		}
	}
	return p, nil
}

// Draw writes the values of random shortest paths of one length. All paths have the same two ends, which may be equal.
// Draw chooses two ends at the right distance, and then, at every switch of a path, one of the next hops with equal
// probability.
func (p *Paths) Draw(r *rand.Rand, paths ...[]uint64) {
	hops := len(paths[0])
	pair := p.pairs[hops][r.IntN(len(p.pairs[hops]))]
	to := p.distance[pair[1]]
	var next []int32
	for _, path := range paths {
		at := pair[0]
		path[0] = p.m.values[at]
		for i := 1; i < hops; i++ {
			next = next[:0]
			for _, n := range p.m.neighbours.of(at) {
				if to[n] == to[at]-1 {
					next = append(next, n)
				}
			}
			at = next[r.IntN(len(next))]
			path[i] = p.m.values[at]
		}
	}
}

// HostSwitches returns the switches with hosts, where paths start and end, or nil if the graph has
// no hosts.
func HostSwitches(g *topo.Graph) []topo.NodeID {
	adj := g.Adjacency()
	var out []topo.NodeID
	for _, h := range g.Hosts() {
		for _, a := range adj.Of(h) {
			if g.Nodes[a.Peer].Kind == topo.Switch {
				out = append(out, a.Peer)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// PathLengths returns the numbers of switches on shortest paths between the given ends (nil: all
// switches), in ascending order.
func PathLengths(m *Map, ends []topo.NodeID) []int {
	seen := map[int]bool{}
	if ends == nil {
		ends = m.switches
	}
	for _, a := range ends {
		if _, ok := m.Value(a); !ok {
			continue
		}
		d := m.distances(m.index[a])
		for _, b := range ends {
			if _, ok := m.Value(b); ok {
				seen[int(d[m.index[b]])+1] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}
