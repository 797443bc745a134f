package load

import (
	"context"
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/campaign"
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/hpcc/bench"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/netsim/unit"
)

// Row is a line of rows.csv.
type Row struct {
	// "slowdown": a percentile of a bucket of flows; "change": its ratio to that of Against; "measure": a
	// number of the run; "queue": the share of ports and time with a queue of at most Size.
	Table    string `col:"table"`
	Case     string `col:"case"`
	Scheme   string `col:"scheme"`
	Against  string `col:"against"`
	Quantity string `col:"quantity"`
	stats.Measured
}

// The tables of the rows.
const (
	slowdowns = "slowdown"
	changes   = "change"
	measures  = "measure"
	queues    = "queue"
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
	smoke = []bench.Scheme{bench.HPCC, bench.PINT, bench.DCQCN}
	// pairs are what is compared flow size by flow size.
	pairs = [][2]bench.Scheme{
		{bench.HPCC, bench.DCQCN}, {bench.HPCC, bench.Timely}, {bench.HPCC, bench.DCQCNWin}, {bench.DCQCNWin, bench.DCQCN},
		{bench.TimelyWin, bench.Timely}, {bench.PINT, bench.HPCC},
	}
	percentiles = []struct {
		name string
		p    float64
	}{{"p50", 0.50}, {"p95", 0.95}, {"p99", 0.99}}
	// lengths are the queues of which the distribution is told, in bytes.
	lengths = []unit.Bytes{0, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7, 2e7}
)

// Scale is what is run at a scale.
type Scale struct {
	seeds, buckets int
	arrivals       unit.Time
	schemes        []bench.Scheme
}

// String says what is run.
func (z Scale) String() string {
	return fmt.Sprintf("%s, %s, arrivals for %v", figure.Count(len(z.schemes), "scheme"), figure.Count(z.seeds, "seed"), z.arrivals)
}

// found is what a scheme has given with some traffic.
type found struct {
	points   [][]stats.Point // of each seed
	measures map[string]*stats.PerSeed
	queue    []stats.PerSeed // as lengths
}

func measure(ctx context.Context, j *figure.Job, z Scale) ([]Row, error) {
	seeds := j.SeedList(z.seeds)
	var specs []campaign.Spec
	for _, c := range cases {
		for _, s := range z.schemes {
			for _, seed := range seeds {
				set := []string{
					fmt.Sprintf("seed=%d", seed), "name=hpcc-load", c.workload(z.arrivals),
					"run.sampling.enabled=true", "run.sampling.series=ports", "run.sampling.nodes=[all]", "run.sampling.period=10us",
					fmt.Sprintf("run.sampling.to=%v", z.arrivals), "run.sampling.formats=[parquet]",
				}
				specs = append(specs, campaign.Spec{
					Label: fmt.Sprintf("%s, %s, seed %d", s.Name, c.name, seed), Base: "fat320-hadoop", Set: append(set, s.Set...),
				})
			}
		}
	}
	runs, err := j.Simulate(ctx, specs)
	if err != nil {
		return nil, err
	}
	bench.Settings(j, z.schemes)
	j.Setting("incast", "HPCC §5.1", "60 servers send 500 KB each to another one, as often as makes up 2 %% of the load")
	j.Footnote("320-server fat tree, Hadoop, %s, arrivals for %v, then until all flows have finished; queues and pauses during the arrivals; means over the seeds, bars: 95 %% intervals",
		figure.Count(len(seeds), "seed"), z.arrivals)
	var rows []Row
	for _, c := range cases {
		of := map[string]*found{}
		for _, s := range z.schemes {
			f := &found{measures: map[string]*stats.PerSeed{}, queue: make([]stats.PerSeed, len(lengths))}
			of[s.Name] = f
			for range seeds {
				if err := f.add(runs[0]); err != nil {
					return nil, err
				}
				runs = runs[1:]
			}
		}
		some, err := tell(c.name, z, of)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		rows = append(rows, some...)
	}
	return columns.Rounded(rows), nil
}

// add takes in a run.
func (f *found) add(run *campaign.Run) error {
	flows, err := run.Counted()
	if err != nil {
		return err
	}
	all, _ := stats.Points(flows, stats.Everything())
	incast := map[int64]bool{}
	for r := range flows.All() {
		incast[r.ID] = r.Class == 1
	}
	var background []stats.Point
	var burst []float64
	for _, p := range all {
		if incast[p.ID] {
			burst = append(burst, p.Slowdown)
		} else {
			background = append(background, p)
		}
	}
	f.points = append(f.points, background)
	count := func(name string, value float64, n int) {
		if f.measures[name] == nil {
			f.measures[name] = &stats.PerSeed{}
		}
		f.measures[name].Add(value, n)
	}
	if len(burst) > 0 {
		slices.Sort(burst)
		count(incast95, stats.Percentile(burst, 0.95), len(burst))
	}
	var lengthsSeen []float64
	var last unit.Time
	pausedFor := map[[2]int32]unit.Time{}
	if err := bench.ReadSeries(run, &store.PortSeries, func(p *store.PortSample) {
		last = p.Time
		pausedFor[[2]int32{p.Node, p.Peer}] = p.PausedTime
		if p.Time > 0 && p.Node >= hosts {
			lengthsSeen = append(lengthsSeen, float64(p.Queue))
		}
	}); err != nil {
		return err
	}
	sum, most := 0.0, 0.0
	for _, d := range pausedFor {
		most = math.Max(most, d.Seconds())
		sum += float64(d) // whole numbers: the order does not matter
	}
	count(paused, sum/float64(len(pausedFor))/float64(last), len(pausedFor))
	count(mostPaused, most/last.Seconds(), len(pausedFor))
	slices.Sort(lengthsSeen)
	for _, q := range []struct {
		name string
		p    float64
	}{{queue50, 0.50}, {queue95, 0.95}, {queue99, 0.99}, {longest, 1}} {
		count(q.name, stats.Percentile(lengthsSeen, q.p), len(lengthsSeen))
	}
	for i, length := range lengths {
		n, _ := slices.BinarySearch(lengthsSeen, math.Nextafter(float64(length), math.Inf(1)))
		f.queue[i].Add(float64(n)/float64(len(lengthsSeen)), len(lengthsSeen))
	}
	return nil
}

// hosts have the first numbers of the fat tree.
const hosts = 320

// tell makes the rows of some traffic.
func tell(name string, z Scale, of map[string]*found) ([]Row, error) {
	var rows []Row
	add := func(table, scheme, against, quantity string, list ...stats.Measured) {
		for _, m := range list {
			rows = append(rows, Row{table, name, scheme, against, quantity, m})
		}
	}
	for _, x := range percentiles {
		curves := map[string][]stats.Measured{}
		for _, s := range z.schemes {
			curve, err := stats.BySize(of[s.Name].points, z.buckets, x.p)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.Name, err)
			}
			curves[s.Name] = curve
			add(slowdowns, s.Name, "", x.name, curve...)
		}
		for _, p := range pairs {
			if curves[p[0].Name] == nil || curves[p[1].Name] == nil {
				continue // not at this scale
			}
			over, err := stats.Over(curves[p[0].Name], curves[p[1].Name])
			if err != nil {
				return nil, fmt.Errorf("%s against %s: %w", p[0].Name, p[1].Name, err)
			}
			add(changes, p[0].Name, p[1].Name, x.name, over...)
		}
	}
	for _, s := range z.schemes {
		f := of[s.Name]
		for _, quantity := range []string{paused, mostPaused, queue50, queue95, queue99, longest, incast95} {
			if f.measures[quantity] == nil {
				continue // no incast
			}
			m, err := f.measures[quantity].Mean()
			if err != nil {
				return nil, err
			}
			add(measures, s.Name, "", quantity, m)
		}
		for i, length := range lengths {
			m, err := f.queue[i].Mean()
			if err != nil {
				return nil, err
			}
			m = m.Within(0, 1)
			m.Size = float64(length)
			add(queues, s.Name, "", "at or below", m)
		}
	}
	return rows, nil
}

// of are the rows of a table.
func of(rows []Row, table, name, scheme, against, quantity string) []Row {
	return figure.Pick(rows, func(r *Row) bool {
		return r.Table == table && r.Case == name && r.Scheme == scheme && r.Against == against && r.Quantity == quantity
	})
}
