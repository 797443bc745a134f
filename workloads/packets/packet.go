package packets

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"

	"pintlab/internal/hash"
	"pintlab/netsim/unit"
)

// Numbers of IP protocols (IANA, "Protocol Numbers").
const (
	ICMP    = 1
	TCP     = 6
	UDP     = 17
	DCCP    = 33
	SCTP    = 132
	UDPLite = 136
)

// Flags are the flags of a TCP header, in the order of RFC 9293 (§3.1).
type Flags uint8

// Flags of a TCP header.
const (
	FIN Flags = 1 << iota
	SYN
	RST
	PSH
	ACK
)

// TupleSize is the number of bytes of a Tuple.
const TupleSize = 13

// Tuple identifies a flow: source address (4 bytes), destination address (4), source
// port (2), destination port (2), protocol (1), each in network byte order.
type Tuple [TupleSize]byte

// MakeTuple makes a Tuple of its parts.
func MakeTuple(src, dst uint32, srcPort, dstPort uint16, protocol uint8) (t Tuple) {
	binary.BigEndian.PutUint32(t[0:], src)
	binary.BigEndian.PutUint32(t[4:], dst)
	binary.BigEndian.PutUint16(t[8:], srcPort)
	binary.BigEndian.PutUint16(t[10:], dstPort)
	t[12] = protocol
	return t
}

// Src returns the source address.
func (t Tuple) Src() netip.Addr { return netip.AddrFrom4([4]byte(t[0:4])) }

// Dst returns the destination address.
func (t Tuple) Dst() netip.Addr { return netip.AddrFrom4([4]byte(t[4:8])) }

// SrcPort returns the source port.
func (t Tuple) SrcPort() uint16 { return binary.BigEndian.Uint16(t[8:]) }

// DstPort returns the destination port.
func (t Tuple) DstPort() uint16 { return binary.BigEndian.Uint16(t[10:]) }

// Protocol returns the number of the protocol above IP.
func (t Tuple) Protocol() uint8 { return t[12] }

// Reverse returns the flow of the opposite direction.
func (t Tuple) Reverse() (r Tuple) {
	copy(r[0:4], t[4:8])
	copy(r[4:8], t[0:4])
	copy(r[8:10], t[10:12])
	copy(r[10:12], t[8:10])
	r[12] = t[12]
	return r
}

// Key returns a 64-bit hash of t. Two flows of a trace with n flows share a key with
// probability below n²/2^65.
func (t *Tuple) Key() uint64 {
	ports := uint64(binary.LittleEndian.Uint32(t[8:])) | uint64(t[12])<<32
	return hash.Words(binary.LittleEndian.Uint64(t[:]), ports)
}

// String returns the flow as "10.0.0.1:1000 > 10.0.0.2:80 TCP".
func (t Tuple) String() string {
	name := ""
	switch t.Protocol() {
	case ICMP:
		return fmt.Sprintf("%v > %v ICMP", t.Src(), t.Dst())
	case TCP:
		name = "TCP"
	case UDP:
		name = "UDP"
	default:
		name = fmt.Sprintf("protocol %d", t.Protocol())
	}
	return fmt.Sprintf("%v:%d > %v:%d %s", t.Src(), t.SrcPort(), t.Dst(), t.DstPort(), name)
}

// Packet is one packet of a trace.
type Packet struct {
	// Time is the time since the first packet of the trace. It can decrease, and be negative, if the trace
	// is not in order.
	Time  unit.Time
	Tuple Tuple
	// Size is the number of bytes of the IP packet including its header, or 0 if unknown (records).
	Size int
	// Payload is the number of bytes after the TCP or UDP header, computed from the lengths in the headers;
	// 0 for other protocols.
	Payload int
	// Seq, Ack and Flags are the fields of the TCP header; 0 for other protocols and if the capture cuts
	// them.
	Seq, Ack uint32
	Flags    Flags
	// Data is the captured part of the payload. It is valid until the next packet.
	Data []byte
}

// ErrNone is the error of an empty trace for functions that need packets.
var ErrNone = errors.New("the trace has no packets")

// Source returns the packets of a trace.
type Source interface {
	// Next writes the next packet to p. At the end, or after an error, it reports false.
	Next(p *Packet) bool
	// Err returns the error that ended the trace early, or nil if all packets have come out.
	Err() error
}
