package rows

import "fmt"

// CU is the CU sketch: Count-Min with conservative update.
//
//	Estan, Varghese, "New Directions in Traffic Measurement and Accounting: Focusing on
//	the Elephants, Ignoring the Mice", ACM Transactions on Computer Systems 21(3), 2003,
//	section 5.2.
//
// A packet increments only the smallest of its flow's d counters. The estimate is the smallest counter, as in
// Count-Min. The estimate is never below the true count, and never above the estimate of a Count-Min sketch of the same
// shape and seed.
//
// # Differences from the paper
//
// As in CountMin: 32-bit counters that saturate, and one hash for all rows.
//
// Make one with NewCU. It is not safe for concurrent use.
type CU struct{ Grid }

// NewCU makes an empty sketch with the given number of rows (1 to rows.MaxRows) and the given
// number of counters in each row (1 to rows.MaxCounters).
func NewCU(d, counters int, seed uint64) (*CU, error) {
	g, err := NewGrid(d, counters, seed)
	if err != nil {
		return nil, fmt.Errorf("cu: %w", err)
	}
	return &CU{g}, nil
}

// Insert counts n packets or bytes of the flow.
func (s *CU) Insert(key, n uint64) {
	at, step := Start(key, s.Mixed)
	cells, width := s.Cells, s.Width
	var places [MaxRows]uint32
	least := uint32(Infinite)
	d := 0
	for row := uint64(0); row < uint64(len(cells)); row += width {
		i := row + Index(at, width)
		least = min(least, cells[i])
		places[d&(MaxRows-1)] = uint32(i)
		d++
		at += step
	}
	if least == Infinite {
		return
	}
	least = uint32(min(uint64(least)+n, Infinite))
	for _, i := range places[:min(d, MaxRows)] {
		cells[i] = max(cells[i], least)
	}
}

// Merge adds the counts of another sketch of the same shape and seed.
func (s *CU) Merge(o *CU) error {
	if err := s.Grid.Merge(&o.Grid); err != nil {
		return fmt.Errorf("cu: %w", err)
	}
	return nil
}
