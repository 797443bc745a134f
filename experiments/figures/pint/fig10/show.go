package fig10

import (
	_ "embed" // for known.csv
	"fmt"
	"strings"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/results/columns"
	"pintlab/plots"
)

func tables(rows []Row) []figure.Table {
	t := table(rows)
	var list []figure.Table
	for _, n := range t.topologies() {
		hops := t.longest(n)
		list = append(list, figure.Show(fmt.Sprintf("%s, paths of %d switches", n, hops),
			figure.Pick(t.ours(n), func(r *Row) bool { return r.Hops == hops }),
			"curve", "scheme", "bits", "mean", "±:=half_width", "p99", "max", "failed",
			"can a switch compute it?=switch"))
	}
	list = append(list, figure.Show("What the printed numbers can come from: longest paths, "+
		"and the average over path lengths from 2 switches on",
		figure.Pick(t, func(r *Row) bool { return r.Group == reading }), "curve", "scheme", "mean", "±:=half_width",
		"p99",
		"over lengths=all_mean", "± over lengths=all_half_width", "wrong hops=wrong"))
	return append(list, figure.Show("Packets that are lost, repeat an identifier or arrive late, longest paths of "+
		t.topologies()[0]+
		"; packets are counted at the source when the path is known",
		figure.Pick(t, func(r *Row) bool { return r.Group == robust }),
		"curve", figure.Text("lost", func(r Row) string { return fmt.Sprintf("%g %%", 100*r.Loss) }),
		figure.Text("identifiers", func(r Row) string {
			if r.IDBits > 0 {
				return fmt.Sprintf("%d bits, at random", r.IDBits)
			}
			return "never repeat"
		}), "overtaken by up to:packets=reorder", "mean", "±:=half_width", "p99", "failed"))
}

func draw(rows []Row) ([]figure.Drawing, error) {
	t := table(rows)
	var list []figure.Drawing
	for _, d := range []struct {
		name, title, caption string
		keep                 func(*Row) bool
	}{
		{"fig10", "Fig. 10: packets until the path is known",
			"Average (a)–(c) and 99th percentile (d)–(f) of the packets until a path is known, by its length; " +
				"every switch of the network is a candidate.",
			func(r *Row) bool { return r.Group == document }},
		{"easier", "What the candidates are",
			"PINT's curves with every switch of the network as a candidate, and with the switches of the true path " +
				"alone, which no collector knows.",
			func(r *Row) bool { return (r.Group == document || r.Group == easier) && !isPeer(r.Curve) }},
		{"beyond", "A linear hash and a decoder that knows the network",
			"The same bits on each packet with a linear hash, and with a decoder that knows which switches are " +
				"neighbours, beside PINT's own.",
			func(r *Row) bool {
				return r.Group == beyond && !strings.HasSuffix(r.Curve, "published encoding") || r.Curve == bestPINT &&
					r.Group == document
			}},
	} {
		list = append(list, figure.Drawing{Name: d.name, Title: d.title, Caption: d.caption, Plot: t.panels(d.keep)})
	}
	return list, nil
}

// panels draws the averages above the 99th percentiles.
func (t table) panels(keep func(*Row) bool) plots.Figure {
	var points []plots.Point
	letter := 'a'
	for _, p99 := range []bool{false, true} {
		for _, n := range t.topologies() {
			name := fmt.Sprintf("(%c) %s, %s", letter, n, map[bool]string{false: "average", true: "p99"}[p99])
			letter++
			for _, r := range figure.Pick(t, func(r *Row) bool { return r.Topology == n && keep(r) }) {
				p := plots.Point{
					Panel: name, Series: r.Curve, Published: r.Source == "published",
					X: float64(r.Hops), Y: r.Mean, Lo: columns.Round(r.Mean - r.Half),
					Hi: columns.Round(r.Mean + r.Half),
				}
				if p99 {
					p.Y, p.Lo, p.Hi = r.P99, r.P99, r.P99
				}
				points = append(points, p)
			}
		}
	}
	return plots.Figure{Panels: plots.Panels(points, plots.Line,
		plots.Axis{Label: "Path length (hops)", Scale: plots.Linear, Whole: true},
		plots.Axis{Label: "Packets to decode", Scale: plots.Log, Min: plots.At(1)})}
}
