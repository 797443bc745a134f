package ifa

import (
	"encoding/binary"
	"fmt"
	"slices"

	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// Record contains the fields that a switch writes.
type Record struct {
	Space           uint8
	Device          uint32
	Rate            unit.Rate // 0 for an unknown code
	Egress, Ingress uint16
	Arrival         unit.Time
	Residence       unit.Time
	Sent            uint32
	Queue           uint16 // in the unit of the device
}

// Decode reads the metadata header after a transport header, and its records, the oldest first. It returns the bytes
// after them.
func Decode(b []byte) (records []Record, rest []byte, err error) {
	if len(b) < 4 {
		return nil, nil, fmt.Errorf("ifa: a metadata header of %s, want 4", number.Count(len(b), "byte"))
	}
	end := 4 + 4*int(b[3])
	if end > len(b) || (end-4)%recordSize != 0 {
		return nil, nil, fmt.Errorf("ifa: records of %d bytes, want a multiple of %d, and at most the %d bytes that "+
			"follow", end-4, recordSize,
			len(b)-4)
	}
	for x := range slices.Chunk(b[4:end], recordSize) {
		word := func(n int) uint32 { return binary.BigEndian.Uint32(x[4*n:]) }
		r := Record{
			Space: x[0] >> 4, Device: word(0) >> 8 & 0xfffff,
			Egress: uint16(word(2) >> 16), Ingress: uint16(word(2)),
			Arrival:   unit.Time(word(1)&0xfffff)*unit.Second + unit.Time(word(3))*unit.Nanosecond,
			Residence: unit.Time(word(4)) * unit.Nanosecond, Sent: word(5), Queue: uint16(word(6)),
		}
		if code := int(word(1) >> 28); code < len(speeds) {
			r.Rate = speeds[code]
		}
		records = append(records, r)
	}
	slices.Reverse(records)
	return records, b[end:], nil
}

// Original reads the header before a transport header, and returns its IP protocol.
func Original(b []byte) (protocol uint8, rest []byte, err error) {
	if len(b) < 4 || b[0]>>4 != 2 {
		return 0, nil, fmt.Errorf("ifa: % x is not a header of version 2", b[:min(len(b), 4)])
	}
	return b[1], b[4:], nil
}

// Values of headers: version 2 with the name space in each record, and a packet that carries its records.
const (
	versionAndSpace = 2<<4 | 15
	inPacket        = 1 << 2
	localSpace      = 1
	firstTTL        = 64 // first TTL in captures
)

// Show implements telemetry.Visible: data packets have headers and records, and receivers send the records back.
func (s *shower) Show(f *telemetry.Frame) error {
	k := f.Packet
	switch {
	case k.Kind == netsim.Data:
		f.Protocol = uint8(s.Protocol)
		f.Before = []byte{versionAndSpace, 0, inPacket, byte(s.Hops * recordSize / 4)}
		f.After = s.records(f.Stack)
	case (k.Kind == netsim.Ack || k.Kind == netsim.Nack) && len(f.Stack) > 0:
		f.Block(telemetry.BlockIFA, s.records(f.Stack))
	}
	return nil
}

// records returns the metadata header and the records.
func (s *shower) records(stack []netsim.PortSample) []byte {
	stack = stack[:min(len(stack), s.Hops)]
	b := []byte{0, 0, byte(s.Hops - len(stack)), byte(len(stack) * recordSize / 4)}
	word := func(v uint32) { b = binary.BigEndian.AppendUint32(b, v) }
	for i, x := range slices.Backward(stack) {
		at, _ := s.net.PortEnds(x.Port)
		ttl := uint32(0)
		if s.Reserved == "ttl" {
			ttl = uint32(firstTTL - 1 - i)
		}
		ns := int64(x.TS / unit.Nanosecond)
		const second = int64(unit.Second / unit.Nanosecond)
		word(localSpace<<28 | uint32(at)&0xfffff<<8 | ttl)
		word(uint32(slices.Index(speeds, s.net.PortRate(x.Port)))<<28 | uint32(ns/second)&0xfffff)
		word(uint32(x.Port)<<16 | 0xffff)
		word(uint32(ns % second))
		word(0)
		word(uint32(x.Sent))
		word(uint32(int64(x.Queue) / int64(s.QueueUnit) & 0xffff))
		word(0)
	}
	return b
}
