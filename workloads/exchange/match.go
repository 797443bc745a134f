package exchange

import (
	"bytes"
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
	// TCPData: a segment with data, but without SYN, is a request. The acknowledgement of its last byte, or of its FIN,
	// is the response. A segment can be both a response and a request. If a segment is acknowledged together with later
	// segments, it has no response. After a retransmission, the delay counts from the last transmission; see Once.
	TCPData Protocol = iota
	// TCPHandshake: a SYN and its SYN-ACK. The SYN-ACK also acknowledges the data of the SYN if there are any (TCP Fast
	// Open).
	TCPHandshake
	// DNS: a query and its answer over UDP, which have the same DNS identifier.
	DNS
	// NTP: the query of a client, and the answer, which repeats the query's time stamp.
	NTP
	// TCPDuration: the SYN that opens a connection, and the first FIN or RST of either side. Later FINs and RSTs are
	// responses without a request.
	TCPDuration
)

var protocolNames = []string{"tcp", "handshake", "dns", "ntp", "duration"}

func (p Protocol) String() string { return protocolNames[p] }

// UnmarshalText reads "tcp", "handshake", "dns", "ntp" or "duration".
func (p *Protocol) UnmarshalText(text []byte) error {
	i := slices.Index(protocolNames, string(text))
	if i < 0 {
		return fmt.Errorf("unknown kind of requests %q (accepted: %s)", text, strings.Join(protocolNames, ", "))
	}
	*p = Protocol(i)
	return nil
}

// The ports of DNS servers (RFC 1035, §4.2.1) and of NTP servers (RFC 5905, §7.2).
const (
	dnsPort = 53
	ntpPort = 123
)

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

// Next writes the next event to e. For a packet that is both request and response, the response comes first.
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
	case DNS, NTP:
		id, response, ok := m.datagram()
		switch {
		case !ok:
		case asks && !response:
			*e = Event{p.Time, identify(p.Tuple, id), false}
			return true
		case answers && response:
			*e = Event{p.Time, identify(p.Tuple.Reverse(), id), true}
			return true
		}
		return false
	case TCPDuration:
		if p.Tuple.Protocol() != packets.TCP {
			return false
		}
		flow := p.Tuple // the same for both directions
		if back := flow.Reverse(); bytes.Compare(back[:], flow[:]) < 0 {
			flow = back
		}
		opens := p.Flags&(packets.SYN|packets.ACK|packets.RST|packets.FIN) == packets.SYN
		*e = Event{p.Time, identify(flow, 0), !opens}
		return opens && asks || p.Flags&packets.SYN == 0 && p.Flags&(packets.FIN|packets.RST) != 0 && (asks || answers)
	case TCPHandshake:
		if p.Tuple.Protocol() != packets.TCP {
			return false
		}
		switch p.Flags & (packets.SYN | packets.ACK | packets.RST | packets.FIN) {
		case packets.SYN:
			*e = Event{p.Time, identify(p.Tuple, uint64(after(p))), false}
			return asks
		case packets.SYN | packets.ACK:
			*e = Event{p.Time, identify(p.Tuple.Reverse(), uint64(p.Ack)), true}
			return answers
		}
		return false
	}
	if p.Tuple.Protocol() != packets.TCP || p.Flags&(packets.SYN|packets.RST) != 0 {
		return false
	}
	request := Event{p.Time, identify(p.Tuple, uint64(after(p))), false}
	asks = asks && p.Payload > 0
	answers = answers && p.Flags&packets.ACK != 0
	if !answers {
		*e = request
		return asks
	}
	*e = Event{p.Time, identify(p.Tuple.Reverse(), uint64(p.Ack)), true}
	m.then, m.pending = request, asks
	return true
}

// datagram returns the number that a DNS or NTP query shares with its answer, and which of them the packet is.
func (m *Matcher) datagram() (id uint64, response, ok bool) {
	p, d := &m.packet, m.packet.Data
	if p.Tuple.Protocol() != packets.UDP {
		return 0, false, false
	}
	port := uint16(dnsPort)
	switch {
	case m.kind == DNS && len(d) >= 4:
		id, response, ok = uint64(binary.BigEndian.Uint16(d)), d[2]&0x80 != 0, true
	case m.kind == NTP && len(d) >= 48: // RFC 5905, §7.3: the mode, and the origin and the transmit time stamp
		port = ntpPort
		switch d[0] & 7 {
		case 3:
			id, ok = binary.BigEndian.Uint64(d[40:]), true
		case 4:
			id, response, ok = binary.BigEndian.Uint64(d[24:]), true, true
		}
	}
	if response {
		return id, true, ok && p.Tuple.SrcPort() == port
	}
	return id, false, ok && p.Tuple.DstPort() == port
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
func identify(flow packets.Tuple, number uint64) uint64 {
	return hash.Combine(flow.Key(), number)
}

// Err returns the error that ended the packets early.
func (m *Matcher) Err() error { return m.in.Err() }

// Packets returns the number of packets that were read.
func (m *Matcher) Packets() int64 { return m.packets }

// Matched returns the number of packets that were requests, responses or both.
func (m *Matcher) Matched() int64 { return m.events }
