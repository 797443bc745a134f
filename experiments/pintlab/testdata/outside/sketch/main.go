// Command mypintlab is pintlab with a Count sketch (Charikar, Chen and Farach-Colton, 2002): rows of signed counters,
// of which the median estimates the size of a flow without bias.
package main

import (
	"fmt"
	"os"
	"slices"

	"pintlab/experiments/pintlab"
	"pintlab/experiments/protocols"
	"pintlab/int/sketch"
)

func main() {
	set := protocols.Standard()
	set.AddSketch(kind)
	os.Exit(pintlab.Main(set))
}

var kind = sketch.Kind{Name: "count", Rows: true, New: New, Merge: merge}

// Count is a Count sketch.
type Count struct {
	rows [][]int32
	seed uint64
	last []int64 // estimates of the rows
}

// New makes a sketch that fits the memory.
func New(c sketch.Config) (sketch.Sketch, error) {
	width := c.Memory / c.Rows / 4
	if width < 1 {
		return nil, fmt.Errorf("%d B are too little for %d rows", c.Memory, c.Rows)
	}
	s := &Count{seed: c.Seed, last: make([]int64, c.Rows)}
	for range c.Rows {
		s.rows = append(s.rows, make([]int32, width))
	}
	return s, nil
}

// at returns the counter of a flow in a row, and the sign with which the flow counts there.
func (s *Count) at(row int, key uint64) (*int32, int32) {
	h := (key ^ s.seed ^ uint64(row+1)*0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>31) * 0x94d049bb133111eb
	h ^= h >> 29
	return &s.rows[row][(h>>1)%uint64(len(s.rows[row]))], int32(h&1)*2 - 1
}

// Insert counts n packets, or n bytes, of a flow. In each row the flow has one counter and a sign. The sign decides
// whether the counter grows or shrinks by n.
func (s *Count) Insert(key, n uint64) {
	for row := range s.rows {
		counter, sign := s.at(row, key)
		*counter += sign * int32(n)
	}
}

// Memory returns the bytes of the counters.
func (s *Count) Memory() int { return 4 * len(s.rows) * len(s.rows[0]) }

// Estimate returns the median of the rows.
func (s *Count) Estimate(key uint64) (uint64, bool) {
	for row := range s.rows {
		counter, sign := s.at(row, key)
		s.last[row] = int64(*counter * sign)
	}
	slices.Sort(s.last)
	return uint64(max(0, s.last[len(s.last)/2])), true
}

func merge(to, from sketch.Sketch) error {
	for row, counters := range from.(*Count).rows {
		for i, n := range counters {
			to.(*Count).rows[row][i] += n
		}
	}
	return nil
}
