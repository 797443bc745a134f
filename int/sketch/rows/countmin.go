package rows

import "fmt"

// CountMin is the Count-Min sketch.
//
//	Cormode, Muthukrishnan, "An Improved Data Stream Summary: The Count-Min Sketch and its
//	Applications", Journal of Algorithms 55(1), 2005, section 3.
//
// A packet increments one counter in each of d rows; the estimate of a flow is its smallest counter. It is never below
// the true count. With w counters per row, at least two rows and N packets, it exceeds the true count by more than ε·N
// with probability at most (1/(ε·w))². The paper's bound is (1/(ε·w))^d (Theorem 1, with Markov's inequality at ε
// instead of e/w).
//
// # Differences from the paper
//
// Counters have 32 bits. A counter that reaches 2^32 − 1 stays there and counts as infinite, as in TowerSketch. The
// rows take their indices from one hash, and only the indices of two adjacent rows are independent (package rows). This
// is why the exponent is 2: with three rows, if one flow has nearly all packets, another flow has a wrong estimate with
// probability 0.38/w².
//
// Make one with NewCountMin. It is not safe for concurrent use.
type CountMin struct{ Grid }

// NewCountMin makes an empty sketch with the given number of rows (1 to rows.MaxRows) and the given
// number of counters in each row (1 to rows.MaxCounters).
func NewCountMin(d, counters int, seed uint64) (*CountMin, error) {
	g, err := NewGrid(d, counters, seed)
	if err != nil {
		return nil, fmt.Errorf("countmin: %w", err)
	}
	return &CountMin{g}, nil
}

// Insert counts n packets or bytes of the flow.
func (s *CountMin) Insert(key, n uint64) {
	at, step := Start(key, s.Mixed)
	cells, width := s.Cells, s.Width
	for row := uint64(0); row < uint64(len(cells)); row += width {
		c := &cells[row+Index(at, width)]
		*c = uint32(min(uint64(*c)+n, Infinite))
		at += step
	}
}

// Merge adds the counts of another sketch of the same shape and seed.
func (s *CountMin) Merge(o *CountMin) error {
	if err := s.Grid.Merge(&o.Grid); err != nil {
		return fmt.Errorf("countmin: %w", err)
	}
	return nil
}
