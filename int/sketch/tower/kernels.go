package tower

import (
	"encoding/binary"
	"slices"

	"pintlab/int/sketch/rows"
)

// kernel selects code for one of the two shapes of the SketchINT paper (§VII-B1 and §VII-C1). This code
// has no loops over arrays and knows the widths at compile time: it is three times as fast as AddAt. The
// tests compare it with AddAt, bit for bit.
type kernel uint8

const (
	anyKernel kernel = iota
	kernel5          // 2, 4, 8, 16 and 32 bits
	kernel3          // 8, 16 and 32 bits
)

func kernelFor(bits []int) kernel {
	switch {
	case slices.Equal(bits, []int{2, 4, 8, 16, 32}):
		return kernel5
	case slices.Equal(bits, []int{8, 16, 32}):
		return kernel3
	}
	return anyKernel
}

// load2 to load32 load a counter of 2 to 32 bits; an overflowed counter has the bit infinity set.
// grow2 to grow32 add to a counter that has room for it.

func (a *Array) load2(i uint64) uint64 {
	c := uint64(a.data[i>>2]) >> (i & 3 * 2) & 3
	return c | (c+1)>>2*infinity
}

func (a *Array) grow2(i, by uint64) { a.data[i>>2] += byte(by << (i & 3 * 2)) }

func (a *Array) load4(i uint64) uint64 {
	c := uint64(a.data[i>>1]) >> (i & 1 * 4) & 15
	return c | (c+1)>>4*infinity
}

func (a *Array) grow4(i, by uint64) { a.data[i>>1] += byte(by << (i & 1 * 4)) }

func (a *Array) load8(i uint64) uint64 {
	c := uint64(a.data[i])
	return c | (c+1)>>8*infinity
}

func (a *Array) grow8(i, by uint64) { a.data[i] += byte(by) }

func (a *Array) load16(i uint64) uint64 {
	c := uint64(binary.LittleEndian.Uint16(a.data[2*i : 2*i+2]))
	return c | (c+1)>>16*infinity
}

func (a *Array) grow16(i, by uint64) {
	p := a.data[2*i : 2*i+2]
	binary.LittleEndian.PutUint16(p, binary.LittleEndian.Uint16(p)+uint16(by))
}

func (a *Array) load32(i uint64) uint64 {
	c := uint64(binary.LittleEndian.Uint32(a.data[4*i : 4*i+4]))
	return c | (c+1)>>32*infinity
}

func (a *Array) grow32(i, by uint64) {
	p := a.data[4*i : 4*i+4]
	binary.LittleEndian.PutUint32(p, binary.LittleEndian.Uint32(p)+uint32(by))
}

// count2 to count32 add one to a counter that has not overflowed.

func (a *Array) count2(i uint64) {
	p, shift := &a.data[i>>2], i&3*2
	*p += (*p>>shift&3+1)>>2<<shift ^ 1<<shift
}

func (a *Array) count4(i uint64) {
	p, shift := &a.data[i>>1], i&1*4
	*p += (*p>>shift&15+1)>>4<<shift ^ 1<<shift
}

func (a *Array) count8(i uint64) {
	p := &a.data[i]
	c := uint32(*p) + 1
	*p = byte(c - c>>8)
}

func (a *Array) count16(i uint64) {
	p := a.data[2*i : 2*i+2]
	c := uint32(binary.LittleEndian.Uint16(p)) + 1
	binary.LittleEndian.PutUint16(p, uint16(c-c>>16))
}

func (a *Array) count32(i uint64) {
	p := a.data[4*i : 4*i+4]
	c := uint64(binary.LittleEndian.Uint32(p)) + 1
	binary.LittleEndian.PutUint32(p, uint32(c-c>>32))
}

// equal returns 1 if c = m and 0 if c > m. c must not be less than m.
func equal(c, m uint64) uint64 { return (c - m - 1) >> 63 }

func (s *Sketch) insertCM5(key uint64) {
	a := (*[5]Array)(s.arrays)
	at, step := rows.Start(key, s.mixed)
	a[0].count2(rows.Index(at, a[0].counters))
	a[1].count4(rows.Index(at+step, a[1].counters))
	a[2].count8(rows.Index(at+2*step, a[2].counters))
	a[3].count16(rows.Index(at+3*step, a[3].counters))
	a[4].count32(rows.Index(at+4*step, a[4].counters))
}

func (s *Sketch) insertCU5(key uint64) {
	a := (*[5]Array)(s.arrays)
	at, step := rows.Start(key, s.mixed)
	i0 := rows.Index(at, a[0].counters)
	i1 := rows.Index(at+step, a[1].counters)
	i2 := rows.Index(at+2*step, a[2].counters)
	i3 := rows.Index(at+3*step, a[3].counters)
	i4 := rows.Index(at+4*step, a[4].counters)
	c0, c1, c2, c3, c4 := a[0].load2(i0), a[1].load4(i1), a[2].load8(i2), a[3].load16(i3), a[4].load32(i4)
	m := min(c0, c1, c2, c3, c4)
	if m >= infinity {
		return
	}
	a[0].grow2(i0, equal(c0, m))
	a[1].grow4(i1, equal(c1, m))
	a[2].grow8(i2, equal(c2, m))
	a[3].grow16(i3, equal(c3, m))
	a[4].grow32(i4, equal(c4, m))
}

func (s *Sketch) least5(key uint64) uint64 {
	a := (*[5]Array)(s.arrays)
	at, step := rows.Start(key, s.mixed)
	return min(
		a[0].load2(rows.Index(at, a[0].counters)),
		a[1].load4(rows.Index(at+step, a[1].counters)),
		a[2].load8(rows.Index(at+2*step, a[2].counters)),
		a[3].load16(rows.Index(at+3*step, a[3].counters)),
		a[4].load32(rows.Index(at+4*step, a[4].counters)),
	)
}

func (s *Sketch) insertCM3(key uint64) {
	a := (*[3]Array)(s.arrays)
	at, step := rows.Start(key, s.mixed)
	a[0].count8(rows.Index(at, a[0].counters))
	a[1].count16(rows.Index(at+step, a[1].counters))
	a[2].count32(rows.Index(at+2*step, a[2].counters))
}

func (s *Sketch) insertCU3(key uint64) {
	a := (*[3]Array)(s.arrays)
	at, step := rows.Start(key, s.mixed)
	i0 := rows.Index(at, a[0].counters)
	i1 := rows.Index(at+step, a[1].counters)
	i2 := rows.Index(at+2*step, a[2].counters)
	c0, c1, c2 := a[0].load8(i0), a[1].load16(i1), a[2].load32(i2)
	m := min(c0, c1, c2)
	if m >= infinity {
		return
	}
	a[0].grow8(i0, equal(c0, m))
	a[1].grow16(i1, equal(c1, m))
	a[2].grow32(i2, equal(c2, m))
}

func (s *Sketch) least3(key uint64) uint64 {
	a := (*[3]Array)(s.arrays)
	at, step := rows.Start(key, s.mixed)
	return min(
		a[0].load8(rows.Index(at, a[0].counters)),
		a[1].load16(rows.Index(at+step, a[1].counters)),
		a[2].load32(rows.Index(at+2*step, a[2].counters)),
	)
}
