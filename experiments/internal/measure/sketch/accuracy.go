package sketch

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/int/sketch"
	"pintlab/int/sketch/heavy"
	"pintlab/int/sketch/mrac"
	"pintlab/internal/hash"
	"pintlab/internal/lists"
	"pintlab/workloads/packets"
)

// AccuracyConfig configures a measurement.
type AccuracyConfig struct {
	Known    []sketch.Kind // list that contains Sketches; nil for the standard one
	Sketches []Kind
	Memories []int // bytes of a sketch
	Rows     int   `flag:"rows" range:">=1 <=16" use:"{N} rows of counters, of a sketch that has rows"`
	// Bytes counts bytes instead of packets. Hitter and Change are then also bytes.
	Bytes bool `flag:"bytes" use:"count bytes of IP packets instead of packets, also in thresholds"`
	Seeds []uint64
	// Δh
	Hitter uint64 `flag:"hitter" range:">=1 <=1000000000" use:"a flow of {N} packets is a heavy hitter"`
	// Δc
	Change   uint64              `flag:"change" range:">=1 <=1000000000" use:"a difference of {N} packets is a heavy change"`
	Table    int                 `flag:"table" range:">=1 <=16777216" use:"size {N} of the table of heavy flows"`
	Workers  int                 // goroutines; at least 1
	Progress func(packets int64) // called with the number of packets of all windows so far; may be nil
}

// Paper returns the configuration with the thresholds, the tables and the rows of the SketchINT paper (§VII-B1).
func Paper() AccuracyConfig {
	return AccuracyConfig{Hitter: 500, Change: 250, Table: heavy.Capacity, Rows: 3, Workers: 1}
}

// Accuracy contains the accuracy of one sketch in one repetition.
type Accuracy struct {
	Sketch Kind
	Memory int // memory in bytes, as requested
	Seed   uint64
	Values
	Dropped int // packets of heavy flows that found a table full
}

// Values contains the results of the tasks. The F1 of heavy hitters is NaN if there are none and none are reported.
// Their ARE is NaN if there are no hits. The F1 of heavy changes is NaN if there is no second window. A task that a
// sketch cannot do is also NaN. Bytes have no distribution, because MRAC takes too long for such large numbers.
type Values struct {
	ARE          columns.Number `json:"are"` // [definitions](../../telemetry.md#definitions); null for none, as the next seven
	AAE          columns.Number `json:"aae"`
	HitterF1     columns.Number `json:"heavy_hitter_f1"`
	HitterARE    columns.Number `json:"heavy_hitter_are"`
	ChangeF1     columns.Number `json:"heavy_change_f1"`
	Entropy      columns.Number `json:"entropy_re"`
	Cardinality  columns.Number `json:"cardinality_re"`
	Distribution columns.Number `json:"distribution_wmre"`
}

// Measured contains the results of all sketches on a trace, by sketch, memory and seed.
type Measured struct {
	Packets uint64 // packets of the first window; Flows and Entropy are also about the first window
	Flows   int
	Entropy float64
	Results []Accuracy
}

// truth contains the exact counts.
type truth struct {
	packets uint64         // packets of the first window
	windows [2]heavy.Exact // the second is empty if there is no second window
	entropy float64        // entropy of the first window; sizes and flows are also about the first window
	sizes   map[uint64]float64
	flows   []uint64 // in ascending order, so that sums are always added in the same order
	either  []uint64 // flows of both windows
	changes map[uint64]bool
}

// errorOf returns the relative error of an entropy. It returns 0 if the difference is so small that only the order of
// the additions can be the reason.
func (t *truth) errorOf(entropy float64) columns.Number {
	e := math.Abs(entropy-t.entropy) / t.entropy
	if e < 1e-12 {
		e = 0
	}
	return columns.Number(e)
}

// settle computes the fields that follow from the counts.
func (t *truth) settle(change uint64) {
	t.sizes = map[uint64]float64{}
	for k, n := range t.windows[0].Sizes() {
		t.sizes[n]++
		t.flows = append(t.flows, k)
	}
	slices.Sort(t.flows)
	var sum mrac.EntropySum
	for _, p := range mrac.Points(t.sizes) {
		sum.Add(p.Size, p.Flows)
	}
	t.entropy = sum.Value()
	t.either = slices.AppendSeq(slices.Clone(t.flows), maps.Keys(t.windows[1].Sizes()))
	t.changes = map[uint64]bool{}
	for _, c := range changes(t.either, &t.windows[0], &t.windows[1], change) {
		t.changes[c.Key] = true
	}
}

// changes returns the candidates whose sizes in two windows differ by at least the threshold.
func changes(candidates []uint64, before, after sketch.Estimator, threshold uint64) []heavy.Change {
	size := func(of sketch.Estimator) func(uint64) uint64 {
		return func(key uint64) uint64 { n, _ := of.Estimate(key); return n }
	}
	return heavy.Changes(candidates, size(before), size(after), threshold)
}

// Measure inserts the first window into the sketches of all kinds, memories and seeds. If there is a second window, it
// inserts this window into as many other sketches, for heavy changes. Memory grows with the flows and the sketches, not
// with the packets.
func (c *AccuracyConfig) Measure(ctx context.Context, first, second packets.Source) (*Measured, error) {
	var trials []*trial
	for _, k := range c.Sketches {
		for _, m := range c.Memories {
			for _, s := range c.Seeds {
				u, err := sized(k, m, func(memory int) (*trial, error) { return newTrial(c, k, memory, s) })
				if err != nil {
					return nil, err
				}
				trials = append(trials, u)
			}
		}
	}
	t := &truth{}
	for w, source := range []packets.Source{first, second} {
		if source == nil {
			break
		}
		if err := c.feed(ctx, source, w, t, trials); err != nil {
			return nil, err
		}
		if t.packets == 0 {
			return nil, packets.ErrNone
		}
	}
	t.settle(c.Change)
	m := &Measured{t.packets, t.windows[0].Flows(), t.entropy, make([]Accuracy, len(trials))}
	return m, lists.Each(ctx, c.Workers, len(trials), func(_ context.Context, i int) error {
		m.Results[i] = trials[i].result(t, second != nil)
		return nil
	})
}

// feed passes the packets of a window to the exact counts and to all trials.
func (c *AccuracyConfig) feed(ctx context.Context, s packets.Source, window int, t *truth, trials []*trial) error {
	takers := []func([]insertion){func(list []insertion) {
		for _, x := range list {
			t.windows[window].Insert(x.key, x.n)
		}
		if window == 0 {
			t.packets += uint64(len(list))
		}
	}}
	for _, u := range trials {
		takers = append(takers, func(list []insertion) { u.insert(window, list) })
	}
	var p packets.Packet
	sized, before := true, int64(t.packets)
	seen := func(n int64) {
		if c.Progress != nil {
			c.Progress(before + n)
		}
	}
	err := study.Feed(ctx, c.Workers, func(x *insertion) bool {
		more := s.Next(&p)
		*x = of(&p, c.Bytes)
		sized = sized && (x.n > 0 || !more)
		return more && sized
	}, takers, seen)
	if !sized {
		err = cmp.Or(err, ErrNoSizes)
	}
	return cmp.Or(err, s.Err())
}

// insertion adds n packets or bytes to the size of a flow.
type insertion struct{ key, n uint64 }

// of returns the insertion of a packet. The packet counts as one or, with bytes, as its number of bytes.
func of(p *packets.Packet, bytes bool) insertion {
	if bytes {
		return insertion{p.Tuple.Key(), uint64(p.Size)}
	}
	return insertion{p.Tuple.Key(), 1}
}

// ErrNoSizes is the error for a trace whose bytes cannot be counted.
var ErrNoSizes = errors.New("packets have no size in a file of records: want a capture")

// trial is one sketch in one repetition.
type trial struct {
	kind           Kind
	memory         int
	seed           uint64
	hitter, change uint64
	bytes          bool

	sketches [2]sketch.Sketch    // sketches of both windows
	sizes    sketch.Sketch       // counts flows and their sizes in the first window; may be sketches[0]
	sized    [2]sketch.Estimator // the sketches, if they know the sizes of flows
	found    [2]sketch.Finder    // the sketches, if they find heavy flows
	// The tables are for sketches that estimate the sizes of flows but do not find the heavy flows themselves.
	hitters *heavy.Table
	changed [2]*heavy.Table // for heavy changes, one table for each window
	entropy mrac.OnlineEntropy
}

// windowSeed returns the seed of a window's sketch. The seed is mixed, because Combine alone would return the same two
// sketches for the windows of seeds 2 and 3.
func windowSeed(seed uint64, window int) uint64 {
	return hash.Combine(hash.Mix64(seed), uint64(window))
}

func newTrial(c *AccuracyConfig, name Kind, memory int, seed uint64) (u *trial, err error) {
	k, err := find(c.Known, name)
	if err != nil {
		return nil, err
	}
	u = &trial{kind: name, memory: memory, seed: seed, hitter: c.Hitter, change: c.Change, bytes: c.Bytes}
	for w := range u.sketches {
		if u.sketches[w], err = empty(k, local(memory, c.Rows, windowSeed(seed, w))); err != nil {
			return nil, err
		}
		u.sized[w], _ = u.sketches[w].(sketch.Estimator)
		u.found[w], _ = u.sketches[w].(sketch.Finder)
	}
	u.sizes = u.sketches[0]
	if k.Flows != nil {
		if u.sizes, err = k.Flows(local(memory, c.Rows, seed)); err != nil {
			return nil, err
		}
	}
	if !u.notes() {
		return u, nil
	}
	for w := range u.changed {
		if u.changed[w], err = heavy.NewTable(c.Table, c.Change); err != nil {
			return nil, err
		}
	}
	u.hitters, err = heavy.NewTable(c.Table, c.Hitter)
	return u, err
}

// notes reports whether tables record the heavy flows, using the estimates.
func (u *trial) notes() bool { return u.sized[0] != nil && u.found[0] == nil }

func (u *trial) insert(window int, list []insertion) {
	s, e := u.sketches[window], u.sized[window]
	switch {
	case !u.notes():
		for _, x := range list {
			s.Insert(x.key, x.n)
		}
	case window == 0:
		for _, x := range list {
			before, _ := e.Estimate(x.key)
			s.Insert(x.key, x.n)
			after, _ := e.Estimate(x.key)
			u.hitters.Packet(x.key, after)
			u.changed[0].Packet(x.key, after)
			u.entropy.Insert(x.n, before, after)
		}
	default:
		for _, x := range list {
			s.Insert(x.key, x.n)
			after, _ := e.Estimate(x.key)
			u.changed[1].Packet(x.key, after)
		}
	}
	if window == 0 && u.sizes != s {
		for _, x := range list {
			u.sizes.Insert(x.key, x.n)
		}
	}
}

func (u *trial) result(t *truth, changes bool) Accuracy {
	r := Accuracy{Sketch: u.kind, Memory: u.memory, Seed: u.seed}
	none := columns.Number(math.NaN())
	r.Values = Values{none, none, none, none, none, none, none, none}
	flows := float64(len(t.flows))
	if u.sized[0] != nil {
		r.ARE, r.AAE = u.errors(t)
		u.findHitters(&r, t)
		if changes {
			r.ChangeF1 = u.changeF1(t)
		}
	}
	if e, ok := u.sketches[0].(sketch.EntropyMeter); ok {
		r.Entropy = t.errorOf(e.Entropy())
	} else if u.notes() {
		r.Entropy = t.errorOf(u.entropy.Value())
	}
	if s, ok := u.sizes.(sketch.FlowCounter); ok {
		n, _ := s.Cardinality()
		r.Cardinality = columns.Number(math.Abs(n-flows) / flows)
	}
	if s, ok := u.sizes.(sketch.SizeCounter); ok && !u.bytes {
		r.Distribution = columns.Number(wmre(t.sizes, s.Distribution(mrac.Epochs)))
	}
	return r
}

// errors returns the mean relative and absolute errors of the sizes of flows.
func (u *trial) errors(t *truth) (relative, absolute columns.Number) {
	for _, k := range t.flows {
		n, _ := t.windows[0].Estimate(k)
		estimate, _ := u.sized[0].Estimate(k)
		e := columns.Number(math.Abs(float64(estimate) - float64(n)))
		absolute += e
		relative += e / columns.Number(n)
	}
	flows := columns.Number(len(t.flows))
	return relative / flows, absolute / flows
}

// findHitters fills in F1 and ARE of the heavy hitters.
func (u *trial) findHitters(r *Accuracy, t *truth) {
	reported, lookup := 0, func(key uint64) (uint64, bool) { return u.hitters.Lookup(key) }
	if f := u.found[0]; f != nil {
		reported = f.CountHeavy(u.hitter)
		lookup = func(key uint64) (uint64, bool) { n, ok := f.Heavy(key); return n, ok && n >= u.hitter }
	} else {
		reported = len(u.hitters.Flows())
		r.Dropped = u.hitters.Dropped() + u.changed[0].Dropped() + u.changed[1].Dropped()
	}
	real, hits, errorSum := 0, 0, 0.0
	for _, k := range t.flows {
		n, _ := t.windows[0].Estimate(k)
		if n < u.hitter {
			continue
		}
		real++
		if estimate, ok := lookup(k); ok {
			hits++
			errorSum += math.Abs(float64(estimate)-float64(n)) / float64(n)
		}
	}
	r.HitterF1, r.HitterARE = f1(hits, reported, real), columns.Number(errorSum/float64(hits))
}

func (u *trial) changeF1(t *truth) columns.Number {
	var candidates []uint64
	if u.found[0] != nil {
		candidates = lists.Keep(t.either, func(key uint64) bool {
			return slices.ContainsFunc(u.found[:], func(s sketch.Finder) bool {
				n, ok := s.Heavy(key)
				return ok && n >= u.change
			})
		})
	} else {
		for _, f := range slices.Concat(u.changed[0].Flows(), u.changed[1].Flows()) {
			candidates = append(candidates, f.Key)
		}
	}
	reported := changes(candidates, u.sized[0], u.sized[1], u.change)
	hits := lists.Count(reported, func(c heavy.Change) bool { return t.changes[c.Key] })
	return f1(hits, len(reported), len(t.changes))
}

// f1 returns the F1 score. It is NaN if there is nothing to find and nothing was reported.
func f1(hits, reported, real int) columns.Number {
	return columns.Number(2 * float64(hits) / float64(reported+real))
}

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
