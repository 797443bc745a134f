package routechange

import (
	"fmt"
	"math"

	"pintlab/pint/coding"
)

// Change is a path change, for Chance.
type Change struct {
	Hops    int // length of the path, before and after the change
	Changed int // known hops whose value has changed
	Unknown int // hops that the monitor does not know
}

func (c Change) validate() error {
	if c.Hops < 1 || c.Changed < 0 || c.Unknown < 0 || c.Changed+c.Unknown > c.Hops {
		return fmt.Errorf("routechange: %d changed and %d unknown hops on a path of %d: want at most as many as the "+
			"path has",
			c.Changed, c.Unknown, c.Hops)
	}
	return nil
}

// Chance returns the probability that one packet reveals a change, for digests that are hashes of b
// bits (mode Hash; with other modes a change of value may always or never be visible in a
// fragment). An instance reveals the change if no unknown hop acts, a changed hop acts, and the new
// hashes differ from the old hashes in XOR, which fails with probability 2^-b:
//
//	Baseline     τ · changed/k · (1 − 2^-b)
//	XOR layer    (1−τ)/L · (1−p)^unknown · (1 − (1−p)^changed) · (1 − 2^-b)
//
// Instances are independent.
func Chance(c *coding.Code, ch Change) (float64, error) {
	if err := ch.validate(); err != nil {
		return 0, err
	}
	cfg := c.Config()
	if cfg.Mode != coding.Hash {
		return 0, fmt.Errorf("routechange: chance of noticing a change with mode %v, want hash", cfg.Mode)
	}
	silent := 1.0
	for i := range cfg.Instances {
		s := cfg.Schemes[i%len(cfg.Schemes)]
		p := s.Tau * float64(ch.Changed) / float64(ch.Hops)
		for _, x := range s.XOR {
			quiet := math.Pow(1-x, float64(ch.Unknown))
			p += (1 - s.Tau) / float64(len(s.XOR)) * quiet * (1 - math.Pow(1-x, float64(ch.Changed)))
		}
		silent *= 1 - p*(1-math.Ldexp(1, -cfg.Bits))
	}
	return 1 - silent, nil
}

// Packets returns the number of packets after a change that reveal the change with the given probability, if one packet
// reveals it with probability chance. It returns false if no number suffices.
func Packets(chance, probability float64) (int, bool) {
	if !(chance > 0) || !(probability < 1) {
		return 0, false
	}
	if chance >= 1 {
		return 1, true
	}
	return max(int(math.Ceil(math.Log1p(-probability)/math.Log1p(-chance))), 1), true
}
