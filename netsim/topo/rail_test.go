package topo

import (
	"fmt"
	"testing"

	"pintlab/internal/errtest"
	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
)

// Hosts with the same number in their servers are at one leaf of their unit. Links fail and slow down in the order of
// leaf and spine.
func TestRail(t *testing.T) {
	c := schema.Default[Rail]()
	c.Units, c.Servers, c.Rails, c.Spines, c.Failed, c.Degraded, c.ServerRate = 2, 3, 2, 4, 1, 2, 900*unit.Gbps
	g, err := c.Build()
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Validate(); err != nil {
		t.Fatal(err)
	}
	const hosts, leaf, spine, inside = 12, 12, 16, 20
	on := map[NodeID]NodeID{}
	server := map[NodeID]NodeID{}
	var slow []Link
	uplinks := 0
	for _, l := range g.Links {
		switch {
		case l.A < hosts && l.B < spine:
			on[l.A] = l.B
		case l.A < hosts:
			server[l.A] = l.B
			if l.Rate != 900*unit.Gbps {
				t.Errorf("%+v", l)
			}
		default:
			uplinks++
			if l.Rate < c.FabricRate {
				slow = append(slow, l)
			}
		}
	}
	for h := NodeID(0); h < hosts; h++ {
		if want := leaf + h/6*2 + h%2; on[h] != want || server[h] != inside+h/2 {
			t.Errorf("host %d is on leaf %d and in server %d, want %d and %d", h, on[h], server[h], want, inside+h/2)
		}
	}
	if uplinks != 15 || len(slow) != 2 || slow[0].A != leaf || slow[0].B != spine+1 || slow[1].B != spine+2 ||
		slow[0].Rate != 100*unit.Gbps {
		t.Errorf("%d links between switches, slow ones %+v", uplinks, slow)
	}
	c.Failed, c.Degraded = 4, 13
	if _, err := c.Build(); !errtest.Says(err, "… failed = 4 … degraded = 13, want at most the 16 links …") {
		t.Error(err)
	}
}

// With two planes, hosts have links into each plane. Hosts of a group of leaves have a link to each leaf of the group.
// There are no other links between planes or leaves.
func TestPlanesAndHomes(t *testing.T) {
	build := func(g *Graph, err error) *Graph { return must(t, g, err) }
	c := schema.Default[LeafSpine]()
	c.Leaves, c.Spines, c.HostsPerLeaf, c.Homes, c.Planes = 4, 2, 3, 2, 2
	g := build(c.Build())
	const hosts = 6
	if len(g.Hosts()) != hosts || c.Count() != hosts || len(g.Nodes) != hosts+2*(4+2) || len(g.Links) != 2*(4*3+4*2) {
		t.Fatalf("%d hosts, %d nodes, %d links", len(g.Hosts()), len(g.Nodes), len(g.Links))
	}
	ports := map[NodeID][]int{}
	for _, l := range g.Links {
		if l.A < hosts {
			ports[l.A] = append(ports[l.A], int(l.B)-hosts)
			continue
		}
		if leaf, spine := int(l.A)-hosts, int(l.B)-hosts-8; leaf/4 != spine/2 {
			t.Errorf("leaf %d of one plane and spine %d of another one", leaf, spine)
		}
	}
	if got := fmt.Sprint(ports[0], ports[2], ports[3]); got != "[0 1 4 5] [0 1 4 5] [2 3 6 7]" {
		t.Errorf("leaves of hosts 0, 2 and 3: %s", got)
	}
	r := schema.Default[Rail]()
	r.Servers, r.Rails, r.Spines, r.Planes = 2, 2, 1, 2
	g = build(r.Build())
	ports = map[NodeID][]int{}
	for _, l := range g.Links[:8] {
		ports[l.A] = append(ports[l.A], int(l.B)-4)
	}
	if got := fmt.Sprint(ports); got != "map[0:[0 2] 1:[1 3] 2:[0 2] 3:[1 3]]" {
		t.Errorf("leaves of a rail: %s", got)
	}
}

// Oversubscription is the rate of the hosts divided by the rate of the uplinks.
func TestOversubscription(t *testing.T) {
	build := func(g *Graph, err error) *Graph { return must(t, g, err) }
	leaf, tree, rail := schema.Default[LeafSpine](), schema.Default[KAry](), schema.Default[Rail]()
	leaf.Oversubscription, tree.Oversubscription, rail.Oversubscription = 2, 4, 1
	leaf.FabricRate, tree.FabricRate, rail.FabricRate = 0, 0, 0 // have no effect
	for _, x := range []struct {
		g    *Graph
		want unit.Rate
	}{{build(leaf.Build()), 20 * unit.Gbps}, {build(tree.Build()), 25 * unit.Gbps},
		{build(rail.Build()), 400 * unit.Gbps}} {
		if got := x.g.Links[len(x.g.Links)-1].Rate; got != x.want {
			t.Errorf("%s: %v, want %v", x.g.Name, got, x.want)
		}
	}
	leaf.Oversubscription, leaf.HostRate = 1000, 1
	if _, err := leaf.Build(); !errtest.Says(err, "… topology.oversubscription = 1000: makes links up of 0 bit/s …") {
		t.Error(err)
	}
}

// Links between switches fail and slow down in their order, and a network in two parts is refused.
func TestWear(t *testing.T) {
	build := func(g *Graph, err error) *Graph { return must(t, g, err) }
	c := schema.Default[KAry]()
	c.K, c.Failed, c.Degraded, c.DegradedShare = 4, 1, 2, 0.5
	g := build(c.Build())
	var slow []int
	for i, l := range g.Links[16:] {
		if l.Rate != c.FabricRate {
			slow = append(slow, i)
		}
	}
	if len(g.Links) != 47 || fmt.Sprint(slow) != "[0 1]" {
		t.Errorf("%d links, slow ones are %v", len(g.Links), slow)
	}
	c.Failed = 2 // both links are of one ToR
	if _, err := c.Build(); !errtest.Says(err, "topology.failed = 2: … not connected …") {
		t.Error(err)
	}
}

// A whole plane may fail if another one connects the hosts. Its spine then has no links.
func TestPlaneThatFailed(t *testing.T) {
	c := schema.Default[LeafSpine]()
	c.Leaves, c.Spines, c.HostsPerLeaf, c.Planes, c.Failed = 2, 1, 4, 2, 2
	g, err := c.Build()
	if must(t, g, err); len(g.Hosts()) != 8 || len(g.Links) != 16+2 {
		t.Errorf("%d hosts, %d links", len(g.Hosts()), len(g.Links))
	}
	c.Failed = 3
	if _, err := c.Build(); !errtest.Says(err, "topology.failed = 3: … not connected: 2 parts; not reachable from …") {
		t.Error(err)
	}
}
