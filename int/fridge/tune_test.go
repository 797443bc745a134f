package fridge

import (
	"math"
	"strings"
	"testing"

	"pintlab/internal/hash"
)

// logUniform returns delays from lo to hi.
func logUniform(lo, hi float64) *Distribution {
	var s Samples
	for i := range 2000 {
		s.Add(uint64(lo*math.Pow(hi/lo, (float64(i)+0.5)/2000)), 1)
	}
	return s.Distribution()
}

func model(t testing.TB, l Load) *Model {
	t.Helper()
	m, err := NewModel(l)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// §5.2 follows from the model: if delays are nearly equal, the best p is the recommended one, for which the average
// lifetime equals the number of requests during a delay.
func TestAdvice(t *testing.T) {
	m := model(t, Load{Rate: 2, Delays: logUniform(99_000, 101_000), Pairs: 1, Quantiles: []float64{0.5}})
	advice := m.Advice(1<<12, 0.5)
	if want := 4095.0 / 200_000; math.Abs(advice/want-1) > 0.03 {
		t.Errorf("advice %v, want %v", advice, want)
	}
	best, err := m.Optimize(Choice{Entries: 1 << 12, Fridges: 1})
	if err != nil || math.Abs(best[0].Probability/advice-1) > 0.06 {
		t.Errorf("best %v, %v; advice %v", best, err, advice)
	}
	// The minimum over a fine grid is not below the result of Optimize, up to rounding.
	found := m.Predict(best).Error
	for p := 1e-4; p <= 1; p *= 1.02 {
		if e := m.Predict([]Part{{Entries: 1 << 12, Probability: p}}).Error; e < 0.999*found {
			t.Fatalf("error %v at p = %v, Optimize finds %v at %v", e, p, found, best[0].Probability)
		}
	}
}

// The advised p keeps the average lifetime M/p within the requests during the delay. 10^5 requests per second and a
// delay of 0.46 s are 46 000 requests; 1000/46 000 is 0.0217, so p = 0.022 with a lifetime of 45 455 requests. With
// p = 0.021 the lifetime would be 47 619. If 50 000 entries suffice for all requests, p is 1.
func TestAdviceIsWithinTheDelay(t *testing.T) {
	const rate = 1e-7 // requests per picosecond
	m := model(t, Load{Rate: rate, Delays: logUniform(459_999_000_000, 460_001_000_000), Pairs: 1,
		Quantiles: []float64{0.5}})
	for entries, want := range map[int]float64{1000: 0.022, 50_000: 1} {
		got := m.Advice(entries, 0.5)
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%d entries: p = %v, want %v", entries, got, want)
		}
	}
	for entries := 2; entries < 40_000; entries += 37 {
		if p := m.Advice(entries, 0.5); float64(entries)/p > 46_000*(1+1e-4) {
			t.Errorf("%d entries: p = %v, lifetime %v", entries, p, float64(entries)/p)
		}
	}
}

// If memory suffices for all requests, every request enters and none is lost.
func TestAmpleMemory(t *testing.T) {
	m := model(t, Load{Rate: 1e-3, Delays: logUniform(10, 1000), Pairs: 1e4, Quantiles: []float64{0.5, 0.95, 0.99}})
	best, err := m.Optimize(Choice{Entries: 1 << 20, Fridges: 1})
	if err != nil || best[0].Probability != 1 {
		t.Errorf("best %v, %v; want p = 1", best, err)
	}
	if e := m.Predict(best).Error; e > 1e-4 {
		t.Errorf("error %v, want almost none", e)
	}
}

// More fridges never increase the error, two fridges are not worse than the best pair of a grid, and free sizes are not
// worse than equal sizes.
func TestMoreFridges(t *testing.T) {
	m := model(t, Load{Rate: 0.5, Delays: logUniform(100, 1e6), Pairs: 1e5, Quantiles: []float64{0.1, 0.5, 0.95, 0.99}})
	const entries = 1 << 12
	before := math.Inf(1)
	most := maxFridges
	if testing.Short() {
		most = 2
	}
	for n := 1; n <= most; n++ {
		equal, err := m.Optimize(Choice{Entries: entries, Fridges: n})
		if err != nil {
			t.Fatal(err)
		}
		split, err := m.Optimize(Choice{Entries: entries, Fridges: n, Split: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, list := range [][]Part{equal, split} {
			sum := 0
			for _, p := range list {
				sum += p.Entries
			}
			if err := (Config{Parts: list}).Validate(); err != nil || len(list) != n || sum > entries ||
				sum < entries-n {
				t.Errorf("%d fridges: %v: %v", n, list, err)
			}
		}
		e, s := m.Predict(equal).Error, m.Predict(split).Error
		t.Logf("%d: %.4f %v, split %.4f %v", n, e, equal, s, split)
		if e > 1.005*before || s > 1.005*e {
			t.Errorf("%d fridges have the error %v, with free sizes %v; one less has %v", n, e, s, before)
		}
		before = e
		if n != 2 {
			continue
		}
		for a := 1.0; a > 1e-5; a /= 2 {
			for b := a; b > 1e-5; b /= 2 {
				if a+b > 1 {
					continue
				}
				grid := []Part{{Entries: entries / 2, Probability: a}, {Entries: entries / 2, Probability: b}}
				if g := m.Predict(grid).Error; g < 0.999*e {
					t.Errorf("p = %v, %v has the error %v, Optimize finds %v", a, b, g, e)
				}
			}
		}
	}
}

// The prediction agrees with the error of simulated fridges: the root mean square, over 200 seeds, of log2 of estimated
// over true quantiles. A root mean square of 200 normal values deviates by more than 25 % with probability below 1e-6;
// the first-order formula adds a small error.
func TestPrediction(t *testing.T) {
	const requests, answered, seeds = 40_000, 0.5, 200
	r := hash.Stream(1, "delays")
	due := map[uint64][]uint64{}
	var truth Samples
	for id := range uint64(requests) {
		if r.Float64() < answered {
			d := uint64(10 * math.Pow(1000, r.Float64()))
			due[id+d] = append(due[id+d], id)
			truth.Add(d, 1)
		}
	}
	exact := truth.Distribution()
	m := model(t, Load{Rate: 1, Delays: exact, Pairs: exact.Total(), Quantiles: []float64{0.5, 0.9}})
	for _, parts := range [][]Part{
		{{Entries: 512, Probability: 0.05}},
		{{Entries: 256, Probability: 0.3}, {Entries: 256, Probability: 0.03}},
	} {
		want := m.Predict(parts).Errors
		sums := make([]float64, len(want))
		for seed := range uint64(seeds) {
			f, err := New[uint64](Config{Parts: parts, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			tally, err := NewTally(len(parts), DefaultWidth)
			if err != nil {
				t.Fatal(err)
			}
			for now := range uint64(requests + 10_001) {
				for _, id := range due[now] {
					if s, ok := f.Response(id, now); ok {
						tally.Add(s.Part, s.Delay, s.Factor)
					}
				}
				f.Request(now, now) // continues, so that the load is steady
			}
			d := tally.Expected(f.At(1))
			for j, q := range m.load.Quantiles {
				e := math.Log2(d.Quantile(q) / exact.Quantile(q))
				sums[j] += e * e / seeds
			}
		}
		for j, w := range want {
			got := math.Sqrt(sums[j])
			t.Logf("%v, quantile %v: %.4f, predicted %.4f", parts, m.load.Quantiles[j], got, w)
			if math.Abs(got/w-1) > 0.3 {
				t.Errorf("%v: the error of quantile %v is %v, predicted %v", parts, m.load.Quantiles[j], got, w)
			}
		}
	}
}

func TestBadLoad(t *testing.T) {
	good := Load{Rate: 1, Delays: logUniform(1, 100), Pairs: 1, Quantiles: []float64{0.5}}
	for want, change := range map[string]func(*Load){
		"rate = 0 requests per tick":     func(l *Load) { l.Rate = 0 },
		"no delays":                      func(l *Load) { l.Delays = &Distribution{} },
		"pairs = -1, want more than 0":   func(l *Load) { l.Pairs = -1 },
		"no quantiles":                   func(l *Load) { l.Quantiles = nil },
		"quantile = 1, want more than 0": func(l *Load) { l.Quantiles = []float64{1} },
	} {
		l := good
		change(&l)
		if _, err := NewModel(l); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	var s Samples
	s.Add(7, 1)
	if _, err := NewModel(Load{1, s.Distribution(), 1, []float64{0.5}}); err == nil ||
		!strings.Contains(err.Error(), "are all equal or 0") {
		t.Errorf("error %v of one delay", err)
	}
	m := model(t, good)
	for want, o := range map[string]Choice{
		"5 fridges, want 1 to 4":                  {Entries: 100, Fridges: 5},
		"3 entries, want 4 to 1073741824 for 2 f": {Entries: 3, Fridges: 2},
	} {
		if _, err := m.Optimize(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func BenchmarkOptimize(b *testing.B) {
	m := model(b, Load{Rate: 0.5, Delays: logUniform(100, 1e6), Pairs: 1e5, Quantiles: []float64{0.5, 0.95, 0.99}})
	for b.Loop() {
		if _, err := m.Optimize(Choice{Entries: 1 << 12, Fridges: 2}); err != nil {
			b.Fatal(err)
		}
	}
}

// With very few entries the lowest predicted error belongs to a choice with hardly any samples. Optimize then makes a
// choice with enough samples. A fridge accepts all chosen probabilities.
func TestFewSamples(t *testing.T) {
	tally, err := NewTally(1, DefaultWidth)
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(1000) { // most delays are short, some are very long
		tally.Add(0, 1000+i, 1)
		if i%50 == 0 {
			tally.Add(0, 1e12, 1)
		}
	}
	for _, x := range []struct {
		entries int
		rate    float64
		few     bool
	}{{2, 1e-3, false}, {64, 1e-3, false}, {2, 1e6, true}} {
		m, err := NewModel(Load{Rate: x.rate, Delays: tally.Distribution(), Pairs: 10_000,
			Quantiles: []float64{0.5, 0.95, 0.99}})
		if err != nil {
			t.Fatal(err)
		}
		parts, err := m.Optimize(Choice{Entries: x.entries, Fridges: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := (Config{Parts: parts}).Validate(); err != nil {
			t.Error(err)
		}
		if p := m.Advice(x.entries, 0.99); p < 1.0/(1<<32) {
			t.Errorf("advice %v", p)
		}
		got := m.Predict(parts).Samples
		if few := got < 0.99*FewSamples; few != x.few {
			t.Errorf("%d entries, %v requests per tick: %v samples of %v", x.entries, x.rate, got, parts)
		}
	}
}
