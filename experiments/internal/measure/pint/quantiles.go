package pint

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/scenario"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
	"pintlab/pint/latency"
)

// Quantiles configures how latency quantiles and frequent latency codes are estimated and compared with the truth.
type Quantiles struct {
	Packets  []int        `flag:"packets" default:"100,500" range:">=1 <=1000000000" use:"compare after these {numbers} of packets of a flow, ascending"`
	Sketch   int          `flag:"sketch" default:"100" range:">=8 <=65535" use:"digests {N} in the summary of a hop"`
	Bits     []int        `flag:"bits" default:"4,8" range:">=1 <=16" use:"{widths} of a latency's code, ascending"`
	Summary  latency.Kind `flag:"summary" use:"{name} of the summary: kll, raw (the newest as they are) or histogram (a counter for each code)"`
	Window   int          `flag:"window" range:">=4 <=1000000000" use:"summarise about the newest {N} digests of a hop; default: all"`
	Counters int          `flag:"counters" default:"10" range:">=1 <=65536" use:"Space-Saving counters {N} of a hop"`
	Theta    float64      `flag:"theta" default:"0.3" range:">0 <1" use:"least {share} of a frequent code"`
}

// delta is the probability with which the bounds of the theorems may fail.
const delta = 0.1

// QuantilesAnswer contains the errors of latency estimates from digests.
type QuantilesAnswer struct {
	Scenario   string         `json:"scenario"`
	Flows      int            `json:"flows"`       // flows that are long enough for the smallest number of packets
	NotStarted int64          `json:"not_started"` // excluded: they had not started at the end of the run
	Rerouted   int            `json:"rerouted"`    // excluded: their path changed
	Hops       []HopLatency   `json:"hops"`        // true latencies
	Rows       []LatencyError `json:"rows"`
	Frequent   []FrequentCode `json:"frequent"` // frequent codes of the largest flows
}

// HopLatency contains the true latencies at a hop, over all these flows.
type HopLatency struct {
	Hop     int     `json:"hop" col:"hop"`
	Packets int     `json:"packets" col:"packets"`
	P50     float64 `json:"p50_ns" col:"p50" unit:"ns"`
	P99     float64 `json:"p99_ns" col:"p99" unit:"ns"`
	Max     float64 `json:"max_ns" col:"max" unit:"ns"`
}

// LatencyError is the error of a quantile's estimate.
type LatencyError struct {
	Packets  int     `json:"packets" col:"packets"`                      // packets of a flow
	Bits     int     `json:"bits" col:"bits" unit:"b"`                   // bits of a code
	Sketch   int     `json:"sketch_digests" col:"sketch" unit:"digests"` // 0: all samples are kept
	Quantile float64 `json:"quantile" col:"quantile"`
	// mean of |estimate − truth| / truth; null if there is no estimate
	Error   columns.Number `json:"error" col:"error"`
	Rank    columns.Number `json:"rank_error" col:"rank error"` // mean; null without an estimate
	Bound   float64        `json:"rank_bound" col:"rank bound"` // Theorem 1, error probability 0.1; 1 for a window
	Count   int            `json:"estimates" col:"estimates"`   // averaged
	Missing int            `json:"missing" col:"missing"`       // hops without a sample
}

// FrequentCode measures how well the frequent codes of a hop's latencies are found.
type FrequentCode struct {
	Packets  int     `json:"packets" col:"packets"`
	Bits     int     `json:"bits" col:"bits" unit:"b"`
	Counters int     `json:"counters" col:"counters"`       // counters of Space-Saving at a hop
	Theta    float64 `json:"theta" col:"share"`             // smallest share of a frequent code
	Frequent int     `json:"frequent" col:"frequent codes"` // codes
	Found    int     `json:"found" col:"found"`
	// mean over the hops of the largest error of a code's share; null if there is no hop
	Error columns.Number `json:"share_error" col:"share error"`
	Bound float64        `json:"share_bound" col:"share bound"` // bound of Theorem 2, with error probability 0.1
	Hops  int            `json:"hops" col:"hops"`               // averaged
}

// Ask runs a scenario and compares the estimates with the truth.
func (q *Quantiles) Ask(ctx context.Context, sc scenario.Scenario, p study.Progress) (*QuantilesAnswer, error) {
	if err := study.Suits(&sc); err != nil {
		return nil, err
	}
	r, traces, err := Latencies(ctx, sc, slices.Max(q.Packets), p)
	if err != nil {
		return nil, err
	}
	a, err := q.compare(sc.Name, sc.Seed, traces.All(q.Packets[0]))
	if err != nil {
		return nil, err
	}
	a.NotStarted, a.Rerouted = r.Summary.NotStarted, traces.rerouted()
	return a, nil
}

// AskQueues is like Ask, but for random queues instead of a network.
func (q *Quantiles) AskQueues(s Queues) (*QuantilesAnswer, error) {
	s.Length = slices.Max(q.Packets)
	return q.compare("queues", s.Seed, s.traces())
}

func (q *Quantiles) experiments(seed uint64) (LatencyExperiment, FrequentExperiment) {
	e := Fig9()
	e.Bits, e.Packets, e.Digests, e.RowSketch, e.Summary, e.Window, e.Seed = q.Bits, q.Packets, nil, q.Sketch,
		q.Summary, q.Window, seed
	return e, FrequentExperiment{Bits: q.Bits, Packets: q.Packets, Counters: []int{q.Counters}, Theta: q.Theta,
		Delta: delta,
		Low:   e.Low, High: e.High, Seeds: e.Seeds, Seed: seed}
}

func (q *Quantiles) compare(name string, seed uint64, traces iter.Seq[LatencyTrace]) (*QuantilesAnswer, error) {
	e, frequent := q.experiments(seed)
	a := &QuantilesAnswer{Scenario: name}
	a.Hops, a.Flows = hopLatencies(traces)
	if a.Flows == 0 {
		return nil, fmt.Errorf("%s: no flow has %s: choose fewer --packets or a longer run (--set "+
			"workload.0.duration=…)", name, number.Count(q.Packets[0], "packet"))
	}
	hops := a.Hops[len(a.Hops)-1].Hop
	points, err := e.Run(Floor(traces, 0, e.Low))
	if err != nil {
		return nil, err
	}
	for _, x := range points {
		bound, err := q.bound(x.Packets, hops, x.Digests)
		if err != nil {
			return nil, err
		}
		a.Rows = append(a.Rows, LatencyError{x.Packets, x.Bits, x.Digests, x.Quantile, meanOf(x.Mean, x.Count),
			meanOf(x.Rank, x.Count), bound, x.Count, x.Missing})
	}
	codes, err := frequent.Run(Floor(traces, 0, e.Low))
	if err != nil {
		return nil, err
	}
	for _, x := range codes {
		g, err := latency.Theorem2(x.Packets, hops, x.Bits, x.Counters, delta)
		if err != nil {
			return nil, err
		}
		a.Frequent = append(a.Frequent,
			FrequentCode{x.Packets, x.Bits, x.Counters, q.Theta, x.Frequent, x.Found, meanOf(x.Error, x.Count),
				g.Total(), x.Count})
	}
	a.Rows, a.Frequent = columns.Rounded(a.Rows), columns.Rounded(a.Frequent)
	return a, nil
}

// meanOf returns a mean of n values. It is missing if n is 0.
func meanOf(mean float64, n int) columns.Number {
	if n == 0 {
		return columns.Number(math.NaN())
	}
	return columns.Number(mean)
}

// bound returns the error of Theorem 1 for a summary of this many digests. 0 digests stand for all samples. A histogram
// is exact, so it counts as all samples. A summary of the newest values has no bound for the whole stream.
func (q *Quantiles) bound(packets, hops, digests int) (float64, error) {
	switch {
	case digests > 0 && (q.Window > 0 || q.Summary == latency.Raw):
		return 1, nil
	case q.Summary == latency.Histogram:
		digests = 0
	}
	g, err := latency.Theorem1(packets, hops, digests, delta)
	return g.Total(), err
}

// hopLatencies returns, for each hop, the quantiles over all packets. It also returns the number of flows.
func hopLatencies(traces iter.Seq[LatencyTrace]) (list []HopLatency, flows int) {
	var all [][]unit.Time
	for tr := range traces {
		flows++
		for _, lat := range tr.Packets {
			for h, v := range lat {
				if h == len(all) {
					all = append(all, nil)
				}
				all[h] = append(all[h], v)
			}
		}
	}
	for h, v := range all {
		slices.Sort(v)
		at := func(q float64) float64 { return v[latency.Rank(q, uint64(len(v)))-1].Ratio(unit.Nanosecond) }
		list = append(list, HopLatency{h + 1, len(v), at(0.5), at(0.99), at(1)})
	}
	return list, flows
}
