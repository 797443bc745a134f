package figure

import (
	"math"

	"pintlab/plots/report"
)

// Tolerance defines which of our numbers agree with one that a paper prints, and why.
type Tolerance struct {
	Share        float64 // of the printed number, on either side
	Absolute     float64 // in its unit, on either side
	Below, Above bool    // any number on that side agrees: "less than", "more than"
	Why          string
}

// Tolerances that figures have in common.
var (
	AtMost  = Tolerance{Below: true, Why: "the paper prints a bound"}
	AtLeast = Tolerance{Above: true, Why: "the paper prints a bound"}
	// OtherTrace is for numbers of a trace that is not public.
	OtherTrace = Tolerance{Share: 0.1, Why: "10 %: the paper's trace is not public; " +
		"ours has its numbers of packets and flows"}
	// OpenSetting is for numbers of a network of which the paper leaves something open.
	OpenSetting = Tolerance{Share: 0.1, Why: "10 %: the paper leaves parts of its setting open"}
	// Score is for F1, precision and recall.
	Score = Tolerance{Absolute: 0.01, Why: "0.01: scores are printed with two or three digits"}
)

// Digits is for numbers that are printed to a unit of their last digit.
func Digits(unit float64) Tolerance {
	return Tolerance{Absolute: unit / 2, Why: "half a unit of the last printed digit"}
}

// LeastDigits is for a least number that is printed to a unit of its last digit: what rounds to it agrees.
func LeastDigits(unit float64) Tolerance {
	return Tolerance{Absolute: unit / 2, Above: true, Why: "the paper prints a bound; half a unit of its last digit " +
		"below it agrees, too"}
}

// Range is for a printed range, of which the published number is the middle.
func Range(half float64) Tolerance {
	return Tolerance{Absolute: half, Why: "the paper prints a range"}
}

// Beside judges a number beside the published one: it holds if the whole interval agrees with what the paper
// prints, and deviates if none of it does. Otherwise, and without an interval, it is undecided.
func Beside(c report.Compared, t Tolerance) report.Compared {
	off := math.Abs(c.Published)*t.Share + t.Absolute
	c.From, c.To, c.Within = c.Published-off, c.Published+off, t.Why
	if t.Below {
		c.From = math.Inf(-1)
	}
	if t.Above {
		c.To = math.Inf(1)
	}
	switch {
	case math.IsNaN(c.Ours):
		c.Outcome = report.Unmeasured
	case c.From <= c.Lo && c.Hi <= c.To:
		c.Outcome = report.Holds
	case c.Hi < c.From || c.Lo > c.To:
		c.Outcome = report.Deviates
	default: // NaN, too
		c.Outcome = report.Undecided
	}
	return c
}
