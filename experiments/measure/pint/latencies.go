package pint

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"sort"

	"pintlab/internal/hash"
	"pintlab/netsim/unit"
	"pintlab/pint/approx"
	"pintlab/pint/global"
	"pintlab/pint/latency"
)

// LatencyTrace is one flow with the latency of every packet at every hop. Packets yields the
// packet identifier and Hops latencies, from the first hop on, valid until the next
// packet. It may be read once.
type LatencyTrace struct {
	Key     uint64 // tells flows apart
	Hops    int
	Packets iter.Seq2[uint64, []unit.Time]
}

// LatencyExperiment is the measurement behind Fig. 9: the error of latency quantiles against
// the number of packets with a sketch of fixed size, and against the size of the sketch
// after a fixed number of packets, each beside the same without a sketch.
type LatencyExperiment struct {
	Bits      []int     // bit budgets; paper: 4 and 8
	Quantiles []float64 // paper: 0.5 and the tail, here 0.99
	Packets   []int     // row 1: numbers of packets, ascending
	Digests   []int     // row 2: sketch sizes per hop, ascending, each at least latency.MinDigests
	RowSketch int       // row 1: the size of the sketch; paper: 100 digests
	RowLength int       // row 2: the number of packets; paper: 500
	Low, High unit.Time // range of the code
	Rounding  approx.Rounding
	Summary   latency.Kind // what keeps the samples of a hop in a number of digests
	Window    int          // the newest samples that it speaks for, about; 0: all of them
	Seeds     int          // how often each flow is sampled, with other hashes and coins
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
	Digests  int // of the sketch, per hop; 0 means that all samples are kept
	Bits     int
	Quantile float64

	Count   int     // estimates that Mean averages
	Missing int     // hops of which no packet carried a sample
	Mean    float64 // of |estimate − truth| / truth
	StdErr  float64 // of Mean, taking flows as independent
	Rank    float64 // mean distance of the estimate from the quantile in rank, among the codes of all packets
}

// cell accumulates one point.
type cell struct {
	LatencyPoint
	sum, rank     float64
	flow          float64 // sum within the current flow
	inFlow        int
	flows         int
	means, means2 float64 // of the flows' means
}

// Run samples every flow as a PINT sink would record it and compares with the truth: the
// quantile of all latencies of the hop up to that packet. A latency below Low counts as
// Low. Flows with fewer packets than a point needs do not enter it.
func (e LatencyExperiment) Run(traces iter.Seq[LatencyTrace]) ([]LatencyPoint, error) {
	codes := make([]*approx.Latency, len(e.Bits))
	for i, b := range e.Bits {
		c, err := approx.NewLatency(e.Low, e.High, b, e.Rounding)
		if err != nil {
			return nil, err
		}
		codes[i] = c
	}
	cells := e.cells()
	longest := 0
	if len(e.Packets) > 0 {
		longest = e.Packets[len(e.Packets)-1]
	}
	if len(e.Digests) > 0 {
		longest = max(longest, e.RowLength)
	}
	for tr := range traces {
		ids, lat, err := read(tr, longest)
		if err != nil {
			return nil, err
		}
		for seed := range uint64(e.Seeds) {
			if err := e.sample(tr, ids, lat, seed, codes, cells); err != nil {
				return nil, err
			}
		}
		for i := range cells {
			cells[i].endFlow()
		}
	}
	out := make([]LatencyPoint, len(cells))
	for i := range cells {
		out[i] = cells[i].point()
	}
	return out, nil
}

// cells lists the points in the order of the rows: row, x axis, bits, sketch, quantile.
func (e LatencyExperiment) cells() []cell {
	var out []cell
	add := func(row, packets, digests int) {
		for _, b := range e.Bits {
			for _, q := range e.Quantiles {
				out = append(out, cell{LatencyPoint: LatencyPoint{Row: row, Packets: packets, Digests: digests,
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
	return out
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
			return nil, nil, fmt.Errorf("latencies: flow %d: packet %d has %d latencies, want one for each of %d hops",
				tr.Key, len(ids)+1, len(l), tr.Hops)
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

// sample records one flow under one seed and feeds every cell.
func (e LatencyExperiment) sample(
	tr LatencyTrace, ids []uint64, lat [][]unit.Time, seed uint64, codes []*approx.Latency, cells []cell,
) error {
	family := global.Fast(hash.Combine(hash.Combine(hash.String("pint/latency/fig9"), e.Seed), seed))
	act := family.Function(global.Act, 0)
	rounding := family.Function(global.Rounding, 0)
	carried := make([]int, len(ids)) // the hop that each packet carries
	for i, id := range ids {
		carried[i] = act.Writer(act.Key(id), tr.Hops)
	}
	truths := map[int][][]unit.Time{} // by number of packets: sorted latencies per hop
	truth := func(z int) [][]unit.Time {
		t, ok := truths[z]
		if !ok {
			t = make([][]unit.Time, tr.Hops)
			for h := range t {
				t[h] = slices.Clone(lat[h][:z])
				slices.Sort(t[h])
			}
			truths[z] = t
		}
		return t
	}
	// Cells of the same sketch size and width share their stores.
	type series struct{ digests, bits int }
	done := map[series]bool{}
	for i := range cells {
		s := series{cells[i].Digests, cells[i].Bits}
		if done[s] {
			continue
		}
		done[s] = true
		var mine []*cell
		for j := i; j < len(cells); j++ {
			if (series{cells[j].Digests, cells[j].Bits}) == s && cells[j].Packets <= len(ids) {
				mine = append(mine, &cells[j])
			}
		}
		slices.SortStableFunc(mine, func(a, b *cell) int { return a.Packets - b.Packets })
		store := make([]latency.Summary, tr.Hops)
		coins := hash.Combine(hash.Combine(hash.Combine(e.Seed, seed), tr.Key), uint64(s.digests))
		for h := range store {
			var err error
			if s.digests == 0 {
				store[h], err = latency.NewCounts(s.bits)
			} else {
				keep := latency.Config{Kind: e.Summary, Bits: s.bits, Window: e.Window}
				store[h], err = keep.NewSummary(s.digests, hash.Combine(coins, uint64(h)))
			}
			if err != nil {
				return err
			}
		}
		code := codes[slices.Index(e.Bits, s.bits)]
		at := 0
		for _, c := range mine {
			for ; at < c.Packets; at++ {
				h := carried[at]
				word := rounding.Word(rounding.Key(ids[at]), 0)
				store[h-1].Add(uint16(code.Encode(lat[h-1][at], uint64(word)<<32)))
			}
			for h, t := range truth(c.Packets) {
				items := store[h].Append(nil)
				got, ok := latency.Quantile(items, c.Quantile)
				if !ok {
					c.Missing++
					continue
				}
				c.add(uint32(got), code, t, e.Low)
			}
		}
	}
	return nil
}

// add compares one estimate, a code, with the quantile of the sorted latencies.
func (c *cell) add(got uint32, code *approx.Latency, sorted []unit.Time, low unit.Time) {
	estimate, n := code.Decode(got), uint64(len(sorted))
	want := max(sorted[latency.Rank(c.Quantile, n)-1], low)
	err := math.Abs((estimate - want).Ratio(want))
	c.Count++
	c.sum += err
	c.flow += err
	c.inFlow++
	// The estimate stands for the ranks from the latencies of smaller codes to those of its own:
	// Theorem 1 is about what packets carry, and the estimate itself may lie beside every latency.
	from := func(least uint32) int {
		return sort.Search(len(sorted), func(i int) bool { return code.Encode(sorted[i], 1<<63) >= least })
	}
	below, upTo := from(got), from(got+1)
	lo, hi := float64(below)/float64(n), float64(upTo)/float64(n)
	c.rank += max(0, lo-c.Quantile, c.Quantile-hi)
}

func (c *cell) endFlow() {
	if c.inFlow == 0 {
		return
	}
	m := c.flow / float64(c.inFlow)
	c.flows++
	c.means += m
	c.means2 += float64(m * m)
	c.flow, c.inFlow = 0, 0
}

func (c *cell) point() LatencyPoint {
	p := c.LatencyPoint
	if c.Count > 0 {
		p.Mean = c.sum / float64(c.Count)
		p.Rank = c.rank / float64(c.Count)
	}
	if n := float64(c.flows); c.flows > 1 {
		variance := (c.means2 - float64(c.means*c.means)/n) / (n - 1)
		p.StdErr = math.Sqrt(max(variance, 0) / n)
	}
	return p
}
