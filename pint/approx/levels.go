package approx

import "math"

// MaxCodes is the largest number of codes a table may have: those of 16 bits.
const MaxCodes = 1 << 16

// level is the value of one code and what a search needs beside it.
type level struct {
	value   float64
	invStep float64 // 1/(next value - this value); 0 at the last code
}

// levels is a rising table of values with a search that takes one look-up and a
// step or two: the leading bits of a float64 (exponent and some of the mantissa)
// say which code to begin with.
//
// Invariants: at[i].value rises; first[j] is the code just below the smallest
// number that has leading bits origin+j.
type levels struct {
	at     []level
	first  []uint16
	shift  uint   // mantissa bits that the look-up does not see
	origin uint64 // leading bits of at[lead].value
	lead   int    // first code with a positive value: 0, or 1 if code 0 stands for 0
}

// newLevels indexes values, which must rise strictly, be finite and begin at 0 or
// above. growth is the least ratio between a positive value and the next, less 1:
// a cell of the look-up is made no wider than that, so that few steps follow.
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

// below returns the largest code whose value is not above v, or 0 if there is none.
// Not-a-number gives 0.
func (l *levels) below(v float64) int {
	top := len(l.at) - 1
	if v >= l.at[top].value {
		return top
	}
	if l.lead > top || !(v >= l.at[l.lead].value) {
		return 0
	}
	code := int(l.first[math.Float64bits(v)>>l.shift-l.origin])
	for l.at[code+1].value <= v { // code < top, because v is below the top value
		code++
	}
	return code
}

// least returns the smallest float64 above lo for which ok holds, by bisection over bit
// patterns, which are ordered as the numbers are. ok must change once from false to true
// between lo and hi. lo is not negative and is not tested; ok holds at hi.
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
