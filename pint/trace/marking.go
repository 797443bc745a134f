package trace

import (
	"fmt"

	"pintlab/pint/coding"
	"pintlab/pint/global"
)

// MarkBits is the width of the marks of PPM and AMS2: 3 bits of fragment or function number, 5 bits
// of distance, 8 bits of content.
const MarkBits = 16

// mark is a packet's marking field.
type mark struct {
	number   uint8 // fragment number (PPM) or function number (AMS2), 0 … 7
	distance uint8 // hops since the mark was started, at most 31
	content  uint8
}

func (m mark) pack() uint64 {
	return uint64(m.number)<<13 | uint64(m.distance)<<8 | uint64(m.content)
}

func unpackMark(digest uint64) mark {
	return mark{uint8(digest >> 13 & 7), uint8(digest >> 8 & 31), uint8(digest)}
}

// marking is the marking of PPM and AMS2. A switch that samples a packet starts a mark. The next
// switch turns this mark into the mark of the edge between the two switches. All later switches
// increase the distance. Switches sample by reservoir sampling with the global hash g, as in the
// PINT paper's comparison, so the collector knows which switch started a mark even beyond distance
// 31.
type marking struct {
	act, number global.Function
	start, end  func(number uint8, value uint64) uint8
	numbers     int // number of fragments or functions, at most 8
}

func newMarking(f global.Family, start, end func(uint8, uint64) uint8) marking {
	return marking{
		act: f.Function(global.Act, 0), number: f.Function(global.Fragment, 0),
		start: start, end: end, numbers: 8,
	}
}

// Encode returns the mark after a whole path.
func (m *marking) Encode(packet uint64, path []uint64) uint64 {
	i := m.act.Writer(m.act.Key(packet), len(path))
	f := mark{number: uint8(global.Choose(m.number.Word(m.number.Key(packet), 0), m.numbers))}
	f.content = m.start(f.number, path[i-1])
	if i < len(path) {
		f.content ^= m.end(f.number, path[i])
	}
	f.distance = uint8(min(len(path)-i, 31))
	return f.pack()
}

// check returns the hop that started a mark, and the mark. It returns an error for a digest that no
// packet of a path of this length can carry.
func (m *marking) check(packet, digest uint64, hops int) (writer int, f mark, err error) {
	if digest>>MarkBits != 0 {
		return 0, f, fmt.Errorf("packet %d: mark %#x has more than %d bits", packet, digest, MarkBits)
	}
	f = unpackMark(digest)
	writer = m.act.Writer(m.act.Key(packet), hops)
	number := uint8(global.Choose(m.number.Word(m.number.Key(packet), 0), m.numbers))
	if int(f.distance) != min(hops-writer, 31) || f.number != number {
		return 0, f, fmt.Errorf("packet %d: %w", packet, coding.ErrInconsistent)
	}
	return writer, f, nil
}
