package fridge

import (
	"math"
	"slices"

	"pintlab/experiments/figures/cc/contest"
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/results/stats"
	"pintlab/plots"
)

// line is what a signal does in a case.
type line struct {
	Case    string  `col:"control and traffic"`
	Signal  string  `col:"signal"`
	P99     float64 `col:"p99 slowdown"`
	Change  string  `col:"against host"`
	Goodput float64 `col:"goodput above 1 MB" unit:"Gb/s"`
	Queue   float64 `col:"p99 of queues" unit:"KB"`
	Told    float64 `col:"ACKs with estimate" unit:"%"`
	Bias    float64 `col:"bias" unit:"%"`
	Apart   float64 `col:"mean error" unit:"%"`
	Silent  float64 `col:"round trips without over with"`
}

// bySize is a bucket of flows of a case.
type bySize struct {
	Case   string  `col:"control and traffic"`
	Signal string  `col:"signal"`
	Size   float64 `col:"flows up to" unit:"B"`
	P50    float64 `col:"p50"`
	P95    float64 `col:"p95"`
	P99    float64 `col:"p99"`
	Change string  `col:"p95 against host"`
	Flows  int     `col:"flows"`
}

func tables(rows []Row) []figure.Table {
	var lines []line
	var sizes []bySize
	for _, c := range contest.Cases(rows) {
		for _, s := range signals {
			value := func(quantity string) float64 {
				if r := contest.Pick(rows, c, s.name, "", quantity); len(r) == 1 {
					return r[0].Value
				}
				return math.NaN()
			}
			change := func(quantity string, i int) string {
				if r := contest.Pick(rows, c, s.name, host.name, quantity); i < len(r) {
					return r[i].Change()
				}
				return ""
			}
			lines = append(lines, line{
				Case: c, Signal: s.name, P99: value(all99), Change: change(all99, 0), Goodput: value(goodput) / 1e9, Queue: value(queue) / 1e3,
				Told: 100 * value(told), Bias: stats.Percent(value(bias)), Apart: 100 * value(apart), Silent: value(silent),
			})
			median, high, highest := contest.Pick(rows, c, s.name, "", p50), contest.Pick(rows, c, s.name, "", p95), contest.Pick(rows, c, s.name, "", p99)
			for i, m := range median {
				sizes = append(sizes, bySize{c, s.name, m.Size, m.Value, high[i].Value, highest[i].Value, change(p95, i), m.Flows})
			}
		}
	}
	return []figure.Table{
		{Rows: lines, Caption: "What a signal does, and how good it is. Bias: estimates over what senders measure at the same ACKs."},
		{Rows: sizes, Caption: "Slowdown by flow size.", Folded: true},
	}
}

func draw(rows []Row) ([]figure.Drawing, error) {
	points := func(quantity, against string, but ...string) (list []figure.CurvePoint) {
		for _, r := range rows {
			if r.Quantity == quantity && r.Against == against && !slices.Contains(but, r.Scheme) {
				list = append(list, figure.CurvePoint{Panel: r.Case, Scheme: r.Scheme, Measured: r.Measured})
			}
		}
		return list
	}
	slowdown, err := figure.Slowdowns(points(p95, "", smallRaw.name, wholeRaw.name))
	if err != nil {
		return nil, err
	}
	slowdown.Title, slowdown.Columns = "TIMELY and Swift by round-trip times of the host and of the switch", 2
	change, err := figure.Changes(points(p95, host.name, smallRaw.name, wholeRaw.name, whole.name))
	if err != nil {
		return nil, err
	}
	change.Title, change.Columns = "What the signal of the switch changes", 2
	quality := plots.Figure{Title: "How good the signal is", Width: plots.PageWidth, Columns: 1, PanelHeight: 90}
	percent := slices.Clone(rows)
	for i := range percent {
		if r := &percent[i]; r.Quantity == bias || r.Quantity == silent {
			r.Value, r.Lo, r.Hi = stats.Percent(r.Value), stats.Percent(r.Lo), stats.Percent(r.Hi)
		} else if r.Quantity == told {
			r.Value, r.Lo, r.Hi = 100*r.Value, 100*r.Lo, 100*r.Hi
		}
	}
	for _, q := range []struct{ quantity, label string }{{told, "ACKs with estimate"}, {bias, "Bias"}, {silent, "RTT without"}} {
		quality.Panels = append(quality.Panels, contest.Bars(percent, q.quantity, plots.Axis{Label: q.label, Unit: "%", Scale: plots.Linear}))
	}
	return []figure.Drawing{
		{Name: "slowdown", Caption: "95th-percentile slowdown by flow size; ticks are equal shares of the flows apart. Uncorrected fridges are in the tables.", Plot: slowdown},
		{Name: "change", Caption: "The same with an estimate for each destination, or for each flow, relative to the host's own time stamps: below 0 flows are faster.", Plot: change},
		{Name: "signal", Caption: "Share of ACKs with an estimate; how far the mean estimate lies from the mean measurement of the same ACKs; how much longer the mean round trip of ACKs without an estimate is than that of ACKs with one.", Plot: quality},
	}, nil
}
