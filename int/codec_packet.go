package inband

import (
	"encoding/binary"
	"fmt"
	"slices"

	"pintlab/internal/number"
)

const (
	protoTCP = 6
	protoUDP = 17

	udpSize   = 8
	maxPacket = 65535 // the largest IP length
)

// packet is the parsed IP header of a packet.
type packet struct {
	v6    bool
	l4    int   // offset of what follows the IP header
	proto uint8 // protocol of what follows the IP header
	frag  bool  // a fragment: nothing after the IP header can be trusted
}

// parseIP reads the IP header at the beginning of b, which must be as long as the header states.
// parseIP does not follow IPv6 extension headers: the number of the first extension header counts as
// the protocol.
func parseIP(b []byte) (p packet, err error) {
	if len(b) == 0 {
		return p, fmt.Errorf("empty packet")
	}
	total := 0
	switch b[0] >> 4 {
	case 4:
		p.l4 = 4 * int(b[0]&15)
		if p.l4 < 20 || len(b) < p.l4 {
			return p, fmt.Errorf("IPv4 header of %d bytes in a packet of %s", p.l4,
				number.Count(len(b), "byte"))
		}
		total = int(binary.BigEndian.Uint16(b[2:]))
		p.proto = b[9]
		p.frag = binary.BigEndian.Uint16(b[6:])&0x3fff != 0 // more fragments, or an offset
	case 6:
		p.v6, p.l4 = true, 40
		if len(b) < 40 {
			return p, fmt.Errorf("IPv6 packet of %s, want at least 40", number.Count(len(b), "byte"))
		}
		total = 40 + int(binary.BigEndian.Uint16(b[4:]))
		p.proto = b[6]
	default:
		return p, fmt.Errorf("IP version %d, want 4 or 6", b[0]>>4)
	}
	if total != len(b) {
		return p, fmt.Errorf("IP packet of %s, but its header gives a length of %d",
			number.Count(len(b), "byte"), total)
	}
	return p, nil
}

// endOfL4 returns the offset after the TCP or UDP header.
func (p packet) endOfL4(b []byte) (int, error) {
	rest := len(b) - p.l4
	switch p.proto {
	case protoUDP:
		if rest < udpSize {
			return 0, fmt.Errorf("UDP header of %s, want %d", number.Count(rest, "byte"), udpSize)
		}
		if n := int(binary.BigEndian.Uint16(b[p.l4+4:])); n != rest {
			return 0, fmt.Errorf("UDP length %d, but the IP packet has %s for UDP", n,
				number.Count(rest, "byte"))
		}
		return p.l4 + udpSize, nil
	case protoTCP:
		if rest < 20 {
			return 0, fmt.Errorf("TCP header of %s, want at least 20", number.Count(rest, "byte"))
		}
		n := 4 * int(b[p.l4+12]>>4)
		if n < 20 || n > rest {
			return 0, fmt.Errorf("TCP header of %d bytes, but only %s left in the packet", n,
				number.Count(rest, "byte"))
		}
		return p.l4 + n, nil
	}
	return 0, fmt.Errorf("IP protocol %d, want TCP (6) or UDP (17)", p.proto)
}

func (p packet) dscp(b []byte) uint8 {
	if p.v6 {
		return uint8(binary.BigEndian.Uint16(b) >> 6 & 63)
	}
	return b[1] >> 2
}

// setDSCP changes the DSCP and keeps ECN.
func (p packet) setDSCP(b []byte, dscp uint8) {
	old := binary.BigEndian.Uint16(b)
	w := old&^(63<<2) | uint16(dscp)<<2
	if p.v6 {
		w = old&^(63<<6) | uint16(dscp)<<6
	}
	binary.BigEndian.PutUint16(b, w)
	p.changedIP(b, old, w)
}

// setProto changes the protocol of what follows the IP header.
func (p *packet) setProto(b []byte, proto uint8) {
	p.proto = proto
	if p.v6 {
		b[6] = proto
		return
	}
	old := binary.BigEndian.Uint16(b[8:])
	b[9] = proto
	p.changedIP(b, old, binary.BigEndian.Uint16(b[8:]))
}

// setLength writes the length of the packet into its IP header.
func (p packet) setLength(b []byte) {
	if p.v6 {
		binary.BigEndian.PutUint16(b[4:], uint16(len(b)-40))
		return
	}
	old := binary.BigEndian.Uint16(b[2:])
	binary.BigEndian.PutUint16(b[2:], uint16(len(b)))
	p.changedIP(b, old, uint16(len(b)))
}

// changedIP updates the checksum of an IPv4 header after one 16-bit word of it
// changed.
func (p packet) changedIP(b []byte, old, now uint16) {
	if p.v6 {
		return
	}
	var d delta
	d.sub(old)
	d.add(now)
	d.apply(b[10:])
}

// delta is the change of a ones' complement sum (RFC 1624). Checksums are updated and never
// recomputed, so a packet that was corrupted earlier keeps a wrong checksum.
type delta uint64

func (d *delta) add(w uint16) { *d += delta(w) }
func (d *delta) sub(w uint16) { *d += delta(^w) }

// addBytes adds the 16-bit words of b. b must have an even length and an even offset in the data
// that the checksum covers.
func (d *delta) addBytes(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		w := binary.BigEndian.Uint64(b)
		*d += delta(w>>32) + delta(w&0xffffffff)
	}
	for ; len(b) >= 2; b = b[2:] {
		*d += delta(binary.BigEndian.Uint16(b))
	}
}

// fold returns the change in 16 bits.
func (d delta) fold() uint16 {
	for d > 0xffff {
		d = d>>16 + d&0xffff
	}
	return uint16(d)
}

// apply updates the checksum at b: HC' = ~(~HC + Δ).
func (d delta) apply(b []byte) {
	s := d + delta(^binary.BigEndian.Uint16(b))
	binary.BigEndian.PutUint16(b, ^s.fold())
}

// l4Checksum returns the checksum field of the TCP or UDP header at p.l4, or nil if the
// packet has none: UDP with checksum 0.
func (p packet) l4Checksum(b []byte) []byte {
	if p.proto == protoTCP {
		return b[p.l4+16 : p.l4+18]
	}
	if c := b[p.l4+6 : p.l4+8]; c[0] != 0 || c[1] != 0 {
		return c
	}
	return nil
}

// applyL4 updates the checksum of layer 4. UDP sends all ones where the checksum is computed as 0.
func (p packet) applyL4(b []byte, d delta) {
	c := p.l4Checksum(b)
	if c == nil {
		return
	}
	d.apply(c)
	if p.proto == protoUDP && c[0] == 0 && c[1] == 0 {
		c[0], c[1] = 0xff, 0xff
	}
}

// resized updates the lengths in the headers after `by` bytes were inserted after the layer-4 header. If `by` is
// negative, bytes were removed. resized returns the change of the layer-4 checksum, which covers the length in the
// pseudo-header and, for UDP, again in the header.
func (p packet) resized(b []byte, by int) (d delta) {
	p.setLength(b)
	now := uint16(len(b) - p.l4)
	old := uint16(len(b) - p.l4 - by)
	d.add(now)
	d.sub(old)
	if p.proto == protoUDP {
		binary.BigEndian.PutUint16(b[p.l4+4:], now)
		d.add(now)
		d.sub(old)
	}
	return d
}

// insert makes room for n bytes at offset at. It allocates only if b has no capacity
// for them.
func insert(b []byte, at, n int) []byte {
	old := len(b)
	b = slices.Grow(b, n)[:old+n]
	copy(b[at+n:], b[at:old])
	return b
}

// remove takes n bytes out at offset at.
func remove(b []byte, at, n int) []byte {
	copy(b[at:], b[at+n:])
	return b[:len(b)-n]
}

// find returns the offset of the shim of a marked packet. ok is false if the packet has no mark.
func (m Mark) find(b []byte) (p packet, shim int, ok bool, err error) {
	p, err = parseIP(b)
	if err != nil || p.frag {
		return p, 0, false, err
	}
	if m.Kind == ByDSCP {
		if p.dscp(b) != m.DSCP || p.proto != protoTCP && p.proto != protoUDP {
			return p, 0, false, nil
		}
	} else if p.proto != protoUDP || len(b) < p.l4+udpSize || binary.BigEndian.Uint16(b[p.l4+2:]) != m.Port {
		return p, 0, false, nil
	}
	shim, err = p.endOfL4(b)
	if err != nil {
		return p, 0, false, err
	}
	if len(b) < shim+ShimSize {
		return p, 0, false, fmt.Errorf("the packet is marked, but it ends before the INT shim")
	}
	if npt := b[shim] >> 2 & 3; (npt == OriginalDSCP) != (m.Kind == ByDSCP) {
		return p, 0, false, fmt.Errorf("INT next protocol type %d in a packet that is marked by %v",
			npt, m.Kind)
	}
	return p, shim, true, nil
}
