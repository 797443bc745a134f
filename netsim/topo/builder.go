package topo

import (
	"fmt"

	"pintlab/netsim/unit"
)

// Layers of the nodes of a tree.
const (
	layerHost int8 = iota
	layerEdge
	layerAgg
	layerCore
)

// builder assembles a generated graph.
type builder struct{ g *Graph }

func newBuilder(name string, nodes, links int) builder {
	return builder{&Graph{Name: name, Nodes: make([]Node, 0, nodes), Links: make([]Link, 0, links)}}
}

// nodes adds n nodes with the names prefix0, prefix1, … and returns the first.
func (b builder) nodes(n int, kind Kind, layer int8, prefix string) NodeID {
	first := NodeID(len(b.g.Nodes))
	for i := range n {
		b.g.Nodes = append(b.g.Nodes, Node{Kind: kind, Layer: layer, Name: fmt.Sprintf("%s%d", prefix, i)})
	}
	return first
}

func (b builder) link(x, y NodeID, r unit.Rate, d unit.Time) {
	b.g.Links = append(b.g.Links, Link{A: x, B: y, Rate: r, Delay: d})
}

// join links every leaf of a plane to every spine of the same plane.
func (b builder) join(leaf, spine NodeID, planes, leaves, spines int, r unit.Rate, d unit.Time) {
	for l := range planes * leaves {
		for s := range spines {
			b.link(leaf+NodeID(l), spine+NodeID(l/leaves*spines+s), r, d)
		}
	}
}
