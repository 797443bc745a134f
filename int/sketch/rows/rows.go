// Package rows places keys in the rows of a sketch, and contains the rows of 32-bit
// counters that Count-Min and CU share.
//
// # One hash for all rows
//
// A sketch with d rows needs d indices for each key. Here one 64-bit hash of the key gives
// two words a and b of 32 bits, and row i takes the counter ⌊((a + i·b) mod 2^32)·w/2^32⌋
// of its w counters:
//
//	Kirsch, Mitzenmacher, "Less Hashing, Same Performance: Building a Better Bloom
//	Filter", ESA 2006; Lemire, "Fast Random Integer Generation in an Interval", ACM
//	Transactions on Modeling and Computer Simulation 29(1), 2019, for the product in place
//	of a remainder.
//
// The indices of a key in two adjacent rows are independent. The indices in three rows are not independent: two keys
// that collide in two rows are likely to collide in all rows. A pair of keys collides in all d rows of w counters with
// probability c/w², where c is 1, 0.38, 0.20 and 0.11 for d = 2, 3, 4 and 5. With independent hashes the probability
// would be w^-d. A bound on errors therefore has factors for two adjacent rows only. Where the errors come from many
// flows, as in traffic, the average relative error is the same as with separate hashes; the tests of rows and tower
// compare them. A new hash for every second row would reduce the speed of insertions by a fifth: Count-Min with three
// rows in 900 KB then inserted 155 instead of 198 million packets per second (medians of five).
//
// The probability of hitting a counter differs from 1/w by at most a factor of 1 ± w/2^32. MaxCounters keeps this
// factor near 1.
package rows

import (
	"errors"
	"fmt"
	"math"

	"pintlab/int/sketch/mrac"
	"pintlab/internal/hash"
	"pintlab/internal/lists"
	"pintlab/internal/rules"
)

// MaxCounters is the largest number of counters that a row can have.
const MaxCounters = 1 << 26

// MaxRows is the largest number of rows that a sketch can have.
const MaxRows = 16

// Seed turns the seed of a sketch into the seed that Start takes.
func Seed(seed uint64) uint64 { return hash.Combine(hash.String("sketch"), seed) }

// Start hashes a key. The word of row i is at + i·step.
func Start(key, seed uint64) (at, step uint64) {
	at = hash.Mix64(key ^ seed)
	return at, Step(at)
}

// Step returns the step that belongs to the word of row 0.
func Step(at uint64) uint64 { return at << 32 }

// Index returns the counter that a word selects in a row with the given number of counters.
func Index(at, counters uint64) uint64 { return at >> 32 * counters >> 32 }

// Check reports a number of rows, or of counters in a row, that is out of range.
func Check(rows, counters int) error {
	var errs rules.Broken
	errs.If(rows < 1 || rows > MaxRows, "%d rows, want 1 to %d", rows, MaxRows)
	errs.If(counters < 1 || counters > MaxCounters, "%d counters in a row, want 1 to %d", counters, MaxCounters)
	return errors.Join(errs...)
}

// Infinite is the value of a counter of a Grid that has overflowed. Such a counter never
// changes again and counts as infinitely large.
const Infinite = math.MaxUint32

// Grid is d rows of w counters of 32 bits each.
type Grid struct {
	seed  uint64 // seed that the user has set
	Mixed uint64 // seed for Start
	Width uint64 // counters of a row
	Cells []uint32
}

// NewGrid makes a grid of zeros.
func NewGrid(rows, counters int, seed uint64) (Grid, error) {
	if err := Check(rows, counters); err != nil {
		return Grid{}, err
	}
	return Grid{seed, Seed(seed), uint64(counters), make([]uint32, rows*counters)}, nil
}

// CountersFor returns the number of counters in each row if all rows together take at most the given
// number of bytes.
func CountersFor(bytes, rows int) int {
	if bytes < 0 || rows < 1 {
		return 0
	}
	return bytes / (4 * rows)
}

// Estimate returns the smallest counter of the key. If all counters of the key have overflowed, the
// estimate is infinite: ok is false, and n is Infinite.
func (g *Grid) Estimate(key uint64) (n uint64, ok bool) {
	at, step := Start(key, g.Mixed)
	cells, width := g.Cells, g.Width
	least := uint32(Infinite)
	for row := uint64(0); row < uint64(len(cells)); row += width {
		least = min(least, cells[row+Index(at, width)])
		at += step
	}
	return uint64(least), least != Infinite
}

// Rows returns the number of rows.
func (g *Grid) Rows() int { return len(g.Cells) / int(g.Width) }

// Row returns the counters of a row. The caller must not change them.
func (g *Grid) Row(i int) []uint32 {
	return g.Cells[i*int(g.Width) : (i+1)*int(g.Width)]
}

// Memory returns the number of bytes of all counters.
func (g *Grid) Memory() int { return 4 * len(g.Cells) }

// Reset sets all counters to zero.
func (g *Grid) Reset() { clear(g.Cells) }

// Merge adds the counters of another grid. The result contains upper bounds of the counts of
// both streams together. Both grids must have the same shape and seed.
func (g *Grid) Merge(o *Grid) error {
	if g.Rows() != o.Rows() || g.Width != o.Width {
		return fmt.Errorf("cannot merge a sketch with %d rows of %d counters into one with %d rows of %d",
			o.Rows(), o.Width, g.Rows(), g.Width)
	}
	if g.seed != o.seed {
		return fmt.Errorf("cannot merge a sketch with seed %d into one with seed %d", o.seed, g.seed)
	}
	for i, c := range o.Cells {
		g.Cells[i] = uint32(min(uint64(g.Cells[i])+uint64(c), Infinite))
	}
	return nil
}

// Cardinality returns the number of flows: the mean of the results of linear counting in each row. A row without a zero
// counts as if it had one. ok is false if no row has a zero.
func (g *Grid) Cardinality() (n float64, ok bool) {
	for i := range g.Rows() {
		zeros := lists.Count(g.Row(i), func(c uint32) bool { return c == 0 })
		row, rowOK := mrac.Cardinality(int(g.Width), zeros)
		n += row / float64(g.Rows())
		ok = ok || rowOK
	}
	return n, ok
}

// Distribution returns the number of flows of each size, in ascending order of size. It is the mean of the results of
// MRAC in each row.
func (g *Grid) Distribution(epochs int) []mrac.Point {
	var of [][]mrac.Point
	for i := range g.Rows() {
		of = append(of, mrac.Estimate(g.Row(i), Infinite, epochs))
	}
	return mrac.Mean(of...)
}
