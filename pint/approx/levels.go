package approx

import (
	"math"

	"pintlab/internal/mem"
)

// maxCodes is the largest number of codes in a table, as many as fit in 16 bits.
const maxCodes = 1 << 16

// level is the value of one code, with the step to the next.
type level struct {
	value   float64
	invStep float64 // 1/(next value - this value); 0 at the last code
}

// levels is an increasing table of values with a search that takes one look-up and one or two
// steps: the leading bits of a float64 (exponent and some of the mantissa) give the first code to
// try.
//
// Invariants: at[i].value increases; first[j] is the largest code whose value is at most the
// smallest number with leading bits origin+j.
type levels struct {
	at     []level
	first  []uint16
	shift  uint   // mantissa bits that the look-up ignores
	origin uint64 // leading bits of at[lead].value
	lead   int    // first code with a positive value: 0, or 1 if the value of code 0 is 0
}

// newLevels indexes values, which must increase strictly, be finite and begin at 0 or above. growth
// is the smallest ratio between successive positive values, minus 1. No cell of the look-up is
// wider than this ratio, so a search takes few steps.
func newLevels(values []float64, growth float64) *levels {
	l := &levels{at: make([]level, len(values))}
	for i, v := range values {
		l.at[i].value = v
		if i+1 < len(values) {
			l.at[i].invStep = 1 / (values[i+1] - v)
		}
	}
	if values[0] == 0 {
		l.lead = 1
	}
	// A cell with m mantissa bits spans a ratio of at most 1+2^-m.
	m := uint(0)
	for m < 52 && growth < 1/float64(uint64(1)<<m) {
		m++
	}
	l.shift = 52 - m
	if l.lead < len(values) {
		l.origin = math.Float64bits(values[l.lead]) >> l.shift
		last := math.Float64bits(values[len(values)-1]) >> l.shift
		l.first = make([]uint16, last-l.origin+1)
		code := l.lead
		for j := range l.first {
			low := math.Float64frombits((l.origin + uint64(j)) << l.shift)
			for code+1 < len(values) && values[code+1] <= low {
				code++
			}
			l.first[j] = uint16(code)
		}
	}
	return l
}

// below returns the largest code whose value is at most v. It returns 0 if there is no such code or v is NaN.
func (l *levels) below(v float64) int {
	top := len(l.at) - 1
	if v >= mem.At(l.at, top).value {
		return top
	}
	if l.lead > top || !(v >= mem.At(l.at, l.lead).value) {
		return 0
	}
	code := int(*mem.At(l.first, int(math.Float64bits(v)>>(l.shift&63)-l.origin)))
	for mem.At(l.at, code+1).value <= v { // code < top, because v is below the top value
		code++
	}
	return code
}

// least returns the smallest float64 above lo for which ok holds. It bisects over bit patterns,
// which have the same order as the numbers. ok must change once from false to true between lo and
// hi. lo must not be negative and is not tested; ok must hold at hi.
func least(lo, hi float64, ok func(float64) bool) float64 {
	below, above := math.Float64bits(lo), math.Float64bits(hi)
	for below+1 < above {
		mid := below + (above-below)/2
		if ok(math.Float64frombits(mid)) {
			above = mid
		} else {
			below = mid
		}
	}
	return math.Float64frombits(above)
}
