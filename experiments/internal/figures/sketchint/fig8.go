package sketchint

import (
	"context"
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/sketch"
	"pintlab/experiments/results/stats"
	"pintlab/internal/number"
	"pintlab/plots"
	"pintlab/plots/report"
)

// Fig8 is Figure 8 of SketchINT (§VII-C). It shows the cost of the collection against the error of the latencies. The
// cost is in bytes and packets, divided by the cost of INT in passport mode. Some runs have the MTU of the SketchINT
// paper. They are the TowerCU runs of Fig. 7 and runs with two more memories. Other runs have as many packets as the
// paper.
var Fig8 = figure.Of[sketch.SystemScale, costRow]{
	Name:    "sketchint/fig8",
	Files:   files,
	Scales:  sketch.SystemScales,
	Measure: measureCost,
	Check:   checkCost,
	Ours:    map[string]figure.Ours[costRow]{"bandwidth": cheapestRow, "packets": cheapestRow, "orders": cheapestRow},
	Tables:  costTables,
	Draw:    drawCost,
}.Figure()

// costRow is a line of rows.csv: the mean over the seeds for one memory and variant.
type costRow struct {
	Heavy     int          `col:"memory" unit:"B"` // memory of the heavy tasks, at the paper's scale
	Latency   int          `col:"latency_memory" unit:"B"`
	Variant   string       `col:"variant"`                                      // "", or one of sketch.MorePackets
	Error     stats.Number `col:"are,are_lo,are_hi"`                            // ARE of the latencies
	Bandwidth stats.Number `col:"bandwidth,bandwidth_lo,bandwidth_hi" unit:"%"` // relative to passport mode
	Packets   stats.Number `col:"packets,packets_lo,packets_hi" unit:"%"`       // likewise
	Missing   int          `col:"missing"`                                      // frames, lost or late
	Seeds     int          `col:"seeds"`
}

func measureCost(ctx context.Context, j *figure.Job, z sketch.SystemScale) ([]costRow, error) {
	variants := []sketch.Variant{{}}
	if len(z.Variants()) > 0 {
		variants = append(variants, sketch.MorePackets)
	}
	var points []sketch.SystemPoint
	for _, v := range variants {
		for _, m := range z.AllMemories() {
			points = append(points, sketch.SystemPoint{Sketch: sketch.TowerCU, Memory: m, Variant: v})
		}
	}
	answers, err := sketch.MeasureSystem(ctx, j, z, points)
	if err != nil {
		return nil, err
	}
	rows := make([]costRow, len(answers))
	for i := range answers {
		a := &answers[i]
		e := a.Numbers["latency"]
		rows[i] = costRow{
			Heavy: a.Memory.Heavy, Latency: a.Memory.Latency, Variant: a.Variant.Name, Error: e,
			Bandwidth: a.Numbers["bandwidth"].Times(100), Packets: a.Numbers["packets"].Times(100), Missing: a.Missing,
			Seeds: e.Seeds,
		}
	}
	return rows, nil
}

// publishedError is a bound on the ARE. According to the SketchINT paper, 3 % of the bandwidth and 0.03 % of the
// packets suffice for an ARE below this bound: "only 3% NB and 0.03% NPN can achieve < 5% ARE".
const publishedError = 0.05

// cheapest returns the row with the lowest bandwidth among the rows whose error, with its whole interval, is below
// publishedError. It returns nil if there is no such row.
func cheapest(rows []costRow) *costRow {
	var best *costRow
	for i := range rows {
		if r := &rows[i]; r.Error.Value < publishedError && !(r.Error.Hi >= publishedError) &&
			(best == nil || r.Bandwidth.Value < best.Bandwidth.Value) {
			best = r
		}
	}
	return best
}

// costs lists the variants of the rows: "" has the MTU of the SketchINT paper, and MorePackets has the paper's number
// of packets.
var costs = []string{"", sketch.MorePackets.Name}

// of returns the rows of a variant.
func of(variant string, rows []costRow) []costRow {
	return figure.Pick(rows, func(r *costRow) bool { return r.Variant == variant })
}

func checkCost(all []costRow) (list []figure.Finding) {
	for _, v := range costs {
		rows := of(v, all)
		if len(rows) < 2 {
			continue
		}
		falls, rises := true, false
		for i := 1; i < len(rows); i++ {
			less, more := &rows[i-1], &rows[i]
			falls = falls && more.Error.Under(1, less.Error) && less.Bandwidth.Under(1, more.Bandwidth)
			rises = rises || less.Error.Under(1, more.Error)
		}
		first, last := rows[0], rows[len(rows)-1]
		list = append(list, figure.Judge(panelOf("the error falls as the bandwidth grows", v), falls, rises,
			"%s at %s %%, %s at %s %%",
			number.Digits(first.Error.Value, 3), number.Digits(first.Bandwidth.Value, 3),
			number.Digits(last.Error.Value, 3), number.Digits(last.Bandwidth.Value, 3)).Own())
	}
	return list
}

// cheapestRow returns a number of the cheapest row of a variant. p.Panel names the variant, and p.Ours names the
// number. If every row certainly has an error above publishedError, the result is the worst possible number. The
// paper scale has no variants; there, stored measurements replace them.
func cheapestRow(all []costRow, p *figure.Published, c *report.Compared) stats.Number {
	rows, where := of(p.Panel, all), "least with an ARE below 5 %"
	if len(rows) == 0 && p.Panel != "" {
		c.Quantity = fmt.Sprintf(c.Quantity, where)
		return stored[costRow]("sketchint/fig8", p.Panel)(all, p, c)
	}
	quantity := map[string]func(*costRow) stats.Number{
		"bandwidth": func(r *costRow) stats.Number { return r.Bandwidth },
		"packets":   func(r *costRow) stats.Number { return r.Packets },
		"orders": func(r *costRow) stats.Number {
			n := r.Packets
			return stats.Number{Value: orders(n.Value), Lo: orders(n.Hi), Hi: orders(n.Lo)}
		},
	}[p.Ours]
	ours := stats.None()
	best := cheapest(rows)
	switch {
	case best != nil:
		memory := sketch.SizeOf(float64(best.Latency))
		where += " (" + memory + ")"
		if x := printedOf("latency", "Tower", best.Latency); x != nil {
			where = fmt.Sprintf("least with an ARE below 5 %% (%s, where Fig. 7 prints an ARE of %g)", memory, x.Value)
		}
		ours, c.Over = quantity(best), figure.Count(best.Seeds, "seed")
	case len(rows) > 0 && !slices.ContainsFunc(rows, func(r costRow) bool { return !r.Error.Above(publishedError) }):
		worst := math.Inf(1)
		if p.Ours == "orders" {
			worst = math.Inf(-1)
		}
		ours = stats.Exactly(worst)
	}
	c.Quantity = fmt.Sprintf(c.Quantity, where)
	return ours
}

// orders returns the number of orders of magnitude by which a share, in percent, is below 100 %.
func orders(percent float64) float64 { return math.Log10(100 / percent) }

func costTables(rows []costRow) []figure.Table {
	return []figure.Table{figure.Show("rows", rows, "heavy tasks=memory", "latencies=latency_memory", "variant",
		figure.Text("ARE of the latencies", func(r costRow) string { return r.Error.Format(3) }), "bandwidth",
		"packets", "frames missing=missing")}
}

func drawCost(rows []costRow) ([]figure.Drawing, error) {
	f := plots.Figure{Title: "Cost of the collection"}
	for _, x := range []struct {
		label     string
		published float64
		of        func(*costRow) stats.Number
	}{
		{"Bandwidth over passport INT", 3, func(r *costRow) stats.Number { return r.Bandwidth }},
		{"Packets over passport INT", 0.03, func(r *costRow) stats.Number { return r.Packets }},
	} {
		var series []plots.Series
		for _, v := range costs {
			s := plots.Series{Name: panelOf("SketchINT", v), Style: plots.Line}
			series = append(series, figure.Ranges(s, of(v, rows), func(r *costRow) (_, _, _, _ float64) {
				return x.of(r).Value, r.Error.Value, r.Error.Lo, r.Error.Hi
			}))
		}
		printed := plots.Series{
			Name: "SketchINT", Style: plots.Points, Published: true, X: []float64{x.published},
			Y: []float64{publishedError},
		}
		f.Panels = append(f.Panels, plots.Panel{
			X:      figure.Linear(x.label, "%"),
			Y:      figure.Log("ARE of latencies", ""),
			Series: figure.Drawn(append(series, printed)...),
		})
	}
	return []figure.Drawing{{Name: "cost", Plot: f}}, nil
}
