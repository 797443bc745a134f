// Package pint contains the figures of PINT. overhead.go contains the experiment of PINT §2, which Fig. 1 and 2
// share. TCP Reno runs on a fat tree of 64 hosts. Packets carry bytes of telemetry that no switch or host reads.
//
// Runs that differ only in the overhead have the same flows, at the same times and on the same paths. A figure shows
// ratios: the mean of a run divided by the mean of the run without overhead and with the same seed.
//
// The PINT paper specifies neither the number of switches nor buffers, timeouts or run lengths. We use the values in
// preset fig1. The rows also show the effect of other buffers, timeouts and lengths.
package pint

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/scenario"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/plots"
	"pintlab/plots/report"
)

//go:embed headlines.csv */figure.md */known.csv */published.csv */claims.csv
var files embed.FS

var overheadColumns = columns.View{"table", "source", "load", "overhead", "arrivals", "variant", "normalised=value",
	"lo", "hi", "mean", "drops", "timeouts", "flows", "seeds"}

// overheadRow is a line of rows.csv.
type overheadRow struct {
	// Table is "overhead" for the figure, "length" for other arrival windows, and "variant" for other buffers and
	// timeouts.
	Table    string  `col:"table"`
	Source   string  `col:"source"`
	Load     int     `col:"load" unit:"%"`
	Overhead int     `col:"overhead" unit:"B"`
	Arrival  float64 `col:"arrivals" unit:"ms"` // length of the arrival window; NaN if the row is not ours
	Variant  string  `col:"variant"`            // buffer and timeout of a variant
	// the metric divided by its value without overhead, as a geometric mean over the seeds
	stats.Number
	Mean     float64 `col:"mean"`     // the metric itself, in s or b/s
	Drops    float64 `col:"drops"`    // drops per thousand data packets
	Timeouts float64 `col:"timeouts"` // per flow
}

// load formats the load of the row for tables.
func (r *overheadRow) load() string { return loadName(r.Load) }

func loadName(load int) string { return fmt.Sprintf("%d %%", load) }

// overheadPoints returns our rows of the figure as numbers in panels, with the overhead along x.
func overheadPoints(rows []overheadRow) []study.Row {
	return lists.Map(of(rows, Overhead), func(r overheadRow) study.Row {
		return study.Row{Table: r.Table, Scheme: r.load(), X: float64(r.Overhead), Sized: stats.Whole(r.Number)}
	})
}

// The sources of the rows: our runs, the numbers that the PINT paper prints, the paper's model of goodput, and the
// same model with the overhead of the flow's own packets.
const (
	ours     = "ours"
	printed  = "published"
	residual = "model"
	ownBytes = "model with own bytes"
)

// The tables of the rows.
const (
	Overhead = "overhead"
	Length   = "length"
	Variant  = "variant"
)

// Long is the size above which the PINT paper calls a flow long.
const Long = 10 * unit.MB

// metric is the quantity that a figure shows relative to no overhead.
type metric struct {
	Name        string
	Unit        string
	file, title string // file name and title of the drawing
	quantity    study.Measure
}

var (
	fct = metric{"Average flow completion time", "s", "fig1", "Fig. 1: completion time by overhead, web search",
		study.MeanFCT("FCT")}
	goodput = metric{"Average goodput of flows above 10 MB", "b/s", "fig2", "Fig. 2: goodput of long flows by " +
		"overhead, web search", study.Goodput("goodput")}
)

// Fig1 is Figure 1 of PINT (§2). It shows the average completion time of TCP Reno's flows with 28 to 108 B of telemetry
// on each packet, divided by the time without telemetry.
//
// According to the PINT paper, at about 70 % load "the average FCT increases by 10%" with 48 B, and there is "a 25%
// increase" with 108 B. The rest is a plot.
//
// Our results are in the same order as the paper's. With arrivals for 1 s (the paper scale), the effect at 70 % load
// is as large as in the paper. The effect grows with the length of the runs, so it is smaller in shorter runs. It
// changes little with buffers of 100 KB to 4 MB at each port, and with minimum timeouts of 1 to 200 ms.
var Fig1 = fct.figure(figure.Of[overheadScale, overheadRow]{
	Name:  "pint/fig1",
	Files: files,
}, overheadPublished(70, 48, 1.10), overheadPublished(70, 108, 1.25))

// Fig2 is Figure 2 of PINT (§2). It shows the average goodput of TCP Reno's flows above 10 MB with 28 to 108 B of
// telemetry on each packet, divided by the goodput without telemetry.
//
// According to the PINT paper, at about 70 % load goodput "degrades by 10%" with 48 B, and there is "20% degradation"
// with 108 B; the rest is a plot. The paper also states that goodput is approximately proportional to the residual
// capacity. This predicts a loss of 7.5 % with 48 B, of 16.8 % with 108 B, and of 10.1 % from 48 to 108 B.
//
// Our results are in the same order as the paper's. With arrivals for 1 s (the paper scale), the effect at 70 % load
// is about as large as in the paper. The effect grows with the length of the runs. At 30 % load, the effect is
// several times as large as the residual capacity predicts. It changes little with buffers of 100 KB to 4 MB at each
// port, and with minimum timeouts of 1 to 200 ms. The goodput of a flow is its size divided by its completion time,
// and each long flow has the same weight.
var Fig2 = goodput.figure(figure.Of[overheadScale, overheadRow]{
	Name:  "pint/fig2",
	Files: files,
}, append([]overheadRow{overheadPublished(70, 48, 0.90), overheadPublished(70, 108, 0.80)}, model()...)...)

// figure completes the spec of a metric's figure. extra contains rows that are not from our runs.
func (m metric) figure(f figure.Of[overheadScale, overheadRow], extra ...overheadRow) figure.Figure {
	f.Columns, f.Scales, f.Points, f.Tables, f.Draw = overheadColumns, overheadScales, overheadPoints, m.tables, m.draw
	f.Claims = map[string]func(*figure.Claim, []overheadRow) figure.Finding{"proportional": proportional}
	f.Ours = map[string]figure.Ours[overheadRow]{"change": changed, "over": over}
	f.Measure = func(ctx context.Context, j *figure.Job, z overheadScale) ([]overheadRow, error) {
		rows, err := m.rows(ctx, j, z)
		return append(rows, extra...), err
	}
	return f.Figure()
}

// The quantities in addition to the metric.
var (
	drops = study.PerTrial("drops per thousand data packets", func(t *study.Trial) (float64, int, error) {
		packets := 0.0
		for f := range t.Flows.All() {
			packets += float64(f.Packets)
		}
		return 1e3 * float64(t.Run.Manifest.Summary.Drops) / packets, t.Flows.Len(), nil
	})
	timeouts = study.Timeouts("timeouts per flow", 1)
)

// rows measures the metric.
func (m metric) rows(ctx context.Context, j *figure.Job, z overheadScale) ([]overheadRow, error) {
	p := study.Study{Seeds: j.SeedList(z.seeds), SeedFirst: true,
		Measures: []study.Measure{m.quantity, drops, timeouts}}
	for _, x := range points(z) {
		p.Cells = append(p.Cells, x.entry())
	}
	results, err := p.Run(ctx, j)
	if err != nil {
		return nil, err
	}
	overheadSettings(j, results.Scenario(p.Cells[0]))
	j.Footnote("64-host fat tree, 10 Gb/s, TCP Reno, 1500 B packets, 1 MB per port, RTO ≥ 1 ms, %s, arrivals for %v, "+
		"then until all flows have finished; bars: 95 %% intervals over the seeds",
		figure.Count(len(p.Seeds), "seed"), z.full())
	var rows []overheadRow
	// add appends the row of a point, as a ratio to the point without overhead, over all seeds.
	add := func(table string, x point) {
		e := x.entry()
		list, more := results.Ratio(e, bytes(0), m.quantity.Name)
		if err = errors.Join(err, more); len(list) == 0 {
			return // the run is too short to contain such flows
		}
		number := func(q study.Measure) float64 {
			list, more := results.Numbers(e, q.Name)
			if err = errors.Join(err, more); len(list) == 0 {
				return math.NaN()
			}
			return list[0].Value
		}
		rows = append(rows, overheadRow{
			Table: table, Source: ours, Load: x.load, Overhead: x.bytes, Arrival: 1e3 * x.arrival.Seconds(),
			Variant: x.variant.name, Number: list[0].Number, Mean: number(m.quantity), Drops: number(drops),
			Timeouts: number(timeouts),
		})
	}
	for _, load := range Loads {
		for _, b := range z.bytes {
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

// overheadPublished makes a row of a number that the PINT paper prints.
func overheadPublished(load, overhead int, value float64) overheadRow {
	r := columns.Blank[overheadRow]()
	r.Table, r.Source, r.Load, r.Overhead, r.Value = Overhead, printed, load, overhead, value
	return r
}

// model returns two predictions of the goodput, relative to a run without overhead. The first is the PINT paper's
// model, in which goodput is proportional to the residual capacity (§2; see telemetry.GoodputLoss). The second also
// multiplies by the payload of a packet with overhead, divided by the payload without.
func model() (rows []overheadRow) {
	for _, source := range []string{residual, ownBytes} {
		for _, load := range Loads {
			for _, b := range Bytes {
				loss, err := telemetry.GoodputLoss(float64(load)/100, packet, 0, unit.Bytes(b))
				if err != nil {
					panic(err) // the loads and overheads of the PINT paper are in range
				}
				left := 1 - loss
				if source == ownBytes {
					left *= float64(payload-b) / payload
				}
				r := overheadPublished(load, b, left)
				r.Source = source
				rows = append(rows, r)
			}
		}
	}
	return rows
}

// packet is the size of a packet in the model, in bytes. payload is the payload of such a packet without telemetry,
// in bytes.
const packet, payload = 1500, 1460

// Bytes lists the overheads of Fig. 1 and 2: no overhead, and 8 B plus 4 B for each value, with one to five values on
// each of five hops.
var Bytes = []int{0, 28, 48, 68, 88, 108}

// Loads are the loads of the figures, in percent.
var Loads = []int{30, 70}

// variedLoad is the load of the runs with other lengths, buffers and timeouts.
const variedLoad = 70

var (
	lengthBytes  = []int{0, 48, 108}
	variantBytes = []int{0, 108}
)

// overheadScale contains the settings of a scale. The figure shows the last of the arrival windows. The other windows
// show the effect of the length of a run. Runs with other buffers and timeouts have the window `variants`. The paper
// scale only has the overheads for which the PINT paper prints numbers, because runs for all overheads take more than
// an hour of CPU.
type overheadScale struct {
	seeds    int
	arrival  []unit.Time
	variants unit.Time
	bytes    []int
}

const overheadMs = unit.Millisecond

var overheadScales = map[figure.Scale]overheadScale{
	figure.Smoke:  {1, []unit.Time{2 * overheadMs, 4 * overheadMs}, 2 * overheadMs, Bytes},
	figure.Laptop: {3, []unit.Time{50 * overheadMs, 100 * overheadMs, 200 * overheadMs}, 100 * overheadMs, Bytes},
	figure.Paper:  {8, []unit.Time{1000 * overheadMs}, 100 * overheadMs, lengthBytes},
}

func (z overheadScale) String() string {
	return fmt.Sprintf("%s, arrivals for up to %v", figure.Count(z.seeds, "seed"), z.full())
}

func (z overheadScale) full() unit.Time { return z.arrival[len(z.arrival)-1] }

// variant is a choice of buffer and timeout, with the settings that differ from the default.
type variant struct {
	name string
	set  []string
}

// standard is the default: 1 MB for each port, timeouts of at least 1 ms.
var standard = variant{name: "1 MB, RTO ≥ 1 ms"}

var variants = []variant{
	{"100 KB, RTO ≥ 1 ms", []string{"network.port_limit=100KB"}},
	{"300 KB, RTO ≥ 1 ms", []string{"network.port_limit=300KB"}},
	standard,
	{"4 MB, RTO ≥ 1 ms", []string{"network.port_limit=4MB"}},
	{"1 MB, RTO ≥ 10 ms", []string{"transport.rto_min=10ms", "transport.rto_initial=10ms", "transport.rto_max=1s"}},
	{"1 MB, RTO ≥ 200 ms", []string{"transport.rto_min=200ms", "transport.rto_initial=200ms", "transport.rto_max=10s"}},
}

// point is a point of a figure, for all seeds.
type point struct {
	bytes   int
	load    int // %
	arrival unit.Time
	variant variant
}

// entry returns the runs of a point. Points that differ only in bytes belong to the same case.
func (p point) entry() study.Cell {
	set := []string{
		"workload.0.load=" + strconv.FormatFloat(float64(p.load)/100, 'g', -1, 64),
		fmt.Sprintf("workload.0.duration=%v", p.arrival),
		fmt.Sprintf("telemetry.bytes=%dB", p.bytes),
	}
	if p.bytes == 0 {
		set[2] = "telemetry.kind=none"
	}
	of := fmt.Sprintf("load %d %%, %v, %s", p.load, p.arrival, p.variant.name)
	return study.Cell{
		Case: of, Scheme: bytes(p.bytes), X: math.NaN(), Label: bytes(p.bytes) + ", " + of, Long: Long,
		Base: "fig1", Set: append(set, p.variant.set...),
	}
}

func bytes(n int) string { return fmt.Sprintf("%d B", n) }

// points returns all points that the figure runs.
func points(z overheadScale) []point {
	var list []point
	for _, load := range Loads {
		for _, b := range z.bytes {
			list = append(list, point{b, load, z.full(), standard})
		}
	}
	for _, arrival := range z.arrival[:len(z.arrival)-1] {
		for _, b := range lengthBytes {
			list = append(list, point{b, variedLoad, arrival, standard})
		}
	}
	for _, v := range variants {
		for _, b := range variantBytes {
			list = append(list, point{b, variedLoad, z.variants, v})
		}
	}
	return list
}

// overheadSettings records the configuration.
func overheadSettings(j *figure.Job, sc *scenario.Scenario) {
	const doc, choice = "PINT §2", ""
	net := sc.Topology.Params.(*topo.PINTClos)
	j.Setting("network", doc, "64 hosts, five switches between pods, all links %v", net.HostRate)
	j.Setting("switches", choice, "4 pods of 4 ToR and 4 aggregation switches, 16 core switches, %v per link",
		net.Delay)
	j.Setting("traffic", doc, "web search; Poisson arrivals at each host, to random others; load is payload over the "+
		"rate of the host links")
	j.Setting("packets", doc, "IP packets of %d B; telemetry takes room from the payload", sc.Transport.MTU)
	j.Setting("TCP", choice, "NewReno, %s, an ACK for each packet", study.Keys(sc.CC.Choice))
	j.Setting("port buffer", choice, "%s, drop-tail", figure.Size(unit.Bytes(sc.Network.PortLimit)))
	j.Setting("timeout", choice, "at least %v", sc.Transport.RTOMin)
	j.Setting("population", choice, "all flows that start in the arrival window; "+
		"each run goes on until they have finished")
}

// at returns the row of the figure from a given source, at a load and an overhead, or nil.
func at(rows []overheadRow, source, load string, overhead int) *overheadRow {
	return figure.Find(rows, func(r *overheadRow) bool {
		return r.Table == Overhead && r.Source == source && r.load() == load && r.Overhead == overhead
	})
}

// proportional compares goodput with the model c.Against. In the model of the PINT paper, goodput is "approximately
// proportional to the residual capacity of the network" (§2).
func proportional(c *figure.Claim, rows []overheadRow) figure.Finding {
	confirmed, contradicted := true, false
	var texts []string
	for _, b := range lengthBytes[1:] {
		ours, model := at(rows, ours, c.Case, b), at(rows, c.Against, c.Case, b)
		if ours == nil || model == nil {
			confirmed = false
			continue
		}
		confirmed = confirmed && ours.Inside(model.Value-c.Amount, model.Value+c.Amount)
		contradicted = contradicted || ours.Above(model.Value+c.Amount) || ours.Below(model.Value-c.Amount)
		texts = append(texts, fmt.Sprintf("%d B %s, the model %s %%", b, ours.Change(),
			number.Change(stats.Percent(model.Value), 1)))
	}
	return figure.Judge(fmt.Sprintf("%s (within %g points)", c.Statement, 100*c.Amount), confirmed, contradicted, "%s",
		strings.Join(texts, "; "))
}

// changed returns the change that the overhead p.X causes at 70 % load.
func changed(rows []overheadRow, p *figure.Published, c *report.Compared) stats.Number {
	r := at(rows, ours, loadName(variedLoad), int(p.X))
	if r == nil {
		return stats.None()
	}
	c.Over = fmt.Sprintf("%s, arrivals for %g ms; shorter runs give less", figure.Count(r.Seeds, "seed"), r.Arrival)
	return r.Percent()
}

// over returns the change that the overhead p.X causes relative to 48 B, at 70 % load. According to the PINT paper,
// "the theoretical goodput degradation should be around 10.1 %", which "closely matches the experiment result".
func over(rows []overheadRow, p *figure.Published, c *report.Compared) stats.Number {
	changed(rows, p, c)
	load := loadName(variedLoad)
	less, more := at(rows, ours, load, lengthBytes[1]), at(rows, ours, load, int(p.X))
	if less == nil || more == nil {
		return stats.None()
	}
	return more.Ratio(less.Number).Percent()
}

// of returns our rows of a table.
func of(rows []overheadRow, table string) []overheadRow {
	return figure.Pick(rows, func(r *overheadRow) bool { return r.Table == table && r.Source == ours })
}

// tables makes the tables of the report.
func (m metric) tables(rows []overheadRow) []figure.Table {
	mean := figure.Text("mean", func(r overheadRow) string { return number.Format(r.Mean, m.Unit, 3) })
	change := figure.Text("change", func(r overheadRow) string {
		if r.Table == Overhead && r.Overhead == 0 {
			return "–"
		}
		return r.Change()
	})
	show := func(caption, table string, first figure.Column[overheadRow], last ...any) figure.Table {
		return figure.Show(caption, of(rows, table),
			append([]any{first, "overhead", mean, change, "drops per 1000 packets=drops", "timeouts per flow=timeouts"},
				last...)...)
	}
	return []figure.Table{
		show("overheads", Overhead,
			figure.Text("load", func(r overheadRow) string { return r.load() }), "flows"),
		show("lengths", Length,
			figure.Text("setting", func(r overheadRow) string { return fmt.Sprintf("arrivals for %g ms", r.Arrival) })),
		show("buffers", Variant,
			figure.Text("setting", func(r overheadRow) string { return r.Variant })),
	}
}

// draw makes the drawings.
func (m metric) draw(rows []overheadRow) ([]figure.Drawing, error) {
	return []figure.Drawing{{
		Name: m.file, Title: m.title, Caption: m.file, Plot: m.drawOverhead(rows),
	}, {
		Name: "length", Title: "Is it settled?", Caption: "length",
		Plot: plots.Figure{Footnote: footnote(rows, Length), Width: 380,
			Panels: []plots.Panel{m.byLength(of(rows, Length))}},
	}, {
		Name: "variants", Title: "Buffers and timeouts", Caption: "variants",
		Plot: plots.Figure{Footnote: footnote(rows, Variant), Width: 380,
			Panels: []plots.Panel{m.byVariant(of(rows, Variant))}},
	}}, nil
}

func (m metric) drawOverhead(rows []overheadRow) plots.Figure {
	var points []plots.Point
	for _, r := range rows {
		if r.Table == Overhead && (r.Source == ours || r.Source == printed) {
			points = append(points, plots.Point{
				Series: r.load() + " load", Published: r.Source == printed,
				X: float64(r.Overhead), Y: r.Value, Lo: r.Lo, Hi: r.Hi,
			})
		}
	}
	x := plots.Axis{Label: "Overhead per packet", Unit: plots.InBytes, Scale: plots.Linear}
	y := plots.Axis{Label: "Normalised " + lower(m.Name), Scale: plots.Linear, Lines: []plots.RefLine{{At: 1}}}
	p := plots.Panels(points, plots.Line, x, y)[0]
	for _, load := range Loads {
		name := loadName(load) + " load"
		for _, s := range []struct{ source, words string }{{residual, ", model"}, {ownBytes, ", own bytes"}} {
			curve := figure.Curve(plots.Series{Name: name + s.words, Style: plots.Trace},
				figure.Pick(rows, func(r *overheadRow) bool { return r.Source == s.source && r.Load == load }),
				func(r *overheadRow) (x, y float64) { return float64(r.Overhead), r.Value })
			p.Series = append(p.Series, figure.Drawn(curve)...)
		}
	}
	return plots.Figure{Width: 380, Panels: []plots.Panel{p}}
}

func (m metric) byLength(rows []overheadRow) plots.Panel {
	p := figure.ByLength("Normalised "+lower(m.Name), "", 1)
	for _, b := range lengthBytes[1:] {
		s := figure.Ranges(plots.Series{Name: bytes(b), Style: plots.Line},
			figure.Pick(rows, func(r *overheadRow) bool { return r.Overhead == b }),
			func(r *overheadRow) (x, y, lo, hi float64) { return r.Arrival / 1e3, r.Value, r.Lo, r.Hi })
		p.Series = append(p.Series, figure.Drawn(s)...)
	}
	return p
}

func (m metric) byVariant(rows []overheadRow) plots.Panel {
	p := plots.Panel{
		X: plots.Axis{Label: "Port buffer and least timeout", Scale: plots.Categorical},
		Y: plots.Axis{Label: "Change of " + lower(m.Name), Unit: "%", Scale: plots.Linear},
	}
	p.Series = []plots.Series{figure.Ranges(plots.Series{Name: bytes(variantBytes[1]), Style: plots.Bar}, rows,
		func(r *overheadRow) (x, y, lo, hi float64) {
			p.X.Categories = append(p.X.Categories, r.Variant)
			return float64(len(p.X.Categories) - 1), stats.Percent(r.Value), stats.Percent(r.Lo), stats.Percent(r.Hi)
		})}
	return p
}

// footnote describes the settings that all rows of a table share.
func footnote(rows []overheadRow, table string) string {
	r := figure.Find(rows, func(r *overheadRow) bool { return r.Table == table })
	if r == nil {
		return ""
	}
	s := fmt.Sprintf("Load %d %%, %s", r.Load, figure.Count(r.Seeds, "seed"))
	if table == Variant {
		s += fmt.Sprintf(", arrivals for %g ms", r.Arrival)
	}
	return s + "; bars: 95 % intervals over the seeds"
}

// lower makes the first letter lower case, for the middle of a label.
func lower(s string) string { return string(s[0]|0x20) + s[1:] }
