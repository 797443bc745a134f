package overhead

import (
	"context"
	"fmt"
	"math"

	"pintlab/experiments/campaign"
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	inband "pintlab/int"
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
	of          func(*store.Flows) (value float64, flows int)
}

// The metrics of Fig. 1 and 2.
var (
	FCT = Metric{"Average flow completion time", "s", 1, "fig1", "Fig. 1: completion time by overhead, web search", func(f *store.Flows) (float64, int) {
		t := stats.FCT(f, stats.Everything(), 0, stats.AnySize)
		return t.Mean, t.N
	}}
	Goodput = Metric{"Average goodput of flows above 10 MB", "b/s", -1, "fig2", "Fig. 2: goodput of long flows by overhead, web search", func(f *store.Flows) (float64, int) {
		g := stats.LongFlows(f, stats.Everything(), Long)
		return g.Mean, g.N
	}}
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

// found is what is left of a run.
type found struct {
	value    float64
	flows    int
	drops    float64 // per thousand data packets
	timeouts float64 // per flow
}

// rows measures the metric.
func (m Metric) rows(ctx context.Context, j *figure.Job, z Scale) ([]Row, error) {
	seeds := j.SeedList(z.seeds)
	list, sets := points(z, seeds)
	specs := make([]campaign.Spec, len(list))
	for i, p := range list {
		specs[i] = p.spec(sets[i])
	}
	runs, err := j.Simulate(ctx, specs)
	if err != nil {
		return nil, err
	}
	settings(j, &runs[0].Scenario)
	j.Footnote("64-host fat tree, 10 Gb/s, TCP Reno, 1500 B packets, 1 MB per port, RTO ≥ 1 ms, %s, arrivals for %v, then until all flows have finished; bars: 95 %% intervals over the seeds",
		figure.Count(len(seeds), "seed"), z.full())
	of := map[point]found{}
	for i, p := range list {
		if _, ok := of[p]; ok {
			continue
		}
		if of[p], err = m.measure(runs[i]); err != nil {
			return nil, err
		}
	}
	var rows []Row
	add := func(table string, p point, seeds []uint64) error {
		r, err := row(of, table, p, seeds)
		if err == nil && r.Flows > 0 {
			rows = append(rows, r)
		}
		return err
	}
	for _, load := range Loads {
		for _, b := range Bytes {
			if err := add(Overhead, point{b, load, z.full(), standard.name, 0}, seeds); err != nil {
				return nil, err
			}
		}
	}
	for _, arrival := range z.arrival {
		for _, b := range lengthBytes[1:] {
			if err := add(Length, point{b, variedLoad, arrival, standard.name, 0}, seeds); err != nil {
				return nil, err
			}
		}
	}
	for _, v := range variants {
		if err := add(Variant, point{variantBytes[1], variedLoad, z.variants, v.name, 0}, seeds); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// measure reads the flows of a run.
func (m Metric) measure(run *campaign.Run) (found, error) {
	flows, err := run.Counted()
	if err != nil {
		return found{}, err
	}
	var packets, timeouts float64
	for r := range flows.All() {
		packets += float64(r.Packets)
		timeouts += float64(r.Timeouts)
	}
	f := found{drops: 1e3 * float64(run.Manifest.Summary.Drops) / packets, timeouts: timeouts / float64(flows.Len())}
	f.value, f.flows = m.of(flows)
	return f, nil
}

// row is a point over all seeds, each over the same without overhead.
func row(of map[point]found, table string, p point, seeds []uint64) (Row, error) {
	r := Row{
		Table: table, Source: "ours", Load: p.load, Overhead: p.bytes, Arrival: 1e3 * p.arrival.Seconds(), Variant: p.variant,
		Seeds: len(seeds),
	}
	var with, without stats.PerSeed
	for _, p.seed = range seeds {
		base := p
		base.bytes = 0
		f := of[p]
		r.Mean += f.value / float64(len(seeds))
		r.Drops += f.drops / float64(len(seeds))
		r.Timeouts += f.timeouts / float64(len(seeds))
		with.Add(f.value, f.flows)
		without.Add(of[base].value, of[base].flows)
	}
	if r.Flows = with.Flows(); r.Flows == 0 {
		return r, nil // the run is too short to have such flows
	}
	m, err := with.Over(&without)
	if err != nil {
		return r, fmt.Errorf("%d B, load %d %%, %s: %w", p.bytes, p.load, p.variant, err)
	}
	r.Value, r.Lo, r.Hi = m.Value, m.Lo, m.Hi
	return r, nil
}

// Published is a number that the PINT paper prints.
func Published(load, overhead int, value float64) Row {
	return Row{Table: Overhead, Source: "published", Load: load, Overhead: overhead, Arrival: math.NaN(),
		Value: value, Lo: math.NaN(), Hi: math.NaN(), Mean: math.NaN(), Drops: math.NaN(), Timeouts: math.NaN()}
}

// Model is the PINT paper's model of goodput, in proportion to the residual capacity,
// over the same without overhead (§2; see inband.GoodputLoss).
func Model() []Row {
	var rows []Row
	for _, load := range Loads {
		for _, b := range Bytes {
			loss, err := inband.GoodputLoss(float64(load)/100, packet, 0, unit.Bytes(b))
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
