package overhead

import (
	"fmt"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/plots"
	"pintlab/plots/report"
)

// at is our row of the figure at a load and an overhead.
func at(rows []Row, load, overhead int) (Row, bool) {
	for _, r := range rows {
		if r.Table == Overhead && r.Source == "ours" && r.Load == load && r.Overhead == overhead {
			return r, true
		}
	}
	return Row{}, false
}

// Check holds the rows against what both figures claim. sign is +1 if overhead makes
// the measure grow, -1 if it makes it shrink.
func Check(t *plots.Table, sign float64) ([]figure.Finding, error) {
	rows, err := figure.Decode[Row](t)
	if err != nil {
		return nil, err
	}
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
			"48 B %s, 108 B %s", figure.Change(a.Value, a.Lo, a.Hi), figure.Change(b.Value, b.Lo, b.Hi)))
	}
	low, okL := at(rows, 30, 108)
	high, okH := at(rows, 70, 108)
	statement := "108 B cost more at 70 % load than at 30 %"
	if !okL || !okH {
		return append(list, figure.Judge(statement, false, false, "too few flows")), nil
	}
	l, h := interval(low, sign), interval(high, sign)
	list = append(list, figure.Judge(statement, h[0] > l[1], h[1] < l[0], "%s and %s",
		figure.Change(high.Value, high.Lo, high.Hi), figure.Change(low.Value, low.Lo, low.Hi)))
	if high.Lo > 0 { // has an interval
		share := math.Abs(high.Value - 1)
		list = append(list, figure.Judge("108 B at 70 % load cost more than the 7.2 % of bytes that they add", h[0] > 108.0/packet, h[1] < 108.0/packet,
			"%.1f %%", 100*share))
	}
	return list, nil
}

// interval is how much overhead costs, at least and at most.
func interval(r Row, sign float64) [2]float64 {
	lo, hi := sign*(r.Lo-1), sign*(r.Hi-1)
	return [2]float64{math.Min(lo, hi), math.Max(lo, hi)}
}

// Compare puts what the document prints beside ours.
func (m Metric) Compare(t *plots.Table) ([]report.Compared, error) {
	rows, err := figure.Decode[Row](t)
	if err != nil {
		return nil, err
	}
	var list []report.Compared
	for _, p := range rows {
		if p.Source != "published" {
			continue
		}
		ours, ok := at(rows, p.Load, p.Overhead)
		if !ok {
			ours.Value, ours.Lo, ours.Hi = math.NaN(), math.NaN(), math.NaN()
		}
		c := report.Compared{
			Quantity: fmt.Sprintf("%s, %d B at %d %% load: change", lower(m.Name), p.Overhead, p.Load), Unit: "%",
			Published: 100 * (p.Value - 1), Ours: 100 * (ours.Value - 1), Lo: 100 * (ours.Lo - 1), Hi: 100 * (ours.Hi - 1),
			Source: "PINT §2", Outcome: report.Deviates,
		}
		switch {
		case !ok || math.IsNaN(ours.Lo):
			c.Outcome = report.Neutral
		case ours.Lo <= p.Value && p.Value <= ours.Hi:
			c.Outcome = report.Holds
		case (ours.Lo-1)*(p.Value-1) < 0 && (ours.Hi-1)*(p.Value-1) < 0:
			c.Outcome = report.Fails
		}
		list = append(list, c)
	}
	return list, nil
}
