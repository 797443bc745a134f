package telemetry

import "pintlab/netsim"

// Visible is a telemetry system (Parts.System) or a monitor (Watch.System) that says how what a packet carries of it
// looks on the wire. Captures ask it; simulations only count the bytes.
type Visible interface {
	// Show adds what the packet carries of the system to its frame, or nothing.
	Show(f *Frame) error
}

// Frame is a packet for a capture, to which systems add what it carries of them.
type Frame struct {
	*netsim.Sight
	Flow netsim.FlowName // unless the packet is a report or a PFC frame

	Tag    []byte   // before the EtherType of the IPv4 header, beginning with an EtherType of its own
	INT    [][]byte // INT 2.1 messages behind the transport header; the original DSCP is filled in later
	Blocks []byte   // what Block has added
	Report []byte   // payload of a report of the monitor
	Port   uint16   // UDP port of the report; 0 for a Telemetry Report 2.0

	// Headers returns the IPv4 and transport headers of a data packet, with an INT 2.1 message behind them unless that
	// is nil, for the contents of reports. The length is a multiple of 4.
	Headers func(of netsim.FlowName, message []byte) ([]byte, error)
}

// BlockKind says what a block of telemetry is.
type BlockKind uint8

// The kinds of block.
const (
	BlockHPCC      BlockKind = 1 + iota // INT in the format of the published HPCC simulator
	BlockEcho                           // an INT 2.1 message that a receiver sends back
	BlockDigest                         // a digest of PINT, the newest bit last
	BlockSketchlet                      // a sketchlet of LightGuardian
	BlockSketchINT                      // the INT layer of SketchINT
	BlockRTT                            // a round-trip time that a switch has written into an acknowledgement
	BlockCSIG                           // a tag of CSIG that a receiver sends back
	BlockHPCCAs                         // as BlockHPCC, in other fields, which the block describes
)

// UDP ports of reports that are no Telemetry Reports.
const (
	PortSketchlets = 32764 // LightGuardian: sketchlets
	PortSketchINT  = 32765 // frames of SketchINT
)

// Block adds a block of at most 4095 bytes.
//
//	kind 4 | length 12, in bytes | content
func (f *Frame) Block(kind BlockKind, content []byte) {
	f.Blocks = append(f.Blocks, byte(kind)<<4|byte(len(content)>>8), byte(len(content)))
	f.Blocks = append(f.Blocks, content...)
}
