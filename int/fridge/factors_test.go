package fridge

import (
	"math"
	"strings"
	"testing"
)

// Section 6.2: "with p = 0.5 and M = 2^16, the first prefix-matching rule matches
// x in [0, 7·2^11) and outputs correction factor 2, and the next rule matches
// x in [7·2^11, 9·2^12) and outputs correction factor 3".
func TestFactorsOfThePaper(t *testing.T) {
	f, err := NewFactors(FactorsConfig{Entries: 1 << 16, Probability: 0.5, Limit: 1 << 18})
	if err != nil {
		t.Fatal(err)
	}
	want := []Step{{0, 2}, {7 << 11, 3}, {9 << 12, 4}}
	for i, w := range want {
		if got := f.Steps()[i]; got != w {
			t.Errorf("step %d is %+v, want %+v", i, got, w)
		}
	}
	for x, want := range map[uint32]uint32{0: 2, 7<<11 - 1: 2, 7 << 11: 3, 9<<12 - 1: 3, 9 << 12: 4} {
		if got := f.Factor(x); got != want {
			t.Errorf("factor after %d insertions is %d, want %d", x, got, want)
		}
	}
	// A factor differs from the exact one by at most half a step. A step is a factor of 1.1, or 1 if that is more. The
	// ends of the ranges are rounded by up to 1/16 of x, which adds a factor of (1-1/M)^(-x/16). The test allows
	// slightly more.
	for x := uint32(0); x < 1<<18; x += 101 {
		exact := 2 * math.Pow(1-1.0/65536, -float64(x))
		got := float64(f.Factor(x))
		edge := math.Exp(float64(x) / 65536 / 12)
		if got > (exact*edge+0.5)*1.1 || got < (exact/edge-0.5)/1.1 {
			t.Fatalf("factor after %d insertions is %v, exactly %v", x, got, exact)
		}
	}
}

// Steps ascend, begin at 0 with 1/p, and end below the limit.
func TestFactorSteps(t *testing.T) {
	for _, c := range []FactorsConfig{
		{Entries: 1 << 16, Probability: 0.5, Limit: 1 << 19},
		{Entries: 1 << 8, Probability: 1, Limit: 1 << 11},
		{Entries: 100, Probability: 0.3, Limit: 1000},
		{Entries: 2, Probability: 1.0 / (1 << 16), Limit: 14},
	} {
		f, err := NewFactors(c)
		if err != nil {
			t.Fatal(err)
		}
		steps := f.Steps()
		if first := (Step{0, uint32(math.Round(1 / c.Probability))}); steps[0] != first {
			t.Errorf("%+v: begins with %+v, want %+v", c, steps[0], first)
		}
		for i, s := range steps[1:] {
			if before := steps[i]; s.From <= before.From || s.Factor <= before.Factor {
				t.Errorf("%+v: step %+v follows %+v", c, s, before)
			}
			if f.Factor(s.From) != s.Factor || f.Factor(s.From-1) != steps[i].Factor {
				t.Errorf("%+v: factors around %d are %d and %d", c, s.From, f.Factor(s.From-1), f.Factor(s.From))
			}
		}
		if last := steps[len(steps)-1]; last.From >= c.Limit || f.Factor(math.MaxUint32) != last.Factor {
			t.Errorf("%+v: last step %+v, factor of the largest x %d", c, last, f.Factor(math.MaxUint32))
		}
	}
}

func TestFactorsConfigProblems(t *testing.T) {
	for want, c := range map[string]FactorsConfig{
		"entries = 1":       {Entries: 1, Probability: 1, Limit: 1},
		"probability = NaN": {Entries: 2, Probability: math.NaN(), Limit: 1},
		"limit = 0":         {Entries: 2, Probability: 1},
		"14 times":          {Entries: 16, Probability: 1, Limit: 1 << 12},
	} {
		if _, err := NewFactors(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", c, err, want)
		}
	}
}
