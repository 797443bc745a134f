package packets

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// captureOf writes a pcap file of frames.
func captureOf(t testing.TB, link layers.LinkType, frames ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := pcapgo.NewWriter(&b)
	if err := w.WriteFileHeader(65535, link); err != nil {
		t.Fatal(err)
	}
	for _, f := range frames {
		i := gopacket.CaptureInfo{Timestamp: time.Unix(1, 0), CaptureLength: len(f), Length: len(f)}
		if err := w.WritePacket(i, f); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// ipv6 is a packet from fd00::src to fd00::dst. Its payload begins with headers of the given types.
func ipv6(src, dst byte, next byte, payload ...byte) []byte {
	b := []byte{0x60, 0, 0, 0, 0, 0, next, 64}
	binary.BigEndian.PutUint16(b[4:], uint16(len(payload)))
	b = append(b, make([]byte, 32)...)
	b[8], b[23], b[24], b[39] = 0xfd, src, 0xfd, dst
	return append(b, payload...)
}

// udp6 is a UDP header with ports and four bytes of data.
func udp6(src, dst byte) []byte { return []byte{0, src, 0, dst, 0, 12, 0, 0, 1, 2, 3, 4} }

// ipv6Packets returns packets from address 1, port 5, to address 2, port 6. Each packet has a different kind of
// extension header before its ports.
func ipv6Packets() map[string][]byte {
	behind := func(next byte, headers ...byte) []byte { return ipv6(1, 2, next, append(headers, udp6(5, 6)...)...) }
	return map[string][]byte{
		"plain":      behind(UDP),
		"hop by hop": behind(hopByHop, UDP, 0, 1, 4, 0, 0, 0, 0),
		"routing of 24 bytes": behind(routing, UDP, 2, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
			0, 0),
		"destination": behind(destinationOptions, UDP, 0, 1, 4, 0, 0, 0, 0),
		"authentication of 24 bytes": behind(authentication, UDP, 4, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0,
			0, 0, 0, 0, 0, 0),
		"two headers":     behind(hopByHop, destinationOptions, 0, 1, 4, 0, 0, 0, 0, UDP, 0, 1, 4, 0, 0, 0, 0),
		"atomic fragment": behind(fragmentHeader, UDP, 0, 0, 0, 0, 0, 0, 9),
	}
}

// The first address of a capture is 240.0.0.0, the next 240.0.0.1.
var fromOneToTwo = MakeTuple(firstAddress, firstAddress+1, 5, 6, UDP)

func TestIPv6(t *testing.T) {
	for name, b := range ipv6Packets() {
		r, err := NewReader(bytes.NewReader(captureOf(t, layers.LinkTypeIPv6, b)), "x.pcap")
		if err != nil {
			t.Fatal(err)
		}
		got := collect(t, r)
		if len(got) != 1 || got[0].Tuple != fromOneToTwo || got[0].Size != len(b) || got[0].Payload != 4 ||
			!bytes.Equal(got[0].Data, []byte{1, 2, 3, 4}) {
			t.Errorf("%s: %+v, skipped %v", name, got, r.Skipped())
		}
		// With a short snap length, the ports are known or the packet is counted as skipped.
		for n := range b {
			var p Packet
			switch v, _ := p.parse(b[:n], true, len(b), &addresses{}); {
			case n >= len(b)-8 && (v != whole || p.Tuple != fromOneToTwo), n < len(b)-8 && v != cut:
				t.Errorf("%s: %d bytes: verdict %d, %v", name, n, v, p.Tuple)
			}
		}
	}
}

// The frames contain an IPv6 packet with padding, in each framing of the link layer.
func TestIPv6Framings(t *testing.T) {
	ether := append(make([]byte, 12), 0x86, 0xdd)
	for _, c := range []struct {
		link  layers.LinkType
		front []byte
	}{
		{layers.LinkTypeEthernet, ether},
		{layers.LinkTypeEthernet, append(make([]byte, 12), 0x81, 0, 0, 5, 0x86, 0xdd)},
		{layers.LinkTypeRaw, nil}, {layers.LinkTypeNull, []byte{30, 0, 0, 0}}, {layers.LinkTypePPP, []byte{0, 0x57}},
		{layers.LinkTypeLinuxSLL, append(make([]byte, 14), 0x86, 0xdd)},
		{layers.LinkTypeLinuxSLL2, slices.Concat([]byte{0x81, 0}, make([]byte, 18), []byte{0, 5, 0x86, 0xdd})},
	} {
		frame := slices.Concat(c.front, ipv6(1, 2, UDP, udp6(5, 6)...), make([]byte, 7))
		r, err := NewReader(bytes.NewReader(captureOf(t, c.link, frame)), "x.pcap")
		if err != nil {
			t.Fatal(err)
		}
		if got := collect(t, r); len(got) != 1 || got[0].Tuple != fromOneToTwo || got[0].Payload != 4 {
			t.Errorf("%v % x: %v, skipped %v", c.link, c.front, got, r.Skipped())
		}
	}
}

// Both protocols can be in a trace. An answer has the reversed tuple, and ICMPv6 has no ports.
func TestIPv6AmongIPv4(t *testing.T) {
	v4 := some()[1]
	r, err := NewReader(bytes.NewReader(captureOf(t, layers.LinkTypeRaw, ipv6(1, 2, UDP, udp6(5, 6)...), v4.append(nil),
		ipv6(2, 1, UDP, udp6(6, 5)...), ipv6(3, 1, 58, 128, 0, 0, 0), ipv6(1, 2, 59))), "x.pcap")
	if err != nil {
		t.Fatal(err)
	}
	var got []Tuple
	for _, p := range collect(t, r) {
		got = append(got, p.Tuple)
	}
	want := []Tuple{fromOneToTwo, v4.Tuple, fromOneToTwo.Reverse(),
		MakeTuple(firstAddress+2, firstAddress, 0, 0, 58), MakeTuple(firstAddress, firstAddress+1, 0, 0, 59)}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Later fragments get the ports and the protocol of the first fragment, because only the first fragment shows what
// follows the options.
func TestIPv6Fragments(t *testing.T) {
	piece := func(next, offset, more, id byte, rest ...byte) []byte {
		return ipv6(1, 2, fragmentHeader, append([]byte{next, 0, 0, offset<<3 | more, 0, 0, 0, id}, rest...)...)
	}
	options := append([]byte{UDP, 0, 1, 4, 0, 0, 0, 0}, udp6(5, 6)...)
	r, err := NewReader(bytes.NewReader(captureOf(t, layers.LinkTypeRaw,
		piece(UDP, 1, 0, 7), // before the first
		piece(UDP, 0, 1, 7, udp6(5, 6)...), piece(UDP, 2, 1, 7, 1, 2, 3, 4, 5, 6, 7, 8), piece(UDP, 3, 0, 7, 1),
		piece(destinationOptions, 0, 1, 8, options...), piece(destinationOptions, 3, 0, 8, 1),
		piece(UDP, 1, 0, 9))), "x.pcap") // without the first
	if err != nil {
		t.Fatal(err)
	}
	got := collect(t, r)
	if len(got) != 5 || r.Skipped() != (Skipped{Fragments: 2}) {
		t.Fatalf("%v, skipped %v", got, r.Skipped())
	}
	for i, p := range got {
		if p.Tuple != fromOneToTwo {
			t.Errorf("packet %d: %v", i, p.Tuple)
		}
	}
}

// The header of a jumbogram contains no length (RFC 2675).
func TestJumbogram(t *testing.T) {
	b := ipv6(1, 2, hopByHop, append([]byte{UDP, 0, 0xc2, 4, 0, 1, 0, 0}, udp6(5, 6)...)...)
	b[4], b[5] = 0, 0
	var p Packet
	if v, _ := p.parse(b, true, 70_000, &addresses{}); v != whole || p.Size != 70_000 || p.Tuple != fromOneToTwo {
		t.Errorf("verdict %d, %+v", v, p)
	}
}

func TestIPv6HeadersThatContradictThemselves(t *testing.T) {
	for name, b := range map[string][]byte{
		"an extension header beyond the end": ipv6(1, 2, hopByHop, UDP, 1, 0, 0, 0, 0, 0, 0),
		"a payload shorter than one":         ipv6(1, 2, routing, UDP, 0, 0, 0),
		"ports beyond the end":               ipv6(1, 2, UDP, 0, 1),
	} {
		if v, _ := new(Packet).parse(b, true, len(b), &addresses{}); v != bad {
			t.Errorf("%s: verdict %d", name, v)
		}
	}
}

// If the header has no length, the length on the wire decides. In a broken file, the length on the wire is less than
// the captured length.
func TestIPv6WithoutLengths(t *testing.T) {
	b := make([]byte, 60)
	b[0], b[6] = 0x60, UDP
	for size, want := range map[int]verdict{-5: bad, 0: bad, 39: bad, 40: bad, 44: whole} {
		if v, _ := new(Packet).parse(b, true, size, new(addresses)); v != want {
			t.Errorf("%d bytes on the wire: verdict %d, want %d", size, v, want)
		}
	}
}
