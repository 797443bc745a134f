package sketchint

import (
	"context"
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/figures/figure"
	system "pintlab/experiments/measure/sketchint"
	"pintlab/internal/lists"
	"pintlab/plots"
	"pintlab/plots/report"
)

// Fig8 is Figure 8 of SketchINT (§VII-C): what the collection costs, in bytes and packets over
// those of INT in passport mode, against the error of the latencies.
//
// The runs are those of Fig. 7 with TowerCU, and ten more.
var Fig8 = figure.Of[system.Scale, costRow]{
	Name:    "sketchint/fig8",
	Title:   "Bandwidth and packets of SketchINT over those of passport INT",
	Source:  "SketchINT §VII-C, Fig. 8 (a) and (b)",
	Claim:   "3 % of the bandwidth of INT in passport mode and 0.03 % of its packets are enough for latencies with an ARE below 5 %.",
	Scales:  system.Scales,
	Measure: measureCost,
	Check:   checkCost,
	Compare: compareCost,
	Tables:  costTables,
	Draw:    drawCost,
	Why: []string{
		"Passport mode mirrors each packet without its payload: 58 B of headers and the INT layer, 8 B on the shortest paths and 32 B on the longest. The SketchINT paper does not say how many bytes its mirrored packets have.",
		"The bytes of a shipment are those of both sketches and both tables, as they travel in frames of 9000 B through the network that they measure. " +
			"Errors of latencies are below the SketchINT paper's at the same memory (Fig. 7 deviates there), so that fewer bytes are enough: that the shares hold rests on these errors.",
	},
}.Figure()

// costRow is a line of rows.csv: one memory, mean over the seeds with 95 % intervals (NaN for
// one seed).
type costRow struct {
	Heavy       int     `col:"memory" unit:"B"` // of an agent's sketch for the heavy tasks, at the SketchINT paper's scale
	Latency     int     `col:"latency_memory" unit:"B"`
	Error       float64 `col:"are"` // of the latencies
	ErrorLo     float64 `col:"are_lo"`
	ErrorHi     float64 `col:"are_hi"`
	Bandwidth   float64 `col:"bandwidth" unit:"%"` // of passport mode
	BandwidthLo float64 `col:"bandwidth_lo" unit:"%"`
	BandwidthHi float64 `col:"bandwidth_hi" unit:"%"`
	Packets     float64 `col:"packets" unit:"%"` // of passport mode
	PacketsLo   float64 `col:"packets_lo" unit:"%"`
	PacketsHi   float64 `col:"packets_hi" unit:"%"`
	Missing     int     `col:"missing"` // frames that were lost or late, in all seeds
	Seeds       int     `col:"seeds"`
}

func measureCost(ctx context.Context, j *figure.Job, z system.Scale) ([]costRow, error) {
	points := lists.Map(z.AllMemories(), func(m system.Memory) system.Point { return system.Point{Sketch: system.TowerCU, Memory: m} })
	answers, err := system.Measure(ctx, j, z, points)
	if err != nil {
		return nil, err
	}
	rows := make([]costRow, len(answers))
	for i := range answers {
		a := &answers[i]
		e, b, p := a.Numbers["latency"], a.Numbers["bandwidth"], a.Numbers["packets"]
		rows[i] = costRow{
			Heavy: a.Memory.Heavy, Latency: a.Memory.Latency, Error: e.Value, ErrorLo: e.Lo, ErrorHi: e.Hi,
			Bandwidth: 100 * b.Value, BandwidthLo: 100 * b.Lo, BandwidthHi: 100 * b.Hi,
			Packets: 100 * p.Value, PacketsLo: 100 * p.Lo, PacketsHi: 100 * p.Hi, Missing: a.Missing, Seeds: e.Seeds,
		}
	}
	return rows, nil
}

// The SketchINT paper: "only 3% NB and 0.03% NPN can achieve < 5% ARE".
const (
	publishedError     = 0.05
	publishedBandwidth = 3    // %
	publishedPackets   = 0.03 // %
)

// cheapest returns the row with the least bandwidth whose error is below that of the SketchINT paper, with all of its interval; nil without
// one.
func cheapest(rows []costRow) *costRow {
	var best *costRow
	for i := range rows {
		if r := &rows[i]; r.Error < publishedError && !(r.ErrorHi >= publishedError) && (best == nil || r.Bandwidth < best.Bandwidth) {
			best = r
		}
	}
	return best
}

func checkCost(rows []costRow) []figure.Finding {
	if len(rows) < 2 {
		return nil
	}
	falls, rises := true, false
	for i := 1; i < len(rows); i++ {
		less, more := &rows[i-1], &rows[i]
		falls = falls && more.ErrorHi < less.ErrorLo && more.BandwidthLo > less.BandwidthHi
		rises = rises || more.ErrorLo > less.ErrorHi
	}
	first, last := rows[0], rows[len(rows)-1]
	return []figure.Finding{figure.Judge("the error falls as the bandwidth grows", falls, rises,
		"%.3g at %.3g %%, %.3g at %.3g %%", first.Error, first.Bandwidth, last.Error, last.Bandwidth).Own()}
}

func compareCost(rows []costRow) []report.Compared {
	best := cheapest(rows)
	where := "least with an ARE below 5 %"
	if best != nil {
		where += fmt.Sprintf(" (%s)", plots.FormatValue(float64(best.Latency), plots.InBytes, 3))
		if p := figure.Find(printedRows, func(p *printedRow) bool {
			return p.task == "latency" && p.sketch == "Tower" && p.memory == best.Latency
		}); p != nil {
			where = fmt.Sprintf("least with an ARE below 5 %% (%s, where Fig. 7 prints an ARE of %g)", plots.FormatValue(float64(best.Latency), plots.InBytes, 3), p.value)
		}
	}
	never := best == nil && len(rows) > 0 && !slices.ContainsFunc(rows, func(r costRow) bool { return !(r.ErrorLo > publishedError) })
	beside := func(what, unit, source string, published, worst float64, t figure.Tolerance, of func(*costRow) (value, lo, hi float64)) report.Compared {
		c := report.Compared{Quantity: what + ", " + where, Unit: unit, Published: published, Ours: math.NaN(), Source: source}
		if best != nil {
			c.Ours, c.Lo, c.Hi = of(best)
			c.Over = figure.Count(best.Seeds, "seed")
		} else if never { // no memory has such an error
			c.Ours, c.Lo, c.Hi = worst, worst, worst
		}
		return figure.Beside(c, t)
	}
	const source = "SketchINT §VII-C2, Fig. 8 "
	return []report.Compared{
		beside("bandwidth over passport mode", "%", source+"(a)", publishedBandwidth, math.Inf(1), figure.AtMost,
			func(r *costRow) (float64, float64, float64) { return r.Bandwidth, r.BandwidthLo, r.BandwidthHi }),
		beside("packets over passport mode", "%", source+"(b)", publishedPackets, math.Inf(1), figure.AtMost,
			func(r *costRow) (float64, float64, float64) { return r.Packets, r.PacketsLo, r.PacketsHi }),
		beside("orders of magnitude fewer packets than in passport mode", "", "SketchINT abstract, §I, §VII-C2", 3.5, math.Inf(-1), figure.Range(0.5),
			func(r *costRow) (float64, float64, float64) {
				return orders(r.Packets), orders(r.PacketsHi), orders(r.PacketsLo)
			}),
	}
}

// orders returns how many orders of magnitude a share in percent is below all.
func orders(percent float64) float64 { return math.Log10(100 / percent) }

func costTables(rows []costRow) []figure.Table {
	return []figure.Table{figure.Show("Bytes and packets of the collection over those of INT in passport mode, by the memory of an agent.", rows,
		"heavy tasks=memory", "latencies=latency_memory", figure.Text("ARE of the latencies", func(r costRow) string {
			if math.IsNaN(r.ErrorLo) {
				return fmt.Sprintf("%.3g", r.Error)
			}
			return fmt.Sprintf("%.3g (%.3g to %.3g)", r.Error, r.ErrorLo, r.ErrorHi)
		}), "bandwidth", "packets", "frames missing=missing")}
}

func drawCost(rows []costRow) ([]figure.Drawing, error) {
	f := plots.Figure{Title: "Cost of the collection"}
	for _, x := range []struct {
		label     string
		published float64
		of        func(*costRow) float64
	}{
		{"Bandwidth over passport INT", publishedBandwidth, func(r *costRow) float64 { return r.Bandwidth }},
		{"Packets over passport INT", publishedPackets, func(r *costRow) float64 { return r.Packets }},
	} {
		s := figure.Ranges(plots.Series{Name: "SketchINT", Style: plots.Line}, rows, func(r *costRow) (float64, float64, float64, float64) {
			return x.of(r), r.Error, r.ErrorLo, r.ErrorHi
		})
		f.Panels = append(f.Panels, plots.Panel{
			X: plots.Axis{Label: x.label, Unit: "%", Scale: plots.Linear},
			Y: plots.Axis{Label: "ARE of latencies", Scale: plots.Log},
			Series: []plots.Series{s, {
				Name: "SketchINT", Style: plots.Points, Published: true, X: []float64{x.published}, Y: []float64{publishedError},
			}},
		})
	}
	return []figure.Drawing{{
		Name: "cost", Plot: f,
		Caption: "Error of the latencies against what the collection costs, over INT in passport mode. Hollow marks: the SketchINT paper has an ARE below 5 % there.",
	}}, nil
}
