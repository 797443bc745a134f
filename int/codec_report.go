package inband

import (
	"encoding/binary"
	"fmt"

	"pintlab/internal/number"
)

// ReportGroup is the header of a packet of telemetry reports (Telemetry Report 2.0). Individual reports follow it.
//
//	Ver 4 | hw_id 6 | sequence number 22
//	node ID 32
type ReportGroup struct {
	Hardware uint8  // 6 bits: hw_id, a part of the node
	Sequence uint32 // 22 bits: number of the packet from this node and hw_id to the collector
	NodeID   uint32
}

// sequenceMask has the bits of ReportGroup.Sequence.
const sequenceMask = 1<<22 - 1

// Append writes g to dst. Fields that are too large lose their upper bits.
func (g *ReportGroup) Append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, Version<<28|uint32(g.Hardware&63)<<22|g.Sequence&sequenceMask)
	return binary.BigEndian.AppendUint32(dst, g.NodeID)
}

// The types of an individual report.
const (
	ReportInner = 0 // contents alone
	ReportINT   = 1 // metadata of the node that reports, then contents
	ReportIOAM  = 2 // not defined yet: only contents
)

// The types of the contents of an individual report (InType).
const (
	InnerNone     = 0
	InnerTLV      = 1
	InnerDomain   = 2
	InnerEthernet = 3 // a packet from its Ethernet header on, possibly truncated
	InnerIPv4     = 4
	InnerIPv6     = 5
)

// Report is an individual report.
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

	// The fields below are used with ReportINT only. The bits are Instructions, except that the first is
	// reserved and the last stands for the queue and the reason of a drop.
	Bits                             Instructions
	Domain, DomainBits, DomainStatus uint16
	Metadata                         Metadata // Domain has the domain-specific words
	DropQueue, DropReason            uint8

	Contents []byte
}

// toEnd is the length, in words, of a report that extends to the end of the packet.
const toEnd = 255

// Append writes r to dst. A report of 1020 bytes or more must be the last of its packet, and the packet must end where
// the report ends.
func (r *Report) Append(dst []byte) ([]byte, error) {
	if len(r.Contents)%4 != 0 || len(r.Metadata.Domain)%4 != 0 || r.Type > 15 || r.Inner > 15 || r.Reserved > 15 {
		return dst, fmt.Errorf("bad individual report of type %d with contents of type %d and %s, want types "+
			"up to 15 and a multiple of 4 bytes", r.Type, r.Inner, number.Count(len(r.Contents), "byte"))
	}
	md, length := 0, len(r.Contents)/4
	if r.Type == ReportINT {
		md = r.Bits.Words() + len(r.Metadata.Domain)/4
		length += 2 + md
	}
	if md > 255 {
		return dst, fmt.Errorf("%d words of metadata in an individual report, want at most 255", md)
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

// reportGroupSize is the size of a ReportGroup, reportSize the size of a Report without contents.
const (
	reportGroupSize = 8
	reportSize      = 4
)

// Decode reads a group header from the beginning of b and returns the reports after it.
func (g *ReportGroup) Decode(b []byte) (reports []byte, err error) {
	if len(b) < reportGroupSize {
		return nil, fmt.Errorf("telemetry report of %s, want at least %d", number.Count(len(b), "byte"),
			reportGroupSize)
	}
	w := binary.BigEndian.Uint32(b)
	if v := w >> 28; v != Version {
		return nil, fmt.Errorf("telemetry report of version %d, want %d", v, Version)
	}
	*g = ReportGroup{Hardware: uint8(w >> 22 & 63), Sequence: w & sequenceMask, NodeID: binary.BigEndian.Uint32(b[4:])}
	return b[reportGroupSize:], nil
}

// Decode reads a report from the beginning of b and returns the reports after it. Contents and Metadata.Domain alias b.
func (r *Report) Decode(b []byte) (rest []byte, err error) {
	if len(b) < reportSize {
		return nil, fmt.Errorf("individual report of %s, want at least %d", number.Count(len(b), "byte"),
			reportSize)
	}
	*r = Report{
		Type: b[0] >> 4, Inner: b[0] & 15,
		Dropped: b[3]&0x80 != 0, Congested: b[3]&0x40 != 0, Tracked: b[3]&0x20 != 0, Intermediate: b[3]&0x10 != 0,
		Reserved: b[3] & 15,
	}
	end, md := reportSize+4*int(b[1]), 4*int(b[2])
	if b[1] == toEnd {
		end = max(end, len(b))
	}
	if end > len(b) {
		return nil, fmt.Errorf("individual report of %d bytes, but only %s left", end,
			number.Count(len(b), "byte"))
	}
	body := b[reportSize:end:end]
	if r.Type == ReportINT {
		if body, err = r.decodeINT(body, md); err != nil {
			return nil, err
		}
	}
	r.Contents = body
	return b[end:], nil
}

// decodeINT reads the fields before the contents; md is the size of the metadata in bytes.
func (r *Report) decodeINT(b []byte, md int) (contents []byte, err error) {
	if len(b) < 8+md {
		return nil, fmt.Errorf("individual report of INT with %s, want at least 8 and %d of metadata",
			number.Count(len(b), "byte"), md)
	}
	r.Bits = Instructions(binary.BigEndian.Uint16(b))
	r.Domain, r.DomainBits = binary.BigEndian.Uint16(b[2:]), binary.BigEndian.Uint16(b[4:])
	r.DomainStatus = binary.BigEndian.Uint16(b[6:])
	values, contents := b[8:8+md], b[8+md:]
	n := 4 * r.Bits.Words()
	if n > md {
		return nil, fmt.Errorf("individual report with %d bytes of metadata, but its bits %#04x need %d",
			md, uint16(r.Bits), n)
	}
	baseline := r.Bits &^ ChecksumComplement
	if r.Bits&ChecksumComplement != 0 {
		r.DropQueue, r.DropReason = values[n-4], values[n-3]
		n -= 4
	}
	if err := r.Metadata.Decode(values[:n], baseline); err != nil {
		return nil, err
	}
	if n = 4 * r.Bits.Words(); n < md {
		r.Metadata.Domain = values[n:]
	}
	return contents, nil
}
