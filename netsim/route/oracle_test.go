package route

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// oracle computes the distance of every node from one destination in the simplest way, by repeated relaxation. Only
// switches forward.
func oracle(g *topo.Graph, down []bool, dst topo.NodeID) []int {
	const far = 1 << 30
	dist := make([]int, len(g.Nodes))
	for i := range dist {
		dist[i] = far
	}
	dist[dst] = 0
	for changed := true; changed; {
		changed = false
		relax := func(at, via topo.NodeID) {
			passes := via == dst || g.Nodes[via].Kind == topo.Switch
			if passes && dist[via]+1 < dist[at] {
				dist[at] = dist[via] + 1
				changed = true
			}
		}
		for i, l := range g.Links {
			if down == nil || !down[i] {
				relax(l.A, l.B)
				relax(l.B, l.A)
			}
		}
	}
	for i := range dist {
		if dist[i] == far {
			dist[i] = -1
		}
	}
	return dist
}

// oracleOrder returns the position of every node in the order of candidates: its number, or its position in a
// breadth-first search from dst that visits neighbours by descending numbers.
func oracleOrder(g *topo.Graph, down []bool, o CandidateOrder, dst topo.NodeID) []int {
	place := make([]int, len(g.Nodes))
	for i := range place {
		place[i] = i
	}
	if o == Ascending {
		return place
	}
	reached := []topo.NodeID{dst}
	for i := 0; i < len(reached); i++ {
		at := reached[i]
		place[at] = i
		if at != dst && g.Nodes[at].Kind != topo.Switch {
			continue
		}
		for n := topo.NodeID(len(g.Nodes) - 1); n >= 0; n-- {
			linked := false
			for j, l := range g.Links {
				linked = linked || (down == nil || !down[j]) && (l.A == at && l.B == n || l.B == at && l.A == n)
			}
			if linked && !slices.Contains(reached, n) {
				reached = append(reached, n)
			}
		}
	}
	return place
}

// oracleHops returns the candidates according to the definition, sorted by their position in place.
func oracleHops(g *topo.Graph, down []bool, place, dist []int, at topo.NodeID) []Port {
	if dist[at] <= 0 {
		return nil
	}
	var ports []Port
	for i, l := range g.Links {
		if down != nil && down[i] {
			continue
		}
		for _, p := range []Port{Port(2 * i), Port(2*i + 1)} {
			from, to := l.A, l.B
			if p&1 == 1 {
				from, to = to, from
			}
			// The next node must forward packets, or be the destination itself.
			forwards := dist[to] == 0 || g.Nodes[to].Kind == topo.Switch
			if from == at && forwards && dist[to] == dist[at]-1 {
				ports = append(ports, p)
			}
		}
	}
	slices.SortFunc(ports, func(a, b Port) int { return place[a.To(g)] - place[b.To(g)] })
	return ports
}

// drawGraph returns any small connected graph: hosts with one or several links,
// also to other hosts, switches with or without hosts, numbered in any order.
func drawGraph(t *rapid.T) *topo.Graph {
	n := rapid.IntRange(2, 14).Draw(t, "nodes")
	g := &topo.Graph{}
	for range n {
		kind := topo.Switch
		if rapid.IntRange(0, 2).Draw(t, "kind") == 0 {
			kind = topo.Host
		}
		g.Nodes = append(g.Nodes, topo.Node{Kind: kind})
	}
	seen := make(map[[2]int]bool)
	add := func(a, b int) {
		key := [2]int{min(a, b), max(a, b)}
		if a != b && !seen[key] {
			seen[key] = true
			g.Links = append(g.Links, topo.Link{A: topo.NodeID(a), B: topo.NodeID(b), Rate: unit.Gbps})
		}
	}
	for i := 1; i < n; i++ {
		add(i, rapid.IntRange(0, i-1).Draw(t, "tree"))
	}
	for range rapid.IntRange(0, 2*n).Draw(t, "extra") {
		add(rapid.IntRange(0, n-1).Draw(t, "a"), rapid.IntRange(0, n-1).Draw(t, "b"))
	}
	return g
}

// Every lookup of every pair agrees with the definition, on any graph, with any links down, and in both orders. So do
// the paths, their lengths and the unreachable pairs.
func TestAgreesWithOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		o := Options{
			Order: rapid.SampledFrom([]CandidateOrder{Ascending, Descending}).Draw(t, "order"),
			Hash:  rapid.SampledFrom([]ECMP{Mix, Murmur}).Draw(t, "hash"),
			Seed:  rapid.Uint64().Draw(t, "seed"),
		}
		down := make([]bool, len(g.Links))
		for i := range down {
			down[i] = rapid.IntRange(0, 9).Draw(t, "down") == 0
		}
		tab, err := NewExcluding(g, o, down)
		if err != nil {
			t.Fatal(err)
		}
		noHosts := len(g.Hosts()) == 0
		end := func(id topo.NodeID) bool { return noHosts || g.Nodes[id].Kind == topo.Host }
		lengths, unreachable := make(map[int]int64), [][2]topo.NodeID(nil)
		for i := range g.Nodes {
			dst := topo.NodeID(i)
			isDst := end(dst)
			dist, place := oracle(g, down, dst), oracleOrder(g, down, o.Order, dst)
			for j := range g.Nodes {
				at := topo.NodeID(j)
				want := oracleHops(g, down, place, dist, at)
				if !isDst {
					want = nil
				}
				if got := tab.NextHops(at, dst); !slices.Equal(got, want) {
					t.Fatalf("NextHops(%d, %d) = %v, want %v", at, dst, got, want)
				}
				if !isDst {
					continue
				}
				if got := tab.reachable(at, dst); got != (dist[at] >= 0) {
					t.Fatalf("Reachable(%d, %d) = %v", at, dst, got)
				}
				path := tab.Path(nil, at, dst, FiveTuple{Src: at, Dst: dst})
				if len(path) != max(dist[at], 0) {
					t.Fatalf("Path(%d, %d) = %v, want %d ports", at, dst, path, dist[at])
				}
				checkPath(t, g, path, at, dst)
				if at < dst && end(at) && end(dst) {
					if dist[at] < 0 {
						unreachable = append(unreachable, [2]topo.NodeID{at, dst})
					} else if noHosts {
						lengths[dist[at]+1]++
					} else {
						lengths[dist[at]-1]++
					}
				}
			}
		}
		maxHops := 0
		for hops, n := range lengths {
			maxHops = max(maxHops, hops)
			if got := tab.lengths[hops]; got != n {
				t.Errorf("%d pairs over %d switches, want %d", got, hops, n)
			}
		}
		if tab.MaxHops() != maxHops {
			t.Errorf("MaxHops = %d, want %d", tab.MaxHops(), maxHops)
		}
		if tab.unreachable != int64(len(unreachable)) {
			t.Errorf("unreachable = %d, want %d", tab.unreachable, len(unreachable))
		}
		slices.SortFunc(unreachable, func(a, b [2]topo.NodeID) int { return slices.Compare(a[:], b[:]) })
		few := min(3, len(unreachable))
		if got := tab.withoutPath(3); !slices.Equal(got, unreachable[:few]) {
			t.Errorf("Unreachable(3) = %v, want %v", got, unreachable[:few])
		}
	})
}

// checkPath fails the test unless the ports lead from src to dst over switches only.
func checkPath(t interface{ Fatalf(string, ...any) }, g *topo.Graph, path []Port, src, dst topo.NodeID) {
	at := src
	for i, p := range path {
		if p.From(g) != at {
			t.Fatalf("port %d of %v does not leave from %d", i, path, at)
		}
		if i > 0 && g.Nodes[at].Kind == topo.Host {
			t.Fatalf("path %v goes through host %d", path, at)
		}
		at = p.To(g)
	}
	if len(path) > 0 && at != dst {
		t.Fatalf("path %v ends at %d, want %d", path, at, dst)
	}
}

// The longest paths have as many switches as documented.
func TestMaxHops(t *testing.T) {
	build := func(g *topo.Graph, err error) *topo.Graph {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	for _, tt := range []struct {
		g    *topo.Graph
		want int
	}{
		{sound(topo.DefaultFatTree320().Build()), 5},
		{sound(topo.DefaultClos64().Build()), 5},
		{build(schema.Default[topo.KAry]().Build()), 5},
		{build(schema.Default[topo.LeafSpine]().Build()), 3},
		{build(schema.Default[topo.Dumbbell]().Build()), 2},
		{build(schema.Default[topo.Star]().Build()), 1},
		{build(topo.Chain{Switches: 40, HostsPerSwitch: 1, EndsOnly: true, HostRate: 1, FabricRate: 1}.Build()), 40},
	} {
		tab, err := New(tt.g, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if tab.MaxHops() != tt.want {
			t.Errorf("%s: MaxHops = %d, want %d", tt.g.Name, tab.MaxHops(), tt.want)
		}
	}
}
