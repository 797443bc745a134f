package fridge

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"pintlab/experiments/figures/cc/contest"
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/results/store"
	"pintlab/netsim/unit"
)

// Row is a line of rows.csv.
type Row = contest.Row

// signal is where round-trip times come from.
type signal struct {
	name string
	set  []string // of the telemetry; none for the host
}

// fridge is a signal of the switch.
func fridge(name string, set ...string) signal { return signal{name, set} }

// The signals.
var (
	host      = signal{name: "host"}
	ample     = fridge("2^14 entries", "telemetry.entries=16384")
	middle    = fridge("2^10 entries", "telemetry.entries=1024")
	flows     = fridge("2^10, by flow", "telemetry.entries=1024", "telemetry.of=flow")
	small     = fridge("2^6 entries", "telemetry.entries=64")
	smallRaw  = fridge("2^6, uncorrected", "telemetry.entries=64", "telemetry.corrected=false")
	smallRare = fridge("2^6, p = 1/16", "telemetry.entries=64", "telemetry.probability=0.0625")
	whole     = fridge("2^10, one estimate", "telemetry.entries=1024", "telemetry.of=switch")
	wholeRaw  = fridge("2^10, one, uncorrected", "telemetry.entries=1024", "telemetry.of=switch", "telemetry.corrected=false")

	signals = []signal{host, ample, middle, flows, small, smallRaw, smallRare, whole, wholeRaw}
)

// control is a congestion control that reads round-trip times.
type control struct{ name, kind string }

var controls = []control{{"TIMELY", "timely"}, {"Swift", "swift"}}

// traffic is flow sizes, by the preset that has them.
type traffic struct{ name, preset string }

var (
	web    = traffic{"web search", "fat320-web"}
	hadoop = traffic{"Hadoop", "fat320-hadoop"}
)

// caseOf is the name of a case.
func caseOf(c control, t traffic) string { return c.name + ", " + t.name }

const (
	load   = 0.5
	period = 5 * unit.Microsecond // between looks at queues
	long   = 1 * unit.MB          // flows above it have a goodput
)

// The quantities.
const (
	p50, p95, p99 = "p50 slowdown", "p95 slowdown", "p99 slowdown" // by size
	all99         = "p99 slowdown of all flows"
	goodput       = "goodput of flows above 1 MB"
	queue         = "p99 of the queues towards hosts"
	told          = "share of ACKs with an estimate"
	bias          = "estimates over measurements of the host"
	apart         = "mean distance of an estimate from a measurement"
	silent        = "round trips of ACKs without an estimate over those with one"
)

// Scale is what is run at a scale.
type Scale struct {
	Seeds, Buckets int
	Web, Hadoop    unit.Time // length of the arrivals
}

// String says what is run.
func (z Scale) String() string {
	return fmt.Sprintf("%s, arrivals for %v (web search) and %v (Hadoop), %s", figure.Count(z.Seeds, "seed"), z.Web, z.Hadoop, figure.Count(len(signals), "signal"))
}

const us, ms = unit.Microsecond, unit.Millisecond

var scales = map[figure.Scale]Scale{
	figure.Smoke:  {Seeds: 1, Buckets: 4, Web: 25 * us, Hadoop: 10 * us},
	figure.Laptop: {Seeds: 3, Buckets: 5, Web: 500 * us, Hadoop: 150 * us},
	figure.Paper:  {Seeds: 3, Buckets: 20, Web: 50 * ms, Hadoop: 20 * ms},
}

// quantities are what is measured.
func quantities(buckets int) []contest.Quantity {
	list := []contest.Quantity{
		contest.BySize(p50, 0.50, buckets), contest.BySize(p95, 0.95, buckets), contest.BySize(p99, 0.99, buckets),
		contest.Slowdown(all99, 0.99, 0, math.MaxInt64), contest.Goodput(goodput, long),
		contest.Number(queue, false, func(t *contest.Trial) (float64, int, error) {
			q, err := queues(t)
			return q, len(t.Points), err
		}),
	}
	for _, name := range []string{told, bias, apart, silent} {
		list = append(list, contest.Number(name, false, func(t *contest.Trial) (float64, int, error) {
			s, err := readSignal(t)
			return s[name], len(t.Points), err
		}))
	}
	return list
}

func measure(ctx context.Context, j *figure.Job, z Scale) ([]Row, error) {
	var entries []contest.Entry
	for _, c := range controls {
		for _, t := range []struct {
			traffic
			arrival unit.Time
		}{{web, z.Web}, {hadoop, z.Hadoop}} {
			for _, s := range signals {
				e := contest.Entry{Case: caseOf(c, t.traffic), Scheme: s.name, X: math.NaN(), Base: t.preset, Set: []string{
					fmt.Sprintf("workload.0.load=%v", load), fmt.Sprintf("workload.0.duration=%v", t.arrival),
					"cc.kind=" + c.kind, "run.sampling.enabled=true", "run.sampling.series=ports", fmt.Sprintf("run.sampling.period=%v", period),
					fmt.Sprintf("run.sampling.to=%v", t.arrival), "run.sampling.nodes=[320-339]", "run.sampling.formats=[parquet]",
				}}
				if s.set == nil {
					e.Set = append(e.Set, "telemetry.kind=none")
				} else {
					e.Set = append(append(e.Set, "cc.signal=switch", "telemetry.kind=fridge"), s.set...)
					e.Against = []string{host.name}
				}
				entries = append(entries, e)
			}
		}
	}
	seeds := j.SeedList(z.Seeds)
	j.Setting("network", "PINT §6.1", "fat tree of 320 servers; 100 Gb/s to servers, 400 Gb/s above, 1 us per link; PFC")
	j.Setting("traffic", "PINT §6.1", "Poisson arrivals at %.0f %% of the server links", 100*load)
	j.Setting("TIMELY", "SIGCOMM 2015 §5", "α = 0.875, β = 0.8, T_low = 50 us, T_high = 500 us, a segment of 16 KB")
	j.Setting("Swift", "SIGCOMM 2020, values ours", "base target 10 us, 2 us for each switch, fs_range 30 us")
	j.Setting("fridge", "", "at each of the 20 ToR switches; an estimate for each destination, of the samples of 10 to 20 us; 2 B in ACKs of 60 B")
	j.Setting("queues", "", "of the ports of ToR switches to servers, every %v during the arrivals", period)
	j.Footnote("320-server fat tree, load %.0f %%, %s, arrivals for %v (web search) and %v (Hadoop), then until all flows have finished; bars: 95 %% intervals over the seeds",
		100*load, figure.Count(len(seeds), "seed"), z.Web, z.Hadoop)
	return contest.Measure(ctx, j, entries, seeds, quantities(z.Buckets))
}

// queues is the 99th percentile of the queues towards hosts, over ports and looks.
func queues(t *contest.Trial) (float64, error) {
	if err := t.Run.Manifest.Check(t.Run.Dir, store.PortSeries.Parquet()); err != nil {
		return 0, err
	}
	var list []float64
	err := store.PortSeries.ReadDir(t.Run.Dir, func(p *store.PortSample) error {
		if p.Peer < 320 {
			list = append(list, float64(p.Queue))
		}
		return nil
	})
	if err != nil || len(list) == 0 {
		return math.NaN(), err
	}
	slices.Sort(list)
	return list[(len(list)*99-1)/100], nil
}

// readSignal sums the table of the fridges up over the switches, by quantity. Of a signal of the host
// there is none.
func readSignal(t *contest.Trial) (map[string]float64, error) {
	none := map[string]float64{told: math.NaN(), bias: math.NaN(), apart: math.NaN(), silent: math.NaN()}
	name := "telemetry-fridge-switches.csv"
	if t.Run.Scenario.Telemetry.Kind != "fridge" {
		return none, nil
	}
	if err := t.Run.Manifest.Check(t.Run.Dir, name); err != nil {
		return nil, err
	}
	path := filepath.Join(t.Run.Dir, name)
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var acks, heard, estimated, measured, unheard, distance float64
	for _, line := range lines[1:] {
		cell := func(column string) float64 {
			i := slices.Index(lines[0], column)
			if i < 0 {
				err = fmt.Errorf("%s: no column %s", path, column)
				return 0
			}
			if line[i] == "" {
				return 0 // a mean of nothing, which has no weight below
			}
			x, e := strconv.ParseFloat(line[i], 64)
			if e != nil {
				err = fmt.Errorf("%s: %w", path, e)
			}
			return x
		}
		a, h := cell("acks"), cell("told")
		acks, heard = acks+a, heard+h
		estimated += h * cell("estimate_mean_s")
		measured += h * cell("true_mean_s")
		unheard += (a - h) * cell("untold_true_mean_s")
		distance += h * cell("error_mean")
	}
	if err != nil {
		return nil, err
	}
	return map[string]float64{
		told: heard / acks, bias: estimated / measured, apart: distance / heard,
		silent: unheard / (acks - heard) / (measured / heard), // NaN if all have an estimate
	}, nil
}
