package fig11

import (
	_ "embed" // for known.csv
	"fmt"
	"slices"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/congestion"
	"pintlab/experiments/results/stats"
	"pintlab/plots"
)

func tables(rows []Row) []figure.Table {
	var list []figure.Table
	for _, x := range []struct {
		table, caption string
		what           func(Row) string
	}{
		{paths, "Packets until the path is known, of flows that are long enough",
			func(r Row) string { return r.Measure }},
		{latencies, "Relative error of latency quantiles, mean over flows and hops",
			func(r Row) string { return fmt.Sprintf("quantile %g, %s", r.Quantile, r.Measure) }},
		{known, "Share of the flows whose path is known when they end, by their number of packets", packetsOf},
		{changes, "p95 slowdown of the combined plan over HPCC alone, by flow size",
			func(r Row) string { return "up to " + plots.FormatValue(r.Size, plots.InBytes, 3) }},
		{plans, "Share of the packets that serve a query", func(r Row) string { return r.Measure }},
	} {
		of := figure.Pick(rows, func(r *Row) bool { return r.Table == x.table })
		list = append(list, figure.Show(x.caption, of, "workload", "scheme", figure.Text("what", x.what), "value", "lo",
			"hi", "p99:=p99", "flows"))
	}
	return list
}

// packetsOf returns a class of flows by their number of packets.
func packetsOf(r Row) string {
	switch {
	case r.From == 1 && r.To == 0:
		return "all flows"
	case r.To == 0:
		return fmt.Sprintf("more than %d", r.From-1)
	case r.From == r.To:
		return fmt.Sprint(r.From)
	}
	return fmt.Sprintf("%d–%d", r.From, r.To)
}

func draw(rows []Row) ([]figure.Drawing, error) {
	var points []figure.CurvePoint
	for _, r := range rows {
		if r.Table == slowdowns {
			points = append(points, figure.CurvePoint{Scheme: r.Scheme, Sized: stats.Sized{
				Size: r.Size, Share: r.Share, Number: stats.Number{Value: r.Value, Lo: r.Lo, Hi: r.Hi, Flows: r.Flows},
			}})
		}
	}
	return []figure.Drawing{
		figure.Drawing{Name: "slowdown", Title: "Fig. 11: HPCC in the combined plan and alone",
			Caption: "95th-percentile slowdown by flow size, Hadoop: HPCC on 1/16 of the packets in the combined " +
				"plan, and alone on every packet."}.With(figure.Slowdowns(points)),
		{Name: "queries", Title: "Fig. 11: latency and path tracing in the combined plan and alone",
			Caption: "Relative error of latency quantiles, and packets until the path is known, " +
				"in the combined plan and alone; Hadoop, the same packets.",
			Plot: plots.Figure{Panels: []plots.Panel{latencyPanel(rows), pathPanel(rows)}}},
		{Name: "known", Title: "Flows whose path is known when they end",
			Caption: "Share of the flows whose path is known when their last byte arrives, by their number of packets.",
			Plot: plots.Figure{Panels: []plots.Panel{knownPanel(rows, congestion.Hadoop.Name),
				knownPanel(rows, congestion.Web.Name)}}},
	}, nil
}

// bars draws a series of bars for each arm, from the rows that keep chooses. place returns the category of a row;
// values are multiplied by factor.
func bars(rows []Row, arms []string, factor float64, keep func(*Row) bool, place func(*Row) int) (list []plots.Series) {
	for _, arm := range arms {
		of := figure.Pick(rows, func(r *Row) bool { return r.Scheme == arm && keep(r) })
		list = append(list,
			figure.Ranges(plots.Series{Name: arm, Style: plots.Bar}, of, func(r *Row) (x, y, lo, hi float64) {
				return float64(place(r)), factor * r.Value, factor * r.Lo, factor * r.Hi
			}))
	}
	return list
}

// tracing are the arms that trace paths.
var tracing = []string{armCombined, armOneHash, armTopology, armPath}

func latencyPanel(rows []Row) plots.Panel {
	return plots.Panel{
		Title: "Latency",
		X:     plots.Axis{Label: "Quantile", Scale: plots.Categorical, Categories: []string{"median", "p99"}},
		Y:     plots.Axis{Label: "Relative error (100 ns or more)", Unit: "%", Scale: plots.Linear, Min: plots.At(0)},
		Series: bars(rows, []string{armCombined, armLatency}, 100, func(r *Row) bool {
			return r.Table == latencies && r.Workload == congestion.Hadoop.Name && r.Measure == ofWaits
		}, func(r *Row) int { return slices.Index(quantiles, r.Quantile) }),
	}
}

func pathPanel(rows []Row) plots.Panel {
	names := []string{congestion.Hadoop.Name, congestion.Web.Name}
	return plots.Panel{
		Title: "Path", X: plots.Axis{Label: "Workload", Scale: plots.Categorical, Categories: names},
		Y: plots.Axis{Label: "Packets until it is known", Scale: plots.Linear},
		Series: bars(rows, tracing, 1, func(r *Row) bool { return r.Table == paths },
			func(r *Row) int { return slices.Index(names, r.Workload) }),
	}
}

func knownPanel(rows []Row, workload string) plots.Panel {
	of := figure.Pick(rows, func(r *Row) bool { return r.Table == known && r.Workload == workload })
	p := plots.Panel{
		Title: workload, X: plots.Axis{Label: "Packets of the flow", Scale: plots.Categorical},
		Y: plots.Axis{Label: "Flows with known path", Unit: "%", Scale: plots.Linear, Min: plots.At(0),
			Max: plots.At(100)},
	}
	for _, r := range of {
		if class := packetsOf(r); !slices.Contains(p.X.Categories, class) {
			p.X.Categories = append(p.X.Categories, class)
		}
	}
	p.Series = bars(of, tracing, 100, func(*Row) bool { return true },
		func(r *Row) int { return slices.Index(p.X.Categories, packetsOf(*r)) })
	return p
}
