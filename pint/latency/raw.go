package latency

import (
	"fmt"
	"math"
	"unsafe"
)

// newest keeps the newest codes in a ring: an exact sliding window.
type newest[T uint8 | uint16] struct {
	ring []T
	next int // index for the next code
	full bool
}

// newNewest makes a ring of this number of digests, at least 1.
func newNewest[T uint8 | uint16](digests int) (*newest[T], error) {
	if digests < 1 || digests > math.MaxInt32 {
		return nil, fmt.Errorf("latency: a ring of %d digests, want 1 to 2^31-1", digests)
	}
	return &newest[T]{ring: make([]T, digests)}, nil
}

// Add records one code. If the ring is full, it removes the oldest code.
func (r *newest[T]) Add(code uint16) {
	r.ring[r.next] = T(code)
	if r.next++; r.next == len(r.ring) {
		r.next, r.full = 0, true
	}
}

// N returns the number of codes in the ring.
func (r *newest[T]) N() uint64 {
	if r.full {
		return uint64(len(r.ring))
	}
	return uint64(r.next)
}

// Append appends the codes in the ring.
func (r *newest[T]) Append(dst []Weighted) []Weighted {
	for _, c := range r.ring[:r.N()] {
		dst = append(dst, Weighted{uint16(c), 1})
	}
	return dst
}

// Error returns 0, because the ring is exact.
func (r *newest[T]) Error(float64) float64 { return 0 }

// SizeBytes returns the memory of r.
func (r *newest[T]) SizeBytes() int { return newestSize[T](len(r.ring)) }

func newestSize[T uint8 | uint16](digests int) int {
	return int(unsafe.Sizeof(newest[T]{})) + digests*int(unsafe.Sizeof(T(0)))
}

// Reset empties r.
func (r *newest[T]) Reset() { r.next, r.full = 0, false }

// Counts has one counter per code, 2^bits counters. A counter is exact up to 2^32-1 and stops there.
type Counts struct {
	count []uint32
	n     uint64
}

// NewCounts makes counters for codes of this width, 1 to 16 bits.
func NewCounts(bits int) (*Counts, error) {
	if bits < 1 || bits > 16 {
		return nil, fmt.Errorf("latency: counters for codes of %d bits, want 1 to 16", bits)
	}
	return &Counts{count: make([]uint32, 1<<bits)}, nil
}

// Add records one code.
func (c *Counts) Add(code uint16) {
	if p := &c.count[code]; *p != math.MaxUint32 {
		*p++
		c.n++
	}
}

// N returns the number of codes counted.
func (c *Counts) N() uint64 { return c.n }

// Append appends the codes that occurred, with their counts.
func (c *Counts) Append(dst []Weighted) []Weighted {
	for code, n := range c.count {
		if n > 0 {
			dst = append(dst, Weighted{uint16(code), uint64(n)})
		}
	}
	return dst
}

// Error returns 0, because the counts are exact.
func (c *Counts) Error(float64) float64 { return 0 }

// SizeBytes returns the memory of c.
func (c *Counts) SizeBytes() int { return countsSize(len(c.count)) }

func countsSize(codes int) int { return int(unsafe.Sizeof(Counts{})) + 4*codes }

// Reset sets all counters to 0.
func (c *Counts) Reset() {
	clear(c.count)
	c.n = 0
}
