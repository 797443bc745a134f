package trace_test

import (
	"fmt"

	"pintlab/netsim/topo"
	"pintlab/pint/coding"
	"pintlab/pint/global"
	"pintlab/pint/trace"
)

// With two bytes on each packet, three packets determine a path of 36 switches.
func Example() {
	g, err := topo.USCarrierISP().Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := trace.NewMap(g, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	config := trace.AwareCode(m, 36, 2, 8)
	config.Family = global.CRC(7)
	code, err := coding.New(config)
	if err != nil {
		fmt.Println(err)
		return
	}
	tracer, err := trace.NewTracer(m, code, trace.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}

	path := walk(g, 36)
	decoder, err := tracer.Decoder(len(path)) // the length is known from the TTL
	if err != nil {
		fmt.Println(err)
		return
	}
	for packet := uint64(1); !decoder.Done(); packet++ {
		digest := uint64(0)
		for i, node := range path {
			id, _ := m.Value(node)
			digest = code.Hop(packet, i+1, id, digest) // the switch's part
		}
		if err := decoder.Add(packet, digest); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("packet %d: digest %04x, hop 18 is one of %d switches\n", packet, digest, decoder.Candidates(18))
	}
	found, _ := decoder.Path()
	fmt.Println(len(found), "switches, right:", fmt.Sprint(found) == fmt.Sprint(path))
	// Output:
	// packet 1: digest 2a4f, hop 18 is one of 10 switches
	// packet 2: digest 1678, hop 18 is one of 1 switches
	// packet 3: digest 8b0f, hop 18 is one of 1 switches
	// 36 switches, right: true
}

// walk returns a path of n different switches.
func walk(g *topo.Graph, n int) []topo.NodeID {
	adj := g.Adjacency()
	var path []topo.NodeID
	seen := map[topo.NodeID]bool{}
	var extend func(at topo.NodeID) bool
	extend = func(at topo.NodeID) bool {
		if seen[at] {
			return false
		}
		seen[at] = true
		path = append(path, at)
		if len(path) == n {
			return true
		}
		for _, a := range adj.Of(at) {
			if extend(a.Peer) {
				return true
			}
		}
		delete(seen, at)
		path = path[:len(path)-1]
		return false
	}
	for _, s := range g.Switches() {
		if extend(s) {
			break
		}
	}
	return path
}
