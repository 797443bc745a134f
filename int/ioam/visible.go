package ioam

import (
	"encoding/binary"
	"slices"

	inband "pintlab/int"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// firstLimit is the hop limit with which packets of captures leave their source.
const firstLimit = 64

// Show implements telemetry.Visible: packets are IPv6. Data packets have a trace option, and receivers send it back.
func (s *shower) Show(f *telemetry.Frame) error {
	f.V6 = true
	k := f.Packet
	switch {
	case k.Kind == netsim.Data:
		option := s.option(f.Stack)
		f.Options = slices.Concat([]byte{1, 0, optionType, byte(len(option))}, option) // PadN before it
	case (k.Kind == netsim.Ack || k.Kind == netsim.Nack) && len(f.Stack) > 0:
		f.Block(telemetry.BlockIOAM, s.option(f.Stack))
	}
	return nil
}

// option returns an option without its type and length.
func (s *shower) option(stack []netsim.PortSample) []byte {
	n := s.record()
	kind := bit(bitNode) | bit(bitInterfaces) | bit(bitFraction) | bit(bitQueue) | bit(s.TxBit)
	if s.Speed {
		kind |= bit(bitData)
	}
	overflow, form := 0, byte(incremental)
	free := max(0, s.Hops-len(stack)) * n
	remaining := free
	if len(stack) > s.Hops {
		overflow = 1
	}
	if s.Trace == "preallocated" {
		form = 0
	} else if s.Remaining == "zero" {
		remaining = 0
	}
	b := binary.BigEndian.AppendUint16([]byte{0, form}, inband.Domain)
	b = binary.BigEndian.AppendUint16(b, uint16(n/4<<11|overflow<<10|remaining/4))
	b = binary.BigEndian.AppendUint32(b, kind<<8)
	if form != incremental {
		b = append(b, make([]byte, free)...)
	}
	word := func(v uint32) { b = binary.BigEndian.AppendUint32(b, v) }
	clock := s.clock()
	for i, x := range slices.Backward(stack[:min(len(stack), s.Hops)]) {
		at, _ := s.net.PortEnds(x.Port)
		word(uint32(firstLimit-1-i)<<24 | uint32(at)&0xffffff)
		word(0xffff<<16 | uint32(x.Port)&0xffff)
		word(uint32(int64(x.TS) / clock.Unit % clock.Steps))
		if s.Speed {
			word(uint32(s.net.PortRate(x.Port) / unit.Mbps))
		}
		word(uint32(x.Queue) / uint32(s.QueueUnit))
		word(uint32(x.Sent))
	}
	return b
}
