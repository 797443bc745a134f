package inband

import (
	"encoding/binary"
	"errors"
	"fmt"

	"pintlab/internal/hash"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
)

// Action is the change that a node has made to a packet.
type Action uint8

// The actions. Only Added and Removed change the length of the packet.
const (
	Absent      Action = iota // not an INT packet: unchanged
	Added                     // the hop's metadata was pushed; at a source, INT was begun
	Removed                   // the sink took INT out
	OtherType                 // a destination or MX header, which this node must not change
	NothingDue                // the instructions request no value: unchanged
	HopLimit                  // RemainingHops was 0: E is set
	MTULimit                  // the hop would exceed the egress MTU: M is set
	LengthLimit               // the stack would exceed the range of Shim.Length: unchanged
	NoRoom                    // a source could not fit the headers into the MTU: unchanged
)

var actionNames = [...]string{
	Absent: "absent", Added: "added", Removed: "removed", OtherType: "other type", NothingDue: "nothing due",
	HopLimit: "hop limit", MTULimit: "MTU limit", LengthLimit: "length limit", NoRoom: "no room",
}

// String names the action.
func (a Action) String() string { return actionNames[a] }

// String names the mark.
func (k MarkKind) String() string {
	return [...]string{ByDSCP: "DSCP", ByPort: "UDP port", ByOuterUDP: "outer UDP header"}[k]
}

// Node is a switch or host of an INT domain. A packet begins with its IP header and is as long as
// that header states. Each method edits the packet in place, and allocates only if the slice lacks
// capacity. If a method returns an error, the packet is unchanged.
type Node struct {
	Mark   Mark
	Domain uint16 // the domain whose instructions this node knows
	// Neutral updates the checksum complement, if the instructions include one, instead of the
	// checksum of TCP or UDP.
	Neutral bool
}

// Transit pushes one complete hop onto an INT-MD packet, or nothing. md holds the node's values; if
// md is nil, the node has no values. Missing values and domain-specific words of an unknown domain
// are written as all ones. mtu is the MTU of the egress link, including the IP header.
func (n *Node) Transit(pkt []byte, md *Metadata, mtu unit.Bytes) ([]byte, Action, error) {
	p, shim, ok, err := n.Mark.find(pkt)
	if err != nil || !ok {
		return pkt, Absent, err
	}
	var s Shim
	if err := s.Decode(pkt[shim:]); err != nil {
		return pkt, Absent, err
	}
	if s.Type != TypeMD {
		return pkt, OtherType, nil
	}
	if end := shim + ShimSize + 4*int(s.Length); s.Length < HeaderSize/4 || end > len(pkt) {
		return pkt, Absent, fmt.Errorf("INT of %s at byte %d does not fit into a packet of %s",
			number.Count(int(s.Length), "word"), shim, number.Count(len(pkt), "byte"))
	}
	var h Header
	head := pkt[shim+ShimSize:]
	if err := h.Decode(head); err != nil {
		return pkt, Absent, err
	}
	switch {
	case h.RemainingHops == 0:
		p.setFlag(pkt, shim, 1<<2) // E
		return pkt, HopLimit, nil
	case h.HopWords == 0:
		return pkt, NothingDue, nil
	case int(s.Length)+int(h.HopWords) > maxLength:
		return pkt, LengthLimit, nil
	case unit.Bytes(len(pkt)+4*int(h.HopWords)) > min(mtu, maxPacket):
		p.setFlag(pkt, shim, 1<<1) // M
		return pkt, MTULimit, nil
	}

	var hop Metadata
	if md != nil {
		hop = *md
	}
	if h.Domain != n.Domain {
		hop.Domain = nil
	}
	size := 4 * int(h.HopWords)
	if err := hop.check(size - 4*h.Instructions.Words()); err != nil {
		return pkt, Absent, err
	}
	stack := shim + ShimSize + HeaderSize
	pkt = insert(pkt, stack, size)
	d := p.resized(pkt, size)
	d.sub(binary.BigEndian.Uint16(pkt[shim:]))
	d.sub(binary.BigEndian.Uint16(pkt[shim+ShimSize+2:]))
	pkt[shim+1] = s.Length + h.HopWords
	pkt[shim+ShimSize+3] = h.RemainingHops - 1
	d.add(binary.BigEndian.Uint16(pkt[shim:]))
	d.add(binary.BigEndian.Uint16(pkt[shim+ShimSize+2:]))
	n.finish(p, pkt, pkt[stack:stack+size], &hop, h.Instructions, d)
	return pkt, Added, nil
}

// setFlag sets a flag in the first byte of the metadata header.
func (p packet) setFlag(pkt []byte, shim int, flag byte) {
	b := pkt[shim+ShimSize:]
	var d delta
	d.sub(binary.BigEndian.Uint16(b))
	b[0] |= flag
	d.add(binary.BigEndian.Uint16(b))
	p.applyL4(pkt, d)
}

// finish writes a hop to place. Then it updates the checksum complement or the checksum of layer
// 4. The update covers the hop and d, the other changes to the packet.
func (n *Node) finish(p packet, pkt, place []byte, md *Metadata, ins Instructions, d delta) {
	md.Available &^= ChecksumComplement
	neutral := n.Neutral && ins&ChecksumComplement != 0 && p.l4Checksum(pkt) != nil
	if neutral {
		md.Available |= ChecksumComplement
		md.ChecksumComplement = 0
	}
	md.put(place, ins)
	d.addBytes(place)
	if neutral {
		// ~Δ makes the change of the sum all ones, which is zero in ones' complement. The upper half
		// stays 0, so the word never looks like a missing value.
		binary.BigEndian.PutUint16(place[len(place)-2:], ^d.fold())
		return
	}
	p.applyL4(pkt, d)
}

// Sink removes INT from a packet and restores the field that the mark replaced. It copies the
// message to m and reuses the memory of m.Stack, so a caller that reuses m allocates nothing. If
// m.Header.Discard is set, the caller must drop the packet.
func (n *Node) Sink(pkt []byte, m *Message) ([]byte, Action, error) {
	p, shim, ok, err := n.Mark.find(pkt)
	if err != nil || !ok {
		return pkt, Absent, err
	}
	var in Message
	if _, err := in.Decode(pkt[shim:]); err != nil {
		return pkt, Absent, err
	}
	m.Shim, m.Header = in.Shim, in.Header
	m.Stack = append(m.Stack[:0], in.Stack...)
	size := ShimSize + 4*int(in.Shim.Length)

	if in.Shim.NextProtocol == OriginalProto {
		pkt = remove(pkt, p.l4, udpSize+size)
		p.setProto(pkt, uint8(in.Shim.Original))
		p.setLength(pkt)
		return pkt, Removed, nil
	}
	var d delta
	d.addBytes(pkt[shim : shim+size])
	d = delta(^d.fold()) // removed bytes count as negative
	pkt = remove(pkt, shim, size)
	d += p.resized(pkt, -size)
	if in.Shim.NextProtocol == OriginalPort {
		d.sub(binary.BigEndian.Uint16(pkt[p.l4+2:]))
		d.add(in.Shim.Original)
		binary.BigEndian.PutUint16(pkt[p.l4+2:], in.Shim.Original)
	} else {
		p.setDSCP(pkt, uint8(in.Shim.Original>>2&63))
	}
	p.applyL4(pkt, d)
	return pkt, Removed, nil
}

// Source adds INT to packets. Check its fields with Validate before use.
type Source struct {
	Node
	Instructions       Instructions
	MaxHops            uint8  // hops that may write, including the source
	DomainInstructions uint16 // of Node.Domain
	DomainFlags        uint16
	DomainWords        int  // domain-specific words that every hop writes
	SourceWords        int  // domain-specific words that only the source writes
	Discard            bool // marks the packets as copies, which the sink drops
}

// hopWords returns the number of words that every hop writes: HopML.
func (s *Source) hopWords() int { return s.Instructions.Words() + s.DomainWords }

// Validate reports every rule that s breaks. The stack of MaxHops hops must fit Shim.Length,
// because later hops would add nothing and set no flag.
func (s *Source) Validate() error {
	errs := []error{s.Mark.validate()}
	if s.DomainWords < 0 || s.SourceWords < 0 {
		errs = append(errs, fmt.Errorf("%d domain-specific words in each hop and %d from the source, want 0 "+
			"or more", s.DomainWords, s.SourceWords))
	} else if hop := s.hopWords(); hop < 1 || hop > 31 {
		errs = append(errs, fmt.Errorf("hops of %d words, want 1 to 31", hop))
	} else if n := HeaderSize/4 + int(s.MaxHops)*hop + s.SourceWords; n > maxLength {
		errs = append(errs, fmt.Errorf("%d hops of %d words and %d from the source make INT of %d words, "+
			"want at most %d", s.MaxHops, hop, s.SourceWords, n, maxLength))
	}
	return errors.Join(errs...)
}

// Insert adds INT to a packet. md holds the values of the first hop. If md is nil, Insert adds no hop, as in a host
// that only requests INT. If the headers fit the egress MTU but the hop does not, M is set and the stack stays empty.
// Insert reports an error for packets that cannot carry INT under this mark: fragments, protocols other than TCP and
// UDP (ByDSCP) or other than UDP (ByPort), and packets that already have the mark.
func (s *Source) Insert(pkt []byte, md *Metadata, mtu unit.Bytes) ([]byte, Action, error) {
	p, err := parseIP(pkt)
	if err != nil {
		return pkt, Absent, err
	}
	if p.frag {
		return pkt, Absent, fmt.Errorf("the packet is a fragment, and a fragment cannot carry INT")
	}
	if _, _, marked, err := s.Mark.find(pkt); marked || err != nil {
		return pkt, Absent, errors.Join(fmt.Errorf("the packet already carries INT, marked by "+
			"%v", s.Mark.Kind), err)
	}
	fixed, shim := ShimSize+HeaderSize, p.l4+udpSize
	if s.Mark.Kind == ByOuterUDP {
		fixed += udpSize
	} else {
		if s.Mark.Kind == ByPort && p.proto != protoUDP {
			return pkt, Absent, fmt.Errorf("IP protocol %d has no UDP port that could mark INT, want UDP (17)",
				p.proto)
		}
		if shim, err = p.endOfL4(pkt); err != nil {
			return pkt, Absent, err
		}
	}
	mtu = min(mtu, maxPacket)
	if unit.Bytes(len(pkt)+fixed) > mtu {
		return pkt, NoRoom, nil
	}

	h := Header{
		Discard: s.Discard, HopWords: uint8(s.hopWords()), RemainingHops: s.MaxHops, Instructions: s.Instructions,
		Domain: s.Domain, DomainInstructions: s.DomainInstructions, DomainFlags: s.DomainFlags,
	}
	own := 0
	if md != nil && s.MaxHops > 0 {
		own = 4 * (s.hopWords() + s.SourceWords)
		if err := md.check(4 * (s.DomainWords + s.SourceWords)); err != nil {
			return pkt, Absent, err
		}
		if unit.Bytes(len(pkt)+fixed+own) > mtu {
			own, h.MTUExceeded = 0, true
		}
	}
	if own > 0 {
		h.RemainingHops--
	}
	sh := Shim{Type: TypeMD, Length: uint8((HeaderSize + own) / 4)}

	var d delta
	switch s.Mark.Kind {
	case ByDSCP:
		sh.Original = uint16(p.dscp(pkt)) << 2
		pkt = insert(pkt, shim, fixed+own)
		p.setDSCP(pkt, s.Mark.DSCP)
		d = p.resized(pkt, fixed+own)
	case ByPort:
		sh.NextProtocol, sh.Original = OriginalPort, binary.BigEndian.Uint16(pkt[p.l4+2:])
		pkt = insert(pkt, shim, fixed+own)
		binary.BigEndian.PutUint16(pkt[p.l4+2:], s.Mark.Port)
		d = p.resized(pkt, fixed+own)
		d.sub(sh.Original)
		d.add(s.Mark.Port)
	case ByOuterUDP:
		sh.NextProtocol, sh.Original = OriginalProto, uint16(p.proto)
		port := s.sourcePort(p, pkt)
		pkt = insert(pkt, p.l4, fixed+own)
		p.setProto(pkt, protoUDP)
		p.setLength(pkt)
		udp := pkt[p.l4:]
		binary.BigEndian.PutUint16(udp, port)
		binary.BigEndian.PutUint16(udp[2:], s.Mark.Port)
		binary.BigEndian.PutUint16(udp[4:], uint16(len(udp)))
		binary.BigEndian.PutUint16(udp[6:], 0) // no checksum, as the specification advises
	}
	sh.put(pkt[shim:])
	h.put(pkt[shim+ShimSize:])
	stack := shim + ShimSize + HeaderSize
	d.addBytes(pkt[shim:stack])
	if own == 0 {
		p.applyL4(pkt, d)
		return pkt, Added, nil
	}
	hop := *md
	s.finish(p, pkt, pkt[stack:stack+own], &hop, s.Instructions, d)
	return pkt, Added, nil
}

// sourcePort returns a UDP source port from 49152 to 65535: a hash of the addresses, the protocol
// and, for TCP and UDP, the ports. ECMP can then still distinguish flows.
func (s *Source) sourcePort(p packet, pkt []byte) uint16 {
	addresses := pkt[12:20]
	if p.v6 {
		addresses = pkt[8:40]
	}
	h := uint64(p.proto)
	for ; len(addresses) >= 8; addresses = addresses[8:] {
		h = hash.Combine(h, binary.BigEndian.Uint64(addresses))
	}
	if (p.proto == protoTCP || p.proto == protoUDP) && len(pkt) >= p.l4+4 {
		h = hash.Combine(h, uint64(binary.BigEndian.Uint32(pkt[p.l4:])))
	}
	return uint16(49152 + h>>50)
}
