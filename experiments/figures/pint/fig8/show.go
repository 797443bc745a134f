package fig8

import (
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/comparison"
	"pintlab/experiments/measure/congestion"
	"pintlab/plots"
)

func tables(all []comparison.Row) []figure.Table {
	some, few := name(schemes[1]), name(schemes[2])
	var list []figure.Table
	for _, w := range []congestion.Workload{congestion.Web, congestion.Hadoop} {
		rows := figure.Pick(full(all), func(r *comparison.Row) bool { return r.Case == w.Name })
		list = append(list, figure.Lines(title(w.Name)+": 95th-percentile slowdown by flow size and share p of packets with feedback.", figure.ByBuckets(rows),
			figure.UpTo("flows up to"), figure.Share("share"), figure.OfScheme("p = 1", name(every)), figure.OfScheme("p = 1/16", some), figure.OfScheme("p = 1/256", few),
			figure.OfPair("1/16 against 1", some, name(every)), figure.OfPair("1/256 against 1", few, name(every)), figure.Flows("flows", "")))
	}
	return list
}

func title(workload string) string {
	if workload == congestion.Web.Name {
		return "(a) Web search"
	}
	return "(b) Hadoop"
}

// curves returns both panels of one of the tables.
func curves(rows []comparison.Row, table string) []figure.CurvePoint {
	of := figure.Pick(rows, func(r *comparison.Row) bool { return r.Table == table })
	return figure.Curves(of, func(r *comparison.Row) (string, string) { return title(r.Case), r.Scheme })
}

func draw(all []comparison.Row) ([]figure.Drawing, error) {
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
func drawLength(rows []comparison.Row) figure.Drawing {
	f := plots.Figure{Title: "Is it settled?"}
	for _, w := range []congestion.Workload{congestion.Web, congestion.Hadoop} {
		p := figure.ByLength("Mean change over the buckets", "%", 0)
		p.Title = title(w.Name)
		for _, sc := range schemes[1:] {
			s := plots.Series{Name: name(sc), Style: plots.Line}
			for _, r := range figure.Pick(rows, func(r *comparison.Row) bool { return r.Table == changes && r.Case == w.Name && r.Scheme == name(sc) }) {
				// Rows come by length; each bucket counts alike.
				if n := len(s.X); n == 0 || s.X[n-1] != r.X/1e3 {
					s.X, s.Y = append(s.X, r.X/1e3), append(s.Y, 0)
				}
				buckets := figure.Pick(rows, func(o *comparison.Row) bool {
					return o.Table == changes && o.Case == w.Name && o.Scheme == r.Scheme && o.X == r.X
				})
				s.Y[len(s.Y)-1] += 100 * math.Log(r.Value) / float64(len(buckets))
			}
			p.Series = append(p.Series, s)
		}
		f.Panels = append(f.Panels, p)
	}
	return figure.Drawing{Name: "length", Caption: "The mean change of the p95 slowdown for longer and longer runs.", Plot: f}
}
