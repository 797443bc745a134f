package lightguardian

// Network runs LightGuardian in the simulated testbed of its paper (§8.2 and appendix D.3). Fig. 6, 13 and 14 share
// these runs.
//
// The LightGuardian paper has an interval of 5 s, in which nothing is carried for 1 s, datagrams after 100 ms, and 2^16
// sketchlets. Here, times and numbers of sketchlets are divided by the same number, so that there are as many packets
// per sketchlet as in the paper. Measured times are multiplied by that number again. A run lasts two intervals; the
// second interval collects the sketches of the first.
//
// "Without" LightGuardian is the same run with a λ_c so small that nothing is carried.

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
)

// The numbers of the LightGuardian paper.
const (
	interval   = 5 * unit.Second
	quiet      = unit.Second
	timeout    = 100 * unit.Millisecond
	buckets    = 1 << 15 // size of each of two arrays: 2^16 sketchlets
	carry      = 4       // λ_c in 64ths
	pairRate   = 36      // in Gb/s, for the experiments with two hosts
	pairNode   = "8"     // switch of these two hosts
	pollInPart = 100     // number of polls during a timeout
)

// NetworkScale contains the settings of a scale.
type NetworkScale struct {
	Share int // divides the LightGuardian paper's times and sketchlets
	Loads []int
	Seeds int
	Few   bool // run only the ends of a sweep
}

// Ends returns only the ends of a sweep if the scale runs few points.
func Ends[T any](z NetworkScale, list []T) []T {
	if z.Few {
		return []T{list[0], list[len(list)-1]}
	}
	return list
}

// NetworkScales are the scales of all figures.
var NetworkScales = map[study.Scale]NetworkScale{
	study.Smoke:  {400, []int{50, 90}, 1, true},
	study.Laptop: {100, []int{50, 60, 70, 80, 90}, 20, false},
	study.Paper:  {5, []int{50, 60, 70, 80, 90}, 10, false},
}

func (z NetworkScale) String() string {
	return fmt.Sprintf("8 hosts and 10 switches, two intervals of %v, %d sketchlets in a switch, %s",
		interval/unit.Time(z.Share), 2*(buckets/z.Share), number.Count(z.Seeds, "seed"))
}

// Workload is a distribution of flow sizes.
type Workload struct{ Label, sizes string }

// The workloads. WEB comes from one of Facebook's clusters; the LightGuardian paper uses another of them.
var (
	DCTCP = Workload{"DCTCP", "websearch"}
	WEB   = Workload{"WEB", "hadoop"}
	// Pair is a flow of 36 Gb/s, in packets of 1500 B, between two hosts below the same switch. The receiver forwards
	// the sketchlets at once.
	Pair = Workload{"pair", ""}
)

// Point describes a run except for its seed.
type Point struct {
	Workload Workload
	Load     int     // % of the hosts' links; 0 for Pair
	Carry    float64 // λ_c in 64ths; 0: nothing is carried
	Buckets  int     // width of an array, at the LightGuardian paper's scale
	Short    bool    // packets have the size ShortPackets, not the MTU that the LightGuardian paper names (§7.2)
}

// ShortPackets is a size of packets. We chose it because with it the bandwidths of Fig. 6 (a) are as printed.
const ShortPackets = 7500 * unit.Byte

// Default returns a point with the LightGuardian paper's parameters.
func Default(w Workload, load int) Point { return Point{w, load, carry, buckets, false} }

// Without returns the same point without LightGuardian.
func (p Point) Without() Point {
	p.Carry = 0
	return p
}

// without is the scheme of a point without sketchlets on packets.
const without = "without"

func (p Point) entry(z NetworkScale) study.Cell {
	part := func(t unit.Time) unit.Time { return t / unit.Time(z.Share) }
	end := 2 * part(interval)
	set := []string{
		fmt.Sprintf("run.until=%v", end),
		fmt.Sprintf("monitors.0.interval=%v", part(interval)), fmt.Sprintf("monitors.0.quiet=%v", part(quiet)),
		fmt.Sprintf("monitors.0.timeout=%v", part(timeout)),
		fmt.Sprintf("monitors.0.poll=%v", part(timeout)/pollInPart),
		fmt.Sprintf("monitors.0.delay_buckets=%d", p.Buckets/z.Share),
		fmt.Sprintf("monitors.0.carry=%g", cmp.Or(p.Carry/64, 1e-9)),
	}
	e := study.Cell{Case: fmt.Sprintf("%s, w = %d over %d", p.Workload.Label, p.Buckets, z.Share),
		Scheme: without, Base: "lightguardian"}
	if p.Carry != 0 {
		e.Scheme = fmt.Sprintf("λ_c = %g/64", p.Carry)
	}
	if p.Short {
		e.Case += fmt.Sprintf(", packets of %v", ShortPackets)
		set = append(set, fmt.Sprintf("transport.mtu=%v", ShortPackets))
	}
	if p.Workload == Pair {
		size := (pairRate * unit.Gbps).In(end) // with headers, the flow lasts a little longer than both intervals
		set[0] = fmt.Sprintf("run.until=%v", end+end/4)
		set[3] = fmt.Sprintf("monitors.0.timeout=%v", part(timeout)/pollInPart) // batches would blur it
		set = append(set, fmt.Sprintf("workload=[{kind: list, flows: [{src: 0, dst: 1, size: %v}]}]", size),
			"transport.mtu=1500B", "transport.pacing=true", "cc.kind=fixed", fmt.Sprintf("cc.rate=%dGbps", pairRate))
	} else {
		e.Case += fmt.Sprintf(" at %d %%", p.Load)
		set = append(set, "workload.0.sizes="+p.Workload.sizes,
			fmt.Sprintf("workload.0.load=%g", float64(p.Load)/100), fmt.Sprintf("workload.0.duration=%v", end))
	}
	e.Set, e.Label = set, fmt.Sprintf("LightGuardian, %s, %s", e.Case, e.Scheme)
	return e
}

// The quantities of a point. Quantities at hosts are sums over the data packets that end hosts receive while switches
// give sketchlets away, as the published analyzers compute them. A sketchlet counts 24 B. INT counts 4 B and 20 B for
// each hop.
const (
	Host    = "host"     // mean rate of sketchlets at a host, in b/s
	HostINT = "host INT" // the same for INT
	Traffic = "traffic"  // share of sketchlets in what hosts receive, in %
	OverINT = "over INT" // bytes of sketchlets divided by bytes of INT at hosts, in %
	// the same quantities on the links that leave a switch, for both directions and the whole second interval
	Link, LinkINT, LinkOverINT = "link", "link INT", "link over INT"
	Hop                        = "hop" // mean time of a packet in a switch, in s
)

var quantities = []study.Measure{
	cost(Host, "host_bps", 1), cost(HostINT, "int_host_bps", 1), cost(Traffic, "share_of_traffic", 100), overINT,
	cost(Link, "link_bps", 1), cost(LinkINT, "int_link_bps", 1), cost(Hop, "delay_mean_s", 1),
	ratio(LinkOverINT, "bytes_on_links", "int_bytes_on_links"),
}

var overINT = ratio(OverINT, "host_bps", "int_host_bps")

// cost measures a column of the table of costs, multiplied by a factor.
func cost(name, column string, factor float64) study.Measure {
	return monitored(name, func(t *study.MonitorTables) float64 { return factor * t.Sum("cost", column) })
}

// ratio measures a column divided by another column, in %.
func ratio(name, column, other string) study.Measure {
	return monitored(name, func(t *study.MonitorTables) float64 {
		return 100 * t.Sum("cost", column) / t.Sum("cost", other)
	})
}

func monitored(name string, of func(*study.MonitorTables) float64) study.Measure {
	return study.Monitor(name, "lightguardian", of)
}

// Levels lists shares of the sketchlets of the switch in Pair. The time until the analyzer has this share is measured.
var Levels = []string{"90 %", "99 %"}

// required returns the quantities of a Pair: OverINT, and the time and the number of packets until the analyzer has
// each of Levels. The time is in s at the LightGuardian paper's scale, and the number of packets is multiplied by the
// share of the scale.
func required(z NetworkScale) []study.Measure {
	list := []study.Measure{overINT}
	for i, column := range []string{"p90_s", "p99_s"} {
		at := func(name string, of func(l *columns.Line, seconds float64) float64) study.Measure {
			return monitored(Levels[i]+name, func(t *study.MonitorTables) float64 {
				value := math.NaN()
				t.Each("switches", func(l *columns.Line) {
					if l.Text("interval") == "0" && l.Text("node") == pairNode && math.IsNaN(value) {
						value = of(l, l.Maybe(column)*float64(z.Share))
					}
				})
				return value
			})
		}
		list = append(list, at(time, func(_ *columns.Line, seconds float64) float64 { return seconds }),
			at(packetsLeft, func(l *columns.Line, seconds float64) float64 {
				return l.Number("packets") * float64(z.Share) * seconds / interval.Seconds()
			}))
	}
	return list
}

// The suffixes of the names of quantities that required returns.
const time, packetsLeft = " time", " packets"

// Rows collects the rows of a figure, and keeps the first error.
type Rows struct {
	z       NetworkScale
	results *study.Results
	list    []study.Row
	err     error
}

// Network runs the points with every seed. It returns the rows that the function order adds.
func Network(
	ctx context.Context, j *study.Job, z NetworkScale, points []Point, order func(*Rows),
) ([]study.Row, error) {
	plan := study.Study{Seeds: j.SeedList(z.Seeds), Measures: quantities}
	for _, p := range points {
		e := p.entry(z)
		if p.Workload == Pair {
			e.Measures = required(z)
		}
		plan.Cells = append(plan.Cells, e)
	}
	results, err := plan.Run(ctx, j)
	if err != nil {
		return nil, err
	}
	j.Setting("interval", "LightGuardian §5.1: 5 s, 1 s without carrying",
		"%v and %v, the LightGuardian paper's times divided by %d; reported times are multiplied by the same factor",
		interval/unit.Time(z.Share), quiet/unit.Time(z.Share), z.Share)
	j.Setting("sketchlets", "LightGuardian §8.2: 2^16 of 24 B", "%d of 24 B, over %d", 2*(buckets/z.Share), z.Share)
	j.Setting("WEB", "LightGuardian §8.2: WEB of Facebook", "Hadoop of Facebook (Roy et al., SIGCOMM 2015)")
	j.Footnote("FatTree of 8 hosts, 40 Gb/s; times and sketchlets over %d; %s", z.Share, j.Over(z.Seeds))
	r := &Rows{z: z, results: results}
	order(r)
	return r.list, r.err
}

// Add adds a quantity of a point. It adds NaN if a seed lacks the quantity.
func (r *Rows) Add(panel, scheme string, x float64, p Point, quantity string) {
	if r.err != nil {
		return
	}
	var list []stats.Sized
	if list, r.err = r.results.Numbers(p.entry(r.z), quantity); len(list) == 0 {
		list = []stats.Sized{stats.Whole(none)}
	}
	r.Append(panel, scheme, x, list[0].Number)
}

// Append adds a number.
func (r *Rows) Append(panel, scheme string, x float64, m stats.Number) {
	r.list = append(r.list, study.Row{Table: panel, Scheme: scheme, X: x, Sized: stats.Whole(m)})
}

// Required adds the time and the number of packets until the analyzer has each of Levels of a Pair, in two panels.
func (r *Rows) Required(timePanel, packetPanel string, x float64, p Point) {
	for _, level := range Levels {
		r.Add(timePanel, level, x, p, level+time)
		r.Add(packetPanel, level, x, p, level+packetsLeft)
	}
}

// mean returns the mean over the seeds, or NaN if one of them lacks the number.
func mean(list *stats.PerSeed) stats.Number {
	m, err := list.Mean()
	if err != nil { // a seed has no number
		return none
	}
	return m
}

var none = stats.None()

// Progress adds a curve for the switches of a layer. It shows the share of sketchlets that the analyzer has, in %, over
// the time since the interval ended, in s at the LightGuardian paper's scale.
func (r *Rows) Progress(panel string, p Point, layer string) {
	var times []float64
	var shares []*stats.PerSeed
	for _, run := range r.results.Runs(p.entry(r.z)) {
		t := study.MonitorTables{Dir: run.Dir, Kind: "lightguardian", Err: r.err}
		n := 0
		t.Each("progress", func(l *columns.Line) {
			if l.Text("interval") != "0" || l.Text("layer") != layer {
				return
			}
			at, share := l.Number("time_s")*float64(r.z.Share), 100*l.Number("share")
			if n == len(times) {
				times, shares = append(times, at), append(shares, &stats.PerSeed{})
			}
			shares[n].Add(share, 1)
			n++
		})
		if r.err == nil && t.Err != nil {
			r.err = fmt.Errorf("%s: %w", run.Label, t.Err)
		}
	}
	for i, at := range times {
		r.Append(panel, layer, at, mean(shares[i]))
	}
}

// FCT returns the mean completion times, in s, with and without LightGuardian, and their change in %. It covers the
// flows that are larger than above, at most as large as upTo, and finished in both runs.
func (r *Rows) FCT(p Point, above, upTo unit.Bytes) (with, without, change stats.Number) {
	var a, b stats.PerSeed
	own, base := r.trials(p), r.trials(p.Without())
	if r.err != nil {
		return none, none, none
	}
	for i := range own {
		times := map[int64]unit.Time{}
		for f := range base[i].Flows.All() {
			if f.Outcome == store.Finished {
				times[f.ID] = f.FCT
			}
		}
		sum, other, n := 0.0, 0.0, 0
		for f := range own[i].Flows.All() {
			if t, ok := times[f.ID]; ok && f.Outcome == store.Finished && f.Size > above && f.Size <= upTo {
				sum += f.FCT.Seconds()
				other += t.Seconds()
				n++
			}
		}
		a.Add(sum/float64(n), n)
		b.Add(other/float64(n), n)
	}
	change, err := a.Over(&b)
	if err != nil { // a seed lacks such a flow
		return mean(&a), mean(&b), none
	}
	return mean(&a), mean(&b), change.Percent()
}

func (r *Rows) trials(p Point) (list []*study.Trial) {
	if r.err == nil {
		list, r.err = r.results.Trials(p.entry(r.z))
	}
	return list
}
