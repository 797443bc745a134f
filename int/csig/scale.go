package csig

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"

	"pintlab/netsim/unit"
)

// scale contains the buckets of a signal. Code i represents limits[i] or, if there are no limits, i·step. Values are in
// bit/s, in 1/whole of a rate, or in ps.
type scale struct {
	step   int64
	limits []int64
	top    uint32 // the largest code
}

// whole is the ABW/C of an idle link.
const whole = 1 << 30

// Buckets holds the buckets of each signal.
type Buckets [4]scale

// Free returns the buckets of ABW and ABW/C after a window in which a port with the given rate sent n bytes. A packet
// counts in the window in which its transmission begins, so n may exceed the capacity.
func (b *Buckets) Free(rate unit.Rate, window unit.Time, n unit.Bytes) (free [2]uint32) {
	all := max(1, rate.In(window))
	left := max(0, all-n)
	free[ABW] = b[ABW].below(share(left, all, int64(rate)))
	free[ABWShare] = b[ABWShare].below(share(left, all, whole))
	return free
}

// share returns of·part/all, rounded down.
func share(part, all unit.Bytes, of int64) int64 {
	hi, lo := bits.Mul64(uint64(part), uint64(of))
	q, _ := bits.Div64(hi, lo, uint64(all))
	return int64(q)
}

// Waited returns the bucket of a delay or queue.
func (b *Buckets) Waited(s Signal, t unit.Time) uint32 { return b[s].above(int64(t)) }

// value returns the value that a code represents.
func (s *scale) value(code uint32) int64 {
	if s.limits != nil {
		return s.limits[min(int(code), len(s.limits)-1)]
	}
	return int64(code) * s.step
}

// below returns the largest code whose value is at most v.
func (s *scale) below(v int64) uint32 {
	if s.limits == nil {
		return uint32(min(v/s.step, int64(s.top)))
	}
	i, found := slices.BinarySearch(s.limits, v)
	if !found {
		i--
	}
	return uint32(i)
}

// above returns the smallest code whose value is at least v, or the largest code if there is no such code.
func (s *scale) above(v int64) uint32 {
	if s.limits == nil {
		return uint32(min((v+s.step-1)/s.step, int64(s.top)))
	}
	i, _ := slices.BinarySearch(s.limits, v)
	return uint32(min(i, len(s.limits)-1))
}

// ranges reads the thresholds between ranges. Code 0 represents 0, and code i represents the i-th threshold.
func ranges(words []string, signal Signal, top uint32) (scale, error) {
	s := scale{limits: []int64{0}, top: top}
	if len(words) > int(top) {
		return s, fmt.Errorf("%d thresholds, want at most %d", len(words), top)
	}
	for _, w := range words {
		v, err := threshold(w, signal)
		if err == nil && v <= s.limits[len(s.limits)-1] {
			err = fmt.Errorf("%q: want ascending thresholds above 0", w)
		}
		if err != nil {
			return s, err
		}
		s.limits = append(s.limits, v)
	}
	s.top = uint32(len(words))
	return s, nil
}

func threshold(w string, signal Signal) (int64, error) {
	switch signal {
	case ABW:
		r, err := unit.ParseRate(w)
		return int64(r), err
	case ABWShare:
		share, err := strconv.ParseFloat(w, 64)
		if err != nil || !(share > 0 && share <= 1) {
			return 0, fmt.Errorf("%q: want a share of the link's rate, > 0 and <= 1", w)
		}
		return int64(share * whole), nil
	}
	t, err := unit.ParseTime(w)
	return int64(t), err
}

// loadCode decodes ABW/C into the utilisation of a link.
type loadCode struct{ *scale }

// Decode returns 1 − ABW/C.
func (c loadCode) Decode(code uint32) float64 { return 1 - float64(c.value(code))/whole }

// timeCode decodes a delay.
type timeCode struct{ *scale }

// Decode returns picoseconds.
func (c timeCode) Decode(code uint32) float64 { return float64(c.value(code)) }
