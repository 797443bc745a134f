package fig8

import (
	"context"
	"fmt"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/sketchint"
	"pintlab/plots"
	"pintlab/plots/report"
)

// Row is a line of rows.csv: one memory, mean over the seeds with 95 % intervals (NaN for
// one seed).
type Row struct {
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

func measure(ctx context.Context, j *figure.Job, z sketchint.Scale) ([]Row, error) {
	var points []sketchint.Point
	for _, m := range z.AllMemories() {
		points = append(points, sketchint.Point{Sketch: sketchint.TowerCU, Memory: m})
	}
	answers, err := sketchint.Measure(ctx, j, z, points)
	if err != nil {
		return nil, err
	}
	rows := make([]Row, len(answers))
	for i := range answers {
		a := &answers[i]
		e, b, p := a.Latency, a.Bandwidth, a.Packets
		rows[i] = Row{
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

// cheapest is the row with the least bandwidth whose error is below that of the SketchINT paper; nil without one.
func cheapest(rows []Row) *Row {
	var best *Row
	for i := range rows {
		if r := &rows[i]; r.Error < publishedError && (best == nil || r.Bandwidth < best.Bandwidth) {
			best = r
		}
	}
	return best
}

func check(rows []Row) []figure.Finding {
	list := []figure.Finding{
		below("at most 3 % of the bandwidth of passport mode gives an ARE below 5 %", rows, publishedBandwidth,
			func(r *Row) (float64, float64) { return r.Bandwidth, r.BandwidthLo }),
		below("at most 0.03 % of the packets of passport mode give an ARE below 5 %", rows, publishedPackets,
			func(r *Row) (float64, float64) { return r.Packets, r.PacketsLo }),
	}
	falls, rises := len(rows) > 1, false
	for i := 1; i < len(rows); i++ {
		falls = falls && rows[i].Error < rows[i-1].Error && rows[i].Bandwidth > rows[i-1].Bandwidth
		rises = rises || rows[i].ErrorLo > rows[i-1].ErrorHi
	}
	if len(rows) < 2 {
		return list
	}
	first, last := rows[0], rows[len(rows)-1]
	return append(list, figure.Judge("the error falls as the bandwidth grows", falls, rises,
		"%.3g at %.3g %%, %.3g at %.3g %%", first.Error, first.Bandwidth, last.Error, last.Bandwidth))
}

// below holds if a row with an error below the SketchINT paper's costs at most the limit, and fails if each
// of them costs more beyond doubt, or no row has such an error.
func below(statement string, rows []Row, limit float64, cost func(*Row) (value, lo float64)) figure.Finding {
	least, lo := math.Inf(1), math.Inf(1)
	none := len(rows) > 0
	for i := range rows {
		r := &rows[i]
		none = none && r.ErrorLo > publishedError
		if v, l := cost(r); r.Error < publishedError && v < least {
			least, lo = v, l
		}
	}
	if math.IsInf(least, 1) {
		return figure.Judge(statement, false, none, "no memory has such an error")
	}
	return figure.Judge(statement, least <= limit, lo > limit, "%.3g %%", least)
}

func compare(rows []Row) []report.Compared {
	r := cheapest(rows)
	if r == nil {
		return nil
	}
	at := ", least with an ARE below 5 %"
	return []report.Compared{
		figure.Beside(report.Compared{
			Quantity: "bandwidth over passport mode" + at, Unit: "%", Published: publishedBandwidth,
			Ours: r.Bandwidth, Lo: r.BandwidthLo, Hi: r.BandwidthHi, Source: "SketchINT §VII-C2, Fig. 8 (a)",
		}),
		figure.Beside(report.Compared{
			Quantity: "packets over passport mode" + at, Unit: "%", Published: publishedPackets,
			Ours: r.Packets, Lo: r.PacketsLo, Hi: r.PacketsHi, Source: "SketchINT §VII-C2, Fig. 8 (b)",
		}),
	}
}

// line is a line of the table.
type line struct {
	Heavy     int     `col:"heavy tasks" unit:"B"`
	Latency   int     `col:"latencies" unit:"B"`
	Error     string  `col:"ARE of the latencies"`
	Bandwidth float64 `col:"bandwidth" unit:"%"`
	Packets   float64 `col:"packets" unit:"%"`
	Missing   int     `col:"frames missing"`
}

func tables(rows []Row) []figure.Table {
	var lines []line
	for _, r := range rows {
		e := fmt.Sprintf("%.3g", r.Error)
		if !math.IsNaN(r.ErrorLo) {
			e += fmt.Sprintf(" (%.3g to %.3g)", r.ErrorLo, r.ErrorHi)
		}
		lines = append(lines, line{r.Heavy, r.Latency, e, r.Bandwidth, r.Packets, r.Missing})
	}
	return []figure.Table{{Caption: "Bytes and packets of the collection over those of INT in passport mode, by the memory of an agent.", Rows: lines}}
}

func draw(rows []Row) ([]figure.Drawing, error) {
	f := plots.Figure{Title: "Cost of the collection"}
	for _, x := range []struct {
		label     string
		published float64
		of        func(*Row) float64
	}{
		{"Bandwidth over passport INT", publishedBandwidth, func(r *Row) float64 { return r.Bandwidth }},
		{"Packets over passport INT", publishedPackets, func(r *Row) float64 { return r.Packets }},
	} {
		s := plots.Series{Name: "SketchINT", Style: plots.Line}
		for i := range rows {
			r := &rows[i]
			s.X, s.Y = append(s.X, x.of(r)), append(s.Y, r.Error)
			s.Lo, s.Hi = append(s.Lo, r.ErrorLo), append(s.Hi, r.ErrorHi)
		}
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
		Caption: "Error of the latencies against what the collection costs, over INT in passport mode. Hollow marks: the paper has an ARE below 5 % there.",
	}}, nil
}
