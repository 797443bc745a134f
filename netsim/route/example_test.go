package route_test

import (
	"fmt"
	"log"

	"pintlab/netsim/route"
	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
)

// square returns two leaves with one host each, hosts 0 and 1, and two spines.
func square() *topo.Graph {
	c := schema.Default[topo.LeafSpine]()
	c.Leaves, c.Spines, c.HostsPerLeaf = 2, 2, 1
	g, err := c.Build()
	if err != nil {
		log.Fatal(err)
	}
	return g
}

// The hash of a flow's ports selects the spine that it crosses.
func ExampleTable_Path() {
	g := square()
	routes, err := route.New(g, route.Options{Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("paths:", routes.Paths(0, 1), "switches on the longest:", routes.MaxHops())
	for port := range uint16(3) {
		flow := route.FiveTuple{Src: 0, Dst: 1, SrcPort: 10_000 + port, DstPort: 100}
		fmt.Print(flow.SrcPort, ":")
		for _, p := range routes.Path(nil, 0, 1, flow) {
			fmt.Print(" ", g.Label(p.To(g)))
		}
		fmt.Println()
	}
	// Output:
	// paths: 2 switches on the longest: 3
	// 10000: switch 2 (leaf0) switch 4 (spine0) switch 3 (leaf1) host 1 (h1)
	// 10001: switch 2 (leaf0) switch 5 (spine1) switch 3 (leaf1) host 1 (h1)
	// 10002: switch 2 (leaf0) switch 4 (spine0) switch 3 (leaf1) host 1 (h1)
}

// A link that is down has no routes: the other spine carries all flows.
func ExampleNewExcluding() {
	g := square()
	down := make([]bool, len(g.Links))
	for i, l := range g.Links {
		down[i] = l.A == 2 && l.B == 4 // a leaf and a spine
	}
	routes, err := route.NewExcluding(g, route.Options{}, down)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range routes.NextHops(2, 1) {
		fmt.Println(g.Label(p.From(g)), "to", g.Label(p.To(g)))
	}
	// Output: switch 2 (leaf0) to switch 5 (spine1)
}
