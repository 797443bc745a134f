package topo

import (
	"math"
	"strings"
)

// InferLayers sets the layer of every node. It is 0 for a host. For a switch it is the distance in
// links from the nearest host, so that ToR, aggregation and core switches of a tree get 1, 2 and 3.
// It is -1 if no host is in reach or the nearest is more than 127 links away.
func (g *Graph) InferLayers() {
	adj := g.Adjacency()
	var queue []NodeID
	dist := make([]int, len(g.Nodes))
	for i := range g.Nodes {
		dist[i] = -1
		if g.Nodes[i].Kind == Host {
			dist[i] = 0
			queue = append(queue, NodeID(i))
		}
	}
	for head := 0; head < len(queue); head++ {
		at := queue[head]
		for _, a := range adj.Of(at) {
			if dist[a.Peer] < 0 {
				dist[a.Peer] = dist[at] + 1
				queue = append(queue, a.Peer)
			}
		}
	}
	for i := range g.Nodes {
		g.Nodes[i].Layer = -1
		if dist[i] <= math.MaxInt8 {
			g.Nodes[i].Layer = int8(dist[i])
		}
	}
}

// LayerName returns the usual name for the layer of a node: leaf and spine by the name of the node,
// otherwise as in a data-centre tree. It returns "" if the layer has no name.
func (n Node) LayerName() string {
	switch word := strings.TrimRight(n.Name, "0123456789"); word {
	case "leaf", "spine":
		return word
	}
	return LayerName(n.Layer)
}

// LayerName returns the usual name of a layer of a data-centre tree.
func LayerName(layer int8) string {
	switch layer {
	case layerHost:
		return "host"
	case layerEdge:
		return "edge"
	case layerAgg:
		return "aggregation"
	case layerCore:
		return "core"
	}
	return ""
}
