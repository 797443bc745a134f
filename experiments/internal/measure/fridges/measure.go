package fridges

import (
	"cmp"
	"context"
	"math"

	"pintlab/experiments/internal/study"
	"pintlab/int/fridge"
	"pintlab/netsim/unit"
	"pintlab/workloads/exchange"
)

// structure is the common part of fridge.Fridge, fridge.Array and fridge.Stages. It finds samples.
type structure interface {
	Request(id, now uint64) bool
	Response(id, now uint64) (fridge.Sample[uint64], bool)
	Stats() fridge.Stats
	Parts() int
	SizeBytes() int
}

// Design makes a fridge or another structure. The seed determines its hash functions.
type Design func(seed uint64) (structure, error)

// Fridges returns the design of one fridge or several.
func Fridges(pairing fridge.Pairing, parts ...fridge.Part) Design {
	return func(seed uint64) (structure, error) {
		return fridge.New[uint64](fridge.Config{Parts: parts, Pairing: pairing, Seed: seed})
	}
}

// array returns the design of an expiring array.
func array(entries, stages int, threshold unit.Time) Design {
	return func(seed uint64) (structure, error) {
		return fridge.NewArray[uint64](fridge.ArrayConfig{Entries: entries, Stages: stages,
			Threshold: uint64(threshold), Seed: seed})
	}
}

// Stages returns the design of a fridge in several stages.
func Stages(entries, stages int, probability float64) Design {
	return func(seed uint64) (structure, error) {
		return fridge.NewStages[uint64](fridge.StagesConfig{Entries: entries, Stages: stages,
			Probability: probability, Seed: seed})
	}
}

// Weight returns the number of pairs that a sample stands for.
type Weight func(fridge.Sample[uint64]) float64

// Corrected returns the correction factor.
func Corrected(s fridge.Sample[uint64]) float64 { return s.Factor }

// Raw counts every sample as one pair, as if there were no bias.
func Raw(fridge.Sample[uint64]) float64 { return 1 }

// ByTable returns the factor of a switch, which is a whole number.
func ByTable(f *fridge.Factors) Weight {
	return func(s fridge.Sample[uint64]) float64 { return float64(f.Factor(s.Survived)) }
}

// Meter is a structure with a tally of its samples for each of several weights.
type Meter struct {
	structure structure
	weights   []Weight
	tallies   []*fridge.Tally
	// each is called for every sample. It may be nil.
	each func(fridge.Sample[uint64])
}

// newMeter makes a meter with the given width of bins. If there are no weights, it uses Corrected.
func newMeter(d Design, seed uint64, width float64, weights ...Weight) (*Meter, error) {
	s, err := d(seed)
	if err != nil {
		return nil, err
	}
	if len(weights) == 0 {
		weights = []Weight{Corrected}
	}
	m := &Meter{structure: s, weights: weights}
	for range weights {
		t, err := fridge.NewTally(s.Parts(), width)
		if err != nil {
			return nil, err
		}
		m.tallies = append(m.tallies, t)
	}
	return m, nil
}

// Distribution returns the distribution that the meter has measured with the weight of the given number, counted from
// 0. Several fridges are combined by the expected factors. These depend on rate, in requests per picosecond. With eq7,
// the fridges are combined by their estimated variances instead, which is biased.
func (m *Meter) Distribution(weight int, rate float64, eq7 bool) *fridge.Distribution {
	t := m.tallies[weight]
	if eq7 {
		return t.ByEstimatedVariance(t)
	}
	if f, ok := m.structure.(*fridge.Fridge[uint64]); ok {
		return t.Expected(f.At(rate))
	}
	return t.Distribution()
}

// combined returns the distribution that the meter has measured, with fridges combined as the design requires. other is
// a meter of the same design with another hash seed.
func (m *Meter) combined(weight int, d *Named, other *Meter) *fridge.Distribution {
	if !d.Eq7 {
		return m.Distribution(weight, d.Rate, false)
	}
	t, of := m.tallies[weight], m.tallies[weight]
	if d.Apart {
		of = other.tallies[weight]
	}
	if d.Bins > 1 {
		t, of = t.Coarse(d.Bins), of.Coarse(d.Bins)
	}
	return t.ByEstimatedVariance(of)
}

func (m *Meter) take(events []exchange.Event) {
	for i := range events {
		e := &events[i]
		if !e.Response {
			m.structure.Request(e.ID, uint64(e.Time))
			continue
		}
		if s, ok := m.structure.Response(e.ID, uint64(e.Time)); ok {
			for k, w := range m.weights {
				m.tallies[k].Add(s.Part, s.Delay, w(s))
			}
			if m.each != nil {
				m.each(s)
			}
		}
	}
}

// Traffic describes the contents of a trace.
type Traffic struct {
	Requests, Responses int64
	// Unordered is the number of events that were earlier than the previous event, because the clock jumped.
	Unordered   int64
	First, Last unit.Time // times of the first request and of the last request
	// Pairs is the number of requests that have a response, and Delays is the distribution of their delays. If the
	// truth was not requested, Pairs is 0 and Delays is nil.
	Pairs  int64
	Delays *fridge.Distribution
}

// Rate returns the number of requests per tick, a picosecond.
func (t *Traffic) Rate() float64 {
	if t.Last <= t.First {
		return 0
	}
	return float64(t.Requests-1) / float64(t.Last-t.First)
}

// Options control how a trace is run.
type Options struct {
	// Window is the time for which the exact matcher remembers a request. If it is 0, there is no exact matcher.
	Window unit.Time
	// Width is the width of the bins of the true distribution. If it is 0, this distribution is exact.
	Width   float64
	Workers int
	// Progress is called at intervals with the number of events so far. It may be nil.
	Progress func(events int64)
}

// forever is a window that forgets no request.
const forever unit.Time = math.MaxInt64 / 2

// Run passes all events of a trace to all meters. At most two chunks of the trace are in memory at a time. Results do
// not depend on the number of workers.
func Run(ctx context.Context, src exchange.Source, meters []*Meter, o Options) (Traffic, error) {
	c, err := newCounter(o.Window, o.Width)
	if err != nil {
		return Traffic{}, err
	}
	takers := []func([]exchange.Event){c.take}
	for _, m := range meters {
		takers = append(takers, m.take)
	}
	err = study.Feed(ctx, o.Workers, src.Next, takers, o.Progress)
	return c.traffic(), cmp.Or(err, src.Err())
}

// counter counts the contents of a trace.
type counter struct {
	counted Traffic
	before  unit.Time
	exact   *exchange.Truth // nil if the truth is not requested; then the next two fields are also nil
	delays  *fridge.Samples
	binned  *fridge.Tally // takes the place of delays if there are bins
}

func newCounter(window unit.Time, width float64) (c *counter, err error) {
	c = &counter{before: math.MinInt64}
	if window > 0 {
		c.exact = exchange.NewTruth(window)
		if width == 0 {
			c.delays = &fridge.Samples{}
		} else {
			c.binned, err = fridge.NewTally(1, width)
		}
	}
	return c, err
}

func (c *counter) take(events []exchange.Event) {
	t := &c.counted
	for i := range events {
		e := &events[i]
		if e.Time < c.before {
			t.Unordered++
		}
		c.before = e.Time
		if c.exact != nil {
			if d, ok := c.exact.Take(e); ok {
				t.Pairs++
				if c.delays != nil {
					c.delays.Add(uint64(d), 1)
				} else {
					c.binned.Add(0, uint64(d), 1)
				}
			}
		}
		if e.Response {
			t.Responses++
			continue
		}
		if t.Requests == 0 {
			t.First = e.Time
		}
		t.Requests++
		t.Last = max(t.Last, e.Time)
	}
}

func (c *counter) traffic() Traffic {
	switch {
	case c.delays != nil:
		c.counted.Delays = c.delays.Distribution()
	case c.binned != nil:
		c.counted.Delays = c.binned.Distribution()
	}
	return c.counted
}

// Quantiles lists the quantiles in the fridges paper's figures.
var Quantiles = []float64{0.5, 0.95, 0.99}

// Accuracy is the error of an estimated distribution, as |log2 ratio|.
type Accuracy struct {
	P50, P95, P99 float64
	Max           float64 // largest error of all percentiles from 5 to 95
}

// Compare returns the errors of an estimate.
func Compare(estimate, truth *fridge.Distribution) Accuracy {
	return Accuracy{
		P50: fridge.Error(estimate, truth, 0.5), P95: fridge.Error(estimate, truth, 0.95),
		P99: fridge.Error(estimate, truth, 0.99),
		Max: fridge.MaxError(estimate, truth),
	}
}
