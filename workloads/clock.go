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
	random   *rand.Rand // draws gaps; nil if all gaps are equal
	sigma    float64    // standard deviation of the logarithm of lognormal gaps; 0: they are exponential
	first    bool       // the first tick is at now, without a gap before it
	rest     float64    // of equal gaps, the part of a picosecond not yet spent
}

// tick returns the next instant. Gaps are whole picoseconds: random ones are rounded
// to the nearest, equal ones so that the rounding never adds up.
func (c *clock) tick() (at unit.Time, ok bool) {
	if c.first {
		c.first = false
		return c.now, c.now < c.end
	}
	var gap float64
	if c.sigma > 0 {
		gap = c.lognormal(-1) + 0.5
	} else if c.random != nil {
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

// lognormal draws a gap for side -1, and for side 1 one of those in which a random instant falls: long gaps have more instants.
func (c *clock) lognormal(side float64) float64 {
	return float64(c.gap * numeric.Exp(float64(c.sigma*numeric.Normal(c.random))+side*float64(c.sigma*c.sigma)/2))
}

// settle moves the first tick of lognormal gaps to where it is if the clock has ticked for ever.
func (c *clock) settle() {
	if c.sigma == 0 {
		return
	}
	gap := float64(c.random.Float64() * c.lognormal(1))
	if c.first = true; gap >= float64(c.end-c.now) {
		c.now = c.end
		return
	}
	c.now += unit.Time(gap)
}
