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

// Protocol determines which packets are requests and which are their responses.
type Protocol uint8

// The protocols.
const (
	// TCPData: a segment with data, without SYN, requests the acknowledgement of its last byte, or of its FIN.
	// A segment can be a response and a request at once. A segment that is acknowledged together with later
	// ones gets no response. After a retransmission the delay counts from the last transmission; see Once.
	TCPData Protocol = iota
	// TCPHandshake: SYN and SYN-ACK, which acknowledges the data of the SYN if there are any (TCP Fast Open).
	TCPHandshake
	// DNS: query and answer over UDP with the same DNS identifier.
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

// Matcher turns packets into requests and responses. Identifiers are 64-bit hashes of the flow and of the
// number that the request and its response share.
type Matcher struct {
	in     packets.Source
	kind   Protocol
	inside netip.Prefix
	packet packets.Packet
	// then is the request event of a packet whose response event Next has just returned.
	then    Event
	pending bool
	packets int64
	events  int64
}

// Match finds the requests and responses of a protocol among packets. If inside is a valid prefix, only its
// hosts send requests, because §5 counts outgoing data as requests. With the zero prefix, both sides send
// requests.
func Match(in packets.Source, kind Protocol, inside netip.Prefix) *Matcher {
	return &Matcher{in: in, kind: kind, inside: inside}
}

// Next writes the next event to e. For a packet that is both, the response comes first.
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

// match writes the packet's event to e if the packet is a request or a response.
func (m *Matcher) match(e *Event) bool {
	p := &m.packet
	asks, answers := !m.inside.IsValid() || m.inside.Contains(p.Tuple.Src()),
		!m.inside.IsValid() || m.inside.Contains(p.Tuple.Dst())
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
			*e = Event{p.Time, identify(p.Tuple, after(p)), false}
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
	request := Event{p.Time, identify(p.Tuple, after(p)), false}
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

// after returns the sequence number after a segment. SYN and FIN take one number each (RFC 9293, §3.4).
func after(p *packets.Packet) uint32 {
	n := p.Seq + uint32(p.Payload)
	if p.Flags&(packets.SYN|packets.FIN) != 0 {
		n++
	}
	return n
}

// identify returns the identifier of a request by its flow and number.
func identify(flow packets.Tuple, number uint32) uint64 {
	return hash.Combine(flow.Key(), uint64(number))
}

// Err returns the error that ended the packets early.
func (m *Matcher) Err() error { return m.in.Err() }

// Packets returns how many packets were read.
func (m *Matcher) Packets() int64 { return m.packets }

// Matched returns how many packets were requests, responses or both.
func (m *Matcher) Matched() int64 { return m.events }
