package topo

import (
	"fmt"
	"hash/fnv"
	"strings"
	"testing"

	"pintlab/netsim/unit"
)

// ispDiameter returns the longest of all shortest paths, -1 if some pair has none, in a slow and independent way.
func ispDiameter(g *Graph) int {
	adj := g.Adjacency()
	longest := 0
	for s := range g.Nodes {
		hops := map[NodeID]int{NodeID(s): 0}
		for queue := []NodeID{NodeID(s)}; len(queue) > 0; queue = queue[1:] {
			for _, a := range adj.Of(queue[0]) {
				if _, seen := hops[a.Peer]; !seen {
					hops[a.Peer] = hops[queue[0]] + 1
					longest = max(longest, hops[a.Peer])
					queue = append(queue, a.Peer)
				}
			}
		}
		if len(hops) < len(g.Nodes) {
			return -1
		}
	}
	return longest
}

func TestISPHasTheSizeOfTheMaps(t *testing.T) {
	for _, c := range []ISP{DefaultISP(), USCarrierISP(),
		{Nodes: 2, Links: 1, Diameter: 1, Rate: 1}, {Nodes: 20, Links: 19, Diameter: 19, Rate: 1},
		{Nodes: 60, Links: 90, Diameter: 9, Seed: 3, Rate: 1}} {
		g, err := c.Build()
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		if err := g.Validate(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		if len(g.Switches()) != c.Nodes || len(g.Links) != c.Links {
			t.Errorf("%+v: %d switches, %d links", c, len(g.Switches()), len(g.Links))
		}
		if d := ispDiameter(g); d != c.Diameter {
			t.Errorf("%+v: diameter %d", c, d)
		}
		seen := map[[2]NodeID]bool{}
		for _, l := range g.Links {
			k := [2]NodeID{min(l.A, l.B), max(l.A, l.B)}
			if seen[k] || l.A == l.B {
				t.Errorf("%+v: link %v twice or to itself", c, k)
			}
			seen[k] = true
		}
	}
}

// As in the two maps, more than half of the sites have two links, and few have more than four.
func TestISPIsSparse(t *testing.T) {
	for _, c := range []ISP{DefaultISP(), USCarrierISP()} {
		g, err := c.Build()
		if err != nil {
			t.Fatal(err)
		}
		adj := g.Adjacency()
		two, many := 0, 0
		for i := range g.Nodes {
			switch n := len(adj.Of(NodeID(i))); {
			case n == 2:
				two++
			case n > 4:
				many++
			}
		}
		if two*2 < c.Nodes || many*50 > c.Nodes {
			t.Errorf("%s: of %d sites %d have two links, %d more than four", g.Name, c.Nodes, two, many)
		}
	}
}

// The same configuration gives the same network on every machine, and another seed gives another network.
func TestISPIsDeterministic(t *testing.T) {
	fingerprint := func(seed uint64) uint64 {
		c := USCarrierISP()
		c.Seed = seed
		g, err := c.Build()
		if err != nil {
			t.Fatal(err)
		}
		h := fnv.New64a()
		for _, l := range g.Links {
			fmt.Fprintln(h, l.A, l.B)
		}
		return h.Sum64()
	}
	const want = 0xa2e536a073a2f575
	if got := fingerprint(1); got != want {
		t.Errorf("fingerprint of US Carrier's twin = %#x, want %#x", got, uint64(want))
	}
	if fingerprint(2) == fingerprint(1) {
		t.Error("the seed does not matter")
	}
}

func TestISPErrors(t *testing.T) {
	for _, tt := range []struct {
		c    ISP
		want string
	}{
		{ISP{Nodes: 1, Links: 0, Diameter: 1, Rate: 1}, "nodes"},
		{ISP{Nodes: 10, Links: 8, Diameter: 3, Rate: 1}, "links"},
		{ISP{Nodes: 10, Links: 25, Diameter: 3, Rate: 1}, "links"},
		{ISP{Nodes: 10, Links: 9, Diameter: 10, Rate: 1}, "diameter"},
		{ISP{Nodes: 10, Links: 9, Diameter: 9}, "rate"},
		{ISP{Nodes: 10, Links: 9, Diameter: 9, Rate: 1, Delay: -unit.Second}, "delay"},
		{ISP{Nodes: 100, Links: 100, Diameter: 2, Rate: 1},
			"no network of 100 nodes and 100 links with diameter 2 found; the nearest had"},
	} {
		_, err := tt.c.Build()
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: error %v, want one about %q", tt.c, err, tt.want)
		}
	}
}
