package netsim

import (
	"pintlab/internal/hash"
	"pintlab/netsim/route"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// NodeID is the number of a node in the graph of the network.
type NodeID = topo.NodeID

// PortID is one direction of a link, seen from the node that sends: 2·link from
// the link's end A, 2·link+1 from its end B.
type PortID = route.Port

// NoPort is the PortID of no port.
const NoPort PortID = -1

// PacketID is the index of a packet in the slab of its engine.
type PacketID int32

// NoPacket is the PacketID of no packet.
const NoPacket PacketID = -1

// Kind is the purpose of a packet.
type Kind uint8

// The kinds of packet.
const (
	Data     Kind = iota // payload, from the source of a flow to its destination
	Ack                  // cumulative acknowledgement, the other way
	Nack                 // acknowledgement that also reports a gap
	Control              // a packet from a receiver to its sender, such as a request for more data
	Returned             // headers of a data packet that a switch sends back to its source
	Pause                // PFC: stop sending a class
	Resume               // PFC: resume a class
	Mirrored             // report of a monitor, from any node to a host
)

// Flags of a packet.
const (
	FlagCE   uint8 = 1 << iota // a queue on the path was over its marking threshold
	FlagEcho                   // on an ACK: the data packet had FlagCE; on data it is FlagTrimmed
	FlagLast                   // the packet carries the last byte of its flow
	FlagRetx                   // the packet was sent before
	FlagCWR                    // on data: the sender has answered a mark (RFC 3168)

	FlagTrimmed = FlagEcho // on data: a switch has cut off the payload
	FlagAtHost  = FlagCWR  // on data with FlagTrimmed: the port to the host cut it

	flagBroken uint8 = 1 << 6 // the packet was on a link that broke
	flagOrigin uint8 = 1 << 5 // a report that waits at the node that made it
)

// Packet is one packet in flight. It fills one cache line and has no pointers;
// lists of packets are linked through the slab.
type Packet struct {
	Seq     int64     // data: offset of the first payload byte; ACK: next byte expected
	At      unit.Time // when it arrived at the current node, or will arrive if it is on a link
	Digest  uint64    // PINT digest; an ACK repeats the digest of the data packet that it answers
	tie     uint64    // order of its arrival among simultaneous events
	Flow    int32     // slot of its flow; for Pause and Resume, the class; for Mirrored, the collector
	ID      uint32    // transmissions of the flow before this one, modulo 2^32; an ACK repeats it
	Sent    uint32    // sender's clock in ns, modulo 2^32; an ACK repeats it
	next    PacketID  // in the queue, on the link or in the free list
	way     int32     // index in Network.paths of the second port on its path
	Size    uint16    // bytes on the wire
	Payload uint16    // payload bytes
	ingress uint16    // number of the link by which the packet came into the current node, see Network.entries
	Hop     uint8     // switches whose egress the packet has passed
	Hops    uint8     // entries of its telemetry stack
	Kind    Kind
	Class   uint8
	Flags   uint8
	Path    uint8 // path number, where senders choose among paths
}

// PortSample is the state of a switch port when a packet leaves its queue: one entry of a telemetry
// stack.
type PortSample struct {
	TS    unit.Time  // when the packet left the queue
	Sent  unit.Bytes // bytes sent by the port before this packet, since the start of the run
	Queue int32      // bytes left in the queue
	Port  PortID
}

// PacketKey returns the identifier of a packet for the global hashes of PINT. A switch can derive
// these 64 bits from the headers (the flow's addresses and the packet's identifier), and an end
// host can derive them again.
func PacketKey(flowKey uint64, id uint32) uint64 { return hash.Combine(flowKey, uint64(id)) }
