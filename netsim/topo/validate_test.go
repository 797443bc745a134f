package topo

import (
	"math"
	"strings"
	"testing"

	"pintlab/netsim/unit"
)

// triangle returns a valid graph: hosts 0 and 1 at switch 2.
func triangle() *Graph {
	return &Graph{
		Nodes: []Node{{Kind: Host}, {Kind: Host, Name: "db"}, {Kind: Switch}},
		Links: []Link{{A: 0, B: 2, Rate: unit.Gbps}, {A: 1, B: 2, Rate: unit.Gbps}},
	}
}

func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(*Graph)
		want string // the error after "topology: "; "" for a valid graph
	}{
		{"valid", func(*Graph) {}, ""},
		{"one switch", func(g *Graph) { g.Nodes, g.Links = g.Nodes[2:], nil }, ""},
		{"longest delay", func(g *Graph) { g.Links[0].Delay = maxDelay }, ""},
		{"empty", func(g *Graph) { *g = Graph{} }, "no nodes"},
		{"kind", func(g *Graph) { g.Nodes[2].Kind = 9 }, "node 2: kind 9, want Host or Switch"},
		{"layer", func(g *Graph) { g.Nodes[1].Layer = -2 }, "host 1 (db): layer -2, want -1 (unknown) or more"},
		{"far end", func(g *Graph) { g.Links = append(g.Links, Link{A: 0, B: 3, Rate: 1}) },
			"link 2 (0-3): no node 3, want 0..2"},
		{"negative end", func(g *Graph) { g.Links = append(g.Links, Link{A: -1, B: 0, Rate: 1}) },
			"link 2 (-1-0): no node -1, want 0..2"},
		{"self loop", func(g *Graph) { g.Links = append(g.Links, Link{A: 2, B: 2, Rate: 1}) },
			"link 2 (2-2): joins a node to itself"},
		{"duplicate", func(g *Graph) { g.Links = append(g.Links, Link{A: 2, B: 1, Rate: 1}) },
			"links 1 and 2 both join host 1 (db) and switch 2"},
		{"rate", func(g *Graph) { g.Links[0].Rate = 0 }, "link 0 (0-2): rate 0 bit/s, want > 0 and at most 10Tbps"},
		{"delay", func(g *Graph) { g.Links[0].Delay = -1 }, "link 0 (0-2): delay -1ps, want 0s..1000s"},
		{"never", func(g *Graph) { g.Links[0].Delay = unit.Never }, "link 0 (0-2): delay never, want 0s..1000s"},
		{"error rate", func(g *Graph) { g.Links[0].ErrorRate = 1 }, "link 0 (0-2): error rate 1, want 0 <= rate < 1"},
		{"no number", func(g *Graph) { g.Links[0].ErrorRate = math.NaN() },
			"link 0 (0-2): error rate NaN, want 0 <= rate < 1"},
		{"lonely host", func(g *Graph) { g.Links = g.Links[:1] },
			"host 1 (db) has no link\nnot connected: 2 parts; not reachable from host 0: host 1 (db)"},
		{"islands", func(g *Graph) {
			for range 7 {
				g.Nodes = append(g.Nodes, Node{Kind: Host}, Node{Kind: Switch})
				g.Links = append(g.Links,
					Link{A: NodeID(len(g.Nodes) - 2), B: NodeID(len(g.Nodes) - 1), Rate: unit.Gbps})
			}
		}, "not connected: 8 parts; not reachable from host 0: host 3, switch 4, host 5, switch 6, host 7 and 9 more"},
		{"no hosts", func(g *Graph) { g.Nodes, g.Links = []Node{{Kind: Switch}, {Kind: Switch}}, nil },
			"not connected: 2 parts; not reachable from switch 0: switch 1"},
		{"several", func(g *Graph) { g.Links[0].Rate, g.Links[1].Delay = -5, -1 },
			"link 0 (0-2): rate -5 bit/s, want > 0 and at most 10Tbps\nlink 1 (1-2): delay -1ps, want 0s..1000s"},
	} {
		g := triangle()
		tt.edit(g)
		got := "<nil>"
		if err := g.Validate(); err != nil {
			got = err.Error()
		}
		want := "<nil>"
		if tt.want != "" {
			want = "topology: " + tt.want
		}
		if got != want {
			t.Errorf("%s: error\n%s\nwant\n%s", tt.name, got, want)
		}
	}
}

func TestValidateNamesTheGraphAndBoundsTheList(t *testing.T) {
	g := triangle()
	g.Name = "lab"
	for range 200 {
		g.Links = append(g.Links, Link{A: 2, B: 2, Rate: 1})
	}
	lines := strings.Split(g.Validate().Error(), "\n")
	if len(lines) != 101 || !strings.HasPrefix(lines[0], `topology "lab": link 2 (2-2)`) ||
		lines[100] != "and 100 more" {
		t.Errorf("%d lines, from %q to %q", len(lines), lines[0], lines[len(lines)-1])
	}
}

func TestInferLayers(t *testing.T) {
	chain, err := Chain{Switches: 255, HostsPerSwitch: 1, EndsOnly: true, HostRate: 1, FabricRate: 1}.Build()
	if err != nil {
		t.Fatal(err)
	}
	// Switch i of 0..254 is min(i, 254-i)+1 links away from a host, and a layer number is at most 127.
	for i, want := range map[int]int8{0: 1, 1: 2, 126: 127, 127: -1, 128: 127, 254: 1} {
		if got := chain.Nodes[2+i].Layer; got != want {
			t.Errorf("switch %d of the chain: layer %d, want %d", i, got, want)
		}
	}
	g := &Graph{Nodes: []Node{{Kind: Switch}, {Kind: Switch}}, Links: []Link{{A: 0, B: 1}}}
	if g.InferLayers(); g.Nodes[0].Layer != -1 || g.Nodes[1].Layer != -1 {
		t.Errorf("layers without hosts: %v, want -1", g.Nodes)
	}
}
