package sumax

import (
	"fmt"
	"math"

	"pintlab/int/sketch/mrac"
	"pintlab/int/sketch/rows"
)

// infinite is ω before the first array, and the value of a sum cell that has overflowed.
const infinite = rows.Infinite

// update implements Algorithm 1, lines 3 to 8, without branches. a is the value of the sum cell, and least is
// ω. update returns the new values of both.
func update(a uint32, alpha, least uint64) (cell uint32, newLeast uint64) {
	least = min(least, uint64(a)+alpha)
	return max(a, uint32(least)), least
}

// Sizes is a SuMax sketch with a sum cell in each bucket. Make one with NewSizes. It is not
// safe for concurrent use.
type Sizes struct{ rows.Grid }

// NewSizes makes an empty sketch with d arrays (1 to rows.MaxRows) of w buckets (1 to
// rows.MaxCounters), 4 bytes each.
func NewSizes(d, w int, seed uint64) (*Sizes, error) {
	g, err := rows.NewGrid(d, w, seed)
	if err != nil {
		return nil, fmt.Errorf("sumax: %w", err)
	}
	return &Sizes{g}, nil
}

// Insert counts n packets or bytes of the flow.
func (s *Sizes) Insert(key, n uint64) {
	at, step := rows.Start(key, s.Mixed)
	cells, width := s.Cells, s.Width
	least := uint64(infinite)
	for row := uint64(0); row < uint64(len(cells)); row += width {
		c := &cells[row+rows.Index(at, width)]
		*c, least = update(*c, n, least)
		at += step
	}
}

// Merge adds the counts of another sketch of the same shape and seed.
func (s *Sizes) Merge(o *Sizes) error {
	if err := s.Grid.Merge(&o.Grid); err != nil {
		return fmt.Errorf("sumax: %w", err)
	}
	return nil
}

// Distribution returns the number of flows of each size, in ascending order of size. It applies MRAC to the first
// array. This array is updated like a row of Count-Min, so each of its cells is the sum of the flows placed there, as
// MRAC assumes. Cells of later arrays contain less.
func (s *Sizes) Distribution(epochs int) []mrac.Point {
	return mrac.Estimate(s.Row(0), infinite, epochs)
}

// BucketBytes is the memory of a bucket of a Sketch.
const BucketBytes = 12

// bucket is the bucket of section 4.4 without delay cells.
type bucket struct {
	sum      uint32
	last     uint32 // time of the last packet; 0: there was none
	interval uint32
}

// Sketch is a SuMax sketch with three cells in each bucket: the flow size (sum), the time of
// the last packet and the longest time between packets (both maxima). Make one with New. It
// is not safe for concurrent use.
type Sketch struct {
	mixed   uint64
	width   uint64
	buckets []bucket
	Longest uint32 // longest time between packets that counts; longer times are ignored
}

// New makes an empty sketch with d arrays (1 to rows.MaxRows) of w buckets (1 to
// rows.MaxCounters) of BucketBytes each.
func New(d, w int, seed uint64) (*Sketch, error) {
	if err := rows.Check(d, w); err != nil {
		return nil, fmt.Errorf("sumax: %w", err)
	}
	return &Sketch{rows.Seed(seed), uint64(w), make([]bucket, d*w), math.MaxUint32}, nil
}

// Record implements Algorithm 1 for a packet 〈flow, alpha, now〉: it adds alpha to the flow's sum.
// now is the arrival time in any unit, 1 or more, because 0 means that there was no packet yet
// (section 4.4). If the caller's clock starts at 0, the caller adds a constant. A time before the last
// packet changes neither maximum.
func (s *Sketch) Record(key uint64, alpha, now uint32) {
	at, step := rows.Start(key, s.mixed)
	buckets, width := s.buckets, s.width
	least := uint64(infinite)
	for row := uint64(0); row < uint64(len(buckets)); row += width {
		b := &buckets[row+rows.Index(at, width)]
		b.sum, least = update(b.sum, uint64(alpha), least)
		if b.last != 0 && now > b.last && now-b.last <= s.Longest {
			b.interval = max(b.interval, now-b.last)
		}
		b.last = max(b.last, now)
		at += step
	}
}

// Flow is the answer of a Sketch about a flow.
type Flow struct {
	Size     uint64 // the sum; not below the true size
	Infinite bool   // all sum cells have overflowed: Size can be below the true size
	Last     uint32 // time of the last packet, not below the true time; 0: no packet
	Interval uint32 // longest time between packets; 0 after one packet
}

// Query returns the smallest cells of a flow.
func (s *Sketch) Query(key uint64) Flow {
	at, step := rows.Start(key, s.mixed)
	least := bucket{math.MaxUint32, math.MaxUint32, math.MaxUint32}
	for row := uint64(0); row < uint64(len(s.buckets)); row += s.width {
		b := &s.buckets[row+rows.Index(at, s.width)]
		least = bucket{min(least.sum, b.sum), min(least.last, b.last), min(least.interval, b.interval)}
		at += step
	}
	return Flow{uint64(least.sum), least.sum == infinite, least.last, least.interval}
}
