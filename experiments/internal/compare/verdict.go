package compare

import (
	"fmt"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/pint"
	"pintlab/experiments/internal/study"
	"pintlab/internal/number"
)

// headlines lists the measures that a verdict quotes.
var headlines = []string{meanFCT, p95, p99, goodput, jobTime, exposed, collectiveTime, busBandwidth}

// check makes a verdict for each pair of schemes and workload.
func check(rows []study.Row) []figure.Finding {
	var list []figure.Finding
	for _, p := range pairsOf(rows, ratios) {
		own := figure.Pick(rows, func(r *study.Row) bool { return r.Scheme == p.scheme && r.Against == p.versus })
		for _, of := range study.Cases(own) {
			list = append(list, verdict(of, p.scheme, p.versus, figure.Pick(rows, func(r *study.Row) bool {
				return r.Table == ratios && r.Case == of && r.Scheme == p.scheme && r.Against == p.versus &&
					r.Quantity != byFlow // otherwise goodput would count twice
			})))
		}
	}
	if !slices.ContainsFunc(workloads, func(w workload) bool { return slices.Contains(study.Cases(rows), w.Name) }) {
		return list
	}
	return append(list, figure.Finding{
		Outcome: figure.Found,
		Statement: "runs at laptop scale begin and end at their load; distance of their gains for long flows from " +
			"the gains in long runs",
		Detail: "web search, measured in fig7: " + pint.Agreement() + "; the runs of this comparison are even " +
			"shorter; smoke runs begin and end in an empty network, so their sizes of effects mean little",
	})
}

// verdict counts the measures in which scheme a is better or worse than scheme b. It is open if there is no significant
// difference.
func verdict(workload, a, b string, rows []study.Row) figure.Finding {
	count := map[string]int{}
	var numbers []string
	for _, r := range rows {
		count[judge(&r)]++
		if slices.Contains(headlines, r.Quantity) {
			numbers = append(numbers, sized(r.Quantity, r.Case)+" "+r.Change())
		}
	}
	better, worse := count["better"], count["worse"]
	f := figure.Finding{Outcome: figure.Found}
	switch {
	case count[""] > 0:
		f.Outcome = figure.Undecided
		f.Statement = fmt.Sprintf("%s: one seed is not enough to compare %s with %s", workload, a, b)
	case better+worse == 0:
		f.Outcome = figure.Undecided
		f.Statement = fmt.Sprintf("%s: no significant difference between %s and %s in any measure", workload, a, b)
	default:
		f.Statement = fmt.Sprintf("%s: %s is significantly better than %s in %d of %s, and worse in %d", workload, a, b,
			better, number.Count(len(rows), "measure"), worse)
	}
	f.Detail = strings.Join(numbers, "; ")
	return f
}

func moreIsBetter(quantity string) bool {
	quantity = strings.ReplaceAll(quantity, "_", " ") // columns of campaigns
	return strings.Contains(quantity, "goodput") || strings.Contains(quantity, busBandwidth)
}
