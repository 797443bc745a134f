package cc

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// Fridge runs TIMELY and Swift on the fat tree of PINT §6.1. Round-trip times are from the host's own time stamps, or
// from a fridge in the sender's switch (package int/rtt). Nobody has published such a comparison.
var Fridge = figure.Spec[fridgeScale]{
	Name:    "cc/fridge",
	Files:   files,
	Columns: figure.ByCase,
	Scales:  fridgeScales,
	Measure: fridgeMeasure,
	Tables:  fridgeTables,
	Draw:    fridgeDraw,
}.Figure()

// signal is a source of round-trip times.
type signal struct {
	name string
	set  []string // settings of the telemetry; none for the host
}

// fridge returns a signal that a fridge in the switch measures.
func fridge(name string, set ...string) signal { return signal{name, set} }

// The signals.
var (
	host        = signal{name: "host"}
	ample       = fridge("2^14 entries", "telemetry.entries=16384")
	middle      = fridge("2^10 entries", "telemetry.entries=1024")
	byFlow      = fridge("2^10, by flow", "telemetry.entries=1024", "telemetry.of=flow")
	small       = fridge("2^6 entries", "telemetry.entries=64")
	smallRaw    = fridge("2^6, uncorrected", "telemetry.entries=64", "telemetry.corrected=false")
	smallRare   = fridge("2^6, p = 1/16", "telemetry.entries=64", "telemetry.probability=0.0625")
	fridgeWhole = fridge("2^10, one estimate", "telemetry.entries=1024", "telemetry.of=switch")
	wholeRaw    = fridge("2^10, one, uncorrected", "telemetry.entries=1024", "telemetry.of=switch",
		"telemetry.corrected=false")

	signals = []signal{host, ample, middle, byFlow, small, smallRaw, smallRare, fridgeWhole, wholeRaw}
)

// control is a congestion control that reads round-trip times.
type control struct {
	name, kind string
	set        []string
}

var controls = []control{{"TIMELY", "timely", figure.TIMELY}, {"Swift", "swift", figure.Swift}}

// traffic is a distribution of flow sizes, named after its preset.
type traffic struct{ name, preset string }

var (
	web    = traffic{"web search", "fat320-web"}
	hadoop = traffic{"Hadoop", "fat320-hadoop"}
)

// fridgeCaseOf names a case.
func fridgeCaseOf(c control, t traffic) string { return c.name + ", " + t.name }

const (
	fridgeLoad = 0.5
	period     = 5 * unit.Microsecond // between samples of the queues
	long       = 1 * unit.MB          // goodput is measured for larger flows
)

// The quantities.
const (
	fridgeP50, fridgeP95, fridgeP99 = "p50 slowdown", "p95 slowdown", "p99 slowdown" // by size
	all99                           = "p99 slowdown of all flows"
	goodput                         = "goodput of flows above 1 MB"
	queue                           = "p99 of the queues towards hosts"
	told                            = "share of ACKs with an estimate"
	bias                            = "estimates over measurements of the host"
	apart                           = "mean distance of an estimate from a measurement"
	silent                          = "round trips of ACKs without an estimate over those with one"
)

// fridgeScale holds the settings of a scale.
type fridgeScale struct {
	Seeds, Buckets int
	Web, Hadoop    unit.Time // time during which flows arrive
}

func (z fridgeScale) String() string {
	return fmt.Sprintf("%s, arrivals for %v (web search) and %v (Hadoop), %s", figure.Count(z.Seeds, "seed"), z.Web,
		z.Hadoop, figure.Count(len(signals), "signal"))
}

const fridgeUs, fridgeMs = unit.Microsecond, unit.Millisecond

var fridgeScales = map[figure.Scale]fridgeScale{
	figure.Smoke:  {Seeds: 1, Buckets: 4, Web: 25 * fridgeUs, Hadoop: 10 * fridgeUs},
	figure.Laptop: {Seeds: 3, Buckets: 5, Web: 500 * fridgeUs, Hadoop: 150 * fridgeUs},
	figure.Paper:  {Seeds: 3, Buckets: 20, Web: 50 * fridgeMs, Hadoop: 20 * fridgeMs},
}

// fridgeQuantities returns the quantities that are measured.
func fridgeQuantities(buckets int) []study.Measure {
	list := []study.Measure{
		study.BySize(fridgeP50, 0.50, buckets), study.BySize(fridgeP95, 0.95, buckets),
		study.BySize(fridgeP99, 0.99, buckets),
		study.Slowdown(all99, 0.99, 0, math.MaxInt64), study.Goodput(goodput),
		study.PerTrial(queue, func(t *study.Trial) (float64, int, error) {
			q, err := queues(t)
			return q, len(t.Points), err
		}),
	}
	for _, name := range []string{told, bias, apart, silent} {
		list = append(list, study.PerTrial(name, func(t *study.Trial) (float64, int, error) {
			s, err := study.Once(t, "signal", readSignal)
			return s[name], len(t.Points), err
		}))
	}
	return list
}

func fridgeMeasure(ctx context.Context, j *figure.Job, z fridgeScale) ([]study.Row, error) {
	var entries []study.Cell
	for _, c := range controls {
		for _, t := range []struct {
			traffic
			arrival unit.Time
		}{{web, z.Web}, {hadoop, z.Hadoop}} {
			for _, s := range signals {
				e := study.Cell{Case: fridgeCaseOf(c, t.traffic), Scheme: s.name, X: math.NaN(), Long: long,
					Base: t.preset, Set: []string{
						fmt.Sprintf("workload.0.load=%v", fridgeLoad), fmt.Sprintf("workload.0.duration=%v", t.arrival),
						"cc.kind=" + c.kind, "run.sampling.enabled=true", "run.sampling.series=ports",
						fmt.Sprintf("run.sampling.period=%v", period),
						fmt.Sprintf("run.sampling.to=%v", t.arrival), "run.sampling.nodes=[320-339]",
						"run.sampling.formats=[parquet]",
					}}
				e.Set = append(e.Set, c.set...)
				if s.set == nil {
					e.Set = append(e.Set, "telemetry.kind=none")
				} else {
					e.Set = append(append(e.Set, "cc.signal=switch", "telemetry.kind=rtt"), s.set...)
					e.Against = []string{host.name}
				}
				entries = append(entries, e)
			}
		}
	}
	p := study.Study{Cells: entries, Seeds: j.SeedList(z.Seeds), Measures: fridgeQuantities(z.Buckets)}
	j.Setting("network", "PINT §6.1",
		"fat tree of 320 servers; 100 Gb/s to servers, 400 Gb/s above, 1 µs per link; PFC")
	j.Setting("traffic", "PINT §6.1", "Poisson arrivals at %s of the server links", number.Share(fridgeLoad))
	j.Setting("TIMELY", "SIGCOMM 2015 §5", "α = 0.875, β = 0.8, T_low = 50 µs, T_high = 500 µs, a segment of 16 KB")
	j.Setting("Swift", "SIGCOMM 2020, values ours", "base target 10 µs, 2 µs for each switch, fs_range 30 µs")
	j.Setting("fridge", "",
		"at each of the 20 ToR switches; an estimate for each destination, of the samples of 10 to 20 µs; 2 B in "+
			"ACKs of 60 B")
	j.Setting("queues", "", "of the ports of ToR switches to servers, every %v during the arrivals", period)
	j.Footnote(
		"320-server fat tree, load %s, %s, arrivals for %v (web search) and %v (Hadoop), then until all flows "+
			"have finished; bars: 95 %% intervals over the seeds",
		number.Share(fridgeLoad), figure.Count(len(p.Seeds), "seed"), z.Web, z.Hadoop)
	return p.Measure(ctx, j, study.All("", ""))
}

func fridgeTables(rows []study.Row) []figure.Table {
	sizes := figure.Pick(rows, func(r *study.Row) bool { return !math.IsNaN(r.Share) })
	bySize := figure.Lines("sizes", figure.BySchemesAndBuckets(sizes),
		figure.Case("control and traffic"), figure.Scheme("signal"), figure.UpTo("flows up to"),
		figure.Value("p50", "", fridgeP50), figure.Value("p95", "", fridgeP95),
		figure.Value("p99", "", fridgeP99), figure.Change("p95 against host", fridgeP95),
		figure.Flows("flows", fridgeP50))
	bySize.Folded = true
	return []figure.Table{
		figure.Lines("signals", figure.BySchemes(rows),
			figure.Case("control and traffic"), figure.Scheme("signal"), figure.Value("p99 slowdown", "", all99),
			figure.Change("against host", all99),
			figure.Value("goodput above 1 MB", "Gb/s", goodput), figure.Value("p99 of queues", "KB", queue),
			figure.Value("ACKs with estimate", "%", told),
			figure.Excess("bias", bias), figure.Value("mean error", "%", apart),
			figure.Value("round trips without over with", "", silent)),
		bySize,
	}
}

func fridgeDraw(rows []study.Row) ([]figure.Drawing, error) {
	points := func(against string, but ...string) []study.Row {
		return figure.Pick(rows, func(r *study.Row) bool {
			return r.Quantity == fridgeP95 && r.Against == against && !slices.Contains(but, r.Scheme)
		})
	}
	slowdown := figure.Draw("slowdown", "TIMELY and Swift by round-trip times of the host and of the switch").
		With(figure.Slowdowns(points("", byFlow.name, smallRare.name, smallRaw.name, wholeRaw.name)))
	change := figure.Draw("change", "What the signal of the switch changes").
		With(figure.Changes(points(host.name, smallRaw.name, wholeRaw.name, fridgeWhole.name)))
	slowdown.Plot.Columns, change.Plot.Columns = 2, 2
	quality := plots.Figure{Title: "How good the signal is", Width: plots.PageWidth, Columns: 2, PanelHeight: 90}
	percent := slices.Clone(rows)
	for i := range percent {
		if r := &percent[i]; r.Quantity == bias || r.Quantity == silent {
			r.Value, r.Lo, r.Hi = stats.Percent(r.Value), stats.Percent(r.Lo), stats.Percent(r.Hi)
		} else if r.Quantity == told {
			r.Value, r.Lo, r.Hi = 100*r.Value, 100*r.Lo, 100*r.Hi
		}
	}
	for _, q := range []struct{ quantity, label string }{{told, "ACKs with estimate"}, {bias, "Bias"},
		{silent, "RTT without"}} {
		for _, c := range controls { // separate, because the numbers of one control hide the differences of the other
			own := figure.Pick(percent, func(r *study.Row) bool { return strings.HasPrefix(r.Case, c.name) })
			quality.Panels = append(quality.Panels,
				figure.Bars(own, q.quantity, figure.Linear(q.label+", "+c.name, "%")))
		}
	}
	return []figure.Drawing{change, slowdown, {Name: "signal", Plot: quality}}, nil
}
