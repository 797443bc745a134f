package overhead

import (
	"fmt"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/results/stats"
	"pintlab/plots/report"
)

// at returns our row of the figure at a load and an overhead.
func at(rows []Row, load, overhead int) (Row, bool) {
	for _, r := range rows {
		if r.Table == Overhead && r.Source == "ours" && r.Load == load && r.Overhead == overhead {
			return r, true
		}
	}
	return Row{}, false
}

// check holds the rows against what both figures claim.
func (m Metric) check(rows []Row) []figure.Finding {
	sign := m.sign
	word := "grows"
	if sign < 0 {
		word = "shrinks"
	}
	var list []figure.Finding
	for _, load := range Loads {
		a, okA := at(rows, load, 48)
		b, okB := at(rows, load, 108)
		statement := fmt.Sprintf("%d %% load: the measure %s with the overhead", load, word)
		if !okA || !okB {
			list = append(list, figure.Judge(statement, false, false, "too few flows"))
			continue
		}
		worse := func(r Row) (sure, opposite bool) {
			lo, hi := r.Lo-1, r.Hi-1
			if sign < 0 {
				lo, hi = -hi, -lo
			}
			return lo > 0, hi < 0
		}
		sure, opposite := worse(b)
		list = append(list, figure.Judge(statement, sure && sign*(b.Value-a.Value) > 0, opposite,
			"48 B %s, 108 B %s", change(&a), change(&b)))
	}
	low, okL := at(rows, 30, 108)
	high, okH := at(rows, 70, 108)
	statement := "108 B cost more at 70 % load than at 30 %"
	if !okL || !okH {
		return append(list, figure.Judge(statement, false, false, "too few flows"))
	}
	l, h := interval(low, sign), interval(high, sign)
	list = append(list, figure.Judge(statement, h[0] > l[1], h[1] < l[0], "%s and %s",
		change(&high), change(&low)))
	if high.Lo > 0 { // has an interval
		share := math.Abs(high.Value - 1)
		list = append(list, figure.Judge("108 B at 70 % load cost more than the 7.2 % of bytes that they add", h[0] > 108.0/packet, h[1] < 108.0/packet,
			"%.1f %%", 100*share))
	}
	return list
}

// interval returns how much overhead costs, at least and at most.
func interval(r Row, sign float64) [2]float64 {
	lo, hi := sign*(r.Lo-1), sign*(r.Hi-1)
	return [2]float64{math.Min(lo, hi), math.Max(lo, hi)}
}

// compare puts what the PINT paper prints beside ours.
func (m Metric) compare(rows []Row) []report.Compared {
	var list []report.Compared
	for _, p := range rows {
		if p.Source != "published" {
			continue
		}
		ours, ok := at(rows, p.Load, p.Overhead)
		if !ok {
			ours.Value, ours.Lo, ours.Hi = math.NaN(), math.NaN(), math.NaN()
		}
		list = append(list, figure.Beside(report.Compared{
			Quantity: fmt.Sprintf("%s, %d B at %d %% load: change", lower(m.Name), p.Overhead, p.Load), Unit: "%", Source: "PINT §2",
			Published: stats.Percent(p.Value), Ours: stats.Percent(ours.Value), Lo: stats.Percent(ours.Lo), Hi: stats.Percent(ours.Hi),
		}))
	}
	return list
}
