package inband

import (
	"encoding/binary"
	"fmt"
)

// ReportGroup is the header of a packet of telemetry reports (Telemetry Report 2.0). Individual reports follow it.
//
//	Ver 4 | hw_id 6 | sequence number 22
//	node ID 32
type ReportGroup struct {
	Hardware uint8  // 6 bits: the part of the node
	Sequence uint32 // 22 bits: counts the packets of a node and part to a collector
	NodeID   uint32
}

// SequenceMask has the bits of ReportGroup.Sequence.
const SequenceMask = 1<<22 - 1

// Append writes g to dst. Fields are cut to their bits.
func (g *ReportGroup) Append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, Version<<28|uint32(g.Hardware&63)<<22|g.Sequence&SequenceMask)
	return binary.BigEndian.AppendUint32(dst, g.NodeID)
}

// The types of an individual report.
const (
	ReportInner = 0 // contents alone
	ReportINT   = 1 // metadata of the node that reports, then contents
	ReportIOAM  = 2 // not defined yet: contents alone
)

// What the contents of an individual report are.
const (
	InnerNone     = 0
	InnerTLV      = 1
	InnerDomain   = 2
	InnerEthernet = 3 // a packet, cut off somewhere, from its Ethernet header on
	InnerIPv4     = 4
	InnerIPv6     = 5
)

// Report is one report of a packet of reports.
//
//	RepType 4 | InType 4 | length 8 | MD length 8 | D Q F I | reserved 4
//	RepMdBits 16 | domain ID 16            with ReportINT
//	DSMdBits 16 | DSMdstatus 16
//	metadata of the node
//	contents
type Report struct {
	Type, Inner  uint8
	Dropped      bool
	Congested    bool
	Tracked      bool
	Intermediate bool
	Reserved     uint8 // 4 bits

	// With ReportINT. The bits are those of Instructions, but the first is reserved, and the last stands for a
	// queue and the reason why it dropped the packet.
	Bits                             Instructions
	Domain, DomainBits, DomainStatus uint16
	Metadata                         Metadata // Domain has the domain-specific words
	DropQueue, DropReason            uint8

	Contents []byte
}

// toEnd is the length of a report that ends with the packet.
const toEnd = 255

// Append writes r to dst. A report of 1020 bytes or more must be the last of its packet, which must end with it.
func (r *Report) Append(dst []byte) ([]byte, error) {
	if len(r.Contents)%4 != 0 || len(r.Metadata.Domain)%4 != 0 || r.Type > 15 || r.Inner > 15 || r.Reserved > 15 {
		return dst, fmt.Errorf("inband: bad individual report of type %d with contents %d of %d bytes", r.Type, r.Inner, len(r.Contents))
	}
	md, length := 0, len(r.Contents)/4
	if r.Type == ReportINT {
		md = r.Bits.Words() + len(r.Metadata.Domain)/4
		length += 2 + md
	}
	if md > 255 {
		return dst, fmt.Errorf("inband: %d words of metadata in an individual report, want at most 255", md)
	}
	flags := r.Reserved
	for i, set := range [...]bool{r.Intermediate, r.Tracked, r.Congested, r.Dropped} {
		if set {
			flags |= 0x10 << i
		}
	}
	dst = append(dst, r.Type<<4|r.Inner, uint8(min(length, toEnd)), uint8(md), flags)
	if r.Type == ReportINT {
		dst = binary.BigEndian.AppendUint16(dst, uint16(r.Bits))
		dst = binary.BigEndian.AppendUint16(dst, r.Domain)
		dst = binary.BigEndian.AppendUint16(dst, r.DomainBits)
		dst = binary.BigEndian.AppendUint16(dst, r.DomainStatus)
		if err := r.Metadata.check(len(r.Metadata.Domain)); err != nil {
			return dst, err
		}
		baseline := r.Bits &^ ChecksumComplement
		n, values := len(dst), r.Metadata
		values.Domain = nil
		dst = append(dst, make([]byte, 4*baseline.Words())...)
		values.put(dst[n:], baseline)
		if r.Bits&ChecksumComplement != 0 {
			dst = append(dst, r.DropQueue, r.DropReason, 0, 0)
		}
		dst = append(dst, r.Metadata.Domain...)
	}
	return append(dst, r.Contents...), nil
}
