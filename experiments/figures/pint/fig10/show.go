package fig10

import (
	"fmt"
	"strings"

	"pintlab/experiments/figures/figure"
	"pintlab/plots"
)

// line is a line of the tables.
type line struct {
	Curve  string  `col:"curve"`
	Scheme string  `col:"scheme"` // with τ and p
	Bits   int     `col:"bits" unit:"b"`
	Mean   float64 `col:"mean" unit:"packets"`
	Half   float64 `col:"±"`
	P99    float64 `col:"p99" unit:"packets"`
	Max    float64 `col:"max" unit:"packets"`
	Failed int     `col:"failed"`
	Switch string  `col:"can a switch compute it?"`
}

type robustLine struct {
	Curve  string  `col:"curve"`
	Loss   string  `col:"lost"`
	IDs    string  `col:"identifiers"`
	Late   int     `col:"overtaken by up to" unit:"packets"`
	Mean   float64 `col:"mean" unit:"packets"`
	Half   float64 `col:"±"`
	P99    float64 `col:"p99" unit:"packets"`
	Failed int     `col:"failed"`
}

func tables(rows []Row) []figure.Table {
	t := table(rows)
	var list []figure.Table
	for _, n := range t.topologies() {
		var lines []line
		hops := t.longest(n)
		for _, r := range t {
			if r.Source == "ours" && r.Group != robust && r.Topology == n && r.Hops == hops {
				lines = append(lines, line{r.Curve, r.Scheme, r.Bits, r.Mean, r.Half, r.P99, r.Max, r.Failed, r.Switch})
			}
		}
		list = append(list, figure.Table{Caption: fmt.Sprintf("%s, paths of %d switches", n, hops), Rows: lines})
	}
	var lines []robustLine
	for _, r := range t {
		if r.Group != robust {
			continue
		}
		ids := "never repeat"
		if r.IDBits > 0 {
			ids = fmt.Sprintf("%d bits, at random", r.IDBits)
		}
		lines = append(lines, robustLine{r.Curve, fmt.Sprintf("%g %%", 100*r.Loss), ids, r.Reorder, r.Mean, r.Half, r.P99, r.Failed})
	}
	return append(list, figure.Table{Caption: "Packets that are lost, repeat an identifier or arrive late, longest paths of " + t.topologies()[0] +
		"; packets are counted at the source when the path is known", Rows: lines})
}

// point is a point of the drawings.
type point struct {
	Panel  string  `col:"panel"`
	Scheme string  `col:"scheme"`
	Source string  `col:"source"`
	Hops   int     `col:"hops"`
	Value  float64 `col:"packets" unit:"packets"`
	Lo     float64 `col:"lo" unit:"packets"`
	Hi     float64 `col:"hi" unit:"packets"`
}

func draw(rows []Row) ([]figure.Drawing, error) {
	t := table(rows)
	var list []figure.Drawing
	for _, d := range []struct {
		name, title, caption string
		keep                 func(*Row) bool
	}{
		{"fig10", "Fig. 10: packets until the path is known",
			"Average (a)–(c) and 99th percentile (d)–(f) of the packets until a path is known, by its length; every switch of the network is a candidate.",
			func(r *Row) bool { return r.Group == document }},
		{"easier", "What the candidates are",
			"PINT's curves with every switch of the network as a candidate, and with the switches of the true path alone, which no collector knows.",
			func(r *Row) bool { return (r.Group == document || r.Group == easier) && !isPeer(r.Curve) }},
		{"beyond", "A linear hash and a decoder that knows the network",
			"The same bits on each packet with a linear hash, and with a decoder that knows which switches are neighbours, beside PINT's own.",
			func(r *Row) bool {
				return r.Group == beyond && !strings.HasSuffix(r.Curve, "published encoding") || r.Curve == bestPINT && r.Group == document
			}},
	} {
		plot, err := t.panels(d.keep)
		if err != nil {
			return nil, err
		}
		plot.Title = d.title
		list = append(list, figure.Drawing{Name: d.name, Caption: d.caption, Plot: plot})
	}
	return list, nil
}

// panels draws the averages above the 99th percentiles.
func (t table) panels(keep func(*Row) bool) (plots.Figure, error) {
	var points []point
	letter := 'a'
	for _, p99 := range []bool{false, true} {
		for _, n := range t.topologies() {
			name := fmt.Sprintf("(%c) %s, average", letter, n)
			if p99 {
				name = fmt.Sprintf("(%c) %s, p99", letter, n)
			}
			letter++
			for i := range t {
				r := &t[i]
				if r.Topology != n || !keep(r) {
					continue
				}
				p := point{name, r.Curve, r.Source, r.Hops, r.Mean, r.Mean - r.Half, r.Mean + r.Half}
				if p99 {
					p.Value, p.Lo, p.Hi = r.P99, r.P99, r.P99
				}
				points = append(points, p)
			}
		}
	}
	f, err := figure.Plot(plots.DecodeByPathLength, points, plots.Mapping{})
	for i := range f.Panels {
		f.Panels[i].Y.Scale, f.Panels[i].Y.Min = plots.Log, plots.At(1)
	}
	return f, err
}
