package workloads

import (
	"math/rand/v2"

	"pintlab/internal/numeric"
	"pintlab/netsim/unit"
)

// clock ticks at the instants of a periodic or random process in [now, end).
type clock struct {
	now, end unit.Time
	gap      float64    // mean time between ticks, picoseconds
	random   *rand.Rand // draws gaps; nil if all gaps are equal
	sigma    float64    // standard deviation of the logarithm of lognormal gaps; 0 for exponential gaps
	first    bool       // the first tick is at now, without a gap before it
	rest     float64    // fraction of a picosecond carried over to the next gap, if gaps are equal
}

// tick returns the next instant. Gaps are whole picoseconds. Random gaps are rounded to the nearest picosecond. Equal
// gaps carry the fraction over, so rounding errors do not add up.
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

// lognormal draws a gap if side is -1. If side is 1, it draws a gap that contains a random instant; the probability of
// such a gap is proportional to its length.
func (c *clock) lognormal(side float64) float64 {
	return float64(c.gap * numeric.Exp(float64(c.sigma*numeric.Normal(c.random))+side*float64(c.sigma*c.sigma)/2))
}

// settle moves the first tick of lognormal gaps to its stationary position, as if the clock had always
// ticked.
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
