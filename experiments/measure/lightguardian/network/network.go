// Package network runs LightGuardian in the simulated testbed of its paper (§8.2 and appendix D.3): the
// runs that Fig. 6, 13 and 14 share.
//
// Times and sketchlets are the LightGuardian paper's over one number, so that a sketchlet has as many packets as
// there: an interval of 5 s, 1 s of it without carrying, datagrams after 100 ms, 2^16 sketchlets.
// Times that were measured are multiplied by that number again. A run lasts two intervals; the second
// one collects the sketches of the first.
//
// "Without" LightGuardian is the same run with λ_c so small that nothing is carried.
package network

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"pintlab/experiments/campaign"
	"pintlab/experiments/measure"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/netsim/unit"
)

// The numbers of the LightGuardian paper.
const (
	interval   = 5 * unit.Second
	quiet      = unit.Second
	timeout    = 100 * unit.Millisecond
	Buckets    = 1 << 15 // of each of two arrays: 2^16 sketchlets
	Carry      = 4       // λ_c in 64ths
	pairRate   = 36      // Gb/s, of the experiments with two hosts
	pairNode   = "8"     // their switch
	pollInPart = 100     // of a timeout
)

// Scale holds the settings of a scale.
type Scale struct {
	Share int // times and sketchlets are the LightGuardian paper's over this
	Loads []int
	Seeds int
	Few   bool // of a sweep the ends alone
}

// Ends returns the ends of a sweep where there is to be few of it.
func Ends[T any](z Scale, list []T) []T {
	if z.Few {
		return []T{list[0], list[len(list)-1]}
	}
	return list
}

// Scales are those of all figures.
var Scales = map[measure.Scale]Scale{
	measure.Smoke:  {400, []int{50, 90}, 1, true},
	measure.Laptop: {100, []int{50, 60, 70, 80, 90}, 20, false},
	measure.Paper:  {5, []int{50, 60, 70, 80, 90}, 5, false},
}

func (z Scale) String() string {
	return fmt.Sprintf("8 hosts and 10 switches, two intervals of %v, %d sketchlets in a switch, %s", interval/unit.Time(z.Share), 2*(Buckets/z.Share), measure.Count(z.Seeds, "seed"))
}

// Workload is a distribution of flow sizes.
type Workload struct{ Label, sizes string }

// The workloads. The LightGuardian paper's WEB is one of Facebook's clusters; ours is another one of these.
var (
	DCTCP = Workload{"DCTCP", "websearch"}
	WEB   = Workload{"WEB", "hadoop"}
	// Pair is 36 Gb/s, in packets of 1500 B, from one host to another one below the same switch,
	// which sends its sketchlets on at once.
	Pair = Workload{"pair", ""}
)

// Point is a run, but for the seed.
type Point struct {
	Workload Workload
	Load     int     // % of the hosts' links; 0 for Pair
	Carry    float64 // λ_c in 64ths; 0: nothing is carried
	Buckets  int     // of an array, at the LightGuardian paper's scale
}

// Default returns a point with the LightGuardian paper's parameters.
func Default(w Workload, load int) Point { return Point{w, load, Carry, Buckets} }

// Without returns the point without LightGuardian.
func (p Point) Without() Point {
	p.Carry = 0
	return p
}

func (p Point) spec(z Scale, seed uint64) campaign.Spec {
	part := func(t unit.Time) unit.Time { return t / unit.Time(z.Share) }
	carry := p.Carry / 64
	carry = cmp.Or(carry, 1e-9)
	end := 2 * part(interval)
	set := []string{
		fmt.Sprintf("seed=%d", seed), fmt.Sprintf("run.until=%v", end),
		fmt.Sprintf("monitors.0.interval=%v", part(interval)), fmt.Sprintf("monitors.0.quiet=%v", part(quiet)),
		fmt.Sprintf("monitors.0.timeout=%v", part(timeout)), fmt.Sprintf("monitors.0.poll=%v", part(timeout)/pollInPart),
		fmt.Sprintf("monitors.0.delay_buckets=%d", p.Buckets/z.Share), fmt.Sprintf("monitors.0.carry=%g", carry),
	}
	label := fmt.Sprintf("LightGuardian, %s, λ_c = %g/64, w = %d over %d, seed %d", p.Workload.Label, p.Carry, p.Buckets, z.Share, seed)
	if p.Workload == Pair {
		size := (pairRate * unit.Gbps).In(end) // with headers it takes a little more than both intervals
		set[1] = fmt.Sprintf("run.until=%v", end+end/4)
		set[4] = fmt.Sprintf("monitors.0.timeout=%v", part(timeout)/pollInPart) // batches would blur what is measured
		set = append(set, fmt.Sprintf("workload=[{kind: list, flows: [{src: 0, dst: 1, size: %v}]}]", size), "transport.mtu=1500B", "transport.pacing=true", "cc.kind=fixed", fmt.Sprintf("cc.rate=%dGbps", pairRate))
	} else {
		label = fmt.Sprintf("%s at %d %%", label, p.Load)
		set = append(set, "workload.0.sizes="+p.Workload.sizes, fmt.Sprintf("workload.0.load=%g", float64(p.Load)/100), fmt.Sprintf("workload.0.duration=%v", end))
	}
	return campaign.Spec{Label: label, Base: "lightguardian", Set: set}
}

// Runs are the runs of points.
type Runs struct {
	z    Scale
	runs map[Point][]*campaign.Run // by seed
}

// Run runs the points with every seed.
func Run(ctx context.Context, j *measure.Job, z Scale, points []Point) (*Runs, error) {
	runs, over, err := measure.Seeded(ctx, j, z.Seeds, points, func(p Point, seed uint64) campaign.Spec { return p.spec(z, seed) })
	if err != nil {
		return nil, err
	}
	r := &Runs{z, map[Point][]*campaign.Run{}}
	for i, p := range points {
		r.runs[p] = runs[i]
	}
	j.Setting("interval", "LightGuardian §5.1: 5 s, 1 s without carrying", "%v and %v, the LightGuardian paper's over %d; times are multiplied by that again", interval/unit.Time(z.Share), quiet/unit.Time(z.Share), z.Share)
	j.Setting("sketchlets", "LightGuardian §8.2: 2^16 of 24 B", "%d of 24 B, over %d", 2*(Buckets/z.Share), z.Share)
	j.Setting("WEB", "LightGuardian §8.2: WEB of Facebook", "Hadoop of Facebook (Roy et al., SIGCOMM 2015)")
	j.Footnote("FatTree of 8 hosts, 40 Gb/s; times and sketchlets over %d; %s", z.Share, over)
	return r, nil
}

// each has a number of every seed of a point, and their mean.
func (r *Runs) each(p Point, of func(*measure.MonitorTables) float64) (stats.Measured, error) {
	var list stats.PerSeed
	for _, run := range r.runs[p] {
		t := measure.MonitorTables{Dir: run.Dir, Kind: "lightguardian"}
		v := of(&t)
		if t.Err != nil {
			return stats.Measured{}, fmt.Errorf("%s: %w", run.Label, t.Err)
		}
		list.Add(v, 1)
	}
	return mean(&list), nil
}

// mean is NaN if a seed does not have the number.
func mean(list *stats.PerSeed) stats.Measured {
	m, err := list.Mean()
	if err != nil { // a seed has no number
		return none
	}
	return m
}

var none = stats.Measured{Value: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}

// Bandwidth returns the mean rate of sketchlets on a link, and that of INT with 20 B from
// each hop, in b/s: of the directions of links that leave a switch, while sketchlets are given away.
func (r *Runs) Bandwidth(p Point) (ours, ofINT stats.Measured, err error) {
	if ours, err = r.each(p, func(t *measure.MonitorTables) float64 { return t.Sum("cost", "link_bps") }); err != nil {
		return ours, ofINT, err
	}
	ofINT, err = r.each(p, func(t *measure.MonitorTables) float64 { return t.Sum("cost", "int_link_bps") })
	return ours, ofINT, err
}

// OverINT returns the bandwidth of sketchlets over that of INT, in %.
func (r *Runs) OverINT(p Point) (stats.Measured, error) {
	return r.each(p, func(t *measure.MonitorTables) float64 {
		return 100 * t.Sum("cost", "bytes_on_links") / t.Sum("cost", "int_bytes_on_links")
	})
}

// Hop returns the mean time of a packet in a switch, in s.
func (r *Runs) Hop(p Point) (stats.Measured, error) {
	return r.each(p, func(t *measure.MonitorTables) float64 { return t.Sum("cost", "delay_mean_s") })
}

// Progress adds a curve to rows: the share of the sketchlets of a layer's switches that the analyzer has, in
// %, against the time since the interval ended, in s at the LightGuardian paper's scale.
func (r *Runs) Progress(rows []measure.Point, panel string, p Point, layer string) ([]measure.Point, error) {
	var times []float64
	var shares []*stats.PerSeed
	for _, run := range r.runs[p] {
		t := measure.MonitorTables{Dir: run.Dir, Kind: "lightguardian"}
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
		if t.Err != nil {
			return nil, fmt.Errorf("%s: %w", run.Label, t.Err)
		}
	}
	for i, at := range times {
		rows = append(rows, measure.PointOf(panel, layer, at, mean(shares[i])))
	}
	return rows, nil
}

// Levels are the shares that Required waits for.
var Levels = []string{"90 %", "99 %"}

// Required adds to rows, in two panels, the time at the LightGuardian paper's scale, in s, and the packets, times the share
// of the scale, until the analyzer has those shares of the sketchlets of the switch of a Pair.
func (r *Runs) Required(rows []measure.Point, timePanel, packetPanel string, p Point, x float64) ([]measure.Point, error) {
	for i, column := range []string{"p90_s", "p99_s"} {
		of := func(t *measure.MonitorTables) (seconds, packets float64) {
			seconds, packets = math.NaN(), math.NaN()
			t.Each("switches", func(l *columns.Line) {
				if l.Text("interval") == "0" && l.Text("node") == pairNode && math.IsNaN(seconds) {
					seconds = l.Maybe(column) * float64(r.z.Share)
					packets = l.Number("packets") * float64(r.z.Share) * seconds / interval.Seconds()
				}
			})
			return seconds, packets
		}
		seconds, err := r.each(p, func(t *measure.MonitorTables) float64 { s, _ := of(t); return s })
		if err != nil {
			return nil, err
		}
		packets, err := r.each(p, func(t *measure.MonitorTables) float64 { _, n := of(t); return n })
		if err != nil {
			return nil, err
		}
		rows = append(rows, measure.PointOf(timePanel, Levels[i], x, seconds), measure.PointOf(packetPanel, Levels[i], x, packets))
	}
	return rows, nil
}

// FCT returns the mean completion time of the flows up to a size and above another one, in s, of those that end both
// with and without LightGuardian, and the change in %.
func (r *Runs) FCT(p Point, above, upTo unit.Bytes) (with, without, change stats.Measured, err error) {
	var a, b stats.PerSeed
	for i, run := range r.runs[p] {
		ours, err := run.Counted()
		if err != nil {
			return with, without, change, err
		}
		base, err := r.runs[p.Without()][i].Counted()
		if err != nil {
			return with, without, change, err
		}
		times := map[int64]unit.Time{}
		for f := range base.All() {
			if f.Outcome == store.Finished {
				times[f.ID] = f.FCT
			}
		}
		sum, other, n := 0.0, 0.0, 0
		for f := range ours.All() {
			if t, ok := times[f.ID]; ok && f.Outcome == store.Finished && f.Size > above && f.Size <= upTo {
				sum += f.FCT.Seconds()
				other += t.Seconds()
				n++
			}
		}
		a.Add(sum/float64(n), n)
		b.Add(other/float64(n), n)
	}
	if change, err = a.Over(&b); err != nil { // a seed has no such flow
		return mean(&a), mean(&b), none, nil
	}
	change.Value, change.Lo, change.Hi = stats.Percent(change.Value), stats.Percent(change.Lo), stats.Percent(change.Hi)
	return mean(&a), mean(&b), change, nil
}
