package tower

import (
	"fmt"
	"math"
	"math/bits"
	"sync/atomic"

	"pintlab/int/sketch/rows"
)

// Atomic is a TowerSketch into which any number of goroutines insert at the same time
// without a lock (SketchINT, §VI-B). It has the counters of a Sketch with the same Config.
//
// With CM insertion no increment is lost: the counters end as in one goroutine, whatever the
// order. With CU insertion, packets of other flows between the reading of the smallest counter
// and the increments can make a counter larger or smaller than any sequential order would. An
// estimate can then miss a few packets.
//
// A goroutine that inserts many packets should use a Writer.
type Atomic struct {
	config Config
	mixed  uint64
	arrays []atomicArray
}

// atomicArray packs counters into words; no counter crosses a word.
type atomicArray struct {
	words    []atomic.Uint32
	counters uint64
	infinite uint32
	log      uint8 // log₂ of the width
}

// NewAtomic makes an empty sketch. The widths must be powers of two, because a counter that
// spans two words cannot be changed atomically.
func NewAtomic(c Config) (*Atomic, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	s := &Atomic{config: c, mixed: rows.Seed(c.Seed)}
	for i, b := range c.Bits {
		if b&(b-1) != 0 {
			return nil, fmt.Errorf("tower: array %d: counters of %d bits, "+
				"want a power of two if several goroutines insert", i+1, b)
		}
		s.arrays = append(s.arrays, atomicArray{
			words: make([]atomic.Uint32, (c.Counters[i]*b+31)/32), counters: uint64(c.Counters[i]),
			infinite: uint32(1<<b - 1), log: uint8(bits.TrailingZeros(uint(b))),
		})
	}
	return s, nil
}

func (a *atomicArray) at(i uint64) (word *atomic.Uint32, shift uint64) {
	bit := i << (a.log & 7)
	return &a.words[bit>>5], bit & 31
}

// Insert counts n packets or bytes of the flow.
func (s *Atomic) Insert(key, n uint64) {
	at, _ := rows.Start(key, s.mixed)
	s.add(at, n)
}

// add counts n packets of a flow. at is the flow's word for the first row.
func (s *Atomic) add(at, n uint64) {
	if s.config.Conservative {
		s.addCU(at, n)
	} else {
		s.addCM(at, n)
	}
}

func (s *Atomic) addCM(at, n uint64) {
	step := at << 32
	for i := range s.arrays {
		a := &s.arrays[i]
		word, shift := a.at(rows.Index(at, a.counters))
		a.raise(word, shift, math.MaxUint64, n)
		at += step
	}
}

func (s *Atomic) addCU(at, n uint64) {
	var (
		words  [rows.MaxRows]*atomic.Uint32
		shifts [rows.MaxRows]uint64
	)
	step := at << 32
	least := uint64(infinity)
	for i := range s.arrays {
		a := &s.arrays[i]
		word, shift := a.at(rows.Index(at, a.counters))
		if c := word.Load() >> shift & a.infinite; c != a.infinite {
			least = min(least, uint64(c))
		}
		words[i], shifts[i] = word, shift
		at += step
	}
	for i := range s.arrays {
		s.arrays[i].raise(words[i], shifts[i], least+n, n)
	}
}

// raise increases a counter by the number `by`, but not above limit. A counter that overflows stays at its
// largest value. If the counter would not change, raise does not write, so the cache line stays shared.
func (a *atomicArray) raise(word *atomic.Uint32, shift, limit, by uint64) {
	for {
		old := word.Load()
		c := uint64(old >> shift & a.infinite)
		to := min(c+by, limit, uint64(a.infinite))
		if c == uint64(a.infinite) || to <= c || word.CompareAndSwap(old, old+uint32(to-c)<<shift) {
			return
		}
	}
}

// Estimate returns the smallest counter of the flow that has not overflowed. If all counters have
// overflowed, the estimate is infinite: ok is false, and n is the largest value of a counter.
func (s *Atomic) Estimate(key uint64) (n uint64, ok bool) {
	if n = s.least(key); n < infinity {
		return n, true
	}
	n = 0
	for i := range s.arrays {
		n = max(n, uint64(s.arrays[i].infinite))
	}
	return n, false
}

func (s *Atomic) least(key uint64) uint64 {
	at, step := rows.Start(key, s.mixed)
	least := uint64(infinity)
	for i := range s.arrays {
		a := &s.arrays[i]
		word, shift := a.at(rows.Index(at, a.counters))
		if c := word.Load() >> shift & a.infinite; c != a.infinite {
			least = min(least, uint64(c))
		}
		at += step
	}
	return least
}

// Memory returns the number of bytes of all counters.
func (s *Atomic) Memory() int {
	n := 0
	for i := range s.arrays {
		n += 4 * len(s.arrays[i].words)
	}
	return n
}
