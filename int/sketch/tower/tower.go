package tower

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"pintlab/int/sketch/rows"
	"pintlab/internal/lists"
	"pintlab/internal/mem"
	"pintlab/internal/number"
	"pintlab/internal/rules"
)

// maxBits is the largest width of a counter.
const maxBits = 32

// Config is the shape of a TowerSketch.
type Config struct {
	Bits         []int // δ, the bits of a counter of each array: 1 to 32
	Counters     []int // w, the counters of each array: 1 to rows.MaxCounters
	Conservative bool  // CU insertion, not CM insertion
	Seed         uint64
}

// EqualMemory returns the shape of the SketchINT paper: arrays of counters with the given widths in bits,
// each with the same share of the memory in bytes.
func EqualMemory(bytes int, bits ...int) Config {
	return Config{Bits: bits, Counters: lists.Map(bits, func(b int) int {
		return max(0, int(int64(bytes)*8/int64(len(bits))/int64(max(b, 1))))
	})}
}

// EqualCounters returns a shape with equally many counters in each array: CM(O) and CU(O). The SketchINT paper's code
// compares towers with this shape to separate the effect of the widths from the effect of the numbers of counters.
func EqualCounters(bytes int, bits ...int) Config {
	sum := lists.Sum(bits, func(b int) int { return b })
	each := max(0, int(int64(bytes)*8/int64(max(sum, 1))))
	return Config{Bits: bits, Counters: slices.Repeat([]int{each}, len(bits))}
}

// Validate reports every rule that c breaks.
func (c Config) Validate() error {
	var errs rules.Broken
	errs.If(len(c.Bits) != len(c.Counters), "%s for %s", number.Count(len(c.Bits), "width"),
		number.Count(len(c.Counters), "array"))
	errs.If(len(c.Counters) < 1 || len(c.Counters) > rows.MaxRows, "%d arrays, want 1 to %d",
		len(c.Counters), rows.MaxRows)
	for i, b := range c.Bits {
		errs.If(b < 1 || b > maxBits, "array %d: counters of %d bits, want 1 to %d", i+1, b, maxBits)
	}
	for i, w := range c.Counters {
		errs.If(w < 1 || w > rows.MaxCounters, "array %d: %d counters, want 1 to %d", i+1, w, rows.MaxCounters)
	}
	return errs.Err("tower")
}

// Bytes returns the memory of the counters of a valid shape.
func (c Config) Bytes() (n int) {
	for i, bits := range c.Bits {
		n += arrayBytes(c.Counters[i], bits)
	}
	return n
}

// Sketch is a TowerSketch. Make one with New. It is not safe for concurrent use, unlike Atomic.
type Sketch struct {
	config Config
	mixed  uint64
	kernel kernel
	arrays []Array
	slab   []byte // all counters, then slack bytes
	bytes  int    // without the slack
}

// slack is the number of bytes by which an eight-byte read at the last counter extends beyond it.
const slack = 8

// New makes an empty sketch.
func New(c Config) (*Sketch, error) { return NewIn(c, func(n int) []byte { return make([]byte, n) }) }

// NewIn makes an empty sketch. NewIn calls the function memory once. This function must return zeroed bytes.
func NewIn(c Config, memory func(bytes int) []byte) (*Sketch, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c.Bits, c.Counters = slices.Clone(c.Bits), slices.Clone(c.Counters)
	s := &Sketch{config: c, mixed: rows.Seed(c.Seed), kernel: kernelFor(c.Bits), bytes: c.Bytes()}
	// A single allocation gets large pages on most systems, which raises the speed by a fifth at
	// 2 MB.
	s.slab = memory(s.bytes + slack)
	at := 0
	for i, bits := range c.Bits {
		n := arrayBytes(c.Counters[i], bits)
		s.arrays = append(s.arrays, Array{
			data: s.slab[at : at+n : at+n+slack], counters: uint64(c.Counters[i]), bits: uint8(bits),
			infinite: 1<<bits - 1,
		})
		at += n
	}
	return s, nil
}

func arrayBytes(counters, bits int) int { return (counters*bits + 7) / 8 }

// Prefetch prefetches the counters of a flow that Insert will change soon.
func (s *Sketch) Prefetch(key uint64) {
	at, step := rows.Start(key, s.mixed)
	for i := range s.arrays {
		a := &s.arrays[i]
		mem.PrefetchWrite(unsafe.Pointer(&a.data[rows.Index(at, a.counters)*uint64(a.bits)>>3]))
		at += step
	}
}

// Insert counts n packets or bytes of the flow, or any other quantity of it.
func (s *Sketch) Insert(key, n uint64) {
	switch {
	case n != 1 || s.kernel == anyKernel:
		var places [rows.MaxRows]uint64
		s.AddAt(s.places(key, &places), min(n, infinity))
	case s.kernel == kernel5:
		if s.config.Conservative {
			s.insertCU5(key)
		} else {
			s.insertCM5(key)
		}
	case s.config.Conservative:
		s.insertCU3(key)
	default:
		s.insertCM3(key)
	}
}

// Estimate returns the smallest counter of the flow that has not overflowed. If all counters have
// overflowed, the estimate is infinite: ok is false, and n is the largest value of a counter.
func (s *Sketch) Estimate(key uint64) (n uint64, ok bool) {
	switch s.kernel {
	case kernel5:
		n = s.least5(key)
	case kernel3:
		n = s.least3(key)
	default:
		var places [rows.MaxRows]uint64
		n = s.least(s.places(key, &places))
	}
	if n < infinity {
		return n, true
	}
	n = 0
	for i := range s.arrays {
		n = max(n, s.arrays[i].infinite)
	}
	return n, false
}

func (s *Sketch) places(key uint64, buf *[rows.MaxRows]uint64) []uint64 {
	at, step := rows.Start(key, s.mixed)
	for i := range s.arrays {
		buf[i] = rows.Index(at, s.arrays[i].counters)
		at += step
	}
	return buf[:len(s.arrays)]
}

// AddAt adds n to one counter of each array. It serves users with their own hash, such as the twin
// of the P4 program.
func (s *Sketch) AddAt(places []uint64, n uint64) {
	if !s.config.Conservative {
		for i, p := range places {
			a := &s.arrays[i]
			a.set(p, min(a.Counter(p)+n, a.infinite))
		}
		return
	}
	least := s.least(places)
	if least >= infinity {
		return
	}
	for i, p := range places {
		a := &s.arrays[i]
		if c := a.Counter(p); c != a.infinite && c < least+n {
			a.set(p, min(least+n, a.infinite))
		}
	}
}

// infinity is larger than any counter.
const infinity = 1 << 40

// least returns the smallest counter at the places. An overflowed counter counts as infinity.
func (s *Sketch) least(places []uint64) uint64 {
	least := uint64(infinity)
	for i, p := range places {
		a := &s.arrays[i]
		if c := a.Counter(p); c != a.infinite {
			least = min(least, c)
		}
	}
	return least
}

// Arrays returns the arrays of counters in the order of Config.
func (s *Sketch) Arrays() []Array { return s.arrays }

// Memory returns the number of bytes of all counters.
func (s *Sketch) Memory() int { return s.bytes }

// Counters returns the memory of the packed counters of all arrays, one after the other. A sketch is
// sent as these bytes, and a sketch of the same shape can be restored by writing them.
func (s *Sketch) Counters() []byte { return s.slab[:s.bytes] }

// Reset sets all counters to zero.
func (s *Sketch) Reset() { clear(s.slab) }

// Merge adds the counters of another sketch. A counter that has overflowed in either sketch has
// overflowed in the sum. Both sketches must have the same shape, insertion and seed.
func (s *Sketch) Merge(o *Sketch) error {
	if !slices.Equal(s.config.Bits, o.config.Bits) || !slices.Equal(s.config.Counters, o.config.Counters) {
		return fmt.Errorf("tower: cannot merge a sketch with %v counters of %v bits into one with %v of %v",
			o.config.Counters, o.config.Bits, s.config.Counters, s.config.Bits)
	}
	if s.config.Conservative != o.config.Conservative {
		return errors.New("tower: cannot merge a sketch with CM insertion and one with CU insertion")
	}
	if s.config.Seed != o.config.Seed {
		return fmt.Errorf("tower: cannot merge a sketch with seed %d into one with seed %d", o.config.Seed,
			s.config.Seed)
	}
	for i := range s.arrays {
		a, b := &s.arrays[i], &o.arrays[i]
		for p := range a.counters {
			a.set(p, min(a.Counter(p)+b.Counter(p), a.infinite))
		}
	}
	return nil
}

// Array is one array of counters, packed without gaps.
type Array struct {
	data     []byte // the capacity is slack bytes larger than the length
	counters uint64
	infinite uint64 // 2^δ − 1
	bits     uint8
}

// Len returns w, the number of counters.
func (a *Array) Len() int { return int(a.counters) }

// Counter returns a counter.
func (a *Array) Counter(i uint64) uint64 {
	bit := i * uint64(a.bits)
	word := binary.LittleEndian.Uint64(a.data[bit>>3 : bit>>3+8])
	return word >> (bit & 7) & a.infinite
}

func (a *Array) set(i, to uint64) {
	bit := i * uint64(a.bits)
	p := a.data[bit>>3 : bit>>3+8]
	word := binary.LittleEndian.Uint64(p)
	shift := bit & 7
	binary.LittleEndian.PutUint64(p, word&^(a.infinite<<shift)|to<<shift)
}

// zeros returns the number of counters that are zero.
func (a *Array) zeros() int {
	zeros := 0
	for i := range a.counters {
		if a.Counter(i) == 0 {
			zeros++
		}
	}
	return zeros
}

// appendCounters appends all counters to dst.
func (a *Array) appendCounters(dst []uint32) []uint32 {
	for i := range a.counters {
		dst = append(dst, uint32(a.Counter(i)))
	}
	return dst
}
