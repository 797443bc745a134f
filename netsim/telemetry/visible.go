package telemetry

import (
	"pintlab/netsim"
	"pintlab/netsim/route"
)

// Visible is a telemetry system (Parts.System) or a monitor (Watch.System) that can encode its data
// in a packet as bytes. Only captures call it; simulations just count the bytes.
type Visible interface {
	// Show adds the data of the system in the packet to the frame, if there is any.
	Show(f *Frame) error
}

// Frame is a packet for a capture. Systems add their data to it.
type Frame struct {
	*netsim.Sight
	Flow route.FiveTuple // set unless the packet is a report or a PFC frame

	V6      bool   // the packet has an IPv6 header in place of the IPv4 one
	Options []byte // options of an IPv6 hop-by-hop header, without next header and length; padded later

	// Before lies between the IP header and the transport header. Protocol is the IP protocol of Before. The second
	// byte of Before becomes the protocol of the transport header. After lies behind the transport header.
	Before, After []byte
	Protocol      uint8

	Tag    []byte   // bytes before the EtherType of the IPv4 header; they begin with their own EtherType
	INT    [][]byte // INT 2.1 messages behind the transport header; the original DSCP is filled in later
	Blocks []byte   // the blocks that Block has added
	Report []byte   // payload of a report of the monitor
	Port   uint16   // UDP port of the report; 0 for a Telemetry Report 2.0

	// Headers returns the IPv4 and transport headers of a data packet, for the contents of reports.
	// If message is not nil, an INT 2.1 message follows them. The length is a multiple of 4.
	Headers func(of route.FiveTuple, message []byte) ([]byte, error)
}

// BlockKind is the type of a block of telemetry.
type BlockKind uint8

// The kinds of block.
const (
	BlockHPCC           BlockKind = 1 + iota // INT in the format of the published HPCC simulator
	BlockEcho                                // an INT 2.1 message that a receiver sends back
	BlockDigest                              // a digest of PINT, the newest bit last
	BlockSketchlet                           // a sketchlet of LightGuardian
	BlockSketchINT                           // the INT layer of SketchINT
	BlockRTT                                 // a round-trip time that a switch has written into an acknowledgement
	BlockCSIG                                // a tag of CSIG that a receiver sends back
	BlockHPCCAs                              // like BlockHPCC, with other fields, which the block describes
	BlockSketchINTDrops                      // like BlockSketchINT, with counters of drops
	BlockIOAM                                // a trace option of IOAM that a receiver sends back
	BlockIFA                                 // records of IFA that a receiver sends back, and their header
)

// UDP ports of reports that are not Telemetry Reports.
const (
	PortPlain      = 32763 // monitors that are not Visible: zeros
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
