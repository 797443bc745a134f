package fridges

import (
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/int/fridge"
	"pintlab/netsim/unit"
	"pintlab/workloads/exchange"
)

func meter(t testing.TB, d Design, weights ...Weight) *Meter {
	t.Helper()
	m, err := newMeter(d, 1, fridge.DefaultWidth, weights...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func trace(t testing.TB, c exchange.Config) exchange.Source {
	t.Helper()
	g, err := exchange.Generate(c)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// With memory for all requests, every structure measures the truth.
func TestAmpleMemory(t *testing.T) {
	c := exchange.ISP(1)
	c.Requests = 30_000
	meters := []*Meter{
		meter(t, Fridges(fridge.Entered, fridge.Part{Entries: 1 << 24, Probability: 1})),
		meter(t, array(1<<24, 4, unit.Second)),
		meter(t, Stages(1<<24, 2, 1)),
	}
	tr, err := Run(t.Context(), trace(t, c), meters, Options{Window: forever, Width: fridge.DefaultWidth})
	if err != nil {
		t.Fatal(err)
	}
	if tr.Requests != c.Requests || tr.Pairs == 0 || tr.Unordered != 0 ||
		math.Abs(tr.Rate()*float64(c.Interval)-1) > 0.03 {
		t.Errorf("%+v", tr)
	}
	for i, m := range meters {
		// Although there are 2^24 entries, a few of the 30 000 requests share an entry.
		if lost := tr.Pairs - int64(m.structure.Stats().Samples); lost < 0 || lost > 40 {
			t.Errorf("structure %d lost %d of %d pairs", i, lost, tr.Pairs)
		}
		if a := Compare(m.Distribution(0, 0, false), tr.Delays); a.Max > 0.02 || a.P99 > 0.05 {
			t.Errorf("structure %d errs by %+v", i, a)
		}
	}
}

// With little memory, the correction removes most of the error.
func TestWeights(t *testing.T) {
	c := exchange.Synthetic(64*unit.Millisecond, 1)
	c.Requests = 300_000
	f, err := fridge.NewFactors(fridge.FactorsConfig{Entries: 1 << 13, Probability: 0.25, Limit: 1 << 16})
	if err != nil {
		t.Fatal(err)
	}
	m := meter(t, Fridges(fridge.Entered, fridge.Part{Entries: 1 << 13, Probability: 0.25}), Corrected, Raw, ByTable(f))
	tr, err := Run(t.Context(), trace(t, c), []*Meter{m}, Options{Window: forever, Width: fridge.DefaultWidth})
	if err != nil {
		t.Fatal(err)
	}
	corrected, raw, table := Compare(m.Distribution(0, 0, false), tr.Delays),
		Compare(m.Distribution(1, 0, false), tr.Delays), Compare(m.Distribution(2, 0, false), tr.Delays)
	if corrected.Max > 0.2 || raw.Max < 2*corrected.Max || math.Abs(table.Max-corrected.Max) > 0.1 {
		t.Errorf("errors %v with factors, %v without, %v with a switch's", corrected.Max, raw.Max, table.Max)
	}
	if got := m.Distribution(1, 0, false).Total(); math.Abs(got-float64(m.structure.Stats().Samples)) > 1e-6 {
		t.Errorf("%v raw pairs of %d samples", got, m.structure.Stats().Samples)
	}
}

// Without correction, two fridges pool all their samples. The weights that combine corrected fridges have no effect.
func TestUncorrected(t *testing.T) {
	c := exchange.Synthetic(64*unit.Millisecond, 1)
	c.Requests = 100_000
	var found [2]*Findings
	for i, eq7 := range []bool{false, true} {
		var err error
		found[i], err = Survey{
			Source: trace(t, c), Parts: []fridge.Part{{Entries: 512, Probability: 0.5},
				{Entries: 512, Probability: 0.05}},
			Eq7: eq7, Window: forever, Width: fridge.DefaultWidth, Seed: 1,
		}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if e := found[i].Estimates[2]; e.Name != unweighedName || e.Samples == 0 || e.Pairs != float64(e.Samples) {
			t.Errorf("%s: %v pairs of %d samples", e.Name, e.Pairs, e.Samples)
		}
	}
	if diff := cmp.Diff(found[0].Estimates[2].Values, found[1].Estimates[2].Values); diff != "" ||
		found[0].Weights != byRate || found[1].Weights != byVariance {
		t.Errorf("weights %s and %s: %s", found[0].Weights, found[1].Weights, diff)
	}
}

func TestWorkersChangeNothing(t *testing.T) {
	c := exchange.ISP(3)
	c.Requests = 60_000
	run := func(workers int) (list []Accuracy) {
		var meters []*Meter
		for seed := range uint64(5) {
			m, err := newMeter(Fridges(fridge.Seen, fridge.Part{Entries: 1 << 10, Probability: 0.1}), seed,
				fridge.DefaultWidth)
			if err != nil {
				t.Fatal(err)
			}
			meters = append(meters, m)
		}
		tr, err := Run(t.Context(), trace(t, c), meters,
			Options{Window: forever, Width: fridge.DefaultWidth, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range meters {
			list = append(list, Compare(m.Distribution(0, 0, false), tr.Delays))
		}
		return list
	}
	if diff := cmp.Diff(run(1), run(4)); diff != "" {
		t.Error(diff)
	}
}

// broken is a source that ends with an error after some events, one of which is out of order.
type broken struct{ n int }

var errBroken = errors.New("broken")

func (b *broken) Next(e *exchange.Event) bool {
	b.n++
	*e = exchange.Event{Time: unit.Time(b.n), ID: uint64(b.n)}
	if b.n == 7 {
		e.Time = 1
	}
	return b.n < 10
}
func (*broken) Err() error { return errBroken }

func TestBroken(t *testing.T) {
	tr, err := Run(t.Context(), &broken{}, nil, Options{})
	if !errors.Is(err, errBroken) || tr.Requests != 9 || tr.Unordered != 1 {
		t.Errorf("%+v, %v; want 9 requests, one out of order, and the error", tr, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, &broken{}, nil, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v after an interrupt", err)
	}
}

// events is a source of given events.
type events []exchange.Event

func (s *events) Next(e *exchange.Event) bool {
	if len(*s) == 0 {
		return false
	}
	*e, *s = (*s)[0], (*s)[1:]
	return true
}
func (*events) Err() error { return nil }

// If the samples are all pairs, the distribution of the samples is the true one, even if the bins of the fridge are so
// wide that its estimates are wrong by a factor.
func TestEverySample(t *testing.T) {
	var trace events
	for i, delay := range []unit.Time{100, 200, 400, 800, 1600} {
		at := unit.Time(i) * unit.Second
		trace = append(trace, exchange.Event{Time: at, ID: uint64(i)},
			exchange.Event{Time: at + delay*unit.Microsecond, ID: uint64(i), Response: true})
	}
	f, err := Survey{Parts: []fridge.Part{{Entries: 64, Probability: 1}}, Samples: io.Discard, Source: &trace,
		Window: unit.Second, Width: 1}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	truth, e := f.Estimates[0], f.Estimates[len(f.Estimates)-1]
	if truth.Name != trueName || e.Name != samplesName || e.Samples != 5 {
		t.Fatalf("%s, and %s has %d samples", truth.Name, e.Name, e.Samples)
	}
	for i, want := range []float64{400e-6, 1600e-6, 1600e-6} {
		if v := e.Values[i]; truth.Values[i].Delay != want || v.Delay != want || *v.Error != 0 {
			t.Errorf("p%v is %v s with an error of %v, and truly %v s; want %v s and no error", v.Percent, v.Delay,
				*v.Error, truth.Values[i].Delay, want)
		}
	}
}

// Delays of 0 and requests at the same instant must not result in a delay of half a tick, a logarithm of 0 or a rate of
// 0.
func TestNoTime(t *testing.T) {
	made := func() *events {
		var list events
		for i := range uint64(50) {
			list = append(list, exchange.Event{ID: i}, exchange.Event{ID: i, Response: true})
		}
		list = append(list, exchange.Event{ID: 99, Response: true})
		return &list
	}
	s := Survey{Parts: []fridge.Part{{Entries: 64, Probability: 1}}, Samples: io.Discard, Source: made(),
		Window: unit.Second, Width: fridge.DefaultWidth}
	f, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if f.Rate != nil || *f.Unmatched != 1 {
		t.Errorf("rate %v, %v unmatched", f.Rate, *f.Unmatched)
	}
	for _, e := range f.Estimates {
		for _, v := range e.Values {
			if v.Error != nil && *v.Error != 0 {
				t.Errorf("%s: p%v errs by %v", e.Name, v.Percent, *v.Error)
			}
			if v.Delay != 0 {
				t.Errorf("%s: p%v is %v s", e.Name, v.Percent, v.Delay)
			}
		}
	}
	if d := f.draw(f.rows()); len(d.Panels[0].Series) != 0 {
		t.Error("delays of 0 are drawn on a logarithmic axis")
	}
	s.Parts, s.Samples, s.Source = []fridge.Part{{Entries: 64, Probability: 0.5},
		{Entries: 64, Probability: 0.1}}, nil, made()
	if _, err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "cannot be weighted by rate") {
		t.Error(err)
	}
}

// The interval of Resampled contains the value and depends on the seeds: if all seeds have equal results, the interval
// has no width. In each resampling, all designs use the same seeds, so the ratio of equal designs is always 1.
func TestResampled(t *testing.T) {
	of := func(delays ...uint64) (r Result) {
		var list []*fridge.Distribution
		for _, d := range delays {
			tally, err := fridge.NewTally(1, fridge.DefaultWidth)
			if err != nil {
				t.Fatal(err)
			}
			tally.Add(0, d, 1)
			list, r.One = append(list, tally.Distribution()), append(r.One, 0)
		}
		r.Means, r.Each = []*fridge.Distribution{fridge.Mean(list...)}, [][]*fridge.Distribution{list}
		return r
	}
	median := func(means []*fridge.Distribution) []float64 {
		a, b := means[0].Quantile(0.5), means[1].Quantile(0.5)
		return []float64{a, a / b}
	}
	for _, c := range []struct {
		delays []uint64
		spread bool
	}{{[]uint64{1000, 1000, 1000}, false}, {[]uint64{1000, 2000, 4000, 8000, 16000}, true}} {
		list := Resampled([]Result{of(c.delays...), of(c.delays...)}, 1, median)
		x, ratio := list[0], list[1]
		if !(x.Lo <= x.Value && x.Value <= x.Hi) || (x.Lo < x.Hi) != c.spread || x.Seeds != len(c.delays) {
			t.Errorf("%v: median %v, %v to %v", c.delays, x.Value, x.Lo, x.Hi)
		}
		if ratio.Lo != 1 || ratio.Value != 1 || ratio.Hi != 1 {
			t.Errorf("%v: ratio of equal designs %v, %v to %v", c.delays, ratio.Value, ratio.Lo, ratio.Hi)
		}
	}
}
