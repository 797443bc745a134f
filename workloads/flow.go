package workloads

import (
	"cmp"
	"fmt"

	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// Class tells what a flow is there for, so that results can be split by it.
type Class uint8

// The classes of flow.
const (
	ClassBackground Class = iota // ordinary traffic
	ClassIncast                  // one of the senders of an incast event
)

// String returns the class in one word.
func (c Class) String() string {
	switch c {
	case ClassBackground:
		return "background"
	case ClassIncast:
		return "incast"
	}
	return fmt.Sprintf("Class(%d)", uint8(c))
}

// Destination ports by which the field's files tell the classes apart.
const (
	BackgroundPort = 100
	IncastPort     = 200
)

// classOfPort returns the class of flows to the given port: incast for IncastPort,
// background for all others.
func classOfPort(port uint16) Class {
	if port == IncastPort {
		return ClassIncast
	}
	return ClassBackground
}

// DefaultPriority is the traffic class of the published simulator's flows.
const DefaultPriority = 3

// maxPriority is the highest of the eight traffic classes.
const maxPriority = 7

// Flow is one transfer of Size bytes from Src to Dst that begins at Start.
type Flow struct {
	ID       int32       // position in the workload, dense from 0
	Src, Dst topo.NodeID // two different hosts
	SrcPort  uint16      // counts up from 10000 for each (Src, Dst), in order of ID
	DstPort  uint16
	Priority uint8
	Class    Class
	Size     unit.Bytes // payload, at least 1
	Start    unit.Time  // at least 0; of a flow that waits for others when its source begins
	Part     uint16     // of the workload that it is of, if it waits for others
	Task     int32      // 1 + its number in the graph of the part; 0 if it waits for none
}

// CompareStart orders flows by start time and, among equals, by ID: the order of
// every list of flows in this package.
func CompareStart(a, b Flow) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.ID, b.ID))
}

// maxSize is the largest flow, 2^50 B (over 24 hours at 100 Gb/s): a larger number in
// a file is a slip, and sums of sizes stay far from overflow.
const maxSize = 1 << 50

// firstSrcPort is where the source ports of each pair of hosts begin.
const firstSrcPort = 10000

// ports hands out source ports. A pair with more than 55 536 flows begins again at
// firstSrcPort, as a host's own ephemeral ports do.
type ports struct {
	rows   [][]uint16 // next port by source and destination, for nodes below denseNodes
	sparse map[[2]topo.NodeID]uint16
}

// denseNodes bounds the rows to 32 MB; they halve the cost of a generated flow.
const denseNodes = 4096

func newPorts() *ports { return &ports{sparse: map[[2]topo.NodeID]uint16{}} }

func (p *ports) next(src, dst topo.NodeID) uint16 {
	if max(src, dst) >= denseNodes {
		pair := [2]topo.NodeID{src, dst}
		port := atLeastFirst(p.sparse[pair])
		p.sparse[pair] = port + 1
		return port
	}
	for int(src) >= len(p.rows) {
		p.rows = append(p.rows, nil)
	}
	row := p.rows[src]
	if int(dst) >= len(row) {
		row = append(row, make([]uint16, int(dst)+1-len(row))...)
		p.rows[src] = row
	}
	port := atLeastFirst(row[dst])
	row[dst] = port + 1
	return port
}

// atLeastFirst returns the port to use where port is noted: 0 is never used or counted
// past 65535.
func atLeastFirst(port uint16) uint16 {
	if port == 0 {
		return firstSrcPort
	}
	return port
}
