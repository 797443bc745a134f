package sketchint

import (
	"fmt"
	"math"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/sketch"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/plots/report"
)

// pair contains a number of a tower (ours) and a number of another sketch.
type pair struct {
	where       string // the two sketches and the memory, or what else is compared
	ours, other stats.Number
}

// kinds adds two kinds of claims about pairs to `more`, and returns `more`. A claim of the kind "all higher" says that
// our number is above the other number in every pair. A claim of the kind "all lower" says that our number is below.
func kinds[R any](points func([]R) []study.Row, pairs func([]study.Row, *figure.Claim) []pair,
	more map[string]func(*figure.Claim, []R) figure.Finding) map[string]func(*figure.Claim, []R) figure.Finding {
	for kind, sign := range map[string]float64{"all higher": 1, "all lower": -1} {
		more[kind] = func(c *figure.Claim, rows []R) figure.Finding {
			return ahead(c.Statement, pairs(points(rows), c), sign)
		}
	}
	return more
}

// pairs pairs the numbers of the sketches in c.Scheme with the numbers of the sketches in c.Against, at the same
// memory.
func pairs(points []study.Row, c *figure.Claim) (list []pair) {
	points = c.Within(points)
	for _, panel := range figure.List(c.Table) {
		for _, o := range figure.List(c.Scheme) {
			for _, r := range figure.PointsOf(points, panel, o) {
				for _, other := range figure.List(c.Against) {
					if x := figure.PointAt(points, panel, other, r.X); x != nil {
						list = append(list, pair{o + ", " + other + ", " + memoryOf(&r), r.Number, x.Number})
					}
				}
			}
		}
	}
	return list
}

// memoryOf formats the memory of a row.
func memoryOf(r *study.Row) string { return sketch.SizeOf(r.Size) }

// ahead makes a finding about pairs. The finding holds if, in every pair, our number is above (sign 1) or below (sign
// −1) the other number and the intervals do not touch. It fails if our interval is completely on the wrong side in at
// least one pair. Otherwise it is undecided.
func ahead(statement string, pairs []pair, sign float64) figure.Finding {
	confirmed, contradicted, least, closest := len(pairs) > 0, false, math.Inf(1), "no rows"
	for _, p := range pairs {
		above, below := p.ours.Above(p.other.Hi), p.ours.Below(p.other.Lo)
		if sign < 0 {
			above, below = below, above
		}
		confirmed = confirmed && above
		contradicted = contradicted || below
		gap := 0.0
		if p.ours.Value != p.other.Value {
			gap = sign * (p.ours.Value - p.other.Value) / (p.ours.Value + p.other.Value)
		}
		if gap < least {
			least, closest = gap,
				fmt.Sprintf("closest is %s: %s against %s", p.where, p.ours.Format(4), p.other.Format(4))
		}
	}
	return figure.Judge(statement, confirmed, contradicted, "%s", closest)
}

// near makes a finding about pairs. The finding holds if the interval of every ratio is within 1/factor to factor. It
// fails if the interval of at least one ratio is completely outside.
func near(statement string, pairs []pair, factor float64) figure.Finding {
	confirmed, contradicted, least, most := len(pairs) > 0, false, math.Inf(1), 0.0
	for _, p := range pairs {
		r := p.ours.Ratio(p.other)
		least, most = math.Min(least, r.Value), math.Max(most, r.Value)
		confirmed = confirmed && r.Inside(1/factor, factor)
		contradicted = contradicted || r.Above(factor) || r.Below(1/factor)
	}
	return figure.Judge(fmt.Sprintf("%s (within a factor of %g)", statement, factor), confirmed, contradicted,
		"%.3g to %.3g times", least, most)
}

// lesser returns the smaller of two numbers. Each end of its interval is the smaller of the two corresponding ends.
// If one number is missing, lesser returns the other.
func lesser(a, b stats.Number) stats.Number {
	switch {
	case math.IsNaN(a.Value):
		return b
	case math.IsNaN(b.Value):
		return a
	}
	return stats.Number{Value: math.Min(a.Value, b.Value), Lo: math.Min(a.Lo, b.Lo), Hi: math.Min(a.Hi, b.Hi),
		Seeds: b.Seeds}
}

// stored returns a function that finds our number in the known.csv of a figure: the line of the measurement whose
// quantity is the printed quantity.
func stored[R any](name, measurement string) figure.Ours[R] {
	return func(_ []R, _ *figure.Published, c *report.Compared) stats.Number {
		s := figure.Find(figure.StoredOf(name, measurement, files),
			func(s *figure.Stored) bool { return s.Quantity == c.Quantity })
		if s == nil {
			return stats.None()
		}
		return stats.Around(s.Value, s.Half)
	}
}
