package load

import (
	"context"
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/hpcc/bench"
	"pintlab/experiments/measure/comparison"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// view is the columns of rows.csv.
var view = columns.View{"table", "case", "scheme", "against", "quantity", "size", "share", "value", "lo", "hi", "flows", "seeds"}

// The tables of the rows.
const (
	slowdowns = "slowdown" // a percentile of a bucket of flows of the background
	changes   = "change"   // its ratio to that of another scheme
	measures  = "measure"  // a number of the run
	queues    = "queue"    // the share of ports and time with a queue of at most that size
)

// The measures.
const (
	paused     = "time paused, mean of all ports"
	mostPaused = "time paused, most paused port"
	queue50    = "queue p50"
	queue95    = "queue p95"
	queue99    = "queue p99"
	longest    = "longest queue"
	incast95   = "p95 slowdown of the incast's flows"
	atOrBelow  = "at or below"
)

const us = unit.Microsecond

// traffic is what the servers send.
type traffic struct {
	name     string
	incast   bool
	workload func(arrivals unit.Time) string
}

var cases = []traffic{
	{"30 % and incast", true, func(d unit.Time) string {
		return fmt.Sprintf("workload=[{kind: poisson, sizes: hadoop, load: 0.3, duration: %v}, {kind: incast, senders: 60, size: 500KB, repeat: load, load: 0.02, duration: %v}]", d, d)
	}},
	{"50 %", false, func(d unit.Time) string {
		return fmt.Sprintf("workload=[{kind: poisson, sizes: hadoop, load: 0.5, duration: %v}]", d)
	}},
}

var (
	all   = bench.All
	smoke = []comparison.Scheme{bench.HPCC, bench.PINT, bench.DCQCN}
	// pairs are what is compared flow size by flow size.
	pairs = [][2]comparison.Scheme{
		{bench.HPCC, bench.DCQCN}, {bench.HPCC, bench.Timely}, {bench.HPCC, bench.DCQCNWin}, {bench.DCQCNWin, bench.DCQCN},
		{bench.TimelyWin, bench.Timely}, {bench.PINT, bench.HPCC},
	}
	percentiles = []string{"p50", "p95", "p99"}
	// lengths are the points of the distribution of queues, in bytes.
	lengths = []unit.Bytes{0, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7, 2e7}
)

// Scale is what is run at a scale.
type Scale struct {
	seeds, buckets int
	arrivals       unit.Time
	schemes        []comparison.Scheme
}

// String says what is run.
func (z Scale) String() string {
	return fmt.Sprintf("%s, %s, arrivals for %v", figure.Count(len(z.schemes), "scheme"), figure.Count(z.seeds, "seed"), z.arrivals)
}

// measured are the measures.
var measured = []comparison.Quantity{
	ofPorts(paused, "", func(x *ports) (float64, int) {
		sum := 0.0
		for _, d := range x.paused {
			sum += float64(d) // whole numbers: the order does not matter
		}
		return sum / float64(len(x.paused)) / float64(x.last), len(x.paused)
	}),
	ofPorts(mostPaused, "", func(x *ports) (float64, int) {
		most := 0.0
		for _, d := range x.paused {
			most = math.Max(most, d.Seconds())
		}
		return most / x.last.Seconds(), len(x.paused)
	}),
	queue(queue50, 0.50), queue(queue95, 0.95), queue(queue99, 0.99), queue(longest, 1),
	comparison.Class(1, comparison.Slowdown(incast95, 0.95, 0, math.MaxInt64)),
}

// distribution is the shares of ports and time with queues of at most some lengths.
var distribution = comparison.Quantity{Name: atOrBelow, Of: func(trials []*comparison.Trial) ([]stats.Measured, error) {
	var list []stats.Measured
	for _, length := range lengths {
		share := ofPorts("", "", func(x *ports) (float64, int) {
			n, _ := slices.BinarySearch(x.queues, math.Nextafter(float64(length), math.Inf(1)))
			return float64(n) / float64(len(x.queues)), len(x.queues)
		})
		m, err := share.Of(trials)
		if err != nil {
			return nil, err
		}
		in := m[0].Within(0, 1)
		in.Size = float64(length)
		list = append(list, in)
	}
	return list, nil
}}

// ports are what the ports of a run have shown during the arrivals.
type ports struct {
	last   unit.Time              // look
	paused map[[2]int32]unit.Time // by node and peer: until then
	queues []float64              // of switches, at all looks, sorted
}

// hosts have the first numbers of the fat tree.
const hosts = 320

func read(t *comparison.Trial) (*ports, error) {
	x := &ports{paused: map[[2]int32]unit.Time{}}
	err := bench.ReadSeries(t.Run, &store.PortSeries, func(p *store.PortSample) {
		x.last = p.Time
		x.paused[[2]int32{p.Node, p.Peer}] = p.PausedTime
		if p.Time > 0 && p.Node >= hosts {
			x.queues = append(x.queues, float64(p.Queue))
		}
	})
	slices.Sort(x.queues)
	return x, err
}

// ofPorts makes a quantity of the ports of a run.
func ofPorts(name, unit string, of func(*ports) (value float64, n int)) comparison.Quantity {
	q := comparison.Number(name, func(t *comparison.Trial) (float64, int, error) {
		x, err := comparison.Once(t, "ports", read)
		if err != nil {
			return 0, 0, err
		}
		value, n := of(x)
		return value, n, nil
	})
	q.Unit = unit
	return q
}

func queue(name string, p float64) comparison.Quantity {
	return ofPorts(name, plots.InBytes, func(x *ports) (float64, int) { return stats.Percentile(x.queues, p), len(x.queues) })
}

func measure(ctx context.Context, j *figure.Job, z Scale) ([]comparison.Row, error) {
	p := comparison.Plan{Seeds: j.SeedList(z.seeds), Quantities: append(slices.Clone(measured), distribution)}
	for i, percentile := range []float64{0.50, 0.95, 0.99} {
		p.Quantities = append(p.Quantities, comparison.Class(0, comparison.BySize(percentiles[i], percentile, z.buckets)))
	}
	entries := map[[2]string]comparison.Entry{}
	for _, c := range cases {
		for _, s := range z.schemes {
			set := []string{
				"name=hpcc-load", c.workload(z.arrivals),
				"run.sampling.enabled=true", "run.sampling.series=ports", "run.sampling.nodes=[all]", "run.sampling.period=10us",
				fmt.Sprintf("run.sampling.to=%v", z.arrivals), "run.sampling.formats=[parquet]",
			}
			e := comparison.Entry{
				Case: c.name, Scheme: s.Name, X: math.NaN(), Label: s.Name + ", " + c.name, Base: "fat320-hadoop", Set: append(set, s.Set...),
			}
			p.Entries, entries[[2]string{c.name, s.Name}] = append(p.Entries, e), e
		}
	}
	results, err := p.Run(ctx, j)
	if err != nil {
		return nil, err
	}
	bench.Settings(j, z.schemes)
	j.Setting("incast", "HPCC §5.1", "60 servers send 500 KB each to another one, as often as makes up 2 %% of the load")
	j.Footnote("320-server fat tree, Hadoop, %s, arrivals for %v, then until all flows have finished; queues and pauses during the arrivals; means over the seeds, bars: 95 %% intervals",
		figure.Count(len(p.Seeds), "seed"), z.arrivals)
	return results.Rows(func(r *comparison.Rows) {
		for _, c := range cases {
			for _, percentile := range percentiles {
				for _, s := range z.schemes {
					r.Add(slowdowns, entries[[2]string{c.name, s.Name}], "", percentile)
				}
				for _, p := range pairs {
					e, ok := entries[[2]string{c.name, p[0].Name}]
					if _, other := entries[[2]string{c.name, p[1].Name}]; ok && other { // at this scale
						r.Add(changes, e, p[1].Name, percentile)
					}
				}
			}
			for _, s := range z.schemes {
				for _, q := range measured {
					r.Add(measures, entries[[2]string{c.name, s.Name}], "", q.Name)
				}
				r.Add(queues, entries[[2]string{c.name, s.Name}], "", atOrBelow)
			}
		}
	})
}
