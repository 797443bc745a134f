package pint

import (
	"fmt"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/results/columns"
	"pintlab/internal/number"
	"pintlab/plots"
)

func pathTables(rows []pathRow) []figure.Table {
	t := pathRows(rows)
	var list []figure.Table
	for _, n := range t.topologies() {
		hops := t.longest(n)
		list = append(list, figure.Show("longest paths",
			figure.Pick(t.ours(n), func(r *pathRow) bool { return r.Hops == hops }),
			"curve", "scheme", "bits", "mean", "±:=half_width", "p99", "max", "failed",
			"can a switch compute it?=switch").With(n, hops))
	}
	list = append(list, figure.Show("readings of the numbers",
		figure.Pick(t, func(r *pathRow) bool { return r.Group == reading }), "curve", "scheme", "mean", "±:=half_width",
		"p99",
		"over lengths=all_mean", "± over lengths=all_half_width", "wrong hops=wrong"))
	return append(list, figure.Show("faults of delivery",
		figure.Pick(t, func(r *pathRow) bool { return r.Group == robust }),
		"curve", figure.Text("lost", func(r pathRow) string { return number.Share(r.Loss) }),
		figure.Text("identifiers", func(r pathRow) string {
			if r.IDBits > 0 {
				return fmt.Sprintf("%d bits, at random", r.IDBits)
			}
			return "never repeat"
		}), "overtaken by up to:packets=reorder", "mean", "±:=half_width", "p99", "failed").With(t.topologies()[0]))
}

func drawPaths(rows []pathRow) ([]figure.Drawing, error) {
	t := pathRows(rows)
	var list []figure.Drawing
	for _, d := range []struct {
		name, title string
		keep        func(*pathRow) bool
	}{
		{"fig10", "Fig. 10: packets until the path is known", func(r *pathRow) bool { return r.Group == document }},
		{"easier", "What the candidates are",
			func(r *pathRow) bool { return (r.Group == document || r.Group == easier) && !isPeer(r.Curve) }},
		{"beyond", "A linear hash and a decoder that knows the network",
			func(r *pathRow) bool {
				return r.Group == beyond && !strings.HasSuffix(r.Curve, "published encoding") || r.Curve == bestPINT &&
					r.Group == document
			}},
	} {
		list = append(list, figure.Drawing{Name: d.name, Title: d.title, Caption: d.name, Plot: t.panels(d.keep)})
	}
	return list, nil
}

// panels draws the averages above the 99th percentiles.
func (t pathRows) panels(keep func(*pathRow) bool) plots.Figure {
	var points []plots.Point
	letter := 'a'
	for _, p99 := range []bool{false, true} {
		for _, n := range t.topologies() {
			name := fmt.Sprintf("(%c) %s, %s", letter, n, map[bool]string{false: "average", true: "p99"}[p99])
			letter++
			for _, r := range figure.Pick(t, func(r *pathRow) bool { return r.Topology == n && keep(r) }) {
				p := plots.Point{
					Panel: name, Series: r.Curve, Published: r.Source == "published",
					X: float64(r.Hops), Y: r.Mean, Lo: columns.Round(r.Mean - r.Half),
					Hi: columns.Round(r.Mean + r.Half),
				}
				if p99 {
					p.Y, p.Lo, p.Hi = r.P99.Value, r.P99.Value, r.P99.Value
				}
				points = append(points, p)
			}
		}
	}
	return plots.Figure{Panels: plots.Panels(points, plots.Line,
		plots.Axis{Label: "Path length (hops)", Scale: plots.Linear, Whole: true},
		plots.Axis{Label: "Packets to decode", Scale: plots.Log, Min: plots.At(1)})}
}
