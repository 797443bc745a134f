package trace

import (
	"fmt"
	"math/bits"
	"slices"

	"pintlab/netsim/topo"
	"pintlab/pint/coding"
)

// budgets are the digests that Fig. 10 compares.
var budgets = []struct{ instances, bits int }{{1, 1}, {1, 4}, {2, 8}}

func budgetName(instances, b int) string {
	if instances == 1 {
		return fmt.Sprintf("b=%d", b)
	}
	return fmt.Sprintf("%d×(b=%d)", instances, b)
}

const (
	switchHash   = "yes: two or three hashes, a compare and an XOR"
	switchLinear = "yes: a hash and an XOR of shifted copies of it for the set bits of the switch's index"
	switchMark   = "yes: a hash, a compare, a table of eight contents"
)

func hashed(instances, b int, schemes ...coding.Scheme) coding.Config {
	return coding.Config{Schemes: schemes, Mode: coding.Hash, Bits: b, Instances: instances}
}

// PublishedCurves is what Fig. 10 shows, for a typical path of d hops (10 on the
// internet providers' networks, 5 on the fat tree): PINT with 1, 4 and 2 x 8 bits, PPM,
// AMS2. The paper does not print tau and p; these are the published artifact's, tau =
// 1/2 and p = 1/d, which also need the fewest packets of the candidates. Algorithm 1's
// own parameters follow as a variant, and the artifact's decoder, which considers only
// the switches of the true path and so starts from an answer that nobody has.
func PublishedCurves(d int) []Curve {
	var out []Curve
	artifact := coding.Interleaved(0.5, 1/float64(d))
	for _, b := range budgets {
		out = append(out, Curve{Label: "PINT " + budgetName(b.instances, b.bits), Method: AllSwitches,
			Code: hashed(b.instances, b.bits, artifact), Switch: switchHash})
	}
	out = append(out,
		Curve{Label: "PPM", Method: PPMMarks, Switch: switchMark},
		Curve{Label: "AMS2 m=5", Method: AMS2Marks, Match: 5, Switch: switchMark},
		Curve{Label: "AMS2 m=6", Method: AMS2Marks, Match: 6, Switch: switchMark},
		Curve{Label: "PINT 2×(b=8), Algorithm 1", Method: AllSwitches,
			Code: hashed(2, 8, coding.MultiLayer(d, 0)), Switch: switchHash})
	for _, b := range budgets {
		out = append(out, Curve{Label: "PINT " + budgetName(b.instances, b.bits) + ", true path's switches only", Method: TruePath,
			Code: hashed(b.instances, b.bits, artifact), Switch: switchHash})
	}
	return out
}

// OurCurves is what the linear hash and the topology-aware decoder make of the same
// budgets on a map, for a typical path of d hops and a longest one: the linear hash with
// all hops acting; the topology-aware decoder on the encoding that suits it best; and on
// the published encoding.
func OurCurves(m *Map, d, longest int) []Curve {
	var out []Curve
	for _, b := range budgets {
		out = append(out, Curve{Label: "linear " + budgetName(b.instances, b.bits), Method: AllSwitches,
			Code: linear(m, b.instances, b.bits), Switch: switchLinear})
	}
	for _, b := range budgets {
		c := Curve{Label: "topology " + budgetName(b.instances, b.bits), Method: TopologyAware,
			Code: AwareCode(m, longest, b.instances, b.bits), Switch: switchHash}
		if c.Code.Mode == coding.Linear {
			c.Switch = switchLinear
		}
		out = append(out, c)
	}
	for _, b := range budgets {
		out = append(out, Curve{Label: "topology " + budgetName(b.instances, b.bits) + ", published encoding", Method: TopologyAware,
			Code: hashed(b.instances, b.bits, coding.Interleaved(0.5, 1/float64(d))), Switch: switchHash})
	}
	return out
}

// linear is the linear hash of switch indices with all hops acting.
func linear(m *Map, instances, b int) coding.Config {
	widest := uint64(0)
	for _, v := range m.values {
		widest = max(widest, v)
	}
	return coding.Config{Schemes: []coding.Scheme{coding.XOR(1)}, Mode: coding.Linear,
		Bits: b, Instances: instances, ValueBits: max(1, bits.Len64(widest))}
}

// searchable is log2 of the number of walks among which a search alone finds a path at
// little cost.
const searchable = 22

// AwareCode is the encoding that suits the topology-aware decoder on a map, given the
// longest path.
//
// If the longest paths are so few that they can be searched outright (a data centre),
// every hop XORs a linear hash of its ID onto every packet: a digest is then a hash of
// the whole path, and no bit is wasted. IDs must then be small: ValueBits + b <= 33.
//
// Otherwise Baseline digests locate the path piece by piece, and XORs of three quarters
// of all hops single it out among what is left. With several instances the first is all
// Baseline, the others nearly all XOR, so that every packet has both; one instance has
// three Baseline packets to two XOR packets. The length of paths plays no part.
func AwareCode(m *Map, longest, instances, b int) coding.Config {
	if c := linear(m, instances, b); c.ValueBits+b <= 33 && m.template(longest, false).bits <= searchable {
		return c
	}
	if instances == 1 {
		return hashed(1, b, coding.Interleaved(0.6, 0.75))
	}
	schemes := []coding.Scheme{coding.Baseline()}
	for range instances - 1 {
		schemes = append(schemes, coding.Interleaved(0.1, 0.75))
	}
	return hashed(instances, b, schemes...)
}

// HostSwitches is the switches that hosts are attached to, where paths start and end;
// nil if the graph has no hosts.
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

// PathLengths is the numbers of switches that shortest paths between the given ends
// (nil: all switches) can have, ascending.
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
	var out []int
	for hops := range seen {
		out = append(out, hops)
	}
	slices.Sort(out)
	return out
}
