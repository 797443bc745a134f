package overhead

import (
	"context"
	"errors"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/comparison"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// Row is a line of rows.csv.
type Row struct {
	// Table is "overhead" for the figure, "length" for other arrival windows,
	// "variant" for other buffers and timeouts.
	Table    string  `col:"table"`
	Source   string  `col:"source"` // ours, published or model
	Load     int     `col:"load" unit:"%"`
	Overhead int     `col:"overhead" unit:"B"`
	Arrival  float64 `col:"arrivals" unit:"ms"` // length of the arrival window; NaN if not ours
	Variant  string  `col:"variant"`            // buffer and timeout
	Value    float64 `col:"normalised"`         // over the same without overhead: geometric mean over the seeds
	Lo       float64 `col:"lo"`                 // 95 % interval over the seeds
	Hi       float64 `col:"hi"`
	Mean     float64 `col:"mean"`     // of the measure itself: s or b/s
	Drops    float64 `col:"drops"`    // per thousand data packets
	Timeouts float64 `col:"timeouts"` // per flow
	Flows    int     `col:"flows"`    // behind the value, in the seed that has the fewest
	Seeds    int     `col:"seeds"`
}

// The tables of the rows.
const (
	Overhead = "overhead"
	Length   = "length"
	Variant  = "variant"
)

// Long is the size above which the PINT paper calls a flow long.
const Long = 10 * unit.MB

// Metric is what a figure normalises.
type Metric struct {
	Name        string
	Unit        string
	sign        float64 // +1 if overhead makes it grow, -1 if it makes it shrink
	file, title string  // of the drawing
	quantity    comparison.Quantity
}

// The metrics of Fig. 1 and 2.
var (
	FCT     = Metric{"Average flow completion time", "s", 1, "fig1", "Fig. 1: completion time by overhead, web search", comparison.MeanFCT("FCT")}
	Goodput = Metric{"Average goodput of flows above 10 MB", "b/s", -1, "fig2", "Fig. 2: goodput of long flows by overhead, web search", comparison.Goodput("goodput")}
)

// Figure completes a figure of the metric. extra are rows that are not ours.
func (m Metric) Figure(f figure.Of[Scale, Row], extra ...Row) figure.Figure {
	f.Scales, f.Check, f.Compare, f.Tables, f.Draw = scales, m.check, m.compare, m.tables, m.draw
	f.Measure = func(ctx context.Context, j *figure.Job, z Scale) ([]Row, error) {
		rows, err := m.rows(ctx, j, z)
		return append(rows, extra...), err
	}
	return f.Figure()
}

// The quantities beside the metric.
var (
	drops = comparison.Number("drops per thousand data packets", func(t *comparison.Trial) (float64, int, error) {
		packets := 0.0
		for f := range t.Flows.All() {
			packets += float64(f.Packets)
		}
		return 1e3 * float64(t.Run.Manifest.Summary.Drops) / packets, t.Flows.Len(), nil
	})
	timeouts = comparison.Number("timeouts per flow", func(t *comparison.Trial) (float64, int, error) {
		n := 0.0
		for f := range t.Flows.All() {
			n += float64(f.Timeouts)
		}
		return n / float64(t.Flows.Len()), t.Flows.Len(), nil
	})
)

// rows measures the metric.
func (m Metric) rows(ctx context.Context, j *figure.Job, z Scale) ([]Row, error) {
	p := comparison.Plan{Seeds: j.SeedList(z.seeds), SeedFirst: true, Quantities: []comparison.Quantity{m.quantity, drops, timeouts}}
	for _, x := range points(z) {
		p.Entries = append(p.Entries, x.entry())
	}
	results, err := p.Run(ctx, j)
	if err != nil {
		return nil, err
	}
	settings(j, results.Scenario(p.Entries[0]))
	j.Footnote("64-host fat tree, 10 Gb/s, TCP Reno, 1500 B packets, 1 MB per port, RTO ≥ 1 ms, %s, arrivals for %v, then until all flows have finished; bars: 95 %% intervals over the seeds",
		figure.Count(len(p.Seeds), "seed"), z.full())
	var rows []Row
	// add appends a point over all seeds, over the same without overhead.
	add := func(table string, x point) {
		e := x.entry()
		list, more := results.Ratio(e, bytes(0), m.quantity.Name)
		if err = errors.Join(err, more); len(list) == 0 {
			return // the run is too short to have such flows
		}
		number := func(q comparison.Quantity) float64 {
			list, more := results.Number(e, q.Name)
			if err = errors.Join(err, more); len(list) == 0 {
				return math.NaN()
			}
			return list[0].Value
		}
		v := list[0]
		rows = append(rows, Row{
			Table: table, Source: "ours", Load: x.load, Overhead: x.bytes, Arrival: 1e3 * x.arrival.Seconds(), Variant: x.variant.name,
			Value: v.Value, Lo: v.Lo, Hi: v.Hi, Mean: number(m.quantity), Drops: number(drops), Timeouts: number(timeouts), Flows: v.Flows, Seeds: v.Seeds,
		})
	}
	for _, load := range Loads {
		for _, b := range Bytes {
			add(Overhead, point{b, load, z.full(), standard})
		}
	}
	for _, arrival := range z.arrival {
		for _, b := range lengthBytes[1:] {
			add(Length, point{b, variedLoad, arrival, standard})
		}
	}
	for _, v := range variants {
		add(Variant, point{variantBytes[1], variedLoad, z.variants, v})
	}
	return rows, err
}

// Published makes a row of a number that the PINT paper prints.
func Published(load, overhead int, value float64) Row {
	return Row{Table: Overhead, Source: "published", Load: load, Overhead: overhead, Arrival: math.NaN(),
		Value: value, Lo: math.NaN(), Hi: math.NaN(), Mean: math.NaN(), Drops: math.NaN(), Timeouts: math.NaN()}
}

// Model returns the PINT paper's model of goodput, in proportion to the residual capacity,
// over the same without overhead (§2; see telemetry.GoodputLoss).
func Model() []Row {
	var rows []Row
	for _, load := range Loads {
		for _, b := range Bytes {
			loss, err := telemetry.GoodputLoss(float64(load)/100, packet, 0, unit.Bytes(b))
			if err != nil {
				panic(err) // the loads and overheads of the PINT paper are in range
			}
			r := Published(load, b, 1-loss)
			r.Source = "model"
			rows = append(rows, r)
		}
	}
	return rows
}

// packet is the size that the model takes overheads to be a share of.
const packet = 1500
