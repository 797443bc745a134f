package sumax

import "encoding/binary"

// The shape of Parts: section 7.1.2 and Fig. 4.
const (
	DelayArrays     = 2
	DelayBuckets    = 1 << 15
	DelayCells      = 4 // λ_d
	IntervalArrays  = 4
	IntervalBuckets = 1 << 16

	// Sketchlets is the number of sketchlets: one for each bucket of the delay part, then
	// one for each column of the interval part.
	Sketchlets = DelayArrays*DelayBuckets + IntervalBuckets
	// SketchletBytes is the length of a sketchlet: two bytes for the device, two for the
	// active bit, four for the ID and four cells of 32 bits.
	SketchletBytes = 8 + 4*DelayCells
)

// Delay is what Parts keeps in a bucket of the delay part: packets by per-hop delay, below
// 100 ns, 1 µs, 10 µs, and above. Their sum is the flow size.
type Delay [DelayCells]uint32

// DelayCell is the cell of a delay in nanoseconds.
func DelayCell(delay uint32) int {
	switch {
	case delay < 100:
		return 0
	case delay < 1_000:
		return 1
	case delay < 10_000:
		return 2
	}
	return 3
}

// Place is where a flow is in each array of Parts. Fields are below DelayBuckets and
// IntervalBuckets.
type Place struct {
	Delay    [DelayArrays]uint32
	Interval [IntervalArrays]uint32
}

// Parts is the SuMax sketch of a switch, divided so that a packet accesses each register
// once: a delay part of sum cells, and an interval part of maximum cells with the times of
// the last packets. The zero value is empty; it has 3 MiB. It is not safe for concurrent use.
type Parts struct {
	Delay    [DelayArrays][DelayBuckets]Delay
	Interval [IntervalArrays][IntervalBuckets]uint32 // longest time between packets
	Last     [IntervalArrays][IntervalBuckets]uint32 // time of the last packet; 0: none
}

// Record counts a packet of a flow: its delay in nanoseconds, and its arrival by a clock of
// 32 bits. The clock wraps, as a switch's does, so the time since the last packet is modulo
// 2^32, and a packet that arrives at 0 is taken for none.
func (p *Parts) Record(at *Place, delay, now uint32) {
	cell := DelayCell(delay)
	least := uint64(infinite)
	for i := range p.Delay {
		c := &p.Delay[i][at.Delay[i]][cell]
		*c, least = update(*c, 1, least)
	}
	for i := range p.Last {
		last, longest := &p.Last[i][at.Interval[i]], &p.Interval[i][at.Interval[i]]
		if *last != 0 {
			*longest = max(*longest, now-*last)
		}
		*last = now
	}
}

// Reset empties the sketch.
func (p *Parts) Reset() { *p = Parts{} }

// AppendSketchlet appends the sketchlet with the given ID, below Sketchlets, to dst: device,
// active bit of the sketch, ID, and the cells of a bucket of the delay part or of a column of
// the interval part.
func (p *Parts) AppendSketchlet(dst []byte, device uint16, active uint8, id uint32) []byte {
	dst = binary.BigEndian.AppendUint16(dst, device)
	dst = binary.BigEndian.AppendUint16(dst, uint16(active)<<15)
	dst = binary.BigEndian.AppendUint32(dst, id)
	if id < DelayArrays*DelayBuckets {
		for _, c := range p.Delay[id/DelayBuckets][id%DelayBuckets] {
			dst = binary.BigEndian.AppendUint32(dst, c)
		}
		return dst
	}
	for i := range p.Interval {
		dst = binary.BigEndian.AppendUint32(dst, p.Interval[i][id-DelayArrays*DelayBuckets])
	}
	return dst
}
