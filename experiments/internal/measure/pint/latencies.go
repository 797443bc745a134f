package pint

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat"

	"pintlab/internal/hash"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
	"pintlab/pint/approx"
	"pintlab/pint/global"
	"pintlab/pint/latency"
)

// LatencyTrace is one flow with the latency of every packet at every hop. Packets yields the identifier of a packet and
// the packet's latencies, from the first hop on. The latencies are valid until the next packet. Packets may be read
// only once.
type LatencyTrace struct {
	Key     uint64 // identifies the flow
	Hops    int
	Packets iter.Seq2[uint64, []unit.Time]
}

// LatencyExperiment is the measurement behind Fig. 9, the error of latency quantiles. Row 1 shows the error against the
// number of packets, for a sketch of fixed size. Row 2 shows it against the size of the sketch, after a fixed number of
// packets. Both rows also show the error without a sketch.
type LatencyExperiment struct {
	Bits      []int        // bit budgets; paper: 4 and 8
	Quantiles []float64    // paper: 0.5 and the tail, here 0.99
	Packets   []int        // row 1: numbers of packets, ascending
	Digests   []int        // row 2: sketch sizes per hop, ascending, each at least latency.MinDigests
	RowSketch int          // row 1: the size of the sketch; paper: 100 digests
	RowLength int          // row 2: the number of packets; paper: 500
	Low, High unit.Time    // range of the code
	Summary   latency.Kind // structure that stores the samples of a hop in this number of digests
	Window    int          // approximate number of newest samples that the structure represents; 0: all
	Seeds     int          // number of times that each flow is sampled, with other hashes and coins
	Seed      uint64
}

// Fig9 returns the setting of §6.2 with the axes of the figure.
func Fig9() LatencyExperiment {
	return LatencyExperiment{
		Bits:      []int{4, 8},
		Quantiles: []float64{0.5, 0.99},
		Packets:   []int{100, 200, 300, 400, 500, 600, 700, 800, 900, 1000},
		Digests:   []int{10, 20, 40, 60, 80, 100, 150, 200, 250, 300},
		RowSketch: 100,
		RowLength: 500,
		Low:       approx.LatencyLow,
		High:      approx.LatencyHigh,
		Seeds:     1,
	}
}

// LatencyPoint is one point of Fig. 9: a mean over flows, hops and seeds.
type LatencyPoint struct {
	Row      int // 1 or 2
	Packets  int
	Digests  int // digests of the sketch, per hop; 0 means that all samples are kept
	Bits     int
	Quantile float64

	Count   int     // estimates that Mean averages
	Missing int     // hops without a sample in any packet
	Mean    float64 // mean of |estimate − truth| / truth
	StdErr  float64 // standard error of Mean, if flows are independent
	Rank    float64 // mean distance of the estimate from the quantile in rank, among the codes of all packets
}

// summaries is a group of points that share the summaries of a flow's hops. These points have the same sketch size and
// code width, and are in ascending order of packets.
type summaries struct {
	digests int
	code    *approx.Latency
	points  []*sums
}

// sums contains the sums from which the means of a point are computed.
type sums struct {
	LatencyPoint
	errors, ranks float64
	flow, count   float64   // sum and number of the errors of the current flow
	flows         []float64 // mean errors of the previous flows
}

// Run samples every flow as a PINT sink would record it. It compares the estimates with the truth, which is the
// quantile of all latencies of the hop up to that packet. A latency below Low counts as Low. A point excludes flows
// that have fewer packets than the point needs. Traces may be read only once. So one pass over them covers all settings
// and seeds, and this pass is one work of a study.
func (e LatencyExperiment) Run(traces iter.Seq[LatencyTrace]) ([]LatencyPoint, error) {
	points := e.points()
	all, err := e.summaries(points)
	if err != nil {
		return nil, err
	}
	longest := 0
	for _, p := range points {
		longest = max(longest, p.Packets)
	}
	for tr := range traces {
		ids, lat, err := read(tr, longest)
		if err != nil {
			return nil, err
		}
		for seed := range uint64(e.Seeds) {
			if err := e.sample(tr, ids, lat, seed, all); err != nil {
				return nil, err
			}
		}
		for i := range points {
			points[i].endFlow()
		}
	}
	return lists.Map(points, (*sums).point), nil
}

// points lists the points in the order of the rows: row, x axis, sketch, bits, quantile.
func (e LatencyExperiment) points() (list []*sums) {
	add := func(row, packets, digests int) {
		for _, b := range e.Bits {
			for _, q := range e.Quantiles {
				list = append(list, &sums{LatencyPoint: LatencyPoint{Row: row, Packets: packets, Digests: digests,
					Bits: b, Quantile: q}})
			}
		}
	}
	for _, z := range e.Packets {
		add(1, z, e.RowSketch)
		add(1, z, 0)
	}
	for _, d := range e.Digests {
		add(2, e.RowLength, d)
	}
	if len(e.Digests) > 0 {
		add(2, e.RowLength, 0)
	}
	return list
}

// summaries groups points by the size of the sketch and the width of the code.
func (e LatencyExperiment) summaries(points []*sums) (list []*summaries, err error) {
	type key struct{ digests, bits int }
	of := map[key]*summaries{}
	for _, p := range points {
		k := key{p.Digests, p.Bits}
		if of[k] == nil {
			of[k] = &summaries{digests: p.Digests}
			if of[k].code, err = approx.NewLatency(e.Low, e.High, p.Bits, approx.Nearest); err != nil {
				return nil, err
			}
			list = append(list, of[k])
		}
		of[k].points = append(of[k].points, p)
	}
	for _, s := range list {
		slices.SortStableFunc(s.points, func(a, b *sums) int { return a.Packets - b.Packets })
	}
	return list, nil
}

// read returns the latencies of the first packets of a flow, hop by hop.
func read(tr LatencyTrace, longest int) (ids []uint64, lat [][]unit.Time, err error) {
	if tr.Hops < 1 || tr.Hops > global.MaxHops {
		return nil, nil, fmt.Errorf("latencies: flow %d has %d hops, want 1 to %d", tr.Key, tr.Hops, global.MaxHops)
	}
	lat = make([][]unit.Time, tr.Hops)
	for id, l := range tr.Packets {
		if len(ids) == longest {
			break
		}
		if len(l) != tr.Hops {
			return nil, nil, fmt.Errorf("latencies: flow %d: packet %d has %s, want one for each of %s", tr.Key,
				len(ids)+1, number.Count(len(l), "latency"), number.Count(tr.Hops, "hop"))
		}
		ids = append(ids, id)
		for h, t := range l {
			if t < 0 {
				return nil, nil, fmt.Errorf("latencies: flow %d: packet %d has the latency %v at hop %d",
					tr.Key, len(ids), t, h+1)
			}
			lat[h] = append(lat[h], t)
		}
	}
	return ids, lat, nil
}

// sample records one flow with one seed and adds the result to every point.
func (e LatencyExperiment) sample(
	tr LatencyTrace, ids []uint64, lat [][]unit.Time, seed uint64, all []*summaries,
) error {
	family := global.Fast(hash.Combine(hash.Combine(hash.String("pint/latency/fig9"), e.Seed), seed))
	act := family.Function(global.Act, 0)
	carried := make([]int, len(ids)) // the hop that each packet carries
	for i, id := range ids {
		carried[i] = act.Writer(act.Key(id), tr.Hops) - 1
	}
	truth := map[int][][]unit.Time{} // sorted latencies of each hop, by number of packets
	coins := hash.Combine(hash.Combine(e.Seed, seed), tr.Key)
	return e.record(lat, carried, coins, all, func(packets int) [][]unit.Time {
		if truth[packets] == nil {
			truth[packets] = lists.Map(lat, func(l []unit.Time) []unit.Time {
				return slices.Sorted(slices.Values(l[:packets]))
			})
		}
		return truth[packets]
	})
}

// record adds latencies to the summaries: for each packet, the latency of the hop that the packet carries. It then
// compares the estimates with the true latencies, which truth returns in sorted order for each hop.
func (e LatencyExperiment) record(
	lat [][]unit.Time, carried []int, coins uint64, all []*summaries, truth func(packets int) [][]unit.Time,
) error {
	for _, s := range all {
		hops := make([]latency.Summary, len(lat))
		coins := hash.Combine(coins, uint64(s.digests))
		for h := range hops {
			var err error
			if hops[h], err = e.summary(s, hash.Combine(coins, uint64(h))); err != nil {
				return err
			}
		}
		at := 0
		for _, p := range s.points {
			if p.Packets > len(carried) {
				break
			}
			for ; at < p.Packets; at++ {
				h := carried[at]
				hops[h].Add(uint16(s.code.Encode(lat[h][at], 0)))
			}
			for h, sorted := range truth(p.Packets) {
				got, ok := latency.Quantile(hops[h].Append(nil), p.Quantile)
				if !ok {
					p.Missing++
					continue
				}
				p.add(uint32(got), s.code, sorted, e.Low)
			}
		}
	}
	return nil
}

// Pool is like Run, but it pools the latencies of all hops in a single stream, as in the program that PINT's authors
// published. Each packet is a sample of the stream, and the truth is the quantile of the stream. The parameter draws is
// the number of random sets of samples that are drawn.
func (e LatencyExperiment) Pool(traces iter.Seq[LatencyTrace], draws int) ([]LatencyPoint, error) {
	points := e.points()
	all, err := e.summaries(points)
	if err != nil {
		return nil, err
	}
	var pool []unit.Time
	for tr := range traces {
		for _, lat := range tr.Packets {
			pool = append(pool, lat...)
		}
	}
	if len(pool) == 0 {
		return nil, errors.New("latencies: no packets to pool")
	}
	slices.Sort(pool)
	samples := make([]unit.Time, slices.Max(e.Packets))
	carried := make([]int, len(samples)) // all values count as one hop
	for d := range uint64(draws) {
		r := hash.Stream(e.Seed, "pint/latency/pool", d)
		for i := range samples {
			samples[i] = pool[r.IntN(len(pool))]
		}
		if err := e.record([][]unit.Time{samples}, carried, hash.Combine(e.Seed, d), all,
			func(int) [][]unit.Time { return [][]unit.Time{pool} }); err != nil {
			return nil, err
		}
		for i := range points {
			points[i].endFlow()
		}
	}
	return lists.Map(points, (*sums).point), nil
}

// summary returns the structure that stores the samples of a hop.
func (e LatencyExperiment) summary(s *summaries, seed uint64) (latency.Summary, error) {
	bits := s.points[0].Bits
	if s.digests == 0 {
		return latency.NewCounts(bits)
	}
	return latency.Config{Kind: e.Summary, Bits: bits, Window: e.Window}.NewSummary(s.digests, seed)
}

// add compares an estimate, which is a code, with the quantile of the sorted latencies.
func (p *sums) add(got uint32, code *approx.Latency, sorted []unit.Time, low unit.Time) {
	estimate, n := code.Decode(got), uint64(len(sorted))
	want := max(sorted[latency.Rank(p.Quantile, n)-1], low)
	err := math.Abs((estimate - want).Ratio(want))
	p.Count++
	p.errors += err
	p.flow += err
	p.count++
	// The estimate represents the ranks of all latencies with the same code. The reason is that Theorem 1 is about the
	// codes in packets, and there may be no latency that equals the estimate.
	from := func(least uint32) int {
		return sort.Search(len(sorted), func(i int) bool { return code.Encode(sorted[i], 0) >= least })
	}
	lo, hi := float64(from(got))/float64(n), float64(from(got+1))/float64(n)
	p.ranks += max(0, lo-p.Quantile, p.Quantile-hi)
}

func (p *sums) endFlow() {
	if p.count > 0 {
		p.flows = append(p.flows, p.flow/p.count)
		p.flow, p.count = 0, 0
	}
}

func (p *sums) point() LatencyPoint {
	if p.Count > 0 {
		p.Mean, p.Rank = p.errors/float64(p.Count), p.ranks/float64(p.Count)
	}
	if n := len(p.flows); n > 1 {
		p.StdErr = stat.StdErr(stat.StdDev(p.flows, nil), float64(n))
	}
	return p.LatencyPoint
}
