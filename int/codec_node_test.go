package inband

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
)

// checksumsHold verifies the checksums of the IPv4 header and of TCP or UDP from scratch:
// the sum of all words, including the pseudo-header, must be all ones.
func checksumsHold(b []byte) error {
	sum := func(parts ...[]byte) uint16 {
		s := uint32(0)
		for _, p := range parts {
			for i, c := range p {
				if i%2 == 0 {
					s += uint32(c) << 8
				} else {
					s += uint32(c)
				}
			}
		}
		for s > 0xffff {
			s = s>>16 + s&0xffff
		}
		return uint16(s)
	}
	l4, proto, addresses := 40, b[6], []byte(nil)
	if b[0]>>4 == 4 {
		l4, proto = 4*int(b[0]&15), b[9]
		if s := sum(b[:l4]); s != 0xffff {
			return fmt.Errorf("IPv4 header sums to %#x", s)
		}
		addresses = b[12:20]
	} else {
		addresses = b[8:40]
	}
	segment := b[l4:]
	switch proto {
	case protoUDP:
		if int(binary.BigEndian.Uint16(segment[4:])) != len(segment) {
			return fmt.Errorf("UDP length %d of %d", binary.BigEndian.Uint16(segment[4:]), len(segment))
		}
		if segment[6] == 0 && segment[7] == 0 {
			return nil
		}
	case protoTCP:
	default:
		return nil
	}
	if s := sum(addresses, []byte{0, proto}, binary.BigEndian.AppendUint16(nil, uint16(len(segment))),
		segment); s != 0xffff {
		return fmt.Errorf("layer 4 sums to %#x", s)
	}
	return nil
}

// build makes an IP packet with an independent implementation.
func build(t interface {
	Helper()
	Fatal(...any)
}, v6 bool, proto layers.IPProtocol, dscp uint8, payload []byte) []byte {
	t.Helper()
	var network gopacket.SerializableLayer
	var pseudo gopacket.NetworkLayer
	if v6 {
		ip := &layers.IPv6{Version: 6, TrafficClass: dscp<<2 | 1, HopLimit: 60, NextHeader: proto,
			SrcIP: net.ParseIP("fd00::1:2"), DstIP: net.ParseIP("fd00::3:4")}
		network, pseudo = ip, ip
	} else {
		ip := &layers.IPv4{Version: 4, TOS: dscp<<2 | 1, TTL: 60, Id: 0x1234, Protocol: proto,
			SrcIP: net.IP{10, 0, 0, 1}, DstIP: net.IP{10, 0, 1, 2}}
		network, pseudo = ip, ip
	}
	stack := []gopacket.SerializableLayer{network}
	switch proto {
	case layers.IPProtocolUDP:
		udp := &layers.UDP{SrcPort: 4000, DstPort: 4791}
		_ = udp.SetNetworkLayerForChecksum(pseudo)
		stack = append(stack, udp)
	case layers.IPProtocolTCP:
		tcp := &layers.TCP{SrcPort: 4000, DstPort: 80, Seq: 7, Ack: 9, ACK: true, Window: 1000,
			Options: []layers.TCPOption{
				{OptionType: layers.TCPOptionKindTimestamps, OptionLength: 10, OptionData: make([]byte, 8)}}}
		_ = tcp.SetNetworkLayerForChecksum(pseudo)
		stack = append(stack, tcp)
	}
	buf := gopacket.NewSerializeBuffer()
	stack = append(stack, gopacket.Payload(payload))
	if err := gopacket.SerializeLayers(buf, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true},
		stack...); err != nil {
		t.Fatal(err)
	}
	return bytes.Clone(buf.Bytes())
}

func udpSource() Source {
	return Source{
		Node:         Node{Mark: Mark{Kind: ByPort, Port: 5000}},
		Instructions: NodeID | QueueOccupancy, MaxHops: 8,
	}
}

// A UDP packet of four payload bytes passes a source, one switch and a sink; the test compares every byte. The
// checksums are computed by hand, in ones' complement. The words of the IPv4 header without the checksum add up to 9a35
// at first, and to 9a55 with INT. UDP with its pseudo-header adds up to fc49, and then to da0a.
func TestUDPByHand(t *testing.T) {
	original := unhex(t, `
		45 00 00 20 00 01 00 00 40 11 65 ca 0a 00 00 01 0a 00 01 02
		0f a0 12 b7 00 0c 03 b6 61 62 63 64
	`)
	if err := checksumsHold(original); err != nil {
		t.Fatal(err)
	}
	src := udpSource()
	if err := src.Validate(); err != nil {
		t.Fatal(err)
	}
	pkt, out, err := src.Insert(bytes.Clone(original),
		&Metadata{Available: NodeID | QueueOccupancy, NodeID: 1, QueueOccupancy: 1000}, 1500)
	if err != nil || out != Added {
		t.Fatal(out, err)
	}
	pkt, out, err = src.Node.Transit(pkt, &Metadata{Available: NodeID, NodeID: 2}, 1500)
	if err != nil || out != Added {
		t.Fatal(out, err)
	}
	want := unhex(t, `
		45 00 00 40 00 01 00 00 40 11 65 aa 0a 00 00 01 0a 00 01 02  # 32 bytes longer
		0f a0 13 88 00 2c 25 f5                                      # port 5000
		14 07 12 b7                                                  # shim: NPT 1, 7 words, port 4791
		20 00 02 06 90 00 00 00 00 00 00 00                          # 6 hops remain
		00 00 00 02 ff ff ff ff                                      # second switch: no queue
		00 00 00 01 00 00 03 e8                                      # first switch
		61 62 63 64
	`)
	if !bytes.Equal(pkt, want) {
		t.Errorf("got\n%x, want\n%x", pkt, want)
	}
	if err := checksumsHold(pkt); err != nil {
		t.Error(err)
	}
	var m Message
	pkt, out, err = src.Node.Sink(pkt, &m)
	if err != nil || out != Removed {
		t.Fatal(out, err)
	}
	if !bytes.Equal(pkt, original) {
		t.Errorf("after the sink\n%x, want\n%x", pkt, original)
	}
	if m.Header.RemainingHops != 6 || len(m.Stack) != 16 {
		t.Errorf("the sink read %+v", m)
	}
}

// The specification's example over TCP: DSCP 0x17 marks INT, which comes after the TCP options.
func TestTCPMarkedByDSCP(t *testing.T) {
	original := build(t, false, layers.IPProtocolTCP, 10, []byte("some payload"))
	src := Source{Node: Node{Mark: Mark{Kind: ByDSCP, DSCP: 0x17}}, Instructions: NodeID | QueueOccupancy, MaxHops: 8}
	pkt, _, err := src.Insert(bytes.Clone(original),
		&Metadata{Available: NodeID | QueueOccupancy, NodeID: 1, QueueOccupancy: 1000}, 1500)
	if err != nil {
		t.Fatal(err)
	}
	pkt, _, err = src.Node.Transit(pkt,
		&Metadata{Available: NodeID | QueueOccupancy, NodeID: 2, Queue: 5, QueueOccupancy: 3000}, 1500)
	if err != nil {
		t.Fatal(err)
	}
	if pkt[1] != 0x17<<2|1 {
		t.Errorf("DSCP and ECN are %#x, want DSCP 0x17 and ECN 1", pkt[1])
	}
	at := 20 + 32 // IP, TCP with 12 bytes of options
	if want := append(unhex(t, specExample), "some payload"...); !bytes.Equal(pkt[at:], want) {
		t.Errorf("after TCP\n%x, want\n%x", pkt[at:], want)
	}
	if err := checksumsHold(pkt); err != nil {
		t.Error(err)
	}
	var m Message
	if pkt, _, err = src.Node.Sink(pkt, &m); err != nil || !bytes.Equal(pkt, original) {
		t.Errorf("after the sink, %v\n%x, want\n%x", err, pkt, original)
	}
}

// The test covers every rule by which a transit hop adds nothing.
func TestTransitAddsAllOrNothing(t *testing.T) {
	src := udpSource()
	start := build(t, false, layers.IPProtocolUDP, 0, make([]byte, 100)) // 128 bytes
	md := &Metadata{Available: NodeID, NodeID: 9}
	for _, tt := range []struct {
		name       string
		edit       func(*Source)
		mtu        unit.Bytes // MTU of the transit hop
		want       Action
		e, m       bool
		remaining  uint8
		stackWords int
	}{
		{"room to spare", func(*Source) {}, 1500, Added, false, false, 6, 4},
		{"MTU just right", func(*Source) {}, 128 + 16 + 16, Added, false, false, 6, 4},
		{"MTU one byte short", func(*Source) {}, 128 + 16 + 15, MTULimit, false, true, 7, 2},
		{"no hop remains", func(s *Source) { s.MaxHops = 1 }, 1500, HopLimit, true, false, 0, 2},
		{"no hop remains and no room: only E", func(s *Source) { s.MaxHops = 1 }, 1, HopLimit, true, false, 0, 2},
	} {
		s := src
		tt.edit(&s)
		pkt, out, err := s.Insert(bytes.Clone(start), md, 1500)
		if out != Added || err != nil {
			t.Fatal(tt.name, out, err)
		}
		for range 2 { // a flag that is set stays set, and nothing else changes
			before := len(pkt)
			pkt, out, err = s.Node.Transit(pkt, md, tt.mtu)
			if err != nil || out != tt.want {
				t.Fatalf("%s: %v, %v; want %v", tt.name, out, err, tt.want)
			}
			if err := checksumsHold(pkt); err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			if out == Added {
				break
			}
			if len(pkt) != before {
				t.Errorf("%s: the packet went from %d to %d bytes", tt.name, before, len(pkt))
			}
		}
		var m Message
		if _, _, err := s.Node.Sink(pkt, &m); err != nil {
			t.Fatal(err)
		}
		if m.Header.HopsExceeded != tt.e || m.Header.MTUExceeded != tt.m || m.Header.RemainingHops != tt.remaining ||
			len(m.Stack) != 4*tt.stackWords {
			t.Errorf("%s: %+v with %d words, want E %v, M %v, %d remaining, %d words",
				tt.name, m.Header, len(m.Stack)/4, tt.e, tt.m, tt.remaining, tt.stackWords)
		}
	}
}

// The test puts INT headers after the UDP header by hand. Only a source of another implementation would write them.
func TestTransitOfForeignHeaders(t *testing.T) {
	n := Node{Mark: Mark{Kind: ByPort, Port: 4791}, Domain: 7}
	long := "14 fe 0000  20 00 02 ff  90 00 0000  0000 0000" // 254 words, with room for 1 more, but not for 2
	for range 251 {
		long += "01020304"
	}
	for _, tt := range []struct {
		name, payload string
		md            *Metadata
		want          Action
		hop           string // the pushed words
		err           string
	}{
		{"destination type", "24 01 0000 00000000", nil, OtherType, "", ""},
		{"MX type", "34 03 0000 20000000 90000000 00000000", nil, OtherType, "", ""},
		{"no instruction", "14 03 0000 20 00 00 05 0000 0000 0000 0000", nil, NothingDue, "", ""},
		{"length at its limit", long, nil, LengthLimit, "", ""},
		{"nothing to say", "14 03 0000 20 00 02 05 9000 0000 0000 0000", nil, Added, "ffffffff ffffffff", ""},
		{"reserved instruction 9", "14 03 0000 20 00 02 05 8040 0000 0000 0000",
			&Metadata{Available: NodeID, NodeID: 5}, Added, "00000005 ffffffff", ""},
		{"known domain", "14 03 0000 20 00 02 05 8000 0007 8000 0000",
			&Metadata{Available: NodeID, NodeID: 5, Domain: []byte("abcd")}, Added, "00000005 61626364", ""},
		{"unknown domain", "14 03 0000 20 00 02 05 8000 0008 8000 0000",
			&Metadata{Available: NodeID, NodeID: 5, Domain: []byte("abcd")}, Added, "00000005 ffffffff", ""},
		{"version 1", "14 03 0000 10 00 02 05 8000 0000 0000 0000", nil, Absent, "", "INT version 1, want 2"},
		{"hop too short", "14 03 0000 20 00 01 05 0800 0000 0000 0000", nil, Absent, "",
			"INT hops of 1 word are too short for ingress-time, which needs 2 words"},
		{"shorter than its header", "14 02 0000 20 00 01 05 0800 0000 0000 0000", nil, Absent, "",
			"INT of 2 words at byte 28 does not fit into a packet of 44 bytes"},
		{"longer than the packet", "14 04 0000 20 00 01 05 8000 0000 0000 0000", nil, Absent, "",
			"INT of 4 words at byte 28 does not fit into a packet of 44 bytes"},
		{"no shim", "14 03", nil, Absent, "", "the packet is marked, but it ends before the INT shim"},
		{"another mark's NPT", "10 03 0000 20 00 01 05 8000 0000 0000 0000", nil, Absent, "",
			"INT next protocol type 0 in a packet that is marked by UDP port"},
		{"unknown NPT", "1c 03 0000 20 00 01 05 8000 0000 0000 0000", nil, Absent, "",
			"INT next protocol type 3, want 0 to 2"},
		{"queue too long", "14 03 0000 20 00 01 05 1000 0000 0000 0000",
			&Metadata{Available: QueueOccupancy, QueueOccupancy: 1 << 24}, Absent, "",
			"queue occupancy 16777216 does not fit into 24 bits"},
		{"buffer too long", "14 03 0000 20 00 01 05 0080 0000 0000 0000",
			&Metadata{Available: BufferOccupancy, BufferOccupancy: 1 << 24}, Absent, "",
			"buffer occupancy 16777216 does not fit into 24 bits"},
		{"domain words of the wrong size", "14 03 0000 20 00 02 05 8000 0007 8000 0000",
			&Metadata{Domain: []byte("abcdefgh")}, Absent, "",
			"8 bytes of domain-specific metadata, but the hop has room for 4"},
	} {
		before := build(t, false, layers.IPProtocolUDP, 0, unhex(t, tt.payload))
		pkt, out, err := n.Transit(bytes.Clone(before), tt.md, 9000)
		if out != tt.want || (err == nil) != (tt.err == "") || err != nil && err.Error() != tt.err {
			t.Errorf("%s: %v, %v; want %v, %s", tt.name, out, err, tt.want, tt.err)
			continue
		}
		if tt.want != Added {
			if !bytes.Equal(pkt, before) {
				t.Errorf("%s: the packet changed", tt.name)
			}
			continue
		}
		hop := unhex(t, tt.hop)
		if got := pkt[44 : 44+len(hop)]; !bytes.Equal(got, hop) {
			t.Errorf("%s: pushed %x, want %x", tt.name, got, hop)
		}
		if err := checksumsHold(pkt); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestPacketsWithoutTheMarkPass(t *testing.T) {
	n := Node{Mark: Mark{Kind: ByDSCP, DSCP: 0x17}}
	fragment := build(t, false, layers.IPProtocolUDP, 0x17, []byte("x"))
	fragment[6] |= 0x20
	truncated := build(t, false, layers.IPProtocolICMPv4, 0x16, nil)[:20]
	truncated[3], truncated[9] = 20, protoUDP
	for name, pkt := range map[string][]byte{
		"other DSCP": build(t, false, layers.IPProtocolTCP, 0x16, []byte("x")),
		"ICMP":       build(t, false, layers.IPProtocolICMPv4, 0x17, []byte("x")),
		"fragment":   fragment,
		"no UDP":     truncated,
	} {
		before := bytes.Clone(pkt)
		got, out, err := n.Transit(pkt, nil, 9000)
		if err != nil || out != Absent || !bytes.Equal(got, before) {
			t.Errorf("%s: %v, %v", name, out, err)
		}
		var m Message
		if got, out, err = n.Sink(pkt, &m); err != nil || out != Absent || !bytes.Equal(got, before) {
			t.Errorf("%s at the sink: %v, %v", name, out, err)
		}
	}
}

func TestSourceLimits(t *testing.T) {
	src := udpSource()
	start := build(t, false, layers.IPProtocolUDP, 0, make([]byte, 100)) // 128 bytes
	for _, tt := range []struct {
		name  string
		mtu   unit.Bytes
		md    *Metadata
		want  Action
		added int
		m     bool
	}{
		{"all fits", 128 + 24, &Metadata{}, Added, 24, false},
		{"the hop does not", 128 + 23, &Metadata{}, Added, 16, true},
		{"the headers just do", 128 + 16, &Metadata{}, Added, 16, true},
		{"nothing fits", 128 + 15, &Metadata{}, NoRoom, 0, false},
		{"a host that only asks", 128 + 16, nil, Added, 16, false},
	} {
		pkt, out, err := src.Insert(bytes.Clone(start), tt.md, tt.mtu)
		if err != nil || out != tt.want || len(pkt) != len(start)+tt.added {
			t.Errorf("%s: %v, %v, %d bytes more; want %v, %d",
				tt.name, out, err, len(pkt)-len(start), tt.want, tt.added)
		}
		if err := checksumsHold(pkt); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if out != Added {
			continue
		}
		var m Message
		if _, _, err := src.Sink(pkt, &m); err != nil || m.Header.MTUExceeded != tt.m {
			t.Errorf("%s: M is %v, %v; want %v", tt.name, m.Header.MTUExceeded, err, tt.m)
		}
		if hops, err := m.Hops(0); err != nil || hops != (tt.added-16)/8 || m.Header.RemainingHops != 8-uint8(hops) {
			t.Errorf("%s: %d hops, %d remain, %v", tt.name, hops, m.Header.RemainingHops, err)
		}
	}
}

func TestSourceRefuses(t *testing.T) {
	udp := build(t, false, layers.IPProtocolUDP, 0, []byte("x"))
	tcp := build(t, true, layers.IPProtocolTCP, 0, []byte("x"))
	icmp := build(t, false, layers.IPProtocolICMPv4, 0, []byte("12345678"))
	edited := func(b []byte, at int, v byte) []byte {
		b = bytes.Clone(b)
		b[at] = v
		return b
	}
	byPort, byDSCP := udpSource(), udpSource()
	byDSCP.Mark = Mark{Kind: ByDSCP, DSCP: 0x17}
	for _, tt := range []struct {
		src  Source
		pkt  []byte
		want string
	}{
		{byPort, tcp, "IP protocol 6 … UDP port … mark INT, … UDP (17)"},
		{byDSCP, icmp, "IP protocol 1, want TCP (6) or UDP (17)"},
		{byDSCP, edited(udp, 6, 0x20), "the packet is a fragment, and a fragment cannot carry INT"},
		{byDSCP, nil, "empty packet"},
		{byDSCP, edited(udp, 0, 0x55), "IP version 5, want 4 or 6"},
		{byDSCP, edited(udp, 0, 0x44), "IPv4 header of 16 bytes in a packet of 29 bytes"},
		{byDSCP, udp[:28], "IP packet … 28 bytes … 29"},
		{byDSCP, tcp[:39], "IPv6 packet … 39 bytes, … 40"},
		{byDSCP, edited(icmp[:28], 9, 6), "TCP header … 8 bytes, … 20"},
		{byDSCP, edited(udp, 25, 10), "UDP length 10, but the IP packet has 9 bytes for UDP"},
		{byDSCP, edited(tcp, 40+12, 0x40), "TCP header of 16 bytes, but only 33 bytes left in the packet"},
		{byDSCP, edited(tcp, 40+12, 0xf0), "TCP header of 60 bytes, but only 33 bytes left in the packet"},
		{byDSCP, edited(udp, 1, 0x17<<2),
			"the packet already carries INT, marked by DSCP\nthe packet is marked, but it ends " +
				"before the INT shim"},
	} {
		before := bytes.Clone(tt.pkt)
		pkt, _, err := tt.src.Insert(tt.pkt, nil, 9000)
		if !errtest.Says(err, tt.want) || !bytes.Equal(pkt, before) {
			t.Errorf("got  %v\nwant %s", err, tt.want)
		}
	}
	for _, tt := range []struct {
		edit func(*Source)
		want string
	}{
		{func(s *Source) { s.Mark = Mark{Kind: ByDSCP, DSCP: 64} }, "INT is marked with DSCP 64, want 1 to 63"},
		{func(s *Source) { s.Mark.Port = 0 }, "INT is marked with UDP port 0, want 1 to 65535"},
		{func(s *Source) { s.Mark.Kind = 3 }, "mark 3, want ByDSCP, ByPort or ByOuterUDP"},
		{func(s *Source) { s.DomainWords = 30 }, "hops of 32 words, want 1 to 31"},
		{func(s *Source) { s.Instructions = 0 }, "hops of 0 words, want 1 to 31"},
		{func(s *Source) { s.SourceWords = -1 }, "0 domain-specific words … hop … -1 … source,"},
		{func(s *Source) { s.MaxHops = 127 }, "127 hops … 2 words … 0 … source … INT … 257 words, … 255"},
	} {
		s := udpSource()
		tt.edit(&s)
		if err := s.Validate(); !errtest.Says(err, tt.want) {
			t.Errorf("got  %v\nwant %s", err, tt.want)
		}
	}
	longest := udpSource()
	longest.MaxHops = 126
	if err := longest.Validate(); err != nil {
		t.Error(err)
	}
}

func TestNames(t *testing.T) {
	for got, want := range map[string]string{
		Added.String(): "added", MTULimit.String(): "MTU limit",
		ByDSCP.String(): "DSCP", ByPort.String(): "UDP port", ByOuterUDP.String(): "outer UDP header",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
