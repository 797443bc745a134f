package inband

import (
	"encoding/binary"
	"fmt"

	"pintlab/internal/number"
)

// Sizes of the fixed parts, in bytes.
const (
	ShimSize   = 4
	HeaderSize = 12

	maxLength = 255 // largest value of Shim.Length, an 8-bit number of words
)

// Version is the version of the metadata header in INT 2.x.
const Version = 2

// The types of INT header.
const (
	TypeMD          = 1 // instructions and metadata in the packet
	TypeDestination = 2 // for the sink only
	TypeMX          = 3 // instructions only; each hop sends its own report
)

// The values of Shim.NextProtocol. A value defines what follows INT, and which field the sink restores from
// Shim.Original.
const (
	OriginalDSCP  = 0 // the payload follows; Original is the DSCP, in bits 7 to 2
	OriginalPort  = 1 // the UDP payload follows; Original is the UDP destination port
	OriginalProto = 2 // another layer-4 header follows; Original is the IP protocol, in bits 7 to 0
)

// Shim is the header between the TCP or UDP header and INT.
//
//	Type 4 | NPT 2 | reserved 2 | Length 8 | Original 16
type Shim struct {
	Type         uint8  // TypeMD, TypeDestination, TypeMX
	NextProtocol uint8  // NPT: OriginalDSCP, OriginalPort or OriginalProto
	Reserved     uint8  // 2 bits, 0 when sent, ignored but kept when received
	Length       uint8  // length of everything up to the payload, in words of 4 B
	Original     uint16 // see NextProtocol
}

// Decode reads a shim from the beginning of b.
func (s *Shim) Decode(b []byte) error {
	if len(b) < ShimSize {
		return fmt.Errorf("INT shim of %s, want %d", number.Count(len(b), "byte"), ShimSize)
	}
	*s = Shim{
		Type: b[0] >> 4, NextProtocol: b[0] >> 2 & 3, Reserved: b[0] & 3,
		Length: b[1], Original: binary.BigEndian.Uint16(b[2:]),
	}
	if s.Type < TypeMD || s.Type > TypeMX {
		return fmt.Errorf("INT type %d, want 1 to 3", s.Type)
	}
	if s.NextProtocol > OriginalProto {
		return fmt.Errorf("INT next protocol type %d, want 0 to 2", s.NextProtocol)
	}
	return nil
}

func (s *Shim) put(b []byte) {
	b[0] = s.Type<<4 | s.NextProtocol<<2 | s.Reserved
	b[1] = s.Length
	binary.BigEndian.PutUint16(b[2:], s.Original)
}

// validate reports values that need more bits than their fields have.
func (s *Shim) validate() error {
	if s.Type < TypeMD || s.Type > TypeMX || s.NextProtocol > OriginalProto || s.Reserved > 3 {
		return fmt.Errorf("bad INT shim %+v", *s)
	}
	return nil
}

// Header is the INT-MD metadata header, version 2.
//
//	Ver 4 | D E M | reserved 12 | HopML 5 | RemainingHopCount 8
//	instruction bitmap 16 | domain ID 16
//	DS instruction 16 | DS flags 16
type Header struct {
	Discard            bool         // D: a copy, which the sink drops after reading
	HopsExceeded       bool         // E: a hop wrote nothing because RemainingHops was 0
	MTUExceeded        bool         // M: a hop wrote nothing because of its egress MTU
	Reserved           uint16       // 12 bits, 0 when sent, ignored but kept when received
	HopWords           uint8        // HopML, 5 bits: words that every hop writes
	RemainingHops      uint8        // hops that may still write
	Instructions       Instructions // which values
	Domain             uint16       // domain of DomainInstructions and DomainFlags
	DomainInstructions uint16
	DomainFlags        uint16
}

// Decode reads a header from the beginning of b. It refuses versions other than Version,
// and hops that are too short for their instructions.
func (h *Header) Decode(b []byte) error {
	if len(b) < HeaderSize {
		return fmt.Errorf("INT metadata header of %s, want %d", number.Count(len(b), "byte"), HeaderSize)
	}
	w := binary.BigEndian.Uint32(b)
	if v := w >> 28; v != Version {
		return fmt.Errorf("INT version %d, want %d", v, Version)
	}
	*h = Header{
		Discard: w>>27&1 != 0, HopsExceeded: w>>26&1 != 0, MTUExceeded: w>>25&1 != 0,
		Reserved: uint16(w >> 13 & 0xfff), HopWords: uint8(w >> 8 & 0x1f), RemainingHops: uint8(w),
		Instructions:       Instructions(binary.BigEndian.Uint16(b[4:])),
		Domain:             binary.BigEndian.Uint16(b[6:]),
		DomainInstructions: binary.BigEndian.Uint16(b[8:]),
		DomainFlags:        binary.BigEndian.Uint16(b[10:]),
	}
	return h.checkWords()
}

func (h *Header) checkWords() error {
	if n := h.Instructions.Words(); n > int(h.HopWords) {
		return fmt.Errorf("INT hops of %s are too short for %v, which needs %d words",
			number.Count(int(h.HopWords), "word"), h.Instructions, n)
	}
	return nil
}

func (h *Header) put(b []byte) {
	w := uint32(Version)<<28 | uint32(h.Reserved&0xfff)<<13 | uint32(h.HopWords&0x1f)<<8 | uint32(h.RemainingHops)
	for i, flag := range [...]bool{h.Discard, h.HopsExceeded, h.MTUExceeded} {
		if flag {
			w |= 1 << (27 - i)
		}
	}
	binary.BigEndian.PutUint32(b, w)
	binary.BigEndian.PutUint16(b[4:], uint16(h.Instructions))
	binary.BigEndian.PutUint16(b[6:], h.Domain)
	binary.BigEndian.PutUint16(b[8:], h.DomainInstructions)
	binary.BigEndian.PutUint16(b[10:], h.DomainFlags)
}

// validate reports values that need more bits than their fields have, and hops that are too short for their
// instructions.
func (h *Header) validate() error {
	if h.Reserved > 0xfff || h.HopWords > 0x1f {
		return fmt.Errorf("bad INT metadata header %+v", *h)
	}
	return h.checkWords()
}
