package sketchint

import (
	"encoding/binary"
	"fmt"

	"pintlab/internal/number"
)

// flowBytes is the size of a flow in a shipment. A shipment consists of the bytes of a group:
//
//	counters of heavy flows, latencies      as packed in the sketches
//	entries of heavy flows                  flow (13 B), estimate (4 B), hops (1 B), switch IDs (2 B for maxHops)
//	entries of inflated latencies           flow (13 B), switch ID (2 B), times (4 B)
//	drops, if switches count them           the counter of each switch, by ID (4 B)
//
// Both tables are padded with zeros to their capacity, so that the size is always the same. Of
// the 13 bytes of a flow the simulator needs 8; the others are zero.
const flowBytes = 13

// dropBytes is the size of a switch's counter of drops.
const dropBytes = 4

// entryBytes returns the sizes of an entry of the two tables.
func (s *shape) entryBytes() (flow, inflated int) {
	return flowBytes + 4 + 1 + 2*s.maxHops, flowBytes + 2 + 4
}

// size returns the number of bytes of a shipment.
func (s *shape) size() int {
	n := s.sketches*s.latency.size() + s.heavy.Bytes()
	if s.apart != nil {
		n += s.apart[0].Bytes() + s.apart[1].Bytes()
	}
	return n + s.tableBytes()
}

// tableBytes returns the size of everything after the counters of flows.
func (s *shape) tableBytes() int {
	flow, inflated := s.entryBytes()
	return s.capacity*(flow+inflated) + s.switches*dropBytes
}

func (g *group) appendTo(b []byte) []byte {
	b = append(b, g.heavy.Counters()...)
	for _, x := range g.latencyBytes() {
		b = append(b, x...)
	}
	flowSize, inflatedSize := g.shape.entryBytes()
	begin := len(b)
	for i, f := range g.flows.Flows() {
		b = appendFlow(b, f.Key)
		b = binary.BigEndian.AppendUint32(b, uint32(min(f.Estimate, 1<<32-1)))
		b = append(b, g.lengths[i])
		path := g.path(i)
		for h := range g.shape.maxHops {
			id := uint16(0)
			if h < len(path) {
				id = path[h]
			}
			b = binary.BigEndian.AppendUint16(b, id)
		}
	}
	b = append(b, make([]byte, begin+g.shape.capacity*flowSize-len(b))...)
	begin = len(b)
	for i, f := range g.inflated.Flows() {
		b = appendFlow(b, g.sources[i].flow)
		b = binary.BigEndian.AppendUint16(b, g.sources[i].hop)
		b = binary.BigEndian.AppendUint32(b, uint32(min(f.Estimate, 1<<32-1)))
	}
	b = append(b, make([]byte, begin+g.shape.capacity*inflatedSize-len(b))...)
	for _, n := range g.drops {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return b
}

func appendFlow(b []byte, flow uint64) []byte {
	b = binary.BigEndian.AppendUint64(b, flow)
	return append(b, 0, 0, 0, 0, 0)
}

// lose overwrites the part of a shipment that a lost frame carried, from byte `from` up to, but not
// including, byte `to`. Counters become infinite. Entries of tables and counters of drops become empty.
func (s *shape) lose(shipment []byte, from, to int) {
	flow, inflated := s.entryBytes()
	tables := len(shipment) - s.tableBytes()
	for i := from; i < min(to, tables); i++ {
		shipment[i] = 0xff
	}
	// An entry is lost if any part of it is lost.
	empty := func(begin, n, size int) {
		for e := range n {
			at := begin + e*size
			if at < to && at+size > from {
				clear(shipment[at : at+size])
			}
		}
	}
	empty(tables, s.capacity, flow)
	empty(tables+s.capacity*flow, s.capacity, inflated)
	empty(len(shipment)-s.switches*dropBytes, s.switches, dropBytes)
}

// read fills an empty group from a shipment.
func (g *group) read(b []byte) error {
	if len(b) != g.shape.size() {
		return fmt.Errorf("sketchint: a shipment of %s, want %d", number.Count(len(b), "byte"), g.shape.size())
	}
	b = b[copy(g.heavy.Counters(), b):]
	for _, x := range g.latencyBytes() {
		b = b[copy(x, b):]
	}
	flowSize, inflatedSize := g.shape.entryBytes()
	for range g.shape.capacity {
		e := b[:flowSize]
		b = b[flowSize:]
		hops := int(e[flowBytes+4])
		if hops > g.shape.maxHops {
			return fmt.Errorf("sketchint: a path of %d hops, want at most %d", hops, g.shape.maxHops)
		}
		at := g.flows.Packet(binary.BigEndian.Uint64(e), uint64(binary.BigEndian.Uint32(e[flowBytes:])))
		if at < 0 {
			continue // no entry
		}
		g.lengths[at] = uint8(hops)
		for h := range hops {
			g.paths[at*g.shape.maxHops+h] = binary.BigEndian.Uint16(e[flowBytes+5+2*h:])
		}
	}
	for range g.shape.capacity {
		e := b[:inflatedSize]
		b = b[inflatedSize:]
		flow, id := binary.BigEndian.Uint64(e), binary.BigEndian.Uint16(e[flowBytes:])
		if at := g.inflated.Packet(key(flow, id), uint64(binary.BigEndian.Uint32(e[flowBytes+2:]))); at >= 0 {
			g.sources[at] = pair{flow, id}
		}
	}
	for id := range g.drops {
		g.drops[id] = binary.BigEndian.Uint32(b[dropBytes*id:])
	}
	return nil
}
