package sumax

import (
	"fmt"

	"pintlab/int/sketch/mrac"
	"pintlab/int/sketch/rows"
	"pintlab/internal/lists"
)

// Column finds a column of a Parts by its ID; ok is false if the column is missing. Parts.Arrived
// finds all columns.
type Column = func(id uint32) (cells [Cells]uint32, ok bool)

// Tasks are the local tasks that concern all flows of a sketch (section 6.1).
type Tasks struct {
	// Flows is the number of flows: the mean of the results of linear counting in each array of the delay part. FlowsOK
	// is false if an array has no bucket, or if none of its buckets is zero.
	Flows   float64
	FlowsOK bool
	// Sizes is the number of flows of each size, by MRAC in the first array.
	Sizes []mrac.Point
	// Entropy of the sizes, in bits.
	Entropy float64
}

// Tasks does the local tasks with the available columns. If columns are missing, it divides numbers of
// flows by the available share of the array.
func (s *Shape) Tasks(column Column, epochs int) Tasks {
	t := Tasks{FlowsOK: true}
	counters := make([]uint32, 0, s.DelayBuckets)
	for i := range s.DelayArrays {
		counters = counters[:0]
		for b := range s.DelayBuckets {
			cells, ok := column(uint32(i*s.DelayBuckets + b))
			if !ok {
				continue
			}
			sum := lists.Sum(cells[:], func(c uint32) uint64 { return uint64(c) })
			counters = append(counters, uint32(min(sum, infinite)))
		}
		if len(counters) == 0 {
			t.FlowsOK = false
			continue
		}
		whole := float64(s.DelayBuckets) / float64(len(counters))
		zeros := lists.Count(counters, func(c uint32) bool { return c == 0 })
		n, ok := mrac.Cardinality(len(counters), zeros)
		t.Flows += n * whole / float64(s.DelayArrays)
		t.FlowsOK = t.FlowsOK && ok
		if i > 0 {
			continue
		}
		t.Sizes = mrac.Estimate(counters, infinite, epochs)
		var h mrac.EntropySum
		for k := range t.Sizes {
			t.Sizes[k].Flows *= whole
			h.Add(t.Sizes[k].Size, t.Sizes[k].Flows)
		}
		t.Entropy = h.Value()
	}
	return t
}

// Delays is a SuMax sketch whose buckets have a sum cell for each interval of delays: λ_d of section
// 4.4. Make one with NewDelays. It is not safe for concurrent use.
type Delays struct {
	mixed uint64
	width uint64
	each  uint64 // cells of a bucket
	cells []uint32
}

// maxDelayCells is the largest number of cells that a bucket can have.
const maxDelayCells = 64

// NewDelays makes an empty sketch with d arrays (1 to rows.MaxRows) of w buckets (1 to
// rows.MaxCounters) of the given number of cells (1 to 64), 4 bytes each.
func NewDelays(d, w, cells int, seed uint64) (*Delays, error) {
	if err := rows.Check(d, w); err != nil {
		return nil, fmt.Errorf("sumax: %w", err)
	}
	if cells < 1 || cells > maxDelayCells {
		return nil, fmt.Errorf("sumax: %d delay cells in a bucket, want 1 to %d", cells, maxDelayCells)
	}
	return &Delays{rows.Seed(seed), uint64(w), uint64(cells), make([]uint32, d*w*cells)}, nil
}

// Record counts a packet of the flow in the given cell of its buckets.
func (s *Delays) Record(key uint64, cell int) {
	at, step := rows.Start(key, s.mixed)
	least := uint64(infinite)
	for row := uint64(0); row < uint64(len(s.cells)); row += s.width * s.each {
		c := &s.cells[row+rows.Index(at, s.width)*s.each+uint64(cell)]
		*c, least = update(*c, 1, least)
		at += step
	}
}

// Query appends the smallest count of each cell of a flow to dst.
func (s *Delays) Query(key uint64, dst []uint64) []uint64 {
	from := len(dst)
	for range s.each {
		dst = append(dst, infinite)
	}
	at, step := rows.Start(key, s.mixed)
	for row := uint64(0); row < uint64(len(s.cells)); row += s.width * s.each {
		bucket := s.cells[row+rows.Index(at, s.width)*s.each:][:s.each]
		for i, c := range bucket {
			dst[from+i] = min(dst[from+i], uint64(c))
		}
		at += step
	}
	return dst
}
