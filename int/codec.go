package inband

import (
	"fmt"
	"math/bits"
	"strings"
)

// Instructions is the bitmap of the values that every hop writes, in the order of the
// constants. Bit 0 of the specification is the most significant bit.
type Instructions uint16

// The instructions of INT 2.1. Bits 9 to 14 are reserved, with 4 B each.
const (
	NodeID             Instructions = 1 << (15 - iota) // 4 B
	Level1Interfaces                                   // ingress 2 B, egress 2 B
	HopLatency                                         // 4 B
	QueueOccupancy                                     // queue ID 1 B, occupancy 3 B
	IngressTime                                        // 8 B
	EgressTime                                         // 8 B
	Level2Interfaces                                   // ingress 4 B, egress 4 B
	TxUtilization                                      // 4 B
	BufferOccupancy                                    // buffer ID 1 B, occupancy 3 B
	ChecksumComplement Instructions = 1                // 4 B, always the last of a hop

	eightByte = IngressTime | EgressTime | Level2Interfaces // the others take 4 B
)

// Words returns the number of 4-byte words that a hop writes for i, without domain-specific words.
func (i Instructions) Words() int {
	return bits.OnesCount16(uint16(i)) + bits.OnesCount16(uint16(i&eightByte))
}

var instructionNames = [16]string{
	0: "node-id", 1: "level1-interfaces", 2: "hop-latency", 3: "queue-occupancy", 4: "ingress-time",
	5: "egress-time", 6: "level2-interfaces", 7: "tx-utilization", 8: "buffer-occupancy", 15: "checksum-complement",
}

// String lists the instructions in the order in which a hop writes their values.
func (i Instructions) String() string {
	var names []string
	for b := range 16 {
		if i&(1<<(15-b)) == 0 {
			continue
		}
		name := instructionNames[b]
		if name == "" {
			name = fmt.Sprintf("reserved-%d", b)
		}
		names = append(names, name)
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, "+")
}

// MarkKind is the way in which a packet shows that it carries INT.
type MarkKind uint8

// The marks of INT over TCP and UDP. All nodes of a domain use the same mark.
const (
	// ByDSCP sets the DSCP of the IP header; INT follows the TCP header with its
	// options, or the UDP header.
	ByDSCP MarkKind = iota
	// ByPort sets the destination port of a UDP packet; INT follows the UDP header.
	ByPort
	// ByOuterUDP inserts another UDP header, followed by INT, directly after the IP
	// header. The destination port of this UDP header is the mark.
	ByOuterUDP
)

// Mark is the mark of INT packets in one domain. Neither a DSCP nor a port has been assigned
// to P4.org for INT, so each domain chooses its own.
type Mark struct {
	Kind MarkKind
	DSCP uint8  // for ByDSCP: 1 to 63
	Port uint16 // for ByPort and ByOuterUDP: 1 to 65535
}

// validate reports a mark that no packet can carry.
func (m Mark) validate() error {
	switch {
	case m.Kind > ByOuterUDP:
		return fmt.Errorf("mark %d, want ByDSCP, ByPort or ByOuterUDP", m.Kind)
	case m.Kind == ByDSCP && (m.DSCP == 0 || m.DSCP > 63):
		return fmt.Errorf("INT is marked with DSCP %d, want 1 to 63", m.DSCP)
	case m.Kind != ByDSCP && m.Port == 0:
		return fmt.Errorf("INT is marked with UDP port 0, want 1 to 65535")
	}
	return nil
}
