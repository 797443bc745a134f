package topo

import "pintlab/netsim/unit"

// NodeID numbers the nodes of a graph densely from 0.
type NodeID int32

// Kind tells hosts from switches.
type Kind uint8

// The kinds of node.
const (
	Host Kind = iota
	Switch
)

// Node is a host or a switch.
type Node struct {
	Kind  Kind
	Layer int8      // 0 host, 1 edge (ToR), 2 aggregation, 3 core; -1 if the source does not say
	Name  string    // for people; may be empty
	Delay unit.Time // of a switch, from the arrival of a packet to its place in the queue

	// Inside says that a switch is inside a server, such as one of NVLink: its links are no part of the network
	// to which a share of what hosts can send refers.
	Inside bool
}

// Link joins two nodes in both directions.
type Link struct {
	A, B      NodeID
	Rate      unit.Rate // of each direction, > 0
	Delay     unit.Time // propagation, >= 0
	ErrorRate float64   // probability that a packet is lost on the wire, in [0, 1)
	Back      unit.Rate // from B to A, if it is lower than Rate; else 0
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
	Dropped Dropped // by the reader of a map
}
