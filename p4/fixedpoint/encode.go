package fixedpoint

import (
	"iter"
	"math/big"
	"math/bits"

	"pintlab/int/fridge"
	"pintlab/internal/rules"
)

// roundBits is the width of the random number that decides between two codes.
const roundBits = 8

// EncoderConfig describes the multiplicative code of an integer.
type EncoderConfig struct {
	Min   uint32  // the value of code 0, at least 1
	Base  float64 // ratio of neighbouring codes, above 1
	Codes int     // 2 to 2^16
	// TableBits is the number of bits after the first set bit that the table sees, 2 to 12. A switch needs
	// 2^TableBits prefixes for each octave above Min.
	TableBits int
}

// validate reports every rule that c breaks.
func (c EncoderConfig) validate() error {
	var errs rules.Broken
	errs.If(c.Min < 1, "min = 0, want at least 1")
	errs.If(!(c.Base >= 1+1.0/1024) || c.Base > 1<<20, "base = %v, want 1.001 to 2^20", c.Base)
	errs.If(c.Codes < 2 || c.Codes > 1<<16, "codes = %d, want 2 to 2^16", c.Codes)
	errs.If(c.TableBits < 2 || c.TableBits > 12, "table bits = %d, want 2 to 12", c.TableBits)
	return errs.Err("fixedpoint: bad code")
}

// Encoder writes an integer as a multiplicative code in one stage. A table of prefixes returns the code with 8
// fractional bits, the action adds 8 random bits, and the integer part of the sum is the code. The mean of the code
// is then exact in the logarithm: this is PINT's [·]_R.
type Encoder struct {
	q     uint
	entry []uint32 // code·256, indexed by the first set bit and the bits that follow
}

// NewEncoder makes the table.
func NewEncoder(c EncoderConfig) (*Encoder, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	e := &Encoder{q: uint(c.TableBits), entry: make([]uint32, 32<<c.TableBits)}
	step := stepOf(c.Base)
	for l := range uint(32) {
		for i := range uint(1) << e.q {
			// A cell that consists of a single integer uses the exact logarithm. A wider cell uses the logarithm of
			// its middle.
			x := big.NewRat(int64(1<<e.q+i), 1<<e.q)
			if l > e.q {
				x = big.NewRat(int64(2<<e.q+2*i+1), 2<<e.q)
			}
			x.Mul(x, new(big.Rat).SetInt64(int64(1)<<l))
			x.Quo(x, big.NewRat(int64(c.Min), 1))
			if code := codeOf(x, step); code > 0 {
				e.entry[l<<e.q|i] = uint32(min(code, int64(c.Codes-1)<<roundBits))
			}
		}
	}
	return e, nil
}

// stepOf returns the logarithm of a base with 40 fractional bits.
func stepOf(base float64) int64 { return log2Nearest(new(big.Rat).SetFloat64(base), 40) }

// codeOf returns the logarithm of x with 8 fractional bits. step is the binary logarithm of its base, from stepOf.
func codeOf(x *big.Rat, step int64) int64 {
	at := log2Nearest(x, 30)
	if at < 0 {
		return -((-at<<(10+roundBits) + step/2) / step)
	}
	return (at<<(10+roundBits) + step/2) / step
}

// Encode returns the code of x. The random number, of 8 bits, decides between the two nearest codes: a small random
// number selects the lower code. Values below Min have code 0, and values above the last code have the last code.
func (e *Encoder) Encode(x, random uint32) uint32 {
	return (e.Fine(x) + random&(1<<roundBits-1)) >> roundBits
}

// Fine returns the entry of the table for x: the code with 8 fractional bits.
func (e *Encoder) Fine(x uint32) uint32 {
	if x == 0 {
		return 0
	}
	l, next := split(uint64(x), e.q)
	return e.entry[l<<e.q|next]
}

// Prefix is a table entry of a switch. It matches the 32-bit numbers whose first Length bits equal the first Length
// bits of Value.
type Prefix struct {
	Value  uint32
	Length int
	Code   uint32 // code·256
}

// Prefixes returns the entries that a switch needs, in ascending order of values. Values without an
// entry have code 0. Neighbours with the same code share a prefix.
func (e *Encoder) Prefixes() []Prefix {
	var list []Prefix
	for from, size := range cells(e.q, 1<<32) {
		if code := e.Fine(uint32(from)); code != 0 {
			list = mergePrefixes(appendRange(list, from, from+size, code))
		}
	}
	return list
}

// cells divides the numbers from 1 up to a limit into cells. The numbers of a cell share the first set bit and the q
// bits after it. cells yields the first number of each cell and the count of its numbers.
func cells(q uint, limit uint64) iter.Seq2[uint64, uint64] {
	return func(yield func(from, size uint64) bool) {
		for from := uint64(1); from < limit; {
			size := uint64(1) << max(bits.Len64(from)-1-int(q), 0)
			if !yield(from, min(size, limit-from)) {
				return
			}
			from += size
		}
	}
}

// appendRange appends prefixes that match the numbers n with from <= n < to. to is at most 2^32.
func appendRange(list []Prefix, from, to uint64, code uint32) []Prefix {
	for from < to {
		size := bits.TrailingZeros64(from | 1<<32)
		for from+1<<size > to {
			size--
		}
		list = append(list, Prefix{Value: uint32(from), Length: 32 - size, Code: code})
		from += 1 << size
	}
	return list
}

// mergePrefixes merges the last two prefixes as long as they have the same code and are the two halves of a shorter
// prefix.
func mergePrefixes(list []Prefix) []Prefix {
	for len(list) > 1 {
		a, b := &list[len(list)-2], &list[len(list)-1]
		bit := uint32(1) << (32 - b.Length)
		if a.Length != b.Length || a.Code != b.Code || a.Value&bit != 0 || a.Value|bit != b.Value {
			break
		}
		a.Length--
		list = list[:len(list)-1]
	}
	return list
}

// FactorPrefixes returns the entries that map x to the factors of a fridge. The field Code contains the factor. The
// entries cover all 32-bit numbers and do not overlap.
func FactorPrefixes(f *fridge.Factors) []Prefix {
	var list []Prefix
	steps := f.Steps()
	for i, s := range steps {
		end := uint64(1) << 32
		if i+1 < len(steps) {
			end = uint64(steps[i+1].From)
		}
		list = appendRange(list, uint64(s.From), end, s.Factor)
	}
	return list
}
