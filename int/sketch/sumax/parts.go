package sumax

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"pintlab/int/sketch/rows"
	"pintlab/internal/mem"
	"pintlab/internal/rules"
)

const (
	// Cells is the number of 32-bit cells in a sketchlet: the λ_d = 4 delay cells of a bucket,
	// or one cell of each of the four arrays of another part.
	Cells = 4
	// SketchletBytes is the length of a sketchlet: two bytes for the device, two for the
	// interval, four for the ID and four cells of 32 bits.
	SketchletBytes = 8 + 4*Cells
	// Intervals is the modulus of the interval numbers in sketchlets.
	Intervals = 1 << 12
	// maxDelayArrays is the largest number of arrays that the delay part can have.
	maxDelayArrays = 8
)

// Shape is the shape of a Parts. The delay part always exists; the other parts have the four arrays of
// the interval part.
type Shape struct {
	DelayArrays     int               // 1 to 8
	DelayBuckets    int               // number of buckets in each array
	Bounds          [Cells - 1]uint32 // upper bounds of the delay cells, ascending, in ns; the last cell has none
	IntervalBuckets int               // number of buckets in each of the four arrays; 0: there is no interval part
	Last            bool              // whether last arrivals also have sketchlets
	Bytes           bool              // there is a part that sums bytes
}

// Prototype returns the shape of section 7.1.2 and Fig. 4.
func Prototype() Shape {
	return Shape{DelayArrays: 2, DelayBuckets: 1 << 15, Bounds: [Cells - 1]uint32{100, 1_000, 10_000},
		IntervalBuckets: 1 << 16}
}

// Check reports every rule that the shape breaks.
func (s *Shape) Check() error {
	var errs rules.Broken
	errs.If(s.DelayArrays < 1 || s.DelayArrays > maxDelayArrays, "%d arrays in the delay part, want 1 to %d",
		s.DelayArrays, maxDelayArrays)
	errs.If(s.DelayBuckets < 1 || s.DelayBuckets > rows.MaxCounters,
		"%d buckets in an array of the delay part, want 1 to %d", s.DelayBuckets, rows.MaxCounters)
	errs.If(s.IntervalBuckets < 0 || s.IntervalBuckets > rows.MaxCounters,
		"%d buckets in an array of the interval part, want 0 to %d", s.IntervalBuckets, rows.MaxCounters)
	errs.If(s.IntervalBuckets == 0 && (s.Last || s.Bytes),
		"the interval part has no buckets, but the last arrivals and the bytes need its arrays")
	if s.Bounds[0] == 0 || s.Bounds[1] <= s.Bounds[0] || s.Bounds[2] <= s.Bounds[1] {
		errs = append(errs, fmt.Errorf("bounds of delays %d, %d and %d ns, want positive and ascending",
			s.Bounds[0], s.Bounds[1], s.Bounds[2]))
	}
	return errors.Join(errs...)
}

// Sketchlets returns the number of sketchlets. Their IDs begin with 0: the buckets of the delay part, array by array,
// then the columns of the interval part, of the last arrivals and of the bytes, if these exist.
func (s *Shape) Sketchlets() int {
	n := 1
	if s.Last {
		n++
	}
	if s.Bytes {
		n++
	}
	return s.delays() + n*s.IntervalBuckets
}

func (s *Shape) delays() int { return s.DelayArrays * s.DelayBuckets }

// bytesFrom returns the ID of the first column of bytes.
func (s *Shape) bytesFrom() int {
	if s.Last {
		return s.delays() + 2*s.IntervalBuckets
	}
	return s.delays() + s.IntervalBuckets
}

// Memory returns the bytes of a sketch of the shape.
func (s *Shape) Memory() int {
	n := 4 * Cells * s.delays()
	n += Cells * s.IntervalBuckets * 8 // the longest gap, and the last arrival even if it is not sent
	if s.Bytes {
		n += Cells * s.IntervalBuckets * 4
	}
	return n
}

// DelayCell returns the cell of a delay in nanoseconds.
func (s *Shape) DelayCell(delay uint32) int {
	// The cell is the number of bounds that the delay reaches. There are no branches, because they would
	// be unpredictable.
	d, b := uint64(delay), &s.Bounds
	return int((uint64(b[0])-1-d)>>63 + (uint64(b[1])-1-d)>>63 + (uint64(b[2])-1-d)>>63)
}

// Place holds the index of a flow's bucket in each array of Parts, below DelayBuckets or
// IntervalBuckets of the shape. Indices of arrays that the shape does not have are unused.
type Place struct {
	Delay    [maxDelayArrays]uint32
	Interval [Cells]uint32
}

// Place finds the place of a flow by hashes of package rows. The seed comes from rows.Seed.
func (s *Shape) Place(key, seed uint64) (at Place) {
	s.Locate(key, seed, &at)
	return at
}

// Locate is like Place, but copies nothing. It is for the path of packets.
func (s *Shape) Locate(key, seed uint64, at *Place) {
	h, step := rows.Start(key, seed)
	for i := range at.Delay[:s.DelayArrays] {
		at.Delay[i] = uint32(rows.Index(h, uint64(s.DelayBuckets)))
		h += step
	}
	// The parts need different indices, because their arrays may have the same width.
	h, step = rows.Start(key, ^seed)
	w := uint64(s.IntervalBuckets)
	at.Interval = [Cells]uint32{uint32(rows.Index(h, w)), uint32(rows.Index(h+step, w)),
		uint32(rows.Index(h+2*step, w)), uint32(rows.Index(h+3*step, w))}
}

// Delay is a bucket of the delay part: packets by per-hop delay. Their sum is the flow size.
type Delay [Cells]uint32

// Gap is a bucket of the interval part.
type Gap struct {
	Longest uint32 // time between packets
	Last    uint32 // time of the last packet; 0: there was none
}

// Parts is the SuMax sketch of a switch, divided so that a packet accesses each register
// once: a delay part of sum cells, an interval part of maximum cells with the times of the
// last packets, and, beyond the prototype, a part of sum cells for bytes. Make one with
// NewParts. It is not safe for concurrent use.
type Parts struct {
	shape Shape
	Delay []Delay  // bucket b of array i is at i·DelayBuckets + b
	Gaps  []Gap    // bucket b of array i is at i·IntervalBuckets + b
	Bytes []uint32 // in the same order as Gaps; nil without Shape.Bytes
}

// Memory contains the sketches of all switches in a network, next to each other. The zero Memory is ready to use.
type Memory struct {
	delays mem.Pool[Delay]
	gaps   mem.Pool[Gap]
	bytes  mem.Pool[uint32]
}

// NewParts makes an empty sketch.
func (m *Memory) NewParts(s Shape) (*Parts, error) {
	if err := s.Check(); err != nil {
		return nil, fmt.Errorf("sumax: %w", err)
	}
	p := &Parts{shape: s, Delay: m.delays.Make(s.delays()), Gaps: m.gaps.Make(Cells * s.IntervalBuckets)}
	if s.Bytes {
		p.Bytes = m.bytes.Make(Cells * s.IntervalBuckets)
	}
	return p, nil
}

// NewParts makes an empty sketch on memory of its own.
func NewParts(s Shape) (*Parts, error) { return new(Memory).NewParts(s) }

// Prefetch prefetches the registers of a flow that Record will change soon.
func (p *Parts) Prefetch(at *Place) {
	for i, b := range at.Delay[:p.shape.DelayArrays] {
		mem.PrefetchWrite(unsafe.Pointer(&p.Delay[i*p.shape.DelayBuckets+int(b)]))
	}
	if p.shape.IntervalBuckets == 0 {
		return
	}
	for i, b := range at.Interval {
		mem.PrefetchWrite(unsafe.Pointer(&p.Gaps[i*p.shape.IntervalBuckets+int(b)]))
	}
	if p.Bytes == nil {
		return
	}
	for i, b := range at.Interval {
		mem.PrefetchWrite(unsafe.Pointer(&p.Bytes[i*p.shape.IntervalBuckets+int(b)]))
	}
}

// Record counts a packet of a flow: its delay in nanoseconds, its arrival by a clock of 32 bits, and its bytes. The
// clock wraps around, as in a switch. So the time since the last packet is modulo 2^32, and a packet that arrives at 0
// is not detected as a packet.
func (p *Parts) Record(at *Place, delay, now, size uint32) {
	cell := p.shape.DelayCell(delay)
	least := uint64(infinite)
	array := p.Delay
	for _, b := range at.Delay[:p.shape.DelayArrays] {
		c := &array[b][cell]
		*c, least = update(*c, 1, least)
		array = array[p.shape.DelayBuckets:]
	}
	if p.shape.IntervalBuckets == 0 {
		return
	}
	gaps := p.Gaps
	for _, b := range at.Interval {
		g := &gaps[b]
		last := g.Last
		since := now - last
		if last == 0 {
			since = 0
		}
		// No branch depends on memory that may not be in the cache, so the processor can read the
		// arrays in parallel.
		*g = Gap{max(g.Longest, since), now}
		gaps = gaps[p.shape.IntervalBuckets:]
	}
	if p.Bytes == nil {
		return
	}
	least = infinite
	for i, b := range at.Interval {
		c := &p.Bytes[i*p.shape.IntervalBuckets+int(b)]
		*c, least = update(*c, uint64(size), least)
	}
}

// Reset empties the sketch.
func (p *Parts) Reset() {
	clear(p.Delay)
	clear(p.Gaps)
	clear(p.Bytes)
}

// Column returns the cells of the sketchlet with the given ID, below Sketchlets of the
// shape: a bucket of the delay part, or a column of another part.
func (p *Parts) Column(id uint32) (cells [Cells]uint32) {
	n, w := int(id), p.shape.IntervalBuckets
	if n < len(p.Delay) {
		return p.Delay[n]
	}
	n -= len(p.Delay)
	switch {
	case n < w:
		for i := range cells {
			cells[i] = p.Gaps[i*w+n].Longest
		}
	case n < 2*w && p.shape.Last:
		for i := range cells {
			cells[i] = p.Gaps[i*w+n-w].Last
		}
	default:
		for i := range cells {
			cells[i] = p.Bytes[i*w+n%w]
		}
	}
	return cells
}

// Arrived returns Column(id) and true: no column of a Parts is missing. Query takes such a function.
func (p *Parts) Arrived(id uint32) ([Cells]uint32, bool) { return p.Column(id), true }

// Sketchlet is a column with its device, its ID and its interval.
type Sketchlet struct {
	Device   uint16
	Interval uint16 // interval of the recording, modulo Intervals; the lowest bit is the active bit
	ID       uint32
	Cells    [Cells]uint32
}

// AppendTo appends the SketchletBytes of a sketchlet, in network byte order, to dst. The 16 bits after the device are
// the active bit, the other 11 bits of the interval, and four unused bits.
func (x *Sketchlet) AppendTo(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint16(dst, x.Device)
	dst = binary.BigEndian.AppendUint16(dst, x.Interval<<15|(x.Interval%Intervals)>>1<<4)
	dst = binary.BigEndian.AppendUint32(dst, x.ID)
	for _, c := range x.Cells {
		dst = binary.BigEndian.AppendUint32(dst, c)
	}
	return dst
}

// ReadSketchlet reads a sketchlet that AppendTo wrote. It ignores the unused bits. b has
// SketchletBytes or more.
func ReadSketchlet(b []byte) (x Sketchlet) {
	x.Device = binary.BigEndian.Uint16(b)
	word := binary.BigEndian.Uint16(b[2:])
	x.Interval = word>>15 | (word>>4<<1)%Intervals
	x.ID = binary.BigEndian.Uint32(b[4:])
	for i := range x.Cells {
		x.Cells[i] = binary.BigEndian.Uint32(b[8+4*i:])
	}
	return x
}

// Answer contains what a Parts knows about a flow. A number is valid if a bucket of the flow was available. Numbers of
// packets and bytes, and the last arrival, are never too small. If a bucket shows no packets of the flow, the flow had
// none.
type Answer struct {
	Delay   [Cells]uint64 // packets by delay
	Longest uint32        // time between packets
	Last    uint32        // time of the last packet
	Bytes   uint64

	DelayValid, LongestValid, LastValid, BytesValid bool
}

// Packets returns the flow size, and whether it is valid.
func (a *Answer) Packets() (n uint64, valid bool) {
	for _, c := range a.Delay {
		n += c
	}
	return n, a.DelayValid
}

// Query returns the smallest cells of a flow among the available columns (section 6.1).
func (s *Shape) Query(at *Place, column Column) (a Answer) {
	least := [Cells]uint32{math.MaxUint32, math.MaxUint32, math.MaxUint32, math.MaxUint32}
	for i := range s.DelayArrays {
		if c, ok := column(uint32(i*s.DelayBuckets) + at.Delay[i]); ok {
			a.DelayValid = true
			for k := range least {
				least[k] = min(least[k], c[k])
			}
		}
	}
	if a.DelayValid {
		for k, c := range least {
			a.Delay[k] = uint64(c)
		}
	}
	if s.IntervalBuckets == 0 {
		return a
	}
	a.Longest, a.LongestValid = smallest(at, uint32(s.delays()), column)
	if s.Last {
		a.Last, a.LastValid = smallest(at, uint32(s.delays()+s.IntervalBuckets), column)
	}
	if s.Bytes {
		var n uint32
		n, a.BytesValid = smallest(at, uint32(s.bytesFrom()), column)
		a.Bytes = uint64(n)
	}
	return a
}

// smallest returns the smallest cell of a flow in a part whose columns contain a cell of each array.
func smallest(at *Place, from uint32, column Column) (least uint32, valid bool) {
	least = math.MaxUint32
	for i, b := range at.Interval {
		if c, ok := column(from + b); ok {
			least, valid = min(least, c[i]), true
		}
	}
	if !valid {
		return 0, false
	}
	return least, true
}
