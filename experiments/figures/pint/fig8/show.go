package fig8

import (
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/pint/congestion"
	"pintlab/plots"
)

type line struct {
	Size    float64 `col:"flows up to" unit:"B"`
	Share   float64 `col:"share" unit:"%"`
	Every   float64 `col:"p = 1"`
	Some    float64 `col:"p = 1/16"`
	Few     float64 `col:"p = 1/256"`
	Change  string  `col:"1/16 against 1"`
	Changes string  `col:"1/256 against 1"`
	Flows   int     `col:"flows"`
}

func tables(all []Row) []figure.Table {
	rows := full(all)
	var list []figure.Table
	for _, w := range []congestion.Workload{congestion.Web, congestion.Hadoop} {
		var lines []line
		for _, r := range figure.Pick(rows, func(r *Row) bool { return r.Table == slowdowns && r.Workload == w.Name && r.Scheme == name(every) }) {
			l := line{Size: r.Size, Share: r.Share, Every: r.Value, Flows: r.Flows}
			for _, o := range figure.Pick(rows, func(o *Row) bool { return o.Workload == w.Name && o.Share == r.Share }) {
				some := o.Scheme == name(schemes[1])
				switch {
				case o.Table == slowdowns && some:
					l.Some = o.Value
				case o.Table == slowdowns && o.Scheme == name(schemes[2]):
					l.Few = o.Value
				case o.Table == changes && some:
					l.Change = o.Change()
				case o.Table == changes:
					l.Changes = o.Change()
				}
			}
			lines = append(lines, l)
		}
		list = append(list, figure.Table{Rows: lines, Caption: title(w.Name) + ": 95th-percentile slowdown by flow size and share p of packets with feedback."})
	}
	return list
}

func title(workload string) string {
	if workload == congestion.Web.Name {
		return "(a) Web search"
	}
	return "(b) Hadoop"
}

// curves are both panels of one of the tables.
func curves(rows []Row, table string) []figure.CurvePoint {
	var points []figure.CurvePoint
	for _, r := range rows {
		if r.Table == table {
			points = append(points, figure.CurvePoint{Panel: title(r.Workload), Scheme: r.Scheme, Measured: r.Measured})
		}
	}
	return points
}

func draw(all []Row) ([]figure.Drawing, error) {
	rows := full(all)
	main, err := figure.Slowdowns(curves(rows, slowdowns))
	if err != nil {
		return nil, err
	}
	main.Title = "Fig. 8: slowdown by share p of packets with feedback, 50 % load"
	change, err := figure.Changes(curves(rows, changes))
	if err != nil {
		return nil, err
	}
	change.Title = "Against feedback on every packet"
	drawings := []figure.Drawing{
		{Name: "fig8", Caption: "95th-percentile slowdown by flow size; ticks are 10 % of the flows apart.", Plot: main},
		{Name: "change", Caption: "The same, relative to p = 1: above 0 flows are slower.", Plot: change},
	}
	if len(rows) < len(all) { // runs of one length say nothing about length
		drawings = append(drawings, drawLength(all))
	}
	return drawings, nil
}

// drawLength shows how far each p is from p = 1, over all sizes, by length of the
// runs.
func drawLength(rows []Row) figure.Drawing {
	f := plots.Figure{Title: "Is it settled?"}
	for _, w := range []congestion.Workload{congestion.Web, congestion.Hadoop} {
		p := figure.ByLength("Mean change over the buckets", "%", 0)
		p.Title = title(w.Name)
		for _, sc := range schemes[1:] {
			s := plots.Series{Name: name(sc), Style: plots.Line}
			for _, r := range figure.Pick(rows, func(r *Row) bool { return r.Table == changes && r.Workload == w.Name && r.Scheme == name(sc) }) {
				// Rows come by length; each bucket counts alike.
				if n := len(s.X); n == 0 || s.X[n-1] != r.Arrival/1e3 {
					s.X, s.Y = append(s.X, r.Arrival/1e3), append(s.Y, 0)
				}
				buckets := figure.Pick(rows, func(o *Row) bool {
					return o.Table == changes && o.Workload == w.Name && o.Scheme == r.Scheme && o.Arrival == r.Arrival
				})
				s.Y[len(s.Y)-1] += 100 * math.Log(r.Value) / float64(len(buckets))
			}
			p.Series = append(p.Series, s)
		}
		f.Panels = append(f.Panels, p)
	}
	return figure.Drawing{Name: "length", Caption: "The mean change of the p95 slowdown for longer and longer runs.", Plot: f}
}
