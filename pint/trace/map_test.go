package trace

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
)

// graphOf returns a graph of n switches with the given links.
func graphOf(n int, links ...[2]int) *topo.Graph {
	g := &topo.Graph{Name: "test"}
	for range n {
		g.Nodes = append(g.Nodes, topo.Node{Kind: topo.Switch, Layer: -1})
	}
	for _, l := range links {
		g.Links = append(g.Links, topo.Link{A: topo.NodeID(l[0]), B: topo.NodeID(l[1]), Rate: 1})
	}
	return g
}

// drawGraph returns a connected graph of up to n switches.
func drawGraph(t *rapid.T, most int) *topo.Graph {
	n := rapid.SampledFrom([]int{1, 2, 3, most / 2, most - 2, most - 1, most}).Draw(t, "switches")
	var links [][2]int
	for v := 1; v < n; v++ {
		links = append(links, [2]int{v, rapid.IntRange(0, v-1).Draw(t, "parent")})
	}
	if n > 1 {
		for range rapid.SampledFrom([]int{0, 1, n / 2, n}).Draw(t, "more") {
			links = append(links, [2]int{rapid.IntRange(0, n-1).Draw(t, "a"), rapid.IntRange(0, n-1).Draw(t, "b")})
		}
	}
	return graphOf(n, links...)
}

func newMap(t interface{ Fatal(...any) }, g *topo.Graph, values []uint64) *Map {
	m, err := NewMap(g, values)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// ispMap returns the generated twin of US Carrier.
func ispMap(t testing.TB, c topo.ISP) *Map {
	g, err := c.Build()
	if err != nil {
		t.Fatal(err)
	}
	return newMap(t, g, nil)
}

func TestMapLeavesHostsOut(t *testing.T) {
	g := graphOf(3, [2]int{0, 1}, [2]int{1, 2}, [2]int{1, 2}, [2]int{2, 2})
	g.Nodes = slices.Insert(g.Nodes, 0, topo.Node{Kind: topo.Host}) // node numbers move up by one
	for i := range g.Links {
		g.Links[i].A++
		g.Links[i].B++
	}
	g.Links = append(g.Links, topo.Link{A: 0, B: 3, Rate: 1})
	m := newMap(t, g, []uint64{100, 200, 300})
	if m.Len() != 3 || m.Links() != 2 {
		t.Errorf("%d switches, %d links; want 3 and 2: parallel links and loops count once and never",
			m.Len(), m.Links())
	}
	if v, ok := m.Value(3); !ok || v != 300 {
		t.Errorf("node 3 writes %d (%v), want 300", v, ok)
	}
	for _, id := range []topo.NodeID{0, -1, 4} {
		if _, ok := m.Value(id); ok {
			t.Errorf("node %d is a switch", id)
		}
	}
	if got := HostSwitches(g); !slices.Equal(got, []topo.NodeID{3}) {
		t.Errorf("hosts are at %v, want [3]", got)
	}
}

func TestMapErrors(t *testing.T) {
	for _, tt := range []struct {
		g      *topo.Graph
		values []uint64
		want   string
	}{
		{graphOf(0), nil, "map without switches"},
		{graphOf(3, [2]int{0, 1}), nil,
			`map is not connected: only 2 of 3 switches can be reached from 0 (""); ` +
				`the decoders follow links between switches, not through hosts (separate planes, and rails without ` +
				`a common spine, are not connected)`},
		{graphOf(2, [2]int{0, 1}), []uint64{7}, "map of 2 switches: got 1 switch ID, want one for each switch"},
		{graphOf(2, [2]int{0, 1}), []uint64{7, 7}, `switches 0 ("") and 1 ("") have the same ID 7`},
	} {
		if _, err := NewMap(tt.g, tt.values); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want %q", err, tt.want)
		}
	}
}

// States are the simple paths of up to window switches. The successors of a state are the possible next steps of a
// walk.
func TestStatesAreShortPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 9)
		m := newMap(t, g, nil)
		for length := 1; length <= m.window; length++ {
			want := len(simplePaths(m, length))
			got := 0
			for _, n := range m.len {
				if int(n) == length {
					got++
				}
			}
			if got != want {
				t.Fatalf("%d states of %d switches, there are %d such paths", got, length, want)
			}
		}
		for a := range m.head {
			for _, b := range m.succ.of(int32(a)) {
				if !slices.Contains(m.neighbours.of(m.head[a]), m.head[b]) {
					t.Fatalf("a walk jumps from %d to %d", m.head[a], m.head[b])
				}
				if !slices.Contains(m.pred.of(b), int32(a)) {
					t.Fatal("pred is not the inverse of succ")
				}
			}
		}
		if len(m.succ.items) != len(m.pred.items) {
			t.Fatal("pred is not the inverse of succ")
		}
	})
}

// simplePaths is the slow oracle: it returns all paths of the given number of different switches.
func simplePaths(m *Map, hops int) [][]int32 {
	var out [][]int32
	path := make([]int32, 0, hops)
	var extend func(sw int32)
	extend = func(sw int32) {
		if slices.Contains(path, sw) {
			return
		}
		path = append(path, sw)
		if len(path) == hops {
			out = append(out, slices.Clone(path))
		} else {
			for _, n := range m.neighbours.of(sw) {
				extend(n)
			}
		}
		path = path[:len(path)-1]
	}
	for sw := range m.switches {
		extend(int32(sw))
	}
	return out
}

// In a dense network states have fewer switches, which limits the number of states.
func TestDenseNetworksHaveShortStates(t *testing.T) {
	g, err := schema.Default[topo.KAry]().Build()
	if err != nil {
		t.Fatal(err)
	}
	m := newMap(t, g, nil)
	if m.window != 3 || len(m.head) > maxStates {
		t.Errorf("K = 8 fat tree: window %d, %d states; want 3 and at most %d", m.window, len(m.head), maxStates)
	}
}
