package fig9

import (
	"context"
	"fmt"
	"iter"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/congestion"
	"pintlab/experiments/measure/latencies"
	"pintlab/experiments/measure/observe"
	"pintlab/experiments/measure/truth"
	"pintlab/experiments/scenario"
	"pintlab/internal/progress"
	"pintlab/netsim/unit"
	"pintlab/pint/approx"
	"pintlab/pint/latency"
)

// Row is a line of rows.csv: a point of the figure.
type Row struct {
	Part     int     `col:"row"` // 1 or 2; 3: frequent codes, which the PINT paper proves and does not draw
	Workload string  `col:"workload"`
	Quantile float64 `col:"quantile"` // row 3: the least share of a frequent code
	Bits     int     `col:"bits" unit:"b"`
	Sketch   int     `col:"sketch" unit:"digests"` // 0: all samples are kept; row 3: counters
	Packets  int     `col:"packets"`
	Error    float64 `col:"error" unit:"%"`      // mean of |estimate − truth| / truth
	StdErr   float64 `col:"std_error" unit:"%"`  // of the mean, flows taken as independent
	Rank     float64 `col:"rank_error"`          // mean distance of the estimate's rank from the quantile; row 3: of the largest error of a code's share
	Bound    float64 `col:"rank_bound"`          // Theorem 1, row 3 Theorem 2, for the longest paths, but for probability 0.1
	Count    int     `col:"estimates"`           // hops of flows
	Missing  int     `col:"missing"`             // hops of which no packet carried a sample
	Frequent int     `col:"frequent"`            // row 3: frequent codes
	Found    int     `col:"found"`               // row 3: of these, reported
	Broken   int     `col:"broken"`              // row 3: estimates that Theorem 2 says are rare
	Epsilon  float64 `col:"code_error" unit:"%"` // ε of the code
}

// scale is what is run at a scale.
type scale struct {
	web, hadoop unit.Time // arrivals
	packets     []int
	digests     []int
	rowLength   int
	samplings   int // of each flow, with other hashes
}

const us = unit.Microsecond

var scales = map[figure.Scale]scale{
	figure.Smoke:  {20 * us, 10 * us, []int{50, 100, 200}, []int{10, 50, 100}, 200, 1},
	figure.Laptop: {3000 * us, 3000 * us, latencies.Fig9().Packets, latencies.Fig9().Digests, 500, 3},
	figure.Paper:  {5000 * us, 5000 * us, latencies.Fig9().Packets, latencies.Fig9().Digests, 500, 5},
}

// String says what is run.
func (z scale) String() string {
	return fmt.Sprintf("1 seed, arrivals for %v (web search) and %v (Hadoop), the first %d packets of each flow that has them, sampled %d times",
		z.web, z.hadoop, z.longest(), z.samplings)
}

// longest is how many packets of a flow are looked at. Flows that are shorter are left
// out everywhere, so that all points are of the same flows.
func (z scale) longest() int { return max(z.packets[len(z.packets)-1], z.rowLength) }

// maxHops is the most switches on a path of the fat tree.
const maxHops = 5

func measure(ctx context.Context, j *figure.Job, z scale) ([]Row, error) {
	if err := observe.Fixed(j.Set, "seed", "workload.0.duration"); err != nil {
		return nil, err
	}
	seeds := j.SeedList(1)
	e := latencies.Fig9()
	e.Packets, e.Digests, e.RowLength, e.Seed, e.Seeds = z.packets, z.digests, z.rowLength, j.Seed, z.samplings
	show := progress.New(j.Campaign.Messages, progress.Options{Quiet: j.Campaign.Quiet, Tasks: 2 * len(seeds)})
	defer show.Close()
	var rows []Row
	for _, w := range []struct {
		congestion.Workload
		arrival unit.Time
	}{{congestion.Web, z.web}, {congestion.Hadoop, z.hadoop}} {
		var runs []*truth.Traces
		for _, seed := range seeds {
			c := congestion.Case{Workload: w.Workload, Scheme: congestion.PINT, Load: 50, Arrival: w.arrival}
			spec := c.Entry().Spec(seed).With(j.Set...)
			sc, err := spec.Scenario()
			if err != nil {
				return nil, err
			}
			task := show.Begin(spec.Label)
			_, traces, err := observe.Latencies(ctx, sc, z.longest(), observe.Report(task))
			task.End()
			if err != nil {
				return nil, err
			}
			runs = append(runs, traces)
			if len(rows) == 0 && len(runs) == 1 {
				settings(j, &sc)
			}
		}
		n := 0
		for range all(runs, z.longest()) {
			n++
		}
		j.Setting("flows of "+w.Name, "", "%d with %d packets or more", n, z.longest())
		if n == 0 {
			return nil, fmt.Errorf("%s: no flow has %d packets", w.Name, z.longest())
		}
		points, err := e.Run(observe.Floor(all(runs, z.longest()), e.Low))
		if err != nil {
			return nil, err
		}
		for _, p := range points {
			r, err := rowOf(w.Name, &p)
			if err != nil {
				return nil, err
			}
			rows = append(rows, r)
		}
		common, err := frequent(&e).Run(observe.Floor(all(runs, z.longest()), e.Low))
		if err != nil {
			return nil, err
		}
		for _, p := range common {
			r, err := frequentRow(w.Name, &p)
			if err != nil {
				return nil, err
			}
			rows = append(rows, r)
		}
	}
	j.Footnote("320-server fat tree, 50 %% load, HPCC over PINT, %s, arrivals for %v (web search) and %v (Hadoop); mean over flows and hops, bars: ± 2 standard errors",
		figure.Count(len(seeds), "seed"), z.web, z.hadoop)
	return rows, nil
}

func settings(j *figure.Job, sc *scenario.Scenario) {
	congestion.Settings(j, sc)
	for _, bits := range []int{4, 8} {
		j.Setting(fmt.Sprintf("code of %d bits", bits), "", "%v to %v, ε = %.3g", approx.LatencyLow, approx.LatencyHigh, epsilon(bits))
	}
}

// epsilon is that of the code of latencies.
func epsilon(bits int) float64 {
	c, err := approx.Cover(float64(approx.LatencyLow), float64(approx.LatencyHigh), bits)
	if err != nil {
		panic(err) // the figure's own constants
	}
	return math.Sqrt(c.Base) - 1
}

// all are the flows of all runs.
func all(runs []*truth.Traces, packets int) iter.Seq[latencies.Trace] {
	return func(yield func(latencies.Trace) bool) {
		for _, t := range runs {
			for tr := range t.All(packets) {
				if !yield(tr) {
					return
				}
			}
		}
	}
}

// theta is from which share on a code is frequent, delta what the theorems may fail with.
const theta, delta = 0.3, 0.1

// frequent is what row 3 measures, on the flows of the other rows.
func frequent(e *latencies.Experiment) *latencies.FrequentExperiment {
	last := e.Packets[len(e.Packets)-1]
	return &latencies.FrequentExperiment{
		Bits: e.Bits, Packets: []int{last / 5, last / 2, last}, Counters: []int{5, 10, 20}, Theta: theta, Delta: delta,
		Low: e.Low, High: e.High, Seeds: e.Seeds, Seed: e.Seed,
	}
}

func frequentRow(workload string, p *latencies.FrequentPoint) (Row, error) {
	g, err := latency.Theorem2(p.Packets, maxHops, p.Bits, p.Counters, delta)
	return Row{
		Part: 3, Workload: workload, Quantile: theta, Bits: p.Bits, Sketch: p.Counters, Packets: p.Packets,
		Error: math.NaN(), StdErr: math.NaN(), Rank: p.Error, Bound: g.Total(), Count: p.Count, Missing: p.Missing,
		Frequent: p.Frequent, Found: p.Found, Broken: p.Broken, Epsilon: 100 * epsilon(p.Bits),
	}, err
}

func rowOf(workload string, p *latencies.Point) (Row, error) {
	g, err := latency.Theorem1(p.Packets, maxHops, p.Digests, delta)
	return Row{
		Part: p.Row, Workload: workload, Quantile: p.Quantile, Bits: p.Bits, Sketch: p.Digests, Packets: p.Packets,
		Error: 100 * p.Mean, StdErr: 100 * p.StdErr, Rank: p.Rank, Bound: g.Total(), Count: p.Count, Missing: p.Missing,
		Epsilon: 100 * epsilon(p.Bits),
	}, err
}
