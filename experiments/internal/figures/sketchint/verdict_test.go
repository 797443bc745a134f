package sketchint

import (
	"math"
	"testing"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/results/stats"
)

func TestAhead(t *testing.T) {
	nan := math.NaN()
	one := func(value, half float64) stats.Number {
		return stats.Number{Value: value, Lo: value - half, Hi: value + half}
	}
	for _, c := range []struct {
		name        string
		ours, other stats.Number
		sign        float64
		want        figure.Verdict
	}{
		{"higher", one(5, 1), one(2, 1), 1, figure.Holds},
		{"higher, within the intervals", one(5, 2), one(2, 2), 1, figure.Undecided},
		{"lower", one(2, 1), one(5, 1), 1, figure.Fails},
		{"lower is good", one(2, 1), one(5, 1), -1, figure.Holds},
		{"higher is bad", one(5, 1), one(2, 1), -1, figure.Fails},
		{"the same", one(5, 0), one(5, 0), 1, figure.Undecided},
		{"one seed", one(5, nan), one(2, nan), 1, figure.Undecided},
	} {
		good := pair{"CM", one(2+c.sign, 0), one(2, 0)}
		for _, pairs := range [][]pair{{{"CU", c.ours, c.other}}, {good, {"CU", c.ours, c.other}, good}} {
			if got := ahead("x", pairs, c.sign); got.Outcome != c.want {
				t.Errorf("%s: %v, want %s", c.name, got, c.want)
			}
		}
	}
	if got := ahead("x", nil, 1); got.Outcome != figure.Undecided {
		t.Errorf("no pairs: %v", got)
	}
}

func TestNear(t *testing.T) {
	for _, c := range []struct {
		ours stats.Number
		want figure.Verdict
	}{
		{stats.Number{Value: 12, Lo: 11, Hi: 13}, figure.Holds},
		{stats.Number{Value: 12, Lo: 8, Hi: 30}, figure.Undecided},
		{stats.Number{Value: 30, Lo: 25, Hi: 35}, figure.Fails},
		{stats.Number{Value: 3, Lo: 2, Hi: 4}, figure.Fails},
	} {
		if got := near("x", []pair{{"CM", c.ours, stats.Number{Value: 10, Lo: 9, Hi: 11}}}, 2); got.Outcome != c.want {
			t.Errorf("%v: %v, want %s", c.ours, got, c.want)
		}
	}
	if got := near("x", nil, 2); got.Outcome != figure.Undecided {
		t.Errorf("no pairs: %v", got)
	}
}

// (6 ± 2)/(2 ± 1) extends from 4/3 to 8/1. If the denominator may be zero, the interval of a quotient has no upper
// end.
func TestQuotient(t *testing.T) {
	six := stats.Number{Value: 6, Lo: 4, Hi: 8}
	if got := six.Ratio(stats.Number{Value: 2, Lo: 1, Hi: 3}); got.Value != 3 || got.Lo != 4./3 || got.Hi != 8 {
		t.Errorf("%v", got)
	}
	if got := six.Ratio(stats.Number{Value: 1, Lo: 0, Hi: 2}); got.Lo != 2 || !math.IsInf(got.Hi, 1) {
		t.Errorf("%v", got)
	}
	missing := stats.Number{Value: math.NaN()}
	if got := lesser(lesser(missing, six), stats.Number{Value: 7, Lo: 3, Hi: 7.5}); got.Value != 6 || got.Lo != 3 ||
		got.Hi != 7.5 {
		t.Errorf("%v", got)
	}
	if got := lesser(six, missing); got.Value != 6 || got.Hi != 8 {
		t.Errorf("%v", got)
	}
}
