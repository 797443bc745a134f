package topo

import "pintlab/netsim/unit"

// NodeID is the number of a node in a graph, from 0 without gaps.
type NodeID int32

// Kind is the type of a node.
type Kind uint8

// The kinds of node.
const (
	Host Kind = iota
	Switch
)

// Node is a host or a switch.
type Node struct {
	Kind  Kind
	Layer int8      // 0 host, 1 edge (ToR), 2 aggregation, 3 core; -1 if unknown
	Name  string    // for display; may be empty
	Delay unit.Time // delay of a switch, from the arrival of a packet until it is in the queue

	// Inside marks a switch inside a server, such as an NVLink switch. Its links do not count as
	// network capacity, for example in loads.
	Inside bool
}

// Link joins two nodes in both directions.
type Link struct {
	A, B      NodeID
	Rate      unit.Rate // rate of each direction, > 0
	Delay     unit.Time // propagation, >= 0
	ErrorRate float64   // probability that a packet is lost on the wire, in [0, 1)
	Back      unit.Rate // rate from B to A, if it is lower than Rate; else 0
}

// Rates returns the rates from A to B and from B to A.
func (l *Link) Rates() [2]unit.Rate {
	if l.Back > 0 {
		return [2]unit.Rate{l.Rate, l.Back}
	}
	return [2]unit.Rate{l.Rate, l.Rate}
}

// Graph is a network: what is connected to what. It holds no state of a run.
type Graph struct {
	Name    string
	Nodes   []Node
	Links   []Link
	Changes Changes // filled by the reader of a file
}
