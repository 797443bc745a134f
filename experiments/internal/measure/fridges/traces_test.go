package fridges

import (
	"cmp"
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pintlab/int/fridge"
	"pintlab/internal/hash"
	"pintlab/netsim/unit"
	"pintlab/workloads/exchange"
)

var part = flag.Int64("part", 32,
	"TestOtherTraces: one of so many packets of the trace of §5, for as much less memory; 1 for all")

// listed is a trace in memory.
type listed []exchange.Event

func (l *listed) Next(e *exchange.Event) bool {
	if len(*l) == 0 {
		return false
	}
	*e, *l = (*l)[0], (*l)[1:]
	return true
}

func (l *listed) Err() error { return nil }

// train generates a variant of the trace isp in which requests arrive in trains, and only during a share of each
// second. All requests of a train have the same time and the same delay.
func train(requests int64, length int, share float64, delay func(*rand.Rand) unit.Time) []exchange.Event {
	const seconds = 11.4
	r := hash.Stream(1, "other traces")
	var list []exchange.Event
	for id := uint64(0); id < uint64(requests); {
		at := r.Float64() * seconds
		at = math.Floor(at) + share*(at-math.Floor(at))
		now, d := unit.Time(at*float64(unit.Second)), delay(r)
		for range length {
			list = append(list, exchange.Event{Time: now, ID: id})
			if r.Float64() < 0.13 {
				list = append(list, exchange.Event{Time: now + d, ID: id, Response: true})
			}
			id++
		}
	}
	slices.SortStableFunc(list, func(a, b exchange.Event) int { return cmp.Compare(a.Time, b.Time) })
	return list
}

// The trace of the fridges paper is not public. The paper prints an error of 1.68 for the array with an expiry
// threshold. Trains of packets, pauses, or delays with another distribution do not result in this error. An array that
// always replaces entries has such an error, or a larger one, in two cases: if requests arrive twice as fast, or if
// some hosts are near and others are far. fridge/fig2/known.csv contains the numbers for -part 1, from the mean of the
// CDFs of ten hash seeds.
func TestOtherTraces(t *testing.T) {
	if testing.Short() {
		t.Skip("five traces with ten hash seeds each, which take seconds; needs go test without -short")
	}
	law := exchange.ISP(1).Delays
	groups := func(r *rand.Rand) unit.Time { // near and far hosts, with nearly the same mean and p99 as law
		if r.Float64() < 0.87 {
			return exchange.LogNormal{Mean: 20 * unit.Millisecond, Sigma: 0.7}.Draw(r)
		}
		return exchange.LogNormal{Mean: 310 * unit.Millisecond, Sigma: 0.4}.Draw(r)
	}
	requests, entries := 6_100_000 / *part, 65536/int(*part)
	for _, c := range []struct {
		name   string
		length int
		share  float64
		delay  func(*rand.Rand) unit.Time
		always [2]float64 // bounds of the error
	}{
		{"Poisson", 1, 1, law.Draw, [2]float64{0.9, 1.3}},
		{"trains of 16", 16, 1, law.Draw, [2]float64{0.9, 1.4}},
		{"trains of 128", 128, 1, law.Draw, [2]float64{0.8, 1.7}},
		{"half of each second", 1, 0.5, law.Draw, [2]float64{1.1, 1.8}},
		{"near and far hosts", 1, 1, groups, [2]float64{1.5, 3.5}},
	} {
		list := train(requests, c.length, c.share, c.delay)
		var errors [3]float64
		var truth *fridge.Distribution
		for i, d := range []Design{
			Fridges(fridge.Entered, fridge.Part{Entries: entries, Probability: 1}),
			array(entries, 1, 512*unit.Millisecond),
			array(entries, 1, 0),
		} {
			var meters []*Meter
			for seed := range uint64(Seeds) {
				m, err := newMeter(d, seed+1, fridge.DefaultWidth)
				if err != nil {
					t.Fatal(err)
				}
				meters = append(meters, m)
			}
			events := listed(list)
			o := Options{Width: fridge.DefaultWidth}
			if truth == nil {
				o.Window = forever
			}
			tr, err := Run(t.Context(), &events, meters, o)
			if err != nil {
				t.Fatal(err)
			}
			if truth == nil {
				truth = tr.Delays
			}
			var all []*fridge.Distribution
			for _, m := range meters {
				all = append(all, m.Distribution(0, 0, false))
			}
			errors[i] = Compare(fridge.Mean(all...), truth).Max
		}
		t.Logf("%s: mean %.3g ms, p99 %.4g ms; largest error of a fridge %.3f, "+
			"of the array with T = 512 ms %.3f, of one that always replaces %.3f",
			c.name, 1e3*mean(truth), 1e3*truth.Quantile(0.99)/float64(unit.Second), errors[0], errors[1], errors[2])
		if errors[1] > 0.5 || !(c.always[0] < errors[2] && errors[2] < c.always[1]) {
			t.Errorf("%s: errors %v", c.name, errors)
		}
	}
}

// mean returns the mean of a distribution in s.
func mean(d *fridge.Distribution) float64 {
	sum := 0.0
	for i := range 1000 {
		sum += d.Quantile((float64(i)+0.5)/1000) / 1000
	}
	return sum / float64(unit.Second)
}
