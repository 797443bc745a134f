package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
)

// PointAt returns the first row of a panel and a scheme whose X differs from x by at most 1 %, or nil.
func PointAt(rows []study.Row, panel, scheme string, x float64) *study.Row {
	return Find(rows, func(r *study.Row) bool {
		return r.Table == panel && r.Scheme == scheme && math.Abs(r.X-x) <= 0.01*math.Abs(x)
	})
}

// PointsOf returns the rows of a panel and a scheme, sorted by X.
func PointsOf(rows []study.Row, panel, scheme string) []study.Row {
	some := Pick(rows, func(r *study.Row) bool { return r.Table == panel && r.Scheme == scheme })
	slices.SortStableFunc(some, func(a, b study.Row) int { return cmp.Compare(a.X, b.X) })
	return some
}

// RatioAt returns the ratio of two rows, with an interval from their intervals. The ratio is missing if one of the
// rows is missing, or if the value of the second row is zero.
func RatioAt(rows []study.Row, panel, over, under string, x float64) stats.Number {
	a, b := PointAt(rows, panel, over, x), PointAt(rows, panel, under, x)
	if a == nil || b == nil || b.Value == 0 {
		return stats.None()
	}
	return a.Ratio(b.Number)
}

// Reaches returns the X at which a curve reaches a value. The curve begins at the origin and connects its points by
// straight lines. The interval of the result is from the curves through the ends of the rows' intervals. The result
// is missing if the curve does not reach the value.
func Reaches(rows []study.Row, panel, scheme string, value float64) stats.Number {
	curve := func(of func(*study.Row) float64) float64 {
		x, y := 0.0, 0.0
		for _, r := range PointsOf(rows, panel, scheme) {
			if of(&r) >= value {
				return x + (r.X-x)*(value-y)/(of(&r)-y)
			}
			x, y = r.X, of(&r)
		}
		return math.NaN()
	}
	return stats.Number{
		Value: curve(func(r *study.Row) float64 { return r.Value }),
		Lo:    curve(func(r *study.Row) float64 { return r.Hi }),
		Hi:    curve(func(r *study.Row) float64 { return r.Lo }),
	}
}

// Beneath makes a finding about the X for which both schemes have a row. The finding holds if the interval of the
// scheme `lower` is below the interval of `higher` at every such X. The finding fails if the interval of `lower` is
// above the interval of `higher` at one such X.
func Beneath(statement string, rows []study.Row, panel, lower, higher string) Finding {
	confirmed, contradicted, n, least := true, false, 0, math.Inf(1)
	for _, a := range PointsOf(rows, panel, lower) {
		b := PointAt(rows, panel, higher, a.X)
		if b == nil || math.IsNaN(a.Value) || math.IsNaN(b.Value) {
			continue
		}
		n++
		confirmed = confirmed && a.Hi < b.Lo
		contradicted = contradicted || a.Lo > b.Hi
		if a.Value > 0 {
			least = min(least, b.Value/a.Value)
		}
	}
	return Judge(statement, confirmed && n > 0, contradicted, "at least %.3g times lower, of %s", least,
		Count(n, "point"))
}

// falls makes a finding. The finding holds if the numbers of a scheme decrease significantly from the first point to
// the last, and never increase significantly between two neighbours. It fails if the last number is significantly
// higher than the first.
func falls(statement string, rows []study.Row, panel, scheme string) Finding {
	return Monotonic(statement, PointsOf(rows, panel, scheme), 1)
}

// rises makes the opposite finding of falls: that the numbers of a scheme increase.
func rises(statement string, rows []study.Row, panel, scheme string) Finding {
	return Monotonic(statement, PointsOf(rows, panel, scheme), -1)
}

// Monotonic judges whether numbers decrease (sign 1) or increase (sign −1).
func Monotonic(statement string, list []study.Row, sign float64) Finding {
	if len(list) < 2 {
		return Judge(statement, false, false, "%s", Count(len(list), "point"))
	}
	certain := func(a, b study.Row) bool { // b is significantly below a
		if sign < 0 {
			a, b = b, a
		}
		return a.Lo > b.Hi
	}
	first, last := list[0], list[len(list)-1]
	confirmed := certain(first, last)
	for i := 1; i < len(list); i++ {
		confirmed = confirmed && !certain(list[i], list[i-1])
	}
	return Judge(statement, confirmed, certain(last, first), "%.3g, then %.3g", first.Value, last.Value)
}

// inOrder makes a finding about curves of a percentage over X, in seconds. The finding holds if the curves reach a
// value one after the other, in the order of `schemes`, and the differences are significant. It fails if two
// neighbours are significantly in the wrong order.
func inOrder(statement string, rows []study.Row, panel string, value float64, schemes ...string) Finding {
	confirmed, contradicted, text := true, false, ""
	before := stats.None()
	for i, s := range schemes {
		at := Reaches(rows, panel, s, value)
		if i > 0 {
			confirmed = confirmed && before.Hi < at.Lo
			contradicted = contradicted || before.Lo > at.Hi
			text += ", "
		}
		before = at
		text += fmt.Sprintf("%s after %.3g s", s, at.Value)
	}
	return Judge(statement, confirmed, contradicted, "%g %% of %s", value, text)
}
