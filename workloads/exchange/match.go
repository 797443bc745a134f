package exchange

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"pintlab/internal/hash"
	"pintlab/workloads/packets"
)

// Protocol says which packets are requests, and which are their responses.
type Protocol uint8

// The protocols.
const (
	// TCPData: a segment with data asks for the acknowledgement whose number is that of
	// the byte after it. A segment can be a response and a request at once. Segments
	// that are acknowledged together with later ones find no response; a segment that
	// is sent again counts from the last time.
	TCPData Protocol = iota
	// TCPHandshake: SYN and SYN-ACK.
	TCPHandshake
	// DNS: query and answer over UDP with equal DNS identifier.
	DNS
)

var protocolNames = []string{"tcp", "handshake", "dns"}

func (p Protocol) String() string { return protocolNames[p] }

// UnmarshalText reads "tcp", "handshake" or "dns".
func (p *Protocol) UnmarshalText(text []byte) error {
	i := slices.Index(protocolNames, string(text))
	if i < 0 {
		return fmt.Errorf("unknown kind of requests %q (accepted: %s)", text, strings.Join(protocolNames, ", "))
	}
	*p = Protocol(i)
	return nil
}

// dnsPort is the port of DNS servers (RFC 1035, §4.2.1).
const dnsPort = 53

// Matcher turns packets into requests and responses. Identifiers are 64-bit hashes of the
// flow and of the number that request and response share.
type Matcher struct {
	in     packets.Source
	kind   Protocol
	inside netip.Prefix
	packet packets.Packet
	// then follows the event of the same packet that came out last.
	then    Event
	pending bool
	packets int64
	events  int64
}

// Match reads the requests and responses of a protocol from packets. If inside is a valid
// prefix, only its hosts send requests: §5 takes outgoing data as requests. The zero
// prefix takes the requests of either side.
func Match(in packets.Source, kind Protocol, inside netip.Prefix) *Matcher {
	return &Matcher{in: in, kind: kind, inside: inside}
}

// Next writes the next event to e. A packet that is both is first a response.
func (m *Matcher) Next(e *Event) bool {
	if m.pending {
		m.pending = false
		*e = m.then
		return true
	}
	for m.in.Next(&m.packet) {
		m.packets++
		if m.match(e) {
			m.events++
			return true
		}
	}
	return false
}

// match writes the event of the packet to e, if it is one.
func (m *Matcher) match(e *Event) bool {
	p := &m.packet
	asks, answers := !m.inside.IsValid() || m.inside.Contains(p.Tuple.Src()), !m.inside.IsValid() || m.inside.Contains(p.Tuple.Dst())
	switch m.kind {
	case DNS:
		if p.Tuple.Protocol() != packets.UDP || len(p.Data) < 4 {
			return false
		}
		id := uint32(binary.BigEndian.Uint16(p.Data))
		response := p.Data[2]&0x80 != 0
		switch {
		case asks && !response && p.Tuple.DstPort() == dnsPort:
			*e = Event{p.Time, identify(p.Tuple, id), false}
			return true
		case answers && response && p.Tuple.SrcPort() == dnsPort:
			*e = Event{p.Time, identify(p.Tuple.Reverse(), id), true}
			return true
		}
		return false
	case TCPHandshake:
		if p.Tuple.Protocol() != packets.TCP {
			return false
		}
		switch p.Flags & (packets.SYN | packets.ACK | packets.RST | packets.FIN) {
		case packets.SYN:
			*e = Event{p.Time, identify(p.Tuple, p.Seq+1), false}
			return asks
		case packets.SYN | packets.ACK:
			*e = Event{p.Time, identify(p.Tuple.Reverse(), p.Ack), true}
			return answers
		}
		return false
	}
	if p.Tuple.Protocol() != packets.TCP || p.Flags&(packets.SYN|packets.RST) != 0 {
		return false
	}
	request := Event{p.Time, identify(p.Tuple, p.Seq+uint32(p.Payload)), false}
	asks = asks && p.Payload > 0
	answers = answers && p.Flags&packets.ACK != 0
	if !answers {
		*e = request
		return asks
	}
	*e = Event{p.Time, identify(p.Tuple.Reverse(), p.Ack), true}
	m.then, m.pending = request, asks
	return true
}

// identify returns the identifier of a request of a flow.
func identify(flow packets.Tuple, number uint32) uint64 {
	return hash.Combine(flow.Key(), uint64(number))
}

// Err returns the error that ended the packets early.
func (m *Matcher) Err() error { return m.in.Err() }

// Packets returns how many packets were read, and Matched how many of them are requests or
// responses of the protocol.
func (m *Matcher) Packets() int64 { return m.packets }

// Matched returns how many packets were requests, responses or both.
func (m *Matcher) Matched() int64 { return m.events }
