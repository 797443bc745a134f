package figure

import (
	"fmt"
	"math"
	"strings"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/internal/number"
)

// Similar makes a finding about ratios. The finding holds if all their intervals lie between 1−within and 1+within.
// It fails if one interval lies completely outside.
func Similar[R stats.Row](statement string, ratios []R, within float64) Finding {
	confirmed, contradicted := len(ratios) > 0, false
	least, most, lo, hi := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, row := range ratios {
		r := row.Measured()
		least, most, lo, hi = math.Min(least, r.Value), math.Max(most, r.Value), math.Min(lo, r.Lo), math.Max(hi, r.Hi)
		confirmed = confirmed && r.Lo >= 1-within && r.Hi <= 1+within
		contradicted = contradicted || r.Lo > 1+within || r.Hi < 1-within
	}
	return Judge(fmt.Sprintf("%s (within %s)", statement, number.Share(within)), confirmed, contradicted,
		"changes between %s %% and %s %%, with their intervals between %s %% and %s %%", inPercent(least),
		inPercent(most), inPercent(lo), inPercent(hi))
}

// inPercent writes a ratio as a change in percent.
func inPercent(ratio float64) string { return number.Change(stats.Percent(ratio), 1) }

// Lower makes a finding. The finding holds if some ratios are significantly below 1 and none is significantly above
// 1.
func Lower[R stats.Row](statement string, ratios []R) Finding {
	below, above, detail := tally(ratios)
	return Judge(statement, below > 0 && above == 0, above > 0 && below == 0, "%s", detail)
}

// Higher makes a finding. The finding holds if some ratios are significantly above 1 and none is significantly below
// 1.
func Higher[R stats.Row](statement string, ratios []R) Finding {
	below, above, detail := tally(ratios)
	return Judge(statement, above > 0 && below == 0, below > 0 && above == 0, "%s", detail)
}

// tally counts the ratios that are significantly below 1 and those that are significantly above 1.
func tally[R stats.Row](ratios []R) (below, above int, detail string) {
	mean := 0.0
	for _, row := range ratios {
		r := row.Measured()
		mean += r.Value / float64(len(ratios))
		switch {
		case r.Hi < 1:
			below++
		case r.Lo > 1:
			above++
		}
	}
	buckets := "buckets"
	if len(ratios) == 1 {
		buckets = "bucket"
	}
	return below, above, fmt.Sprintf("%s %% on average; of %d %s, %d significantly lower and %d higher",
		inPercent(mean), len(ratios), buckets, below, above)
}

// Below makes a finding that compares a with factor·b. The finding holds if the whole interval of a is below the
// interval of factor·b, and fails if the whole interval is above. With one seed, the finding is undecided.
func Below(statement string, a, b study.Row, factor float64) Finding {
	return Judge(statement, a.Hi < factor*b.Lo, a.Lo > factor*b.Hi, "%s: %v; %s: %v", a.Scheme, a, b.Scheme, b)
}

// above makes a finding. The finding holds if the whole interval of a is above the bound, and fails if the whole
// interval is below.
func above(statement string, a study.Row, bound float64) Finding {
	return Judge(statement, a.Lo > bound, a.Hi < bound, "%s: %v", a.Scheme, a)
}

// more makes a finding. The finding holds if the quantity is significantly higher with scheme a than with scheme b in
// all cases. The finding fails if the quantity is significantly lower in one case.
func more(statement string, rows []study.Row, a, b, quantity string, cases ...string) Finding {
	all, wrong := len(cases) > 0, false
	var texts []string
	for _, c := range cases {
		x, y := study.Pick(rows, c, a, "", quantity), study.Pick(rows, c, b, "", quantity)
		if len(x) != 1 || len(y) != 1 {
			all = false
			continue
		}
		all = all && x[0].Lo > y[0].Hi
		wrong = wrong || x[0].Hi < y[0].Lo
		texts = append(texts, fmt.Sprintf("%.3g and %.3g (%s)", x[0].Value, y[0].Value, c))
	}
	return Judge(statement, all, wrong, "%s and %s: %s", a, b, strings.Join(texts, ", "))
}

// Enough returns the number of flows that a bucket needs so that its percentile p is reliable.
func Enough(p float64) int {
	n := 1
	for !stats.Enough(n, p) {
		n++
	}
	return n
}
