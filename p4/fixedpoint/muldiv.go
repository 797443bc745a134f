package fixedpoint

import (
	"fmt"
	"math"
)

// Mul returns x·y through logarithms, or all ones if the product exceeds 32 bits. Two logarithms and a power
// contribute to the error: the result is too small by at most the factor 2^(-3.88·2^-q).
func (t *Tables) Mul(x, y uint32) uint32 {
	if x == 0 || y == 0 {
		return 0
	}
	return t.Exp2(t.Log2(uint64(x))+t.Log2(uint64(y)), 0)
}

// Div returns x/y·2^frac through logarithms, 0 <= frac <= 30. The result is all ones if it exceeds 32 bits or if y
// is 0. The logarithms err by a factor of up to 2^(±1.44·2^-q), the power by 2^(-2^-q).
func (t *Tables) Div(x, y uint32, frac int) uint32 {
	switch {
	case y == 0:
		return math.MaxUint32
	case x == 0:
		return 0
	}
	return t.Exp2(t.Log2(uint64(x))-t.Log2(uint64(y)), frac)
}

// Direct multiplies and divides with one table that both operands index, the alternative in appendix C. The table
// has 2^q entries. The key is the first q/2 bits of each operand, starting from the first set bit. This bit is
// always 1, so only a quarter of the entries is used.
type Direct struct {
	half     uint
	product  []uint32 // product of two mantissas in [1,2), with 30 fractional bits, below 4
	quotient []uint32 // in (1/2, 2), with 30 fractional bits
}

// NewDirect makes tables of 2^q entries; q is even, 4 to 20.
func NewDirect(q int) (*Direct, error) {
	if q < 4 || q > 20 || q%2 != 0 {
		return nil, fmt.Errorf("fixedpoint: table of two operands with 2^%d entries: want an even number, 4 to 20", q)
	}
	d := &Direct{half: uint(q / 2), product: make([]uint32, 1<<q), quotient: make([]uint32, 1<<q)}
	lead := uint64(1) << (d.half - 1)
	for x := lead; x < 2*lead; x++ {
		for y := lead; y < 2*lead; y++ {
			at := x<<d.half | y
			d.product[at] = uint32(x * y << (mantissaBits - 2*(d.half-1)))
			d.quotient[at] = uint32(x << mantissaBits / y)
		}
	}
	return d, nil
}

// mantissa returns the exponent of x > 0 and its first bits.
func (d *Direct) mantissa(x uint32) (int, uint) {
	l, next := split(uint64(x), d.half-1)
	return int(l), 1<<(d.half-1) | next
}

// scale returns m·2^(shift-30), or all ones if this exceeds 32 bits.
func scale(m uint32, shift int) uint32 {
	v := uint64(m)
	if shift > 34 {
		return math.MaxUint32
	}
	if shift >= 0 {
		v = v << shift >> mantissaBits
	} else {
		v >>= min(mantissaBits-shift, 63)
	}
	return uint32(min(v, math.MaxUint32))
}

// Mul returns x·y, or all ones if the product exceeds 32 bits.
func (d *Direct) Mul(x, y uint32) uint32 {
	if x == 0 || y == 0 {
		return 0
	}
	ex, mx := d.mantissa(x)
	ey, my := d.mantissa(y)
	if ex+ey > 33 {
		return math.MaxUint32
	}
	return scale(d.product[mx<<d.half|my], ex+ey)
}

// Div returns x/y·2^frac, 0 <= frac <= 30. The result is all ones if it exceeds 32 bits or if y is 0.
func (d *Direct) Div(x, y uint32, frac int) uint32 {
	switch {
	case y == 0:
		return math.MaxUint32
	case x == 0:
		return 0
	}
	ex, mx := d.mantissa(x)
	ey, my := d.mantissa(y)
	return scale(d.quotient[mx<<d.half|my], ex-ey+frac)
}

// Bytes returns the memory of one table.
func (d *Direct) Bytes() int { return len(d.product) * 4 }
