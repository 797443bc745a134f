package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
)

// PointAt returns the row of a panel and a scheme whose X differs by at most 1 %, or nil.
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

// RatioAt returns the ratio of two rows, with an interval from their intervals. It is missing if one of the rows is
// missing or the second is zero.
func RatioAt(rows []study.Row, panel, over, under string, x float64) stats.Number {
	a, b := PointAt(rows, panel, over, x), PointAt(rows, panel, under, x)
	if a == nil || b == nil || b.Value == 0 {
		return stats.None()
	}
	return a.Ratio(b.Number)
}

// Reaches returns the X at which a curve reaches a value, interpolated between its points. The interval of the result
// is from the curves through the ends of the rows' intervals. It is missing if the curve does not reach the value. The
// curve begins at the origin.
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

// Beneath makes a finding. It holds if at every X that both schemes have, the interval of one scheme is below the
// interval of the other, and fails if it is above anywhere.
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

// falls makes a finding. It holds if the numbers of a scheme decrease significantly from the first point to the last,
// and never increase significantly. It fails if the last number is significantly higher.
func falls(statement string, rows []study.Row, panel, scheme string) Finding {
	return Monotonic(statement, PointsOf(rows, panel, scheme), 1)
}

// rises holds if curves increase. It is the opposite of falls.
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

// inOrder makes a finding. It holds if curves, in percent, reach a value one after the other, with significant
// differences. It fails if two neighbours are significantly in the wrong order. X is in seconds.
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
