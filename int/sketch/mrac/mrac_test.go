package mrac

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/hash"
)

// slow computes an iteration according to the definition, over all multisets of sizes.
func slow(counters []uint32, infinite uint64, flows map[uint64]float64) map[uint64]float64 {
	next := map[uint64]float64{}
	for _, c := range counters {
		v := uint64(c)
		if v == 0 {
			continue
		}
		type set struct {
			sizes []uint64
			p     float64
		}
		var sets []set
		var grow func(sizes []uint64, sum uint64)
		consider := func(sizes []uint64) {
			p := 1.0
			count := map[uint64]int{}
			for _, s := range sizes {
				count[s]++
				p *= flows[s] / float64(len(counters)) / float64(count[s])
			}
			sets = append(sets, set{slices.Clone(sizes), p})
		}
		grow = func(sizes []uint64, sum uint64) {
			if len(sizes) > 0 {
				if v == infinite {
					if len(sizes) < most(v) { // these sizes and a flow that is too large
						consider(append(slices.Clone(sizes), infinite))
					}
				} else if sum == v {
					consider(sizes)
				}
			}
			from := uint64(1)
			if len(sizes) > 0 {
				from = sizes[len(sizes)-1]
			}
			for s := from; sum+s <= v && len(sizes) < most(v); s++ {
				grow(append(slices.Clone(sizes), s), sum+s)
			}
		}
		if v == infinite {
			consider([]uint64{infinite})
		}
		grow(nil, 0)
		total := 0.0
		for _, s := range sets {
			total += s.p
		}
		for _, s := range sets {
			for _, size := range s.sizes {
				next[size] += s.p / total
			}
		}
	}
	return next
}

func TestEpochIsTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		infinite := rapid.SampledFrom([]uint64{0, 3, 15}).Draw(t, "infinite")
		top := uint32(18)
		if infinite != 0 {
			top = uint32(infinite)
		}
		counters := rapid.SliceOfN(rapid.Uint32Range(0, top), 1, 40).Draw(t, "counters")
		flows := map[uint64]float64{}
		for _, c := range counters {
			if c != 0 {
				flows[uint64(c)]++
			}
		}
		const epochs = 3
		for range epochs {
			flows = slow(counters, infinite, flows)
		}
		got := Collect(Estimate(counters, infinite, epochs)).flows
		for s, n := range flows {
			if math.Abs(got[s]-n) > 1e-9*(1+n) {
				t.Fatalf("%v flows of size %d, want %v", got[s], s, n)
			}
		}
	})
}

// Counters above 600 contain one or two flows.
func TestLargeCounters(t *testing.T) {
	counters := []uint32{700, 1000, 1700, 1700, 1400, 0}
	flows := map[uint64]float64{700: 1, 1000: 1, 1700: 2, 1400: 1}
	w := 6.0
	p := flows[700] / w * flows[1000] / w
	q := flows[1700] / w
	r := flows[700] / w * flows[700] / w / 2
	u := flows[1400] / w
	want := []Point{
		{700, 1 + 2*p/(p+q) + 2*r/(r+u)},
		{1000, 1 + 2*p/(p+q)},
		{1400, u / (r + u)},
		{1700, 2 * q / (p + q)},
	}
	got := Estimate(counters, 0, 1)
	for i := range want {
		if got[i].Size != want[i].Size || math.Abs(got[i].Flows-want[i].Flows) > 1e-12 {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	// An overflowed counter and a smaller counter: the large flow is alone, occurs twice, or is together with the small
	// one.
	got = Estimate([]uint32{700, 65535, 0, 0}, 65535, 1)
	l := 0.25
	total := l + l*l/2 + l*l
	want = []Point{{700, 1 + l*l/total}, {65535, (total + l*l/2) / total}}
	for i := range want {
		if math.Abs(got[i].Flows-want[i].Flows) > 1e-12 {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

// There are 6000 flows of sizes 1 to 4 in 50 000 counters. Each estimated number is within four standard deviations of
// a Poisson variable with the same mean. Collisions increase the deviation; the seed is fixed.
func TestRecoversADistribution(t *testing.T) {
	r := hash.Stream(1, "mrac")
	truth := []float64{0, 3000, 1500, 1000, 500}
	counters := make([]uint32, 50_000)
	for s, n := range truth {
		for range int(n) {
			counters[r.IntN(len(counters))] += uint32(s)
		}
	}
	for _, p := range Estimate(counters, 0, 100) {
		want := 0.0
		if p.Size < uint64(len(truth)) {
			want = truth[p.Size]
		}
		if math.Abs(p.Flows-want) > 4*math.Sqrt(want)+20 {
			t.Errorf("%.1f flows of size %d, want %v", p.Flows, p.Size, want)
		}
	}
}

func TestBetweenAndMean(t *testing.T) {
	a := []Point{{1, 10}, {2, 20}, {5, 50}}
	if got := Between(a, 2, 5); !slices.Equal(got, a[1:2]) {
		t.Error(got)
	}
	if got := Between(a, 6, 9); len(got) != 0 {
		t.Error(got)
	}
	if got, want := Mean(a, []Point{{2, 4}}), []Point{{1, 5}, {2, 12}, {5, 25}}; !slices.Equal(got, want) {
		t.Error(got, want)
	}
}

func BenchmarkEstimate(b *testing.B) {
	r := hash.Stream(1, "mrac/bench")
	counters := make([]uint32, 75_000)
	for i := range counters {
		counters[i] = uint32(2 / (r.Float64() + 1e-5))
	}
	for b.Loop() {
		Estimate(counters, 0, Epochs)
	}
}
