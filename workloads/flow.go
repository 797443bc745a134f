package workloads

import (
	"cmp"
	"fmt"

	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// Class is the purpose of a flow, by which results can be split.
type Class uint8

// The classes of flows.
const (
	ClassBackground Class = iota // ordinary traffic
	ClassIncast                  // flow of a sender of an incast event
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

// Destination ports that encode the class of a flow in flow.txt files.
const (
	BackgroundPort = 100
	IncastPort     = 200
)

// classOfPort returns the class of flows to a port: incast for IncastPort, background for all others.
func classOfPort(port uint16) Class {
	if port == IncastPort {
		return ClassIncast
	}
	return ClassBackground
}

// DefaultPriority is the traffic class of the published simulator's flows.
const DefaultPriority = 3

// The range of traffic classes of flows. Pause frames have class 0.
const (
	minPriority = 1
	maxPriority = 7
)

// Flow is one transfer of Size bytes from Src to Dst that begins at Start.
type Flow struct {
	ID       int32       // position in the workload, dense from 0
	Src, Dst topo.NodeID // two different hosts
	SrcPort  uint16      // counts up from 10000 for each (Src, Dst), in order of ID
	DstPort  uint16
	Priority uint8
	Class    Class
	Size     unit.Bytes // payload, at least 1
	Start    unit.Time  // at least 0; for a flow that waits for others, the start of its source
	Part     uint16     // index of its part in the workload
	Task     int32      // 1 + its task number in the part's graph; 0 if it waits for no flow
}

// compareStart orders flows by start time, then by ID, as in every list of flows in this package.
func compareStart(a, b Flow) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.ID, b.ID))
}

// maxSize is the largest flow, 2^50 B (over 24 hours at 100 Gb/s). Larger numbers in a file are mistakes.
// The limit also keeps sums of sizes far from overflow.
const maxSize = 1 << 50

// firstSrcPort is the first source port of each pair of hosts.
const firstSrcPort = 10000

// ports assigns source ports. After 55 536 flows a pair starts again at firstSrcPort, as a host's own
// ephemeral ports do.
type ports struct {
	rows   [][]uint16 // next port by source and destination, for node numbers below denseNodes
	sparse map[[2]topo.NodeID]uint16
}

// denseNodes is the number of nodes with a row of ports, which bounds the rows to 32 MB. With rows instead of a map, a
// flow is generated in half the time.
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

// atLeastFirst returns the stored port. If port is 0, the pair is new or has wrapped around, and the result is
// firstSrcPort.
func atLeastFirst(port uint16) uint16 {
	if port == 0 {
		return firstSrcPort
	}
	return port
}
