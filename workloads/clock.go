package workloads

import (
	"math/rand/v2"

	"pintlab/internal/numeric"
	"pintlab/netsim/unit"
)

// clock ticks at the instants of a periodic or a Poisson process in [now, end).
type clock struct {
	now, end unit.Time
	gap      float64    // mean time between ticks, picoseconds
	random   *rand.Rand // draws exponential gaps; nil if all gaps are equal
	first    bool       // the first tick is at now, without a gap before it
	rest     float64    // of equal gaps, the part of a picosecond not yet spent
}

// tick returns the next instant. Gaps are whole picoseconds: exponential ones are rounded
// to the nearest, equal ones so that the rounding never adds up.
func (c *clock) tick() (at unit.Time, ok bool) {
	if c.first {
		c.first = false
		return c.now, c.now < c.end
	}
	var gap float64
	if c.random != nil {
		gap = float64(c.gap*numeric.Exponential(c.random.Uint64())) + 0.5
	} else {
		gap = c.gap + c.rest
	}
	if gap >= float64(c.end-c.now) {
		c.now = c.end
		return 0, false
	}
	whole := unit.Time(gap)
	if c.random == nil {
		c.rest = gap - float64(whole)
	}
	c.now += whole
	return c.now, c.now < c.end
}
