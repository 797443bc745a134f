package validate

import (
	"encoding/binary"
	"math/rand/v2"
	"strconv"

	"pintlab/int/fridge"
	"pintlab/int/sketch/tower"
	"pintlab/p4"
	"pintlab/pint/global"
)

// segment is a TCP segment in the format that include/flow.p4 parses.
type segment struct {
	Src, Dst         uint32
	SrcPort, DstPort uint16
	Seq, Ack         uint32
	Flags            uint8
}

// append writes Ethernet, IPv4 and TCP headers.
func (s *segment) append(b []byte) []byte {
	b = append(b, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0)
	b = append(b, 0x45, 0, 0, 40, 0, 0, 0, 0, 64, 6, 0, 0)
	b = binary.BigEndian.AppendUint32(b, s.Src)
	b = binary.BigEndian.AppendUint32(b, s.Dst)
	b = binary.BigEndian.AppendUint16(b, s.SrcPort)
	b = binary.BigEndian.AppendUint16(b, s.DstPort)
	b = binary.BigEndian.AppendUint32(b, s.Seq)
	b = binary.BigEndian.AppendUint32(b, s.Ack)
	return append(b, 0x50, s.Flags, 0xff, 0xff, 0, 0, 0, 0)
}

// passing is a packet that leaves the switch unchanged.
type passing struct {
	s segment
	b []byte
}

func (p *passing) bytes() []byte {
	p.b = p.s.append(p.b[:0])
	return p.b
}

func (p *passing) expect() []byte { return p.b }

// stateful is a twin with registers. They are compared with the registers of the program at the end.
type stateful interface {
	// registers returns the contents by control-plane name.
	registers() map[string][]uint64
}

// clocked is a twin that chooses the time before each packet, in microseconds.
type clocked interface{ time() uint64 }

// towerTwin is package tower in the shape that the program has, with the program's hash functions.
type towerTwin struct {
	passing
	family global.Family
	sketch *tower.Sketch
}

func newTowerTwin() (twin, error) {
	s, err := tower.New(tower.Config{Bits: []int{8, 16, 32}, Counters: []int{1 << 16, 1 << 15, 1 << 14}})
	return &towerTwin{family: global.CRC(p4.Seed), sketch: s}, err
}

// draw makes flows of very different sizes, so that small counters overflow.
func (t *towerTwin) draw(r *rand.Rand) []byte {
	return t.count(segment{Src: 0x0a000000 + r.Uint32N(1<<r.UintN(16)), Dst: 0x0a010000, SrcPort: 1000,
		DstPort: 80, Seq: r.Uint32()})
}

func (t *towerTwin) domain() int { return 1<<16 + 10 }

// value returns packets of one flow. The flow's counters of 8 and 16 bits take every value, and then stay at the
// largest value.
func (t *towerTwin) value(i int) []byte {
	return t.count(segment{Src: 0x0a020000, Dst: 0x0a010000, SrcPort: 1000, DstPort: 80, Seq: uint32(i)})
}

// count inserts a packet.
func (t *towerTwin) count(s segment) []byte {
	t.s = s
	addresses := uint64(t.s.Src)<<32 | uint64(t.s.Dst)
	rest := uint64(t.s.SrcPort)<<24 | uint64(t.s.DstPort)<<8 | 6
	var counters [3]uint64
	for i := range counters {
		counters[i] = uint64(global.Digest(t.family.Hash(global.FlowTable, uint8(i+1), addresses, rest), 16-i))
	}
	t.sketch.AddAt(counters[:], 1)
	return t.bytes()
}

func (t *towerTwin) registers() map[string][]uint64 {
	all := map[string][]uint64{}
	for i := range t.sketch.Arrays() {
		a := &t.sketch.Arrays()[i]
		values := make([]uint64, a.Len())
		for c := range values {
			values[c] = a.Counter(uint64(c))
		}
		all["counters_"+strconv.Itoa(i+1)] = values
	}
	return all
}

// fridgeTwin is package fridge with the table and histogram of a switch and the hash functions of the
// programs.
type fridgeTwin struct {
	passing
	now       uint64
	family    global.Family
	table     fridge.Table[uint32]
	histogram *fridge.Histogram
	inserted  uint32
	open      []segment // requests that may be answered
}

func newFridgeTwin() (twin, error) {
	f, err := fridge.NewFactors(p4.Fridge())
	return &fridgeTwin{
		family: global.CRC(p4.Seed), table: fridge.NewTable[uint32](int(p4.Fridge().Entries)),
		histogram: fridge.NewHistogram(f),
	}, err
}

func (t *fridgeTwin) time() uint64 { return t.now }

func (t *fridgeTwin) clockRegisters() []string { return []string{"times", "histogram"} }

// draw answers half of the requests, after delays of every order of magnitude.
func (t *fridgeTwin) draw(r *rand.Rand) []byte {
	t.now += 1 + r.Uint64N(1<<r.UintN(12))
	if len(t.open) > 1<<17 || len(t.open) > 0 && r.UintN(3) == 0 {
		at := len(t.open) - 1 - r.IntN(1+r.IntN(len(t.open)))
		q := t.open[at]
		t.open[at] = t.open[len(t.open)-1]
		t.open = t.open[:len(t.open)-1]
		t.s = segment{Src: q.Dst, Dst: q.Src, SrcPort: q.DstPort, DstPort: q.SrcPort, Seq: r.Uint32(),
			Ack: q.Seq + 1, Flags: 0x12}
		t.request(&q, false)
		return t.bytes()
	}
	t.s = segment{
		Src: r.Uint32(), Dst: 0x0a000000 + r.Uint32N(1000), SrcPort: uint16(r.Uint32()), DstPort: 443, Seq: r.Uint32(),
		Flags: []uint8{0x02, 0x02, 0x02, 0x02, 0xc2, 0x10, 0x18, 0x04}[r.UintN(8)],
	}
	if t.s.Flags&0x12 == 0x02 {
		t.request(&t.s, true)
		t.open = append(t.open, t.s)
	}
	return t.bytes()
}

func (t *fridgeTwin) domain() int { return 256 + 1<<14 }

// value returns packets with every combination of TCP flags, and then requests with responses after
// every delay up to 8 ms.
func (t *fridgeTwin) value(i int) []byte {
	t.s = segment{Src: 0x0a000001, Dst: 0x0a000002, SrcPort: 1000, DstPort: 443, Seq: uint32(i)}
	if i < 256 {
		t.now += 10
		t.s.Flags = uint8(i)
		switch t.s.Flags & 0x12 {
		case 0x02:
			t.request(&t.s, true)
		case 0x12:
			q := segment{Src: t.s.Dst, Dst: t.s.Src, SrcPort: t.s.DstPort, DstPort: t.s.SrcPort, Seq: t.s.Ack - 1}
			t.request(&q, false)
		}
		return t.bytes()
	}
	delay := uint32(i-256) / 2
	q := t.s
	q.Seq, q.Flags = delay, 0x02
	if i%2 == 0 {
		t.now += 10
		t.s = q
		t.request(&q, true)
		return t.bytes()
	}
	t.now += uint64(delay)
	t.s = segment{Src: q.Dst, Dst: q.Src, SrcPort: q.DstPort, DstPort: q.SrcPort, Ack: q.Seq + 1, Flags: 0x12}
	t.request(&q, false)
	return t.bytes()
}

// request applies a request, or the response to it, to the fridge.
func (t *fridgeTwin) request(q *segment, enters bool) {
	addresses := uint64(q.Src)<<32 | uint64(q.Dst)
	rest := uint64(q.SrcPort)<<48 | uint64(q.DstPort)<<32 | uint64(q.Seq)
	id := t.family.Hash(global.FlowTable, 0, addresses, rest)
	slot := uint32(global.Digest(t.family.Hash(global.FlowTable, 1, addresses, rest), 16))
	if enters {
		if t.family.Hash(global.Act, 0, addresses, rest) < 1<<31 {
			t.inserted++
			t.table.Insert(slot, id, uint32(t.now), t.inserted)
		}
	} else if since, count, ok := t.table.Take(slot, id); ok {
		t.histogram.Add(uint32(t.now)-since, t.inserted-count)
	}
}

func (t *fridgeTwin) registers() map[string][]uint64 {
	m := p4.Fridge().Entries
	ids, times, insertions, histogram := make([]uint64, m), make([]uint64, m), make([]uint64, m),
		make([]uint64, fridge.Bins)
	for slot := range m {
		id, since, count := t.table.At(slot)
		ids[slot], times[slot], insertions[slot] = uint64(id), uint64(since), uint64(count)
	}
	for i := range histogram {
		histogram[i] = uint64(t.histogram.Bin(i))
	}
	return map[string][]uint64{
		"ids": ids, "times": times, "insertions": insertions, "inserted": {uint64(t.inserted)}, "histogram": histogram,
	}
}
