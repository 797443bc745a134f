package fridge

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/hash"
)

func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func single(entries int, p float64, pairing Pairing, seed uint64) Config {
	return Config{Parts: []Part{{entries, p}}, Pairing: pairing, Seed: seed}
}

// According to §3.3, "in the special case of M = 2, the survivor's correction factor doubles every time its sole
// sibling is replaced". With p = 1, it begins with 1.
func TestTwoEntries(t *testing.T) {
	for seed := range uint64(100) {
		f := must[*Fridge[uint32]](t)(New[uint32](single(2, 1, Entered, seed)))
		f.Request(1, 10)
		x := uint32(0)
		for id := uint64(2); id < 6; id++ {
			f.Request(id, 20)
			x++
			if id, _, _ := f.parts[0].table.At(placeOf(hashOf(f, 1), 2)); id != uint32(hashOf(f, 1)) {
				break // evicted
			}
		}
		s, ok := f.Response(1, 110)
		if !ok {
			continue
		}
		if want := math.Ldexp(1, int(x)); s.Delay != 100 || s.Survived != x || math.Abs(s.Factor/want-1) > 1e-14 {
			t.Fatalf("seed %d: %+v, want delay 100, %d survived, factor %v", seed, s, x, want)
		}
	}
}

func hashOf[T Ticks](f *Fridge[T], id uint64) uint64 {
	word, _ := identify(f.seed, id)
	return word
}

// With p = 1, all requests enter. If no other request comes in between, each results in one sample with factor 1.
func TestAllEnter(t *testing.T) {
	for _, p := range []Pairing{Entered, Seen, Mixed} {
		f := must[*Fridge[uint64]](t)(New[uint64](single(16, 1, p, 1)))
		for id := range uint64(1000) {
			if !f.Request(id, 10*id) {
				t.Fatalf("request %d did not enter", id)
			}
			if s, ok := f.Response(id, 10*id+3); !ok || s.Delay != 3 || s.Factor != 1 || s.Survived != 0 {
				t.Fatalf("request %d: %+v, %v", id, s, ok)
			}
			if _, ok := f.Response(id, 10*id+4); ok {
				t.Fatalf("request %d gave two samples", id)
			}
		}
		if got, want := f.Stats(), (Stats{Requests: 1000, Entered: 1000, Responses: 2000, Samples: 1000}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}

// The insertion counter and a clock of 32 bits wrap around between request and response.
func TestWrapAround(t *testing.T) {
	for _, pairing := range []Pairing{Entered, Seen} {
		f := must[*Fridge[uint32]](t)(New[uint32](single(1<<20, 1, pairing, 1)))
		f.parts[0].count, f.all = math.MaxUint32-2, math.MaxUint32-2
		f.Request(1, math.MaxUint32-10)
		for id := uint64(2); id < 12; id++ {
			f.Request(id, math.MaxUint32)
		}
		s, ok := f.Response(1, 20)
		want := math.Pow(1-1.0/(1<<20), -10)
		if !ok || s.Delay != 31 || s.Survived != 10 || math.Abs(s.Factor-want) > 1e-14 {
			t.Errorf("%v: %+v, %v; want delay 31, 10 survived, factor %v", pairing, s, ok, want)
		}
	}
}

func TestTraffic(t *testing.T) {
	f := must[*Fridge[uint64]](t)(New[uint64](single(1<<16, 1, Entered, 1)))
	f.Response(1, 5) // no request
	f.Request(2, 100)
	f.Request(2, 200) // sent again
	if s, ok := f.Response(2, 250); !ok || s.Delay != 50 {
		t.Errorf("%+v, %v; want the delay from the last request, 50", s, ok)
	}
	f.Request(3, 1000)
	if _, ok := f.Response(3, 999); ok { // the clock jumped
		t.Error("a response before its request gave a sample")
	}
	want := Stats{Requests: 3, Entered: 3, Duplicates: 1, Responses: 3, Samples: 1, Backward: 1}
	if got := f.Stats(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Requests with the same identifier always use the same entry. So the neighbouring entry survives so many insertions
// that its factor exceeds a float64.
func TestOverflow(t *testing.T) {
	f := must[*Fridge[uint64]](t)(New[uint64](single(2, 1, Entered, 1)))
	other := uint64(2)
	for placeOf(hashOf(f, other), 2) == placeOf(hashOf(f, 1), 2) {
		other++
	}
	f.Request(1, 0)
	for range 2000 {
		f.Request(other, 1)
	}
	if s, ok := f.Response(1, 2); ok || f.Stats().Overflowed != 1 {
		t.Errorf("%+v, %v, %+v; want it counted as overflowed", s, ok, f.Stats())
	}
}

func TestBadConfigs(t *testing.T) {
	for want, c := range map[string]Config{
		"fridge: there is no fridge, want at least one":                     {},
		"fridge: fridge 1: entries = 1, want 2 to 1073741824":               single(1, 1, Entered, 0),
		"fridge: fridge 1: probability = 0, want more than 0 and at most 1": single(2, 0, Entered, 0),
		"fridge: fridge 1: probability = NaN, want more than 0 and at most 1": single(2, math.NaN(),
			Entered, 0),
		"fridge: fridge 1: probability = 1.5, want more than 0 and at most 1": single(2, 1.5, Entered, 0),
		"fridge: fridge 1: probability = 1e-11, want at least 2^-32":          single(2, 1e-11, Entered, 0),
		"fridge: probabilities sum to 1.25, want at most 1": {
			Parts: []Part{{4, 0.75}, {4, 0.5}}},
		"fridge: pairing = 3, want 0 to 2": single(2, 1, 3, 0),
		"fridge: fridge 2: entries = 0, want 2 to 1073741824\nfridge 2: probability = -1": {
			Parts: []Part{{2, 1}, {0, -1}}},
	} {
		if _, err := New[uint32](c); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", c, err, want)
		}
	}
	if err := new(Pairing).UnmarshalText([]byte("sen")); err == nil ||
		!strings.Contains(err.Error(), "accepted: entered, seen, mixed") {
		t.Errorf("error %v, want the accepted names", err)
	}
	for _, p := range []Pairing{Entered, Seen, Mixed} {
		var got Pairing
		if err := got.UnmarshalText([]byte(p.String())); err != nil || got != p {
			t.Errorf("%q reads as %v, %v", p, got, err)
		}
	}
}

// The fridge agrees with a slow model, a list of all requests that entered. A request is still present if no later
// request of the same fridge used its entry.
func TestAgainstList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Config{Pairing: Pairing(rapid.IntRange(0, 2).Draw(t, "pairing")), Seed: rapid.Uint64().Draw(t, "seed")}
		for range rapid.IntRange(1, 4).Draw(t, "fridges") {
			c.Parts = append(c.Parts, Part{
				rapid.IntRange(2, 20).Draw(t, "entries"), float64(rapid.IntRange(1, 4).Draw(t, "p")) / 16})
		}
		f, err := New[uint64](c)
		if err != nil {
			t.Fatal(err)
		}
		type request struct {
			id, now     uint64
			part        int
			place       uint32
			taken       bool
			all, ofPart int // requests so far, including this one
		}
		var list []request
		all, ofPart := 0, make([]int, len(c.Parts))
		where := func(id uint64) (part int, place uint32) {
			word, _ := identify(f.seed, id)
			at := float64(diceOf(word)) / (1 << 32)
			for k, p := range c.Parts {
				if at -= p.Probability; at < 0 {
					return k, placeOf(word, p.Entries)
				}
			}
			return -1, 0
		}
		for now := uint64(1); now < 200; now++ {
			id := rapid.Uint64Range(0, 60).Draw(t, "id")
			part, place := where(id)
			if rapid.Bool().Draw(t, "request") {
				all++
				if part >= 0 {
					ofPart[part]++
					list = append(list, request{id, now, part, place, false, all, ofPart[part]})
				}
				if got := f.Request(id, now); got != (part >= 0) {
					t.Fatalf("request %d entered: %v", id, got)
				}
				continue
			}
			var want Sample[uint64]
			found := false
			for i := len(list) - 1; i >= 0; i-- {
				if r := &list[i]; r.part == part && r.place == place {
					if r.id == id && !r.taken {
						r.taken, found = true, true
						p := c.Parts[part]
						x, evicts := ofPart[part]-r.ofPart, 1/float64(p.Entries)
						if c.Pairing == Seen {
							x = all - r.all
						}
						if c.Pairing != Entered {
							evicts *= p.Probability
						}
						want = Sample[uint64]{now - r.now, math.Pow(1-evicts, -float64(x)) / p.Probability,
							uint32(x), part}
					}
					break // earlier requests are evicted
				}
			}
			got, ok := f.Response(id, now)
			if ok != found || got.Delay != want.Delay || got.Survived != want.Survived || got.Part != want.Part ||
				math.Abs(got.Factor-want.Factor) > 1e-9*want.Factor {
				t.Fatalf("response %d: %+v, %v; want %+v, %v", id, got, ok, want, found)
			}
		}
	})
}

// ids makes identifiers that do not repeat.
type ids uint64

func (i *ids) next() uint64 { *i++; return uint64(*i) }

// sums sends pairs through f one after another, with `between` other requests before each response. It returns the sum
// of the factors for each round of pairs.
func sums(f *Fridge[uint64], rounds, pairs, between int) []float64 {
	out := make([]float64, rounds)
	var id ids
	for r := range out {
		for range pairs {
			mine := id.next()
			f.Request(mine, 0)
			for range between {
				f.Request(id.next(), 0)
			}
			if s, ok := f.Response(mine, 1); ok {
				out[r] += s.Factor
			}
		}
	}
	return out
}

// moments returns the mean, its standard error, the variance and its standard error.
func moments(x []float64) (mean, meanSE, variance, varianceSE float64) {
	n := float64(len(x))
	for _, v := range x {
		mean += v / n
	}
	fourth := 0.0
	for _, v := range x {
		d := (v - mean) * (v - mean)
		variance += d / (n - 1)
		fourth += d * d / n
	}
	return mean, math.Sqrt(variance / n), variance, math.Sqrt(max(fourth-variance*variance, 0) / n)
}

// The pairings Entered and Seen are unbiased. The mixed pairing estimates only about half of the pairs if M requests
// entered in between: it uses (1-p/M)^-x instead of (1-1/M)^-x, and with x = M the ratio is e^p/e. A mean deviates by
// more than 5 standard errors with probability below 1e-6.
func TestUnbiased(t *testing.T) {
	const m, p, pairs = 32, 0.25, 50
	for _, tt := range []struct {
		pairing Pairing
		between int
		want    float64 // expected number of pairs
	}{
		{Entered, 0, pairs}, {Entered, m, pairs}, {Entered, m / p, pairs},
		{Seen, 0, pairs}, {Seen, m, pairs}, {Seen, m / p, pairs},
		// x is binomial: E[(1-1/M)^x·(1-p/M)^-x] = (1 - p + p·(1-1/M)/(1-p/M))^n.
		{Mixed, m / p, pairs * math.Pow(1-p+p*(1-1.0/m)/(1-p/m), m/p)},
	} {
		f := must[*Fridge[uint64]](t)(New[uint64](single(m, p, tt.pairing, 7)))
		mean, se, _, _ := moments(sums(f, 1000, pairs, tt.between))
		if math.Abs(mean-tt.want) > 5*se {
			t.Errorf("%v, %d requests between: %v ± %v pairs, want %v", tt.pairing, tt.between, mean, se, tt.want)
		}
		if tt.pairing == Mixed && mean > 0.55*pairs {
			t.Errorf("the mixed pairing gives %v of %d pairs, want about half", mean, pairs)
		}
	}
}

// The test checks mean and variance of f̂(t) in Lemma 3.1, with new delays for each pair, as in the proof of the lemma,
// and different x_i. Each of the two deviates by more than 5 standard errors with probability below 1e-6. The standard
// error of the variance is derived from the fourth moment.
func TestLemma31(t *testing.T) {
	const m, p, rounds, share = 24, 0.5, 12_000, 0.3
	between := []int{0, 3, 10, 24, 48, 60}
	f := must[*Fridge[uint64]](t)(New[uint64](single(m, p, Seen, 11)))
	r := hash.Stream(1, "lemma 3.1")
	estimates := make([]float64, rounds)
	var id ids
	for k := range estimates {
		for _, x := range between {
			mine := id.next()
			f.Request(mine, 0)
			for range x {
				f.Request(id.next(), 0)
			}
			delay := uint64(1)
			if r.Float64() < share {
				delay = 2 // t
			}
			if s, ok := f.Response(mine, delay); ok && s.Delay == 2 {
				if s.Survived != uint32(x) {
					t.Fatalf("x = %d, want %d", s.Survived, x)
				}
				estimates[k] += s.Factor
			}
		}
	}
	mean, meanSE, variance, varianceSE := moments(estimates)
	wantVariance := 0.0
	for _, x := range between {
		wantVariance += share * (math.Pow(1-p/m, -float64(x))/p - share)
	}
	if want := share * float64(len(between)); math.Abs(mean-want) > 5*meanSE {
		t.Errorf("mean %v ± %v, want f(t) = %v", mean, meanSE, want)
	}
	if math.Abs(variance-wantVariance) > 5*varianceSE {
		t.Errorf("variance %v ± %v, Lemma 3.1 has %v", variance, varianceSE, wantVariance)
	}
}

// Each of several fridges estimates the number of pairs without bias. Means deviate by more than 5 standard errors with
// probability below 1e-6.
func TestSeveralUnbiased(t *testing.T) {
	const rounds, pairs, between = 1500, 60, 120
	c := Config{Parts: []Part{{16, 0.5}, {64, 0.2}, {32, 0.1}}, Seed: 3}
	f := must[*Fridge[uint64]](t)(New[uint64](c))
	estimates := make([][]float64, len(c.Parts))
	for k := range estimates {
		estimates[k] = make([]float64, rounds)
	}
	var id ids
	for r := range rounds {
		for range pairs {
			mine := id.next()
			f.Request(mine, 0)
			for range between {
				f.Request(id.next(), 0)
			}
			if s, ok := f.Response(mine, 1); ok {
				estimates[s.Part][r] += s.Factor
			}
		}
	}
	for k, list := range estimates {
		if mean, se, _, _ := moments(list); math.Abs(mean-pairs) > 5*se {
			t.Errorf("fridge %d estimates %v ± %v pairs, want %d", k+1, mean, se, pairs)
		}
	}
	want := uint64(0.8 * float64(f.Stats().Requests))
	if got := f.Stats().Entered; math.Abs(float64(got)-float64(want)) > 5*math.Sqrt(0.16*float64(f.Stats().Requests)) {
		t.Errorf("%d requests entered, want %d", got, want)
	}
}

func TestNoAllocations(t *testing.T) {
	f := must[*Fridge[uint64]](t)(New[uint64](Config{Parts: []Part{{1 << 10, 0.5}, {1 << 10, 0.25}}}))
	a := must[*Array[uint64]](t)(NewArray[uint64](ArrayConfig{Entries: 1 << 10, Stages: 4, Threshold: 100}))
	s := must[*Stages[uint64]](t)(NewStages[uint64](StagesConfig{Entries: 1 << 10, Stages: 4, Probability: 0.5}))
	tally := must[*Tally](t)(NewTally(2, DefaultWidth))
	var id ids
	if n := testing.AllocsPerRun(10_000, func() {
		now := id.next()
		f.Request(now, now)
		a.Request(now, now)
		s.Request(now, now)
		if x, ok := f.Response(now-min(now, 5), now); ok {
			tally.Add(x.Part, x.Delay, x.Factor)
		}
		a.Response(now-min(now, 5), now)
		s.Response(now-min(now, 5), now)
	}); n != 0 {
		t.Errorf("%v allocations for each request and response, want 0", n)
	}
}

// These sizes are in the package comment.
func TestSizes(t *testing.T) {
	a := must[*Fridge[uint32]](t)(New[uint32](single(1000, 1, Entered, 0)))
	b := must[*Fridge[uint64]](t)(New[uint64](single(1000, 1, Entered, 0)))
	if a.SizeBytes() != 12_000 || b.SizeBytes() != 16_000 {
		t.Errorf("1000 entries take %d and %d bytes, want 12000 and 16000", a.SizeBytes(), b.SizeBytes())
	}
}

// structure is the interface of the structures that the benchmarks compare.
type structure interface {
	Request(id, now uint64) bool
	Response(id, now uint64) (Sample[uint64], bool)
}

// The benchmarks have one response for every two requests, 4096 requests later. One operation is a request or a
// response. They report operations per second.
func benchmark(b *testing.B, f structure) {
	tally := must[*Tally](b)(NewTally(2, DefaultWidth))
	b.ReportAllocs()
	for i := range uint64(b.N) {
		if i%3 != 0 {
			f.Request(i, i)
		} else if s, ok := f.Response(i-12289, i); ok { // i-12289 is not a multiple of 3
			tally.Add(s.Part, s.Delay, s.Factor)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
}

func BenchmarkFridge(b *testing.B) {
	for _, tt := range []struct {
		name  string
		parts []Part
	}{
		{"M=2^16", []Part{{1 << 16, 1}}},
		{"M=2^16,p=1∕16", []Part{{1 << 16, 1.0 / 16}}},
		{"two", []Part{{1 << 15, 0.5}, {1 << 15, 0.25}}},
	} {
		b.Run(tt.name, func(b *testing.B) {
			benchmark(b, must[*Fridge[uint64]](b)(New[uint64](Config{Parts: tt.parts})))
		})
	}
}

func BenchmarkArray(b *testing.B) {
	for _, stages := range []int{1, 4} {
		b.Run(map[int]string{1: "stages=1", 4: "stages=4"}[stages], func(b *testing.B) {
			benchmark(b, must[*Array[uint64]](b)(NewArray[uint64](
				ArrayConfig{Entries: 1 << 16, Stages: stages, Threshold: 1 << 15})))
		})
	}
}

func BenchmarkStages(b *testing.B) {
	benchmark(b, must[*Stages[uint64]](b)(NewStages[uint64](StagesConfig{Entries: 1 << 16, Stages: 4, Probability: 1})))
}
