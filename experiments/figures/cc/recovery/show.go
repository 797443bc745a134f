package recovery

import (
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/figures/cc/contest"
	"pintlab/experiments/figures/figure"
	"pintlab/plots"
)

// line is a scheme at a loss rate.
type line struct {
	Loss     float64 `col:"loss of a link" unit:"%"`
	Scheme   string  `col:"scheme"`
	Mean     float64 `col:"mean slowdown"`
	P99      float64 `col:"p99"`
	Short    float64 `col:"p99 up to 100 KB"`
	Again    float64 `col:"sent again" unit:"%"`
	Timeouts float64 `col:"timeouts for 1000 flows"`
	Against  string  `col:"mean against"`
	Change   string  `col:"change"`
}

func tables(rows []Row) []figure.Table {
	var list []figure.Table
	for _, c := range []string{rdma, reno.of, cubic.of} {
		var lines []line
		for _, loss := range losses {
			at := figure.Pick(rows, func(r *Row) bool { return r.X == loss && r.Case == c })
			for _, s := range schemes {
				value := func(quantity string) float64 {
					if r := contest.Pick(at, c, s.name, "", quantity); len(r) == 1 {
						return r[0].Value
					}
					return math.NaN()
				}
				if s.of != c || math.IsNaN(value(mean)) {
					continue
				}
				l := line{Loss: loss, Scheme: s.name, Mean: value(mean), P99: value(p99), Short: value(short99), Again: 100 * value(again), Timeouts: value(timeouts)}
				if len(s.against) > 0 {
					if r := contest.Pick(at, c, s.name, s.against[0], mean); len(r) == 1 {
						l.Against, l.Change = s.against[0], r[0].Change()
					}
				}
				lines = append(lines, l)
			}
		}
		list = append(list, figure.Table{Rows: lines, Caption: c + ": slowdown and what is sent again, by loss rate."})
	}
	return list
}

func draw(rows []Row) ([]figure.Drawing, error) {
	// Loss rates stand side by side: 0 has no place on a logarithmic axis.
	placed := slices.Clone(rows)
	x := plots.Axis{Label: "Packets that a link loses", Unit: "%", Scale: plots.Linear}
	for i, loss := range losses {
		x.Ticks = append(x.Ticks, plots.Tick{At: float64(i), Label: fmt.Sprint(loss)})
	}
	for i := range placed {
		placed[i].X = float64(slices.Index(losses, placed[i].X))
	}
	of := func(quantity, label string) plots.Figure {
		return plots.Figure{
			Title: label, Columns: 3, Width: plots.PageWidth,
			Panels: contest.Panels(placed, quantity, x, plots.Axis{Label: label, Scale: plots.Log}),
		}
	}
	return []figure.Drawing{
		{Name: "mean", Caption: "Mean slowdown of all flows by the loss rate of links. Go-back-N without PFC is run up to 0.01 %.", Plot: of(mean, "Mean slowdown")},
		{Name: "short", Caption: "99th percentile of the slowdown of flows up to 100 KB.", Plot: of(short99, "p99 slowdown up to 100 KB")},
	}, nil
}
