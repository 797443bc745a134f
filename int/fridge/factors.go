package fridge

import (
	"math"
	"math/bits"
	"sort"

	"pintlab/internal/numeric"
	"pintlab/internal/rules"
)

// FactorsConfig describes the correction factors of a switch. If x insertions follow after
// a request entered a fridge-(M, p), its sample counts for p^-1·(1 - 1/M)^-x.
type FactorsConfig struct {
	Entries     uint32  // M, at least 2
	Probability float64 // p, 2^-16 to 1
	// Limit is the smallest x that has no separate factor: from Limit on, the last factor applies. 1 to 2^31, and at
	// most 14·(M-1).
	Limit uint32
}

// validate reports every rule that c breaks.
func (c FactorsConfig) validate() error {
	var errs rules.Broken
	errs.If(c.Entries < 2, "entries = %d, want at least 2", c.Entries)
	errs.If(!(c.Probability >= 1.0/(1<<16) && c.Probability <= 1), "probability = %v, want 2^-16 to 1", c.Probability)
	errs.If(c.Limit < 1 || c.Limit > 1<<31, "limit = %d, want 1 to 2^31", c.Limit)
	// (1-1/M)^-x must be below 2^20·3, so that factors and their sums fit into a register.
	errs.If(len(errs) == 0 && float64(c.Limit) > 14*float64(c.Entries-1),
		"limit = %d, want at most 14 times the entries, less 1", c.Limit)
	return errs.Err("fridge: correction factors")
}

// Step is a range of x with one factor: from From to the next step.
type Step struct{ From, Factor uint32 }

// Factors is the table of §6.2: whole factors, each for a range of x. They begin with 1/p and
// grow by a factor of 1.1, or by 1 if that is more. The ends of the ranges are rounded to four
// significant bits, so that few prefixes match a range.
//
// A range ends where the exact factor is the mean of the range's factor and the next range's
// factor. For p = 1/2 and M = 2^16 the first ranges end at 14624 and 36675, rounded to 7·2^11
// and 9·2^12, as in the fridges paper.
type Factors struct {
	cfg   FactorsConfig
	steps []Step
}

// NewFactors makes the table.
func NewFactors(c FactorsConfig) (*Factors, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	factor := uint64(math.Round(1 / c.Probability))
	f := &Factors{cfg: c, steps: []Step{{0, uint32(factor)}}}
	perStep := -lnOnePlus(-1 / float64(c.Entries))
	for {
		next := max(factor+1, (11*factor+5)/10)
		// x is where p^-1·(1-1/M)^-x is the mean of factor and next.
		x := numeric.Ln(c.Probability*float64(factor+next)/2) / perStep
		from := significant(uint64(math.Ceil(x)), 4)
		if from >= uint64(c.Limit) {
			return f, nil
		}
		factor = next
		if last := &f.steps[len(f.steps)-1]; uint32(from) == last.From {
			last.Factor = uint32(factor) // too narrow to be distinguished
		} else {
			f.steps = append(f.steps, Step{uint32(from), uint32(factor)})
		}
	}
}

// significant rounds x to n significant bits.
func significant(x uint64, n int) uint64 {
	drop := bits.Len64(x) - n
	if drop <= 0 {
		return x
	}
	return (x + 1<<(drop-1)) >> drop << drop
}

// Config returns the configuration from which f was made.
func (f *Factors) Config() FactorsConfig { return f.cfg }

// Steps returns the ranges, in ascending order.
func (f *Factors) Steps() []Step { return f.steps }

// Factor returns the factor after x insertions.
func (f *Factors) Factor(x uint32) uint32 {
	i := sort.Search(len(f.steps), func(i int) bool { return f.steps[i].From > x })
	return f.steps[i-1].Factor
}
