package fridge

import (
	"math"
	"strings"
	"testing"
)

// A request stays until it is older than the threshold. Until then other requests for its entry are dropped.
func TestArrayExpires(t *testing.T) {
	a := must[*Array[uint64]](t)(NewArray[uint64](ArrayConfig{Entries: 2, Stages: 1, Threshold: 100, Seed: 1}))
	place := func(id uint64) uint32 {
		_, short := identify(a.seed, id)
		return stagePlace(a.seeds, 0, a.each, short)
	}
	// Three requests with the same entry.
	list := []uint64{1}
	for id := uint64(2); len(list) < 3; id++ {
		if place(id) == place(1) {
			list = append(list, id)
		}
	}
	if !a.Request(list[0], 1000) || a.Request(list[1], 1100) || !a.Request(list[2], 1101) {
		t.Error("want the second request dropped at age 100, and the third in place of the first at age 101")
	}
	if _, ok := a.Response(list[0], 1200); ok {
		t.Error("a request that was replaced gave a sample")
	}
	// A stale request that was not replaced still gives a sample.
	if s, ok := a.Response(list[2], 5000); !ok || s.Delay != 3899 || s.Factor != 1 {
		t.Errorf("%+v, %v; want a delay of 3899 that counts once", s, ok)
	}
	if got, want := a.Stats(), (Stats{Requests: 3, Entered: 2, Evicted: 1, Responses: 2, Samples: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// With threshold 0, as in §2.1, a new request always replaces the present request.
func TestArrayReplaces(t *testing.T) {
	a := must[*Array[uint32]](t)(NewArray[uint32](ArrayConfig{Entries: 2, Stages: 1}))
	for id := range uint64(100) {
		if !a.Request(id, 7) {
			t.Fatalf("request %d was dropped", id)
		}
	}
	if s := a.Stats(); s.Evicted != 98 {
		t.Errorf("%d evicted, want all but the last two", s.Evicted)
	}
}

// Until requests expire, D stages store as many requests as they have entries, and each request results in a sample.
func TestArrayStages(t *testing.T) {
	a := must[*Array[uint64]](t)(NewArray[uint64](ArrayConfig{Entries: 64, Stages: 4, Threshold: 1 << 40}))
	var kept []uint64
	for id := range uint64(10_000) {
		if a.Request(id, id) {
			kept = append(kept, id)
		}
	}
	if len(kept) != 64 {
		t.Fatalf("%d requests in 64 entries", len(kept))
	}
	for _, id := range kept {
		if s, ok := a.Response(id, id+9); !ok || s.Delay != 9 {
			t.Errorf("request %d: %+v, %v", id, s, ok)
		}
	}
}

// A retransmitted request replaces the waiting request in any stage. A second response finds nothing, and delays count
// from the last transmission. In 16 stages of the array, none of the 16 waiting requests is lost.
func TestSentAgain(t *testing.T) {
	type structure interface {
		Request(id, now uint64) bool
		Response(id, now uint64) (Sample[uint64], bool)
		Stats() Stats
	}
	for _, d := range []int{1, 4, 16} {
		for name, s := range map[string]structure{
			"array": must[*Array[uint64]](t)(NewArray[uint64](
				ArrayConfig{Entries: 64, Stages: d, Threshold: 1 << 40, Seed: 2})),
			"stages": must[*Stages[uint64]](t)(NewStages[uint64](
				StagesConfig{Entries: 64, Stages: d, Probability: 1, Seed: 2})),
		} {
			const waiting = 16
			samples := 0
			for id := range uint64(3000) {
				s.Request(id, id)
				if id < waiting {
					continue
				}
				old := id - waiting
				s.Request(old, id+5)
				x, ok := s.Response(old, id+8)
				if ok {
					samples++
				}
				if ok && x.Delay != 3 {
					t.Fatalf("%s of %d stages: a delay of %d, want 3 from the last request", name, d, x.Delay)
				}
				if _, again := s.Response(old, id+9); again {
					t.Fatalf("%s of %d stages: a second sample of request %d", name, d, old)
				}
			}
			if got := s.Stats(); got.Duplicates == 0 || samples < 2000 ||
				d == 16 && name == "array" && samples != 3000-waiting {
				t.Errorf("%s of %d stages: %d samples, %+v", name, d, samples, got)
			}
		}
	}
}

func TestBadStages(t *testing.T) {
	for want, c := range map[string]ArrayConfig{
		"fridge: expiring array: entries = 1, want 2 to":             {Entries: 1, Stages: 1},
		"fridge: expiring array: stages = 0, want 1 to 65536":        {Entries: 2},
		"fridge: expiring array: entries = 6, want a multiple of th": {Entries: 6, Stages: 4},
		"fridge: expiring array: threshold = 4294967296 ticks, want": {Entries: 2, Stages: 1, Threshold: 1 << 32},
	} {
		if _, err := NewArray[uint32](c); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", c, err, want)
		}
	}
	for want, c := range map[string]StagesConfig{
		"fridge: multi-stage fridge: entries = 4, want at least 2 for each": {Entries: 4, Stages: 4, Probability: 1},
		"fridge: multi-stage fridge: probability = 0, want":                 {Entries: 4, Stages: 2},
		"fridge: multi-stage fridge: stages = 0, want 1 to":                 {Entries: 4, Probability: 1},
	} {
		if _, err := NewStages[uint32](c); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", c, err, want)
		}
	}
}

// tail returns P[Geo(q) + … + Geo(q) >= n] for d terms, which is the probability that fewer than d of the first n-1
// insertions evict.
func tail(d, n int, q float64) float64 {
	sum, term := 0.0, math.Pow(1-q, float64(n-1))
	for k := range d {
		sum += term
		term *= float64(n-1-k) / float64(k+1) * q / (1 - q)
	}
	return sum
}

// §4.1 and Eq. 4: the share of requests that survive T insertions in a full fridge of D stages agrees with the
// probability that a sum of D geometric variables is at least T. The share of 5000 requests deviates by more than 5
// standard errors with probability below 1e-6.
func TestEquation4(t *testing.T) {
	const m, tests = 64, 5_000
	for _, n := range []int{m / 2, m, 2 * m, 3 * m} {
		var shares []float64
		for _, d := range []int{1, 4, 16} {
			s := must[*Stages[uint64]](t)(NewStages[uint64](
				StagesConfig{Entries: m, Stages: d, Probability: 1, Seed: 5}))
			var id ids
			for range 20 * m {
				s.Request(id.next(), 0)
			}
			survived := 0
			for range tests {
				mine := id.next()
				s.Request(mine, 0)
				for range n - 1 {
					s.Request(id.next(), 0)
				}
				_, short := identify(s.seed, mine)
				for stage := range d { // At does not remove the request, so the fridge stays full
					if there, _, _ := s.table.At(stagePlace(s.seeds, stage, s.each, short)); there == short {
						survived++
					}
				}
			}
			share, want := float64(survived)/tests, tail(d, n, float64(d)/m)
			if math.Abs(share-want) > 5*math.Sqrt(want*(1-want)/tests) {
				t.Errorf("D = %d: %v survive %d insertions, want %v", d, share, n, want)
			}
			shares = append(shares, share)
		}
		if n >= 2*m && (shares[0] < 1.2*shares[1] || shares[1] < 1.2*shares[2]) {
			t.Errorf("after %d insertions, more stages do not lose more: %v", n, shares)
		}
	}
}

// The multi-stage fridge is unbiased. Its estimate of long delays varies more than with one stage. Means deviate by
// more than 5 standard errors with probability below 1e-6.
func TestStagesUnbiased(t *testing.T) {
	const m, p, rounds, pairs = 32, 0.5, 2000, 40
	for _, between := range []int{0, m, 3 * m} {
		var variances []float64
		for _, d := range []int{1, 4} {
			s := must[*Stages[uint64]](t)(NewStages[uint64](
				StagesConfig{Entries: m, Stages: d, Probability: p, Seed: 9}))
			estimates := make([]float64, rounds)
			var id ids
			for r := range estimates {
				for range pairs {
					mine := id.next()
					s.Request(mine, 0)
					for range between {
						s.Request(id.next(), 0)
					}
					if x, ok := s.Response(mine, 1); ok {
						estimates[r] += x.Factor
					}
				}
			}
			mean, se, variance, _ := moments(estimates)
			if math.Abs(mean-pairs) > 5*se {
				t.Errorf("D = %d, %d between: %v ± %v pairs, want %d", d, between, mean, se, pairs)
			}
			variances = append(variances, variance)
		}
		if between == 3*m && variances[1] < variances[0] {
			t.Errorf("variance of long delays is %v with 4 stages and %v with one", variances[1], variances[0])
		}
	}
}
