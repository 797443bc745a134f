package lightguardian

// Local measures SuMax, CM and CU in the local tasks of LightGuardian (§6.1 and §8.1). Fig. 5, 11 and 12 and Table 3
// use it.
//
// # Definitions
//
//   - ARE is the mean of |estimate − truth| / truth, AAE the mean of |estimate − truth|, over all or the largest flows.
//   - Distribution and entropy: MRAC with 20 epochs is applied to the first array of SuMax, and to all rows of CM and
//     CU, over which the mean is taken. WMRE = Σ|n − n̂| / ((Σn + Σn̂)/2), over sizes. The entropy is computed from
//     the estimated distribution.
//   - Cardinality: linear counting, |truth − estimate| / truth.
//   - Delays: each packet has a delay that is drawn from a distribution. There are eight cells of equal width. The
//     result is the WMRE of the probabilities of the cells, as the mean over the largest flows. Counts of cells have
//     another WMRE, which the published code computes.
//   - Last arrivals: before each packet of a flow except the first, the sketch is queried for the arrival of the
//     previous packet. The LightGuardian paper counts "packets" whose answer is right.
//   - A bucket has 4 B in a sketch of flow sizes, 32 B in a sketch of delays, and 12 B in a sketch of arrivals
//     (flow size, longest gap, last arrival).
//   - The published code (cpp/SuMax_Experiments) differs. It uses the first 1 M packets of the trace (100 K for
//     cardinality, distribution and entropy; see Coded and Early), and queries the 1000 largest flows. A bucket
//     of flow sizes has eight cells by delay, but the memory counts only one of them. A bucket of arrivals has 16 B.
//     If no bucket of a flow has arrived, each of its eight estimates is -1, so the error of the flow is a little more
//     than its size. We do not copy three more differences: delays have a chi-square distribution with one degree of
//     freedom, MRAC has 10 epochs, and in the table of flow sizes the column CM adds SuMax's estimates and the column
//     CU adds none.
//   - A part of a sketch is a random share of its columns. A column has the buckets of the same number in all arrays.

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/protocols"
	"pintlab/int/sketch/mrac"
	"pintlab/int/sketch/rows"
	"pintlab/int/sketch/sumax"
	"pintlab/internal/hash"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/internal/numeric"
	"pintlab/netsim/unit"
	"pintlab/workloads/packets"
)

// The sketches, as in the LightGuardian paper's legends.
const (
	CM    = "CM"
	SuMax = "SuMax"
	CU    = "CU"
)

// Sketches are the paper's.
var Sketches = []string{CM, SuMax, CU}

// Arrays is d of all sketches (§8.1).
const Arrays = 3

// LocalScale contains the settings of the figures at one scale.
type LocalScale struct {
	Share int // divides the LightGuardian paper's trace and memories
	Seeds int
}

// LocalScales are the scales of all figures.
var LocalScales = map[study.Scale]LocalScale{study.Smoke: {150, 2}, study.Laptop: {8, 10}, study.Paper: {1, 10}}

func (z LocalScale) String() string {
	t := z.trace(Lives)
	return fmt.Sprintf("generated trace of %d packets and %d flows%s, %s", t.Packets, t.Flows,
		z.reduced(", memories over %d"), number.Count(z.Seeds, "seed"))
}

// reduced inserts the share into a text. It returns "" if nothing is reduced.
func (z LocalScale) reduced(text string) string {
	if z.Share == 1 {
		return ""
	}
	return fmt.Sprintf(text, z.Share)
}

// Some returns the number of largest flows to measure if the LightGuardian paper measures n. This is n divided by the
// share, but at least 100, because the mean of few flows is noisy.
func (z LocalScale) Some(n int) int { return max(n/z.Share, 100) }

// Shape contains the fields of packets.Skewed that are set in addition to the numbers of packets and flows.
type Shape struct{ Skew, Singles, Lifetime float64 }

// Lives is the shape of the trace. The LightGuardian paper's trace is not public. In our trace, flows live for a part
// of the time, as in SketchINT's trace; there, the share of the time was fitted to printed numbers. We chose this shape
// among the shapes of lightguardian/trace: we compared their results with the numbers that the LightGuardian paper
// prints.
var Lives = Shape{Skew: 1, Lifetime: 0.7}

// trace returns a trace with 6 M packets of 0.9 M flows, both divided by the share.
func (z LocalScale) trace(x Shape) packets.Skewed {
	return packets.Skewed{Packets: 6_000_000 / z.Share, Flows: 900_000 / z.Share, Skew: x.Skew, Singles: x.Singles,
		Lifetime: x.Lifetime, Duration: 5 * unit.Second}
}

// Trace is a trace in memory, with the truth.
type Trace struct {
	Protocols *protocols.Set // contains the sketches that the trace is passed to; nil for the standard ones

	flow []int32  // flow of each packet
	time []uint32 // arrival in µs, 1 or more
	keys []uint64 // keys of the flows, the largest first

	sizes         []uint32
	longest, last []uint32
}

// Load generates the first part of the trace of a scale, given as a share of its packets.
func (z LocalScale) Load(x Shape, share float64, seed uint64) (*Trace, error) {
	s := z.trace(x)
	s.Seed = seed
	source, err := s.Window(0)
	if err != nil {
		return nil, err
	}
	t := &Trace{}
	number := map[uint64]int32{}
	var p packets.Packet
	for n := int(share * float64(s.Packets)); len(t.flow) < n && source.Next(&p); {
		key := p.Tuple.Key()
		i, ok := number[key]
		if !ok {
			i = int32(len(t.keys))
			number[key] = i
			t.keys, t.sizes = append(t.keys, key), append(t.sizes, 0)
		}
		t.sizes[i]++
		t.flow = append(t.flow, i)
		t.time = append(t.time, uint32(p.Time/unit.Microsecond)+1)
	}
	if err := source.Err(); err != nil {
		return nil, err
	}
	t.order()
	return t, nil
}

// order numbers the flows by size and finds the truth about their arrivals.
func (t *Trace) order() {
	by := lists.Indices(int32(len(t.keys)))
	slices.SortFunc(by, func(a, b int32) int {
		if c := cmp.Compare(t.sizes[b], t.sizes[a]); c != 0 {
			return c
		}
		return cmp.Compare(t.keys[a], t.keys[b])
	})
	rank, keys, sizes := make([]int32, len(by)), make([]uint64, len(by)), make([]uint32, len(by))
	for r, i := range by {
		rank[i], keys[r], sizes[r] = int32(r), t.keys[i], t.sizes[i]
	}
	t.keys, t.sizes = keys, sizes
	t.longest, t.last = make([]uint32, len(by)), make([]uint32, len(by))
	for i, f := range t.flow {
		r := rank[f]
		t.flow[i] = r
		if t.last[r] != 0 {
			t.longest[r] = max(t.longest[r], t.time[i]-t.last[r])
		}
		t.last[r] = t.time[i]
	}
}

// Packets returns the number of packets.
func (t *Trace) Packets() int { return len(t.flow) }

// flows returns the number of flows.
func (t *Trace) flows() int { return len(t.keys) }

// Head returns the first part of a trace, given as a share of its packets.
func (t *Trace) Head(share float64) *Trace {
	n := int(share * float64(len(t.flow)))
	h := &Trace{Protocols: t.Protocols, flow: make([]int32, n), time: t.time[:n], keys: slices.Clone(t.keys),
		sizes: make([]uint32, len(t.keys))}
	number := make([]int32, len(t.keys))
	flows := int32(0)
	for i, f := range t.flow[:n] {
		if number[f] == 0 {
			flows++
			number[f] = flows
			h.keys[flows-1] = t.keys[f]
		}
		h.flow[i] = number[f] - 1
		h.sizes[number[f]-1]++
	}
	h.keys, h.sizes = h.keys[:flows], h.sizes[:flows]
	h.order()
	return h
}

// counted returns a sketch that has seen the trace.
func (t *Trace) counted(sketch string, memory int, seed uint64) (counter, error) {
	c, err := t.newCounter(sketch, max(1, rows.CountersFor(memory, Arrays)), seed)
	if err != nil {
		return nil, err
	}
	for _, f := range t.flow {
		c.Insert(t.keys[f], 1)
	}
	return c, nil
}

// top returns the given number of largest flows; 0 stands for all.
func (t *Trace) top(n int) int {
	if n == 0 {
		return len(t.keys)
	}
	return min(n, len(t.keys))
}

// Size returns the ARE of flow sizes for several numbers of largest flows; 0 stands for all.
func (t *Trace) Size(sketch string, memory int, largest []int, seed uint64) ([]float64, error) {
	c, err := t.counted(sketch, memory, seed)
	if err != nil {
		return nil, err
	}
	var list []float64
	for _, k := range largest {
		sum, n := 0.0, t.top(k)
		for i := range n {
			got, _ := c.Estimate(t.keys[i])
			sum += math.Abs(float64(got)/float64(t.sizes[i]) - 1) // other sketches may also underestimate
		}
		list = append(list, sum/float64(n))
	}
	return list, nil
}

// The published code uses the first packets of the trace, and 16 B for a bucket of arrivals.
const (
	Coded = 1. / 6  // share of the trace: 1 M of 6 M packets
	Early = 1. / 60 // for cardinality, distribution and entropy
)

// CodedArrivals returns a memory for arrivals. With it, our sketch has as many buckets as the published code has with
// the given memory.
func CodedArrivals(memory int) int { return memory * sumax.BucketBytes / 16 }

// Cells returns the ARE of flow sizes for several numbers of largest flows, as the published code measures it. A bucket
// has a cell for each of eight equally likely delays, but the memory counts only one of the cells. The estimated size
// of a flow is the sum of the estimates of its eight cells.
func (t *Trace) Cells(sketch string, memory int, largest []int, seed uint64) ([]float64, error) {
	record, query, err := t.newDelays(sketch, max(1, rows.CountersFor(memory, Arrays)), seed)
	if err != nil {
		return nil, err
	}
	r := hash.Stream(seed, "lightguardian/cells")
	for _, f := range t.flow {
		record(t.keys[f], r.IntN(DelayCells))
	}
	var list []float64
	var cells []uint64
	for _, k := range largest {
		n, sum := t.top(k), 0.0
		for i := range n {
			cells = query(t.keys[i], cells[:0])
			size := lists.Sum(cells, func(x uint64) float64 { return float64(x) })
			sum += math.Abs(size/float64(t.sizes[i]) - 1)
		}
		list = append(list, sum/float64(n))
	}
	return list, nil
}

// part is a SuMax sketch of which only a share of the columns has arrived.
type part struct {
	*sumax.Sizes
	share float64
	seed  uint64
}

// estimate returns the size of a flow, and whether one of its buckets has arrived.
func (p part) estimate(key uint64) (least uint32, ok bool) {
	least = math.MaxUint32
	at, step := rows.Start(key, p.Mixed)
	for row := range Arrays {
		b := rows.Index(at, p.Width)
		if hash.Unit(hash.Combine(hash.Combine(p.seed, 77), b)) < p.share {
			least, ok = min(least, p.Row(row)[b]), true
		}
		at += step
	}
	return least, ok
}

// Part returns two numbers about the largest flows if only a share of the columns of SuMax has arrived: the share of
// valid answers, and the ARE of the valid answers.
func (t *Trace) Part(memory, largest int, shares []float64, seed uint64) (valid, are []float64, err error) {
	s, err := t.sumax(memory, 1, seed)
	if err != nil {
		return nil, nil, err
	}
	n := t.top(largest)
	for _, share := range shares {
		known, sum := 0, 0.0
		for i := range n {
			if least, ok := (part{s[0], share, seed}).estimate(t.keys[i]); ok {
				known++
				sum += float64(least)/float64(t.sizes[i]) - 1
			}
		}
		valid, are = append(valid, float64(known)/float64(n)), append(are, sum/float64(known))
	}
	return valid, are, nil
}

// PartCells returns the ARE of the largest flows if only a share of the columns has arrived, as the published code
// measures it (see Cells). If no bucket of a flow has arrived, each of the flow's eight estimates is -1.
func (t *Trace) PartCells(memory, largest int, shares []float64, seed uint64) (are []float64, err error) {
	cells, err := t.sumax(memory, DelayCells, seed)
	if err != nil {
		return nil, err
	}
	n := t.top(largest)
	for _, share := range shares {
		sum := 0.0
		for i := range n {
			size := 0.0
			for _, s := range cells {
				if least, ok := (part{s, share, seed}).estimate(t.keys[i]); ok {
					size += float64(least)
				} else {
					size--
				}
			}
			sum += math.Abs(size/float64(t.sizes[i]) - 1)
		}
		are = append(are, sum/float64(n))
	}
	return are, nil
}

// sumax passes the trace to several sketches with the same hashes. Each packet goes to only one of the sketches, at
// random.
func (t *Trace) sumax(memory, sketches int, seed uint64) ([]*sumax.Sizes, error) {
	list := make([]*sumax.Sizes, sketches)
	for i := range list {
		var err error
		if list[i], err = sumax.NewSizes(Arrays, max(1, rows.CountersFor(memory, Arrays)), seed); err != nil {
			return nil, err
		}
	}
	r := hash.Stream(seed, "lightguardian/cells")
	for _, f := range t.flow {
		list[r.IntN(sketches)].Insert(t.keys[f], 1)
	}
	return list, nil
}

// Outside returns two numbers for each limit. The first is the share of the valid answers about all flows whose error
// exceeds limit·m/w, and the second is the share that Theorem 6.1 allows. m is the number of packets, and w is the
// number of buckets in an array. Only a share of the columns has arrived.
func (t *Trace) Outside(
	memory int, share float64, limits []float64, seed uint64,
) (measured, bound []float64, err error) {
	s, err := t.sumax(memory, 1, seed)
	if err != nil {
		return nil, nil, err
	}
	measured = make([]float64, len(limits))
	known, mean := 0.0, float64(len(t.flow))/float64(s[0].Width)
	for i, key := range t.keys {
		least, ok := (part{s[0], share, seed}).estimate(key)
		if !ok {
			continue
		}
		known++
		for k, limit := range limits {
			if float64(least-t.sizes[i]) > limit*mean {
				measured[k]++
			}
		}
	}
	none := math.Pow(1-share, Arrays)
	for k, limit := range limits {
		measured[k] /= known
		bound = append(bound, (math.Pow(share/limit+1-share, Arrays)-none)/(1-none))
	}
	return measured, bound, nil
}

// Tasks returns the relative errors of cardinality and entropy, and the WMRE of the distribution.
func (t *Trace) Tasks(
	sketch string, memory int, seed uint64,
) (cardinality, entropyError, distribution float64, err error) {
	c, err := t.counted(sketch, memory, seed)
	if err != nil {
		return 0, 0, 0, err
	}
	all, ok := c.(spread)
	if !ok {
		return 0, 0, 0, fmt.Errorf("%s cannot count flows and their sizes", sketch)
	}
	n, _ := all.Cardinality()
	cardinality = math.Abs(n-float64(len(t.keys))) / float64(len(t.keys))
	truth, both := map[uint64]float64{}, map[uint64]float64{}
	for _, size := range t.sizes {
		truth[uint64(size)]++
	}
	var h, want mrac.EntropySum
	total := 0.0
	for _, p := range mrac.Points(truth) {
		want.Add(p.Size, p.Flows)
		both[p.Size] = p.Flows
		total += p.Flows
	}
	for _, p := range all.Distribution(mrac.Epochs) {
		h.Add(p.Size, p.Flows)
		both[p.Size] -= p.Flows
		total += p.Flows
	}
	wrong := lists.Sum(mrac.Points(both), func(p mrac.Point) float64 { return math.Abs(p.Flows) })
	return cardinality, math.Abs(h.Value()-want.Value()) / want.Value(), 2 * wrong / total, nil
}

// DelayCells is λ_d of the measurements (§8.1).
const DelayCells = 8

// DelayLargest is the number of largest flows for which the error of delays is computed, at the LightGuardian paper's
// scale.
const DelayLargest = 1000

// Delay distributions.
const (
	ChiSquare   = "chi-square"
	Exponential = "exponential"
	Normal      = "normal"
)

// delayCell draws the cell of a delay. The distributions have a mean of about three cells.
func delayCell(kind string, r *rand.Rand) int {
	x := 0.0
	switch kind {
	case Exponential:
		x = 3 * numeric.Exponential(r.Uint64())
	case Normal:
		x = 3.5 + numeric.Normal(r)
	default: // four degrees of freedom, mean 4, in cells of 4/3
		x = 1.5 * (numeric.Exponential(r.Uint64()) + numeric.Exponential(r.Uint64()))
	}
	return min(max(int(x), 0), DelayCells-1)
}

// Delay returns the WMRE of delay distributions of the largest flows, with w buckets in an array.
func (t *Trace) Delay(sketch, kind string, w, largest int, seed uint64) (float64, error) {
	shares, _, err := t.delays(sketch, kind, w, largest, seed)
	return shares, err
}

// Counts returns the WMRE of the packets in each delay cell for the largest flows, as the published code measures it.
// For each flow, the code computes the WMRE of all flows up to this one. The result is the mean of these values.
func (t *Trace) Counts(sketch, kind string, w, largest int, seed uint64) (float64, error) {
	_, counts, err := t.delays(sketch, kind, w, largest, seed)
	return counts, err
}

// delays measures both.
func (t *Trace) delays(sketch, kind string, w, largest int, seed uint64) (shares, counts float64, err error) {
	r := hash.Stream(seed, "lightguardian/delays")
	n := t.top(largest)
	truth := make([]uint64, n*DelayCells)
	record, query, err := t.newDelays(sketch, w, seed)
	if err != nil {
		return 0, 0, err
	}
	for _, f := range t.flow {
		cell := delayCell(kind, r)
		record(t.keys[f], cell)
		if int(f) < n {
			truth[int(f)*DelayCells+cell]++
		}
	}
	var got []uint64
	off, weight := 0.0, 0.0
	for i := range n {
		got = query(t.keys[i], got[:0])
		all := lists.Sum(got, func(x uint64) float64 { return float64(x) })
		for k, x := range got {
			is := float64(truth[i*DelayCells+k])
			shares += math.Abs(float64(x)/all - is/float64(t.sizes[i])) // both sum to 1, and so does their mean
			off += math.Abs(float64(x) - is)
			weight += (float64(x) + is) / 2
		}
		counts += off / weight
	}
	return shares / float64(n), counts / float64(n), nil
}

// newDelays makes a sketch of delays. For CM and CU, it makes one sketch for each cell, all with the same hashes. This
// is equivalent to buckets that contain a cell for each delay.
func (t *Trace) newDelays(
	sketch string, w int, seed uint64,
) (record func(key uint64, cell int), query func(key uint64, dst []uint64) []uint64, err error) {
	if sketch == SuMax {
		s, err := sumax.NewDelays(Arrays, w, DelayCells, seed)
		if err != nil {
			return nil, nil, err
		}
		return s.Record, s.Query, nil
	}
	var cells [DelayCells]counter
	for i := range cells {
		if cells[i], err = t.newCounter(sketch, w, seed); err != nil {
			return nil, nil, err
		}
	}
	record = func(key uint64, cell int) { cells[cell].Insert(key, 1) }
	query = func(key uint64, dst []uint64) []uint64 {
		for _, c := range cells {
			n, _ := c.Estimate(key)
			dst = append(dst, n)
		}
		return dst
	}
	return record, query, nil
}

// LeastArrivals is the smallest memory of a sketch of arrivals, with one bucket per array.
const LeastArrivals = sumax.BucketBytes * Arrays

// Arrivals contains errors of a SuMax sketch with the cells of arrivals.
type Arrivals struct {
	Interval float64 // ARE of the longest time between packets, for flows that have such a time
	Last     float64 // AAE of last arrivals, in s
	LastARE  float64
	Exact    float64 // share of packets for which the returned last arrival is right
}

// Arrivals queries the sketch about the largest flows; 0 selects all flows. Before each packet of a flow except the
// first, it queries the flow's last arrival. At the end, it queries the longest time between packets.
func (t *Trace) Arrivals(memory, largest int, seed uint64) (a Arrivals, err error) {
	s, err := sumax.New(Arrays, memory/(sumax.BucketBytes*Arrays), seed)
	if err != nil {
		return a, err
	}
	n, gaps, asked := t.top(largest), 0, 0.0
	last := make([]uint32, n)
	for i, f := range t.flow {
		key, now := t.keys[f], t.time[i]
		if int(f) < n {
			if before := last[f]; before != 0 {
				late := float64(s.Query(key).Last - before)
				a.Last += late * 1e-6
				a.LastARE += late / float64(before)
				if late == 0 {
					a.Exact++
				}
				asked++
			}
			last[f] = now
		}
		s.Record(key, 1, now)
	}
	for i := range n {
		if x := t.longest[i]; x > 0 {
			gaps++
			a.Interval += math.Abs(float64(s.Query(t.keys[i]).Interval)/float64(x) - 1)
		}
	}
	a.Interval /= float64(gaps)
	a.Last /= asked
	a.LastARE /= asked
	a.Exact /= asked
	return a, nil
}

// One returns a cell with a single row. The number in the row is a function of the seed of the hashes.
func One(panel, scheme string, x float64, of func(seed uint64) (float64, error)) study.Cell {
	return study.Cell{
		Rows: []study.Row{{Table: panel, Scheme: scheme, X: x}},
		Work: study.OfSeed(func(seed uint64) ([]float64, error) {
			v, err := of(seed)
			return []float64{v}, err
		}),
	}
}

// Tell adds the footnote and the settings to the job.
func Tell(j *study.Job, z LocalScale, t *Trace, seeds int) {
	s := z.trace(Lives)
	j.Setting("trace", "LightGuardian §8.1 (CAIDA 2018: 6 M packets of 0.9 M flows)",
		"generated, %d packets of %d flows in %v, sizes fall as rank^-%g, flows live for %s of the time, a share "+
			"that was chosen to match the printed numbers (lightguardian/trace)",
		t.Packets(), t.flows(), s.Duration, s.Skew, number.Share(s.Lifetime))
	j.Setting("memory", "LightGuardian §8.1", "the memory in the figures divided by %d", z.Share)
	j.Setting("d", "LightGuardian §8.1: 3", "%d", Arrays)
	j.Footnote("%d packets of %d flows, generated; memories are the LightGuardian paper's%s; mean of %s, "+
		"bars: 95 %% intervals", t.Packets(), t.flows(), z.reduced(", divided by %d with the trace"),
		number.Count(seeds, "seed"))
}
