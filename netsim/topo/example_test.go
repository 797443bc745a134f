package topo_test

import (
	"fmt"
	"log"
	"strings"

	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// The network of PINT §6.1. Hosts come first, then switches from the edge up.
func ExampleFatTree() {
	g, err := topo.DefaultFatTree320().Build()
	if err != nil {
		log.Fatal(err)
	}
	layers := map[string]int{}
	for _, n := range g.Nodes {
		layers[n.LayerName()]++
	}
	fmt.Println(g.Name, layers)
	last := g.Links[len(g.Links)-1]
	fmt.Println(g.Label(last.A), "to", g.Label(last.B), "at", last.Rate, "in", last.Delay)
	// Output:
	// fat320 map[aggregation:20 core:16 edge:20 host:320]
	// switch 359 (agg19) to switch 375 (core15) at 400Gbps in 1us
}

// Four hosts of 100 Gb/s below a leaf with two uplinks need uplinks of 200 Gb/s, or of 50 Gb/s if the network is
// oversubscribed 4 to 1.
func ExampleLeafSpine() {
	c := schema.Default[topo.LeafSpine]() // as for all keys that a scenario does not give
	c.Leaves, c.Spines, c.HostsPerLeaf = 1, 2, 4
	c.HostRate, c.Oversubscription = 100*unit.Gbps, 4
	g, err := c.Build()
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range g.Links {
		if l.Rate != c.HostRate {
			fmt.Println(g.Label(l.A), g.Label(l.B), l.Rate)
		}
	}
	// Output:
	// switch 4 (leaf0) switch 5 (spine0) 50Gbps
	// switch 4 (leaf0) switch 6 (spine1) 50Gbps
}

// A topology file of the HPCC simulators, with two hosts and a switch between them.
func ExampleReadTopology() {
	g, err := topo.ReadTopology(strings.NewReader("3 1 2\n2\n0 2 100Gbps 1000ns 0\n1 2 25Gbps 1000ns 0\n"), "pair.txt")
	if err != nil {
		log.Fatal(err)
	}
	neighbours := g.Adjacency()
	for _, arc := range neighbours.Of(2) {
		fmt.Println(g.Label(arc.Peer), g.Links[arc.Link].Rate)
	}
	// Output:
	// host 0 100Gbps
	// host 1 25Gbps
}
