package inband

import (
	"encoding/binary"
	"fmt"
)

// reportGroupSize is the size of a ReportGroup, and reportSize that of an individual report without contents.
const (
	reportGroupSize = 8
	reportSize      = 4
)

// Decode reads a group header from the beginning of b and returns the reports behind it.
func (g *ReportGroup) Decode(b []byte) (reports []byte, err error) {
	if len(b) < reportGroupSize {
		return nil, fmt.Errorf("inband: telemetry report of %d bytes, want at least %d", len(b), reportGroupSize)
	}
	w := binary.BigEndian.Uint32(b)
	if v := w >> 28; v != Version {
		return nil, fmt.Errorf("inband: telemetry report of version %d, want %d", v, Version)
	}
	*g = ReportGroup{Hardware: uint8(w >> 22 & 63), Sequence: w & SequenceMask, NodeID: binary.BigEndian.Uint32(b[4:])}
	return b[reportGroupSize:], nil
}

// Decode reads a report from the beginning of b and returns the reports behind it. Contents and Metadata.Domain alias b.
func (r *Report) Decode(b []byte) (rest []byte, err error) {
	if len(b) < reportSize {
		return nil, fmt.Errorf("inband: individual report of %d bytes, want at least %d", len(b), reportSize)
	}
	*r = Report{
		Type: b[0] >> 4, Inner: b[0] & 15,
		Dropped: b[3]&0x80 != 0, Congested: b[3]&0x40 != 0, Tracked: b[3]&0x20 != 0, Intermediate: b[3]&0x10 != 0, Reserved: b[3] & 15,
	}
	end, md := reportSize+4*int(b[1]), 4*int(b[2])
	if b[1] == toEnd {
		end = max(end, len(b))
	}
	if end > len(b) {
		return nil, fmt.Errorf("inband: individual report of %d bytes, %d are there", end, len(b))
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

// decodeINT reads what stands before the contents, with this many bytes of metadata.
func (r *Report) decodeINT(b []byte, md int) (contents []byte, err error) {
	if len(b) < 8+md {
		return nil, fmt.Errorf("inband: individual report of INT with %d bytes, want 8 and %d of metadata", len(b), md)
	}
	r.Bits = Instructions(binary.BigEndian.Uint16(b))
	r.Domain, r.DomainBits, r.DomainStatus = binary.BigEndian.Uint16(b[2:]), binary.BigEndian.Uint16(b[4:]), binary.BigEndian.Uint16(b[6:])
	values, contents := b[8:8+md], b[8+md:]
	n := 4 * r.Bits.Words()
	if n > md {
		return nil, fmt.Errorf("inband: individual report with %d bytes of metadata, its bits %#04x take %d", md, uint16(r.Bits), n)
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
