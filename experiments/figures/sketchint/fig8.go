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
			"Errors of latencies are below the SketchINT paper's at the same memory (see Fig. 7), so that fewer bytes are enough.",
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

// cheapest returns the row with the least bandwidth whose error is below that of the SketchINT paper; nil without one.
func cheapest(rows []costRow) *costRow {
	var best *costRow
	for i := range rows {
		if r := &rows[i]; r.Error < publishedError && (best == nil || r.Bandwidth < best.Bandwidth) {
			best = r
		}
	}
	return best
}

func checkCost(rows []costRow) []figure.Finding {
	falls, rises := len(rows) > 1, false
	for i := 1; i < len(rows); i++ {
		falls = falls && rows[i].Error < rows[i-1].Error && rows[i].Bandwidth > rows[i-1].Bandwidth
		rises = rises || rows[i].ErrorLo > rows[i-1].ErrorHi
	}
	if len(rows) < 2 {
		return nil
	}
	first, last := rows[0], rows[len(rows)-1]
	return []figure.Finding{figure.Judge("the error falls as the bandwidth grows", falls, rises,
		"%.3g at %.3g %%, %.3g at %.3g %%", first.Error, first.Bandwidth, last.Error, last.Bandwidth)}
}

func compareCost(rows []costRow) []report.Compared {
	beside := func(what, panel string, published float64, of func(*costRow) (value, lo, hi float64)) report.Compared {
		c := report.Compared{
			Quantity: what + " over passport mode, least with an ARE below 5 %", Unit: "%", Published: published, Ours: math.NaN(),
			Source: "SketchINT §VII-C2, Fig. 8 " + panel,
		}
		if r := cheapest(rows); r != nil {
			c.Ours, c.Lo, c.Hi = of(r)
			c.Over = figure.Count(r.Seeds, "seed")
		} else if len(rows) > 0 && !slices.ContainsFunc(rows, func(r costRow) bool { return !(r.ErrorLo > publishedError) }) {
			c.Ours, c.Lo, c.Hi = math.Inf(1), math.Inf(1), math.Inf(1) // no memory has such an error
		}
		return figure.Beside(c, figure.AtMost)
	}
	return []report.Compared{
		beside("bandwidth", "(a)", publishedBandwidth, func(r *costRow) (float64, float64, float64) { return r.Bandwidth, r.BandwidthLo, r.BandwidthHi }),
		beside("packets", "(b)", publishedPackets, func(r *costRow) (float64, float64, float64) { return r.Packets, r.PacketsLo, r.PacketsHi }),
	}
}

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
