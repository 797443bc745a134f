package inband

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gopacket/gopacket/layers"
	"pgregory.net/rapid"

	"pintlab/netsim/unit"
)

// drawSource draws a source with any mark.
func drawSource(t *rapid.T) Source {
	src := Source{
		Node: Node{
			Mark:   Mark{Kind: MarkKind(rapid.IntRange(0, 2).Draw(t, "mark")), DSCP: 0x17, Port: 5000},
			Domain: 3,
		},
		Instructions: Instructions(rapid.Uint16().Draw(t, "instructions")) | NodeID,
		MaxHops:      uint8(rapid.IntRange(0, 7).Draw(t, "hops allowed")),
		DomainWords:  rapid.IntRange(0, 3).Draw(t, "domain words"),
		Discard:      rapid.Bool().Draw(t, "discard"),
	}
	if src.hopWords()%3 != 0 { // otherwise Hops could interpret them as a hop
		src.SourceWords = rapid.SampledFrom([]int{0, 3}).Draw(t, "source words")
	}
	if err := src.Validate(); err != nil {
		t.Fatal(err)
	}
	return src
}

// Any packet crosses a source, switches and a sink. Checksums are valid at every step (unchanged if a checksum
// complement compensates), the sink returns the metadata that the hops wrote, and the packet is again the original one.
func TestPathRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := drawSource(t)
		proto := layers.IPProtocolTCP
		if src.Mark.Kind == ByPort || rapid.Bool().Draw(t, "udp") {
			proto = layers.IPProtocolUDP
		}
		payload := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "payload")
		original := build(t, rapid.Bool().Draw(t, "v6"), proto, uint8(rapid.IntRange(0, 22).Draw(t, "dscp")), payload)
		p, err := parseIP(original)
		if err != nil {
			t.Fatal(err)
		}
		unchecked := proto == layers.IPProtocolUDP && rapid.Bool().Draw(t, "no UDP checksum")
		if unchecked {
			original[p.l4+6], original[p.l4+7] = 0, 0
		}

		pkt := append(make([]byte, 0, 4096), original...)
		var wrote []Metadata // newest first
		for i := range 1 + rapid.IntRange(0, 8).Draw(t, "hops") {
			domain := 4 * src.DomainWords
			if i == 0 {
				domain += 4 * src.SourceWords
			}
			md := drawMetadata(t, src.Instructions&^ChecksumComplement, domain)
			node := src.Node
			node.Neutral = rapid.Bool().Draw(t, "neutral")
			before := bytes.Clone(pkt)
			var out Action
			if i == 0 {
				s := src
				s.Node = node
				pkt, out, err = s.Insert(pkt, &md, 9000)
			} else {
				pkt, out, err = node.Transit(pkt, &md, 9000)
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := checksumsHold(pkt); err != nil {
				t.Fatalf("hop %d: %v", i, err)
			}
			if len(wrote) == int(src.MaxHops) {
				if i > 0 && out != HopLimit {
					t.Fatalf("hop %d of %d: %v", i+1, src.MaxHops, out)
				}
				continue
			}
			if out != Added {
				t.Fatalf("hop %d: %v", i, out)
			}
			if i > 0 && node.Neutral && src.Instructions&ChecksumComplement != 0 && src.Mark.Kind != ByOuterUDP &&
				!bytes.Equal(p.l4Checksum(pkt), p.l4Checksum(before)) {
				t.Fatalf("hop %d: the checksum changed in spite of its complement", i)
			}
			wrote = append([]Metadata{md}, wrote...)
		}

		var m Message
		pkt, out, err := src.Sink(pkt, &m)
		if err != nil || out != Removed {
			t.Fatal(out, err)
		}
		if !bytes.Equal(pkt, original) {
			t.Fatalf("after the sink\n%x, want\n%x", pkt, original)
		}
		if m.Header.Discard != src.Discard {
			t.Fatal("the discard bit is lost")
		}
		hops, err := m.Hops(src.SourceWords)
		if err != nil || hops != len(wrote) {
			t.Fatalf("%d hops, %v; want %d", hops, err, len(wrote))
		}
		for i, want := range wrote {
			var got Metadata
			if err := m.Hop(i, hops, &got); err != nil {
				t.Fatal(err)
			}
			got.Available &^= ChecksumComplement
			got.ChecksumComplement = 0
			size := 4 * src.DomainWords
			if i == hops-1 {
				size += 4 * src.SourceWords
			}
			if d := cmp.Diff(plain(want, size), plain(got, size)); d != "" {
				t.Fatalf("hop %d (-wrote +read):\n%s", i, d)
			}
		}
	})
}

// plain returns m with zero for every value that is not available, and with explicit domain words.
func plain(m Metadata, domainBytes int) Metadata {
	b := make([]byte, 4*m.Available.Words()+domainBytes)
	m.put(b, m.Available)
	var out Metadata
	if err := out.Decode(b, m.Available); err != nil {
		panic(err)
	}
	return out
}

// If a packet is corrupted before a switch, its checksum is still wrong after the switch.
func TestTransitDoesNotHideCorruption(t *testing.T) {
	for _, neutral := range []bool{false, true} {
		src := udpSource()
		src.Instructions |= ChecksumComplement
		src.Neutral = neutral
		pkt, _, err := src.Insert(build(t, false, layers.IPProtocolUDP, 0, make([]byte, 100)), nil, 1500)
		if err != nil {
			t.Fatal(err)
		}
		pkt[len(pkt)-1] ^= 0x40
		if pkt, _, err = src.Transit(pkt, nil, 1500); err != nil {
			t.Fatal(err)
		}
		if checksumsHold(pkt) == nil {
			t.Errorf("neutral %v: the checksum covers the corruption", neutral)
		}
	}
}

// A UDP checksum of 0 is sent as all ones, because 0 means that the packet has no checksum. This
// happens with one node ID in 65535.
func TestUDPChecksumIsNeverZero(t *testing.T) {
	src := udpSource()
	pkt, _, err := src.Insert(build(t, false, layers.IPProtocolUDP, 0, []byte("x")), nil, 1500)
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 0, 256)
	allOnes := 0
	for id := range uint32(1 << 16) {
		got, _, err := src.Transit(append(buf, pkt...), &Metadata{Available: NodeID, NodeID: id}, 1500)
		if err != nil {
			t.Fatal(err)
		}
		switch binary.BigEndian.Uint16(got[26:]) {
		case 0:
			t.Fatalf("node %d: checksum 0", id)
		case 0xffff:
			allOnes++
			if err := checksumsHold(got); err != nil {
				t.Error(err)
			}
		}
	}
	if allOnes == 0 {
		t.Error("no checksum came out as all ones: the case was not met")
	}
}

// Behind an outer header, flows still have different source ports, and each flow keeps its port.
func TestOuterHeaderKeepsEntropy(t *testing.T) {
	src := udpSource()
	src.Mark.Kind = ByOuterUDP
	ports := map[uint16]int{}
	for flow := range 64 {
		var first uint16
		for range 2 {
			pkt := build(t, false, layers.IPProtocolUDP, 0, []byte("x"))
			binary.BigEndian.PutUint16(pkt[20:], uint16(flow))
			pkt, _, err := src.Insert(pkt, nil, 1500)
			if err != nil {
				t.Fatal(err)
			}
			port := binary.BigEndian.Uint16(pkt[20:])
			if port < 49152 || first != 0 && port != first {
				t.Errorf("flow %d: port %d after %d", flow, port, first)
			}
			first = port
		}
		ports[first]++
	}
	if len(ports) < 60 { // 64 flows into 16384 ports: a collision has probability 0.12
		t.Errorf("64 flows have %d ports", len(ports))
	}
}

func TestTransitAllocatesNothing(t *testing.T) {
	src := udpSource()
	start := build(t, false, layers.IPProtocolUDP, 0, make([]byte, 1000))
	buf := make([]byte, 0, 2048)
	md := Metadata{Available: NodeID | QueueOccupancy, NodeID: 1}
	m := Message{Stack: make([]byte, 0, 256)}
	n := testing.AllocsPerRun(100, func() {
		pkt := append(buf, start...)
		pkt, _, _ = src.Insert(pkt, &md, 1500)
		for range 4 {
			pkt, _, _ = src.Transit(pkt, &md, 1500)
		}
		if _, out, err := src.Sink(pkt, &m); out != Removed {
			t.Fatal(out, err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations on a path of five hops", n)
	}
}

// No packet causes a node to panic, and a node does not change packets that it refuses.
func FuzzNode(f *testing.F) {
	src := udpSource()
	for kind := range MarkKind(3) {
		s := src
		s.Mark = Mark{Kind: kind, DSCP: 0x17, Port: 5000}
		for _, v6 := range []bool{false, true} {
			pkt, _, err := s.Insert(build(f, v6, layers.IPProtocolUDP, 0, []byte("payload")), &Metadata{}, 1500)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(pkt, uint8(kind), uint16(1500))
			f.Add(pkt, uint8(kind), uint16(50))
		}
	}
	f.Add([]byte{0x45}, uint8(0), uint16(0))
	f.Fuzz(func(t *testing.T, b []byte, kind uint8, mtu uint16) {
		s := src
		s.Mark = Mark{Kind: MarkKind(kind % 3), DSCP: 0x17, Port: 5000}
		pkt, out, err := s.Transit(bytes.Clone(b), &Metadata{Available: 0xffff}, unit.Bytes(mtu))
		if err != nil && !bytes.Equal(pkt, b) {
			t.Fatal("a refused packet changed")
		}
		if out == Added {
			var m, before Message
			if _, out, err := s.Sink(pkt, &m); out != Removed || err != nil {
				t.Fatalf("after a push: %v, %v", out, err)
			}
			if _, out, err := s.Sink(bytes.Clone(b), &before); out != Removed || err != nil {
				t.Fatalf("before a push: %v, %v", out, err)
			}
			if !bytes.HasSuffix(m.Stack, before.Stack) || len(m.Stack) != len(before.Stack)+4*int(m.Header.HopWords) {
				t.Fatalf("stack %x became %x", before.Stack, m.Stack)
			}
		}
		if pkt, _, err = s.Insert(bytes.Clone(b), &Metadata{}, unit.Bytes(mtu)); err != nil && !bytes.Equal(pkt, b) {
			t.Fatal("a refused packet changed at the source")
		}
	})
}

func BenchmarkTransit(b *testing.B) {
	for _, neutral := range []bool{false, true} {
		b.Run(fmt.Sprintf("neutral=%v", neutral), func(b *testing.B) {
			src := udpSource()
			src.Instructions |= ChecksumComplement
			src.Neutral = neutral
			start, _, err := src.Insert(build(b, false, layers.IPProtocolUDP, 0, make([]byte, 1000)), &Metadata{}, 1500)
			if err != nil {
				b.Fatal(err)
			}
			md := Metadata{Available: NodeID | QueueOccupancy, NodeID: 1}
			buf := make([]byte, 0, 2048)
			b.ReportAllocs()
			for b.Loop() {
				pkt := append(buf, start...)
				if _, out, err := src.Transit(pkt, &md, 1500); out != Added {
					b.Fatal(out, err)
				}
			}
		})
	}
}

func BenchmarkMessageDecode(b *testing.B) {
	data := unhex(b, specExample)
	b.ReportAllocs()
	for b.Loop() {
		var m Message
		if _, err := m.Decode(data); err != nil {
			b.Fatal(err)
		}
		var md Metadata
		for i := range 2 {
			if err := m.Hop(i, 2, &md); err != nil {
				b.Fatal(err)
			}
		}
	}
}
