package fixedpoint

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
)

// LogBits is the number of fractional bits of a Log.
const LogBits = 20

// mantissaBits is the number of fractional bits of the powers in the table of Exp2.
const mantissaBits = 30

// Log is a logarithm to base 2 in units of 2^-20. A switch stores it as a signed number of 32 bits.
type Log int32

// NoLog is the logarithm of 0. The sum of NoLog and three other logarithms of 32-bit integers is so small that its
// power 2^x is 0.
const NoLog Log = -256 << LogBits

// Real returns l as a number.
func (l Log) Real() float64 { return float64(l) / (1 << LogBits) }

// The sizes of tables: 2^minTableBits to 2^maxTableBits entries.
const (
	minTableBits = 2
	maxTableBits = 16
)

// Tables are the two tables of appendix C, of 2^q entries each. They are read-only and
// safe for concurrent use.
type Tables struct {
	q   uint
	log []Log    // log2(1 + i·2^-q), rounded down, or log2(1 + (i+1/2)·2^-q)
	exp []uint32 // 2^(i·2^-q), or 2^((i+1/2)·2^-q), with 30 fractional bits, rounded down
}

// NewTables makes the tables of appendix C with 2^q entries: an entry is exact at the lower end of
// its cell.
func NewTables(q int) (*Tables, error) { return newTables(q, false) }

// newTables makes tables whose entries are exact at the lower end of their cells or, if centred is set, in the
// middle.
func newTables(q int, centred bool) (*Tables, error) {
	if q < minTableBits || q > maxTableBits {
		return nil, fmt.Errorf("fixedpoint: tables of 2^%d entries: want 2^%d to 2^%d", q, minTableBits, maxTableBits)
	}
	t := &Tables{q: uint(q), log: make([]Log, 1<<q), exp: make([]uint32, 1<<q)}
	halves, at := powersOfTwo(q+1, mantissaBits), 0
	if centred {
		at = 1
	}
	for i := range t.log {
		t.log[i] = Log(log2Floor(big.NewRat(int64(2<<q+2*i+at), 2<<q), LogBits))
		t.exp[i] = halves[2*i+at]
	}
	return t, nil
}

// LogEntry returns entry i of the table of logarithms: log2(1 + i·2^-q).
func (t *Tables) LogEntry(i int) Log { return t.log[i] }

// ExpEntry returns entry i of the table of powers: 2^(i·2^-q), with 30 fractional bits.
func (t *Tables) ExpEntry(i int) uint32 { return t.exp[i] }

// split returns ℓ, the first set bit of x > 0, and the q bits that follow it.
func split(x uint64, q uint) (l, next uint) {
	zeros := uint(bits.LeadingZeros64(x))
	return 63 - zeros, uint(x << (zeros & 63) << 1 >> ((64 - q) & 63))
}

// Log2 returns the logarithm of x, too small by up to 1.44·2^-q; NoLog for 0.
func (t *Tables) Log2(x uint64) Log {
	if x == 0 {
		return NoLog
	}
	l, next := split(x, t.q)
	return Log(l<<LogBits) + t.log[next]
}

// Exp2 returns 2^x·2^frac, rounded down to an integer and too small by a factor of up to 2^(2^-q). It returns all
// ones if the power does not fit 32 bits. 0 <= frac <= 30.
//
// The integer part of x becomes a shift, which is one of the actions of a table. The first q bits of the fraction of
// x choose an entry.
func (t *Tables) Exp2(x Log, frac int) uint32 {
	m := t.exp[uint32(x)>>(LogBits-t.q)&(1<<t.q-1)]
	switch shift := int(x>>LogBits) + frac - mantissaBits; {
	case shift > 1:
		return math.MaxUint32
	case shift == 1:
		return m << 1
	case shift > -32:
		return m >> -shift
	}
	return 0
}

// Bytes returns the memory of a table of logarithms and of a table of powers, without the entries that find the
// first set bit.
func (t *Tables) Bytes() (logarithms, powers int) { return len(t.log) * 4, len(t.exp) * 4 }
