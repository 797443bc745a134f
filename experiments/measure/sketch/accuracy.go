package sketch

import (
	"context"
	"math"
	"slices"

	"pintlab/int/sketch/elastic"
	"pintlab/int/sketch/heavy"
	"pintlab/int/sketch/mrac"
	"pintlab/internal/hash"
	"pintlab/internal/lists"
	"pintlab/workloads/packets"
)

// AccuracyConfig configures a measurement.
type AccuracyConfig struct {
	Sketches []Kind
	Memories []int // bytes of a sketch
	Seeds    []uint64
	// Δh
	Hitter uint64 `flag:"hitter" range:">=1 <=1000000000" use:"a flow of {N} packets is a heavy hitter"`
	// Δc
	Change   uint64              `flag:"change" range:">=1 <=1000000000" use:"a difference of {N} packets is a heavy change"`
	Table    int                 `flag:"table" range:">=1 <=16777216" use:"room of a table of heavy flows for {N} of them"`
	Workers  int                 // goroutines; at least 1
	Progress func(packets int64) // may be nil
}

// Paper returns the thresholds and the tables of the SketchINT paper.
func Paper() AccuracyConfig {
	return AccuracyConfig{Hitter: 500, Change: 250, Table: heavy.Capacity, Workers: 1}
}

// Accuracy is how well one sketch did, in one repetition.
type Accuracy struct {
	Sketch Kind
	Memory int // bytes, as it was asked for
	Seed   uint64

	ARE, AAE     float64
	HitterF1     float64 // NaN if there are no heavy hitters and none are reported
	HitterARE    float64 // NaN without hits
	ChangeF1     float64 // NaN without a second window
	Entropy      float64 // relative error
	Cardinality  float64 // relative error; NaN if the sketch is no FlowCounter
	Distribution float64 // WMRE; NaN if the sketch is no SizeCounter
	Infinite     int     // flows of which all counters have overflowed
	Dropped      int     // packets of heavy flows that found a table full
}

// Truth is what was counted exactly.
type Truth struct {
	First, Second heavy.Exact // the second is empty without a second window
	Entropy       float64     // of the first window
	sizes         map[uint64]float64
	flows         []uint64 // of the first window, in ascending order: sums have one order
}

// settle computes what follows from the counts.
func (t *Truth) settle() {
	t.sizes = map[uint64]float64{}
	for k, n := range t.First.Sizes() {
		t.sizes[n]++
		t.flows = append(t.flows, k)
	}
	slices.Sort(t.flows)
	var sum mrac.EntropySum
	for _, p := range mrac.Points(t.sizes) {
		sum.Add(p.Size, p.Flows)
	}
	t.Entropy = sum.Value()
}

// chunk is how many packets go through each sketch before the next one's turn.
const chunk = 1 << 16

// MeasureAccuracy inserts one window into the sketches of all kinds, memories and seeds, and a second one,
// if it is not nil, into as many others, for heavy changes. The results are in that order.
// Memory grows with the flows and the sketches, not with the packets.
func MeasureAccuracy(ctx context.Context, c AccuracyConfig, first, second packets.Source) ([]Accuracy, *Truth, error) {
	var trials []*trial
	for _, k := range c.Sketches {
		for _, m := range c.Memories {
			for _, s := range c.Seeds {
				u, err := newTrial(&c, k, m, s)
				if err != nil {
					return nil, nil, explain(err, k, m, func(m int) error {
						_, err := newTrial(&c, k, m, s)
						return err
					})
				}
				trials = append(trials, u)
			}
		}
	}
	truth := &Truth{}
	if err := c.feed(ctx, first, &truth.First, trials, (*trial).first); err != nil {
		return nil, nil, err
	}
	if truth.First.Packets() == 0 {
		return nil, nil, packets.ErrNone
	}
	if second != nil {
		if err := c.feed(ctx, second, &truth.Second, trials, (*trial).second); err != nil {
			return nil, nil, err
		}
	}
	truth.settle()
	results := make([]Accuracy, len(trials))
	err := c.parallel(ctx, len(trials), func(i int) {
		results[i] = trials[i].result(truth, second != nil)
	})
	return results, truth, err
}

// parallel calls f for 0 to n−1 on several goroutines.
func (c *AccuracyConfig) parallel(ctx context.Context, n int, f func(i int)) error {
	return lists.Each(ctx, c.Workers, n, func(_ context.Context, i int) error {
		f(i)
		return nil
	})
}

// feed passes the packets of a window to the truth and to all trials.
func (c *AccuracyConfig) feed(
	ctx context.Context, s packets.Source, truth *heavy.Exact, trials []*trial, insert func(*trial, []uint64),
) error {
	keys := make([]uint64, 0, chunk)
	var p packets.Packet
	var n int64
	for more := true; more; {
		keys = keys[:0]
		for len(keys) < chunk {
			if more = s.Next(&p); !more {
				break
			}
			keys = append(keys, p.Tuple.Key())
		}
		n += int64(len(keys))
		for _, k := range keys {
			truth.Insert(k)
		}
		if err := c.parallel(ctx, len(trials), func(i int) { insert(trials[i], keys) }); err != nil {
			return err
		}
		if c.Progress != nil {
			c.Progress(n)
		}
	}
	return s.Err()
}

// trial is one sketch in one repetition.
type trial struct {
	kind   Kind
	memory int
	seed   uint64
	hitter uint64
	change uint64

	counters [2]counters // of both windows; nil for Elastic
	elastic  [2]*elastic.Sketch
	dist     *elastic.Sketch // with the share for distributions
	hitters  *heavy.Table
	changed  [2]*heavy.Table
	entropy  mrac.OnlineEntropy
}

// windowSeed returns the seed of a window's sketch. The seed is mixed, because Combine alone would give
// the windows of seeds 2 and 3 the same two sketches.
func windowSeed(seed uint64, window int) uint64 {
	return hash.Combine(hash.Mix64(seed), uint64(window))
}

func newTrial(c *AccuracyConfig, k Kind, memory int, seed uint64) (*trial, error) {
	u := &trial{kind: k, memory: memory, seed: seed, hitter: c.Hitter, change: c.Change}
	var errs []error
	keep := func(err error) { errs = append(errs, err) }
	var err error
	for w := range 2 {
		seed := windowSeed(seed, w)
		if k == Elastic {
			u.elastic[w], err = newElastic(memory, false, seed)
			keep(err)
			continue
		}
		u.counters[w], err = newCounters(k, memory, rowsOfArrays, localBits(), seed)
		keep(err)
		u.changed[w], err = heavy.NewTable(c.Table, c.Change)
		keep(err)
	}
	if k == Elastic {
		u.dist, err = newElastic(memory, true, seed)
		keep(err)
	} else {
		u.hitters, err = heavy.NewTable(c.Table, c.Hitter)
		keep(err)
	}
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return u, nil
}

func (u *trial) first(keys []uint64) {
	if u.kind == Elastic {
		for _, k := range keys {
			u.elastic[0].Insert(k)
			u.dist.Insert(k)
		}
		return
	}
	s := u.counters[0]
	for _, k := range keys {
		before, _ := s.Estimate(k)
		s.Insert(k)
		after, _ := s.Estimate(k)
		u.hitters.Packet(k, after)
		u.changed[0].Packet(k, after)
		u.entropy.Packet(before, after)
	}
}

func (u *trial) second(keys []uint64) {
	if u.kind == Elastic {
		for _, k := range keys {
			u.elastic[1].Insert(k)
		}
		return
	}
	s := u.counters[1]
	for _, k := range keys {
		s.Insert(k)
		after, _ := s.Estimate(k)
		u.changed[1].Packet(k, after)
	}
}

func (u *trial) estimate(window int, key uint64) (uint64, bool) {
	if u.kind == Elastic {
		return u.elastic[window].Estimate(key)
	}
	return u.counters[window].Estimate(key)
}

func (u *trial) result(truth *Truth, changes bool) Accuracy {
	r := Accuracy{Sketch: u.kind, Memory: u.memory, Seed: u.seed, ChangeF1: math.NaN(), Cardinality: math.NaN(),
		Distribution: math.NaN()}
	for _, k := range truth.flows {
		n, _ := truth.First.Estimate(k)
		est, ok := u.estimate(0, k)
		if !ok {
			r.Infinite++
		}
		e := math.Abs(float64(est) - float64(n))
		r.AAE += e
		r.ARE += e / float64(n)
	}
	flows := float64(truth.First.Flows())
	r.AAE /= flows
	r.ARE /= flows
	u.hitterResult(&r, truth)
	sketch, entropy := u.counters[0], u.entropy.Value()
	if u.kind == Elastic {
		sketch, entropy = u.dist, u.elastic[0].Entropy()
	}
	r.Entropy = math.Abs(entropy-truth.Entropy) / truth.Entropy
	if s, ok := sketch.(flowCounter); ok {
		n, _ := s.Cardinality()
		r.Cardinality = math.Abs(n-flows) / flows
	}
	if s, ok := sketch.(sizeCounter); ok {
		r.Distribution = wmre(truth.sizes, s.Distribution(mrac.Epochs))
	}
	if changes {
		r.ChangeF1 = u.changeF1(truth)
	}
	return r
}

// hitterResult fills in F1 and ARE of the heavy hitters.
func (u *trial) hitterResult(r *Accuracy, truth *Truth) {
	reported, real, hits, errorSum := 0, 0, 0, 0.0
	if u.kind == Elastic {
		reported = u.elastic[0].CountHeavy(u.hitter)
	} else {
		reported = len(u.hitters.Flows())
		r.Dropped = u.hitters.Dropped()
		for _, t := range u.changed {
			r.Dropped += t.Dropped()
		}
	}
	for _, k := range truth.flows {
		n, _ := truth.First.Estimate(k)
		if n < u.hitter {
			continue
		}
		real++
		var est uint64
		var ok bool
		if u.kind == Elastic {
			est, ok = u.elastic[0].Heavy(k)
			ok = ok && est >= u.hitter
		} else {
			est, ok = u.hitters.Lookup(k)
		}
		if ok {
			hits++
			errorSum += math.Abs(float64(est)-float64(n)) / float64(n)
		}
	}
	r.HitterF1 = f1(hits, reported, real)
	r.HitterARE = errorSum / float64(hits)
}

func (u *trial) changeF1(truth *Truth) float64 {
	sizes := [2]map[uint64]uint64{truth.First.Sizes(), truth.Second.Sizes()}
	var candidates []uint64
	if u.kind == Elastic {
		for w := range sizes {
			for k := range sizes[w] {
				for v := range u.elastic {
					if n, ok := u.elastic[v].Heavy(k); ok && n >= u.change {
						candidates = append(candidates, k)
						break
					}
				}
			}
		}
	} else {
		for _, t := range u.changed {
			for _, f := range t.Flows() {
				candidates = append(candidates, f.Key)
			}
		}
	}
	at := func(window int) func(uint64) uint64 {
		return func(key uint64) uint64 { n, _ := u.estimate(window, key); return n }
	}
	reported := heavy.Changes(candidates, at(0), at(1), u.change)
	is := func(key uint64) bool {
		c := heavy.Change{Before: sizes[0][key], After: sizes[1][key]}
		return c.Size() >= u.change
	}
	hits, real := 0, 0
	for _, c := range reported {
		if is(c.Key) {
			hits++
		}
	}
	for k := range sizes[0] {
		if is(k) {
			real++
		}
	}
	for k := range sizes[1] {
		if _, both := sizes[0][k]; !both && is(k) {
			real++
		}
	}
	return f1(hits, len(reported), real)
}

// f1 returns the F1 score, NaN if there is nothing to find and nothing was reported.
func f1(hits, reported, real int) float64 { return 2 * float64(hits) / float64(reported+real) }

// wmre returns the weighted mean relative error of a distribution.
func wmre(truth map[uint64]float64, points []mrac.Point) float64 {
	difference, sum := 0.0, 0.0
	found := map[uint64]bool{}
	for _, p := range points {
		difference += math.Abs(p.Flows - truth[p.Size])
		sum += p.Flows
		found[p.Size] = true
	}
	for _, p := range mrac.Points(truth) {
		sum += p.Flows
		if !found[p.Size] {
			difference += p.Flows
		}
	}
	return difference / (sum / 2)
}
