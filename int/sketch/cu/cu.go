// Package cu is the CU sketch: Count-Min with conservative update.
//
//	Estan, Varghese, "New Directions in Traffic Measurement and Accounting: Focusing on
//	the Elephants, Ignoring the Mice", ACM Transactions on Computer Systems 21(3), 2003,
//	section 5.2.
//
// Of a flow's d counters, a packet increments only those that are smallest. The estimate is
// the smallest counter, as in Count-Min. It is never below the true count, and never above
// that of a Count-Min sketch of the same shape and seed.
//
// # Differences from the paper
//
// As in package countmin: 32-bit counters that saturate, and one hash for all rows.
package cu

import (
	"fmt"

	"pintlab/int/sketch/rows"
)

// Sketch is a CU sketch. Make one with New. It is not safe for concurrent use.
type Sketch struct{ rows.Grid }

// New makes an empty sketch with the given number of rows (1 to rows.MaxRows) and of
// counters in each (1 to rows.MaxCounters).
func New(d, counters int, seed uint64) (*Sketch, error) {
	g, err := rows.NewGrid(d, counters, seed)
	if err != nil {
		return nil, fmt.Errorf("cu: %w", err)
	}
	return &Sketch{g}, nil
}

// Insert counts one packet of the flow.
func (s *Sketch) Insert(key uint64) {
	at, step := rows.Start(key, s.Mixed)
	cells, width := s.Cells, s.Width
	var places [rows.MaxRows]uint32
	least := uint32(rows.Infinite)
	d := 0
	for row := uint64(0); row < uint64(len(cells)); row += width {
		i := row + rows.Index(at, width)
		least = min(least, cells[i])
		places[d&(rows.MaxRows-1)] = uint32(i)
		d++
		at += step
	}
	if least == rows.Infinite {
		return
	}
	for _, i := range places[:min(d, rows.MaxRows)] {
		cells[i] = max(cells[i], least+1)
	}
}

// Merge adds the counts of another sketch of the same shape and seed.
func (s *Sketch) Merge(o *Sketch) error {
	if err := s.Grid.Merge(&o.Grid); err != nil {
		return fmt.Errorf("cu: %w", err)
	}
	return nil
}
