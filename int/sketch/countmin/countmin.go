// Package countmin is the Count-Min sketch.
//
//	Cormode, Muthukrishnan, "An Improved Data Stream Summary: The Count-Min Sketch and its
//	Applications", Journal of Algorithms 55(1), 2005, section 3.
//
// A packet increments one counter in each of d rows; the estimate of a flow is its
// smallest counter. It is never below the true count, and with w counters a row exceeds it
// by more than ε·N, N being all packets, with probability at most (1/(ε·w))^d
// (Theorem 1, with Markov's inequality at ε instead of e/w).
//
// # Differences from the paper
//
// Counters have 32 bits. One that reaches 2^32 − 1 stays there and counts as infinite, as
// in TowerSketch. The rows take their indices from one hash, see package rows.
package countmin

import (
	"fmt"

	"pintlab/int/sketch/rows"
)

// Sketch is a Count-Min sketch. Make one with New. It is not safe for concurrent use.
type Sketch struct{ rows.Grid }

// New makes an empty sketch with the given number of rows (1 to rows.MaxRows) and of
// counters in each (1 to rows.MaxCounters).
func New(d, counters int, seed uint64) (*Sketch, error) {
	g, err := rows.NewGrid(d, counters, seed)
	if err != nil {
		return nil, fmt.Errorf("countmin: %w", err)
	}
	return &Sketch{g}, nil
}

// Insert counts one packet of the flow.
func (s *Sketch) Insert(key uint64) {
	at, step := rows.Start(key, s.Mixed)
	cells, width := s.Cells, s.Width
	for row := uint64(0); row < uint64(len(cells)); row += width {
		c := &cells[row+rows.Index(at, width)]
		n := uint64(*c) + 1
		*c = uint32(n - n>>32) // 2^32 is one too many
		at += step
	}
}

// Merge adds the counts of another sketch of the same shape and seed.
func (s *Sketch) Merge(o *Sketch) error {
	if err := s.Grid.Merge(&o.Grid); err != nil {
		return fmt.Errorf("countmin: %w", err)
	}
	return nil
}
