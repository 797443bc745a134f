package lightguardian

import (
	"math"
	"math/rand/v2"
	"testing"

	"pintlab/experiments/results/stats"
	"pintlab/int/lightguardian/diagnose"
	"pintlab/int/sketch/sumax"
	"pintlab/internal/hash"
)

// routed is a flow of the published generator. It passes `reached` switches of its path. If loop is not 0, the flow
// loops between the switches loop and loop+1 of the path.
type routed struct {
	path          []int
	reached, loop int
	packets       int
}

// route draws the path of a flow between two of the 16 hosts of the fat tree. Core switches are numbered from 0,
// aggregation switches from 4, and edge switches from 12.
func route(r *rand.Rand) []int {
	from, to := r.IntN(16), r.IntN(15)
	if to >= from {
		to++
	}
	first, last, up := 12+from/2, 12+to/2, r.IntN(2)
	switch {
	case first == last:
		return []int{first}
	case from/4 == to/4:
		return []int{first, 4 + from/4*2 + up, last}
	}
	return []int{first, 4 + from/4*2 + up, up*2 + r.IntN(2), 4 + to/4*2 + up, last}
}

// down reports whether a link is down. As in the published code, a link of a core switch and one of an edge switch are.
func down(a, b int) bool {
	a, b = min(a, b), max(a, b)
	return a == 0 && b == 4 || a == 11 && b == 19
}

// replayedF1 returns the largest F1 over the thresholds, with w buckets in an array. Flows are generated, inserted and
// scored as in the published code, with sizes from a function.
func replayedF1(t *testing.T, f Fault, flows, w int, seed uint64, size func(*rand.Rand) int) float64 {
	t.Helper()
	r := hash.Stream(seed, "measure/lightguardian/sizes/"+string(f))
	var switches [20]*sumax.Sizes
	for i := range switches {
		var err error
		if switches[i], err = sumax.NewSizes(arrays, w, r.Uint64()); err != nil {
			t.Fatal(err)
		}
	}
	list := make([]routed, flows)
	for i := range list {
		x := &list[i]
		*x = routed{path: route(r), packets: size(r)}
		x.reached = len(x.path)
		if f == Loop && len(x.path) >= 3 && r.Float64() < looping {
			x.loop = 1 + r.IntN(len(x.path)-2)
		}
		for hop := 1; f == Blackhole && hop < x.reached; hop++ {
			if down(x.path[hop-1], x.path[hop]) {
				x.reached = hop
			}
		}
		for hop, at := range x.path[:x.reached] {
			n := x.packets
			if x.loop > 0 && (hop == x.loop || hop == x.loop+1) {
				n *= rounds + 1
			}
			for range n {
				switches[at].Insert(uint64(i)+1, 1)
			}
		}
	}
	best := 0.0
	for _, threshold := range Thresholds[f] {
		var s diagnose.Score
		for i := range list {
			x := &list[i]
			reported := false
			for hop := 1; hop < len(x.path) && !reported; hop++ {
				p, _ := switches[x.path[hop]].Estimate(uint64(i) + 1)
				last, _ := switches[x.path[hop-1]].Estimate(uint64(i) + 1)
				ratio := float64(p) / float64(last)
				reported = f == Blackhole && ratio < threshold || f == Loop && ratio > threshold
			}
			hit := x.loop > 0 || x.reached < len(x.path)
			if hit {
				s.True++
			}
			if reported {
				s.Reported++
			}
			if hit && reported {
				s.Right++
				s.Found++
			}
		}
		best = max(best, s.F1())
	}
	return best
}

// The sizes of the flows decide whether half of the memory is enough to locate blackholes and loops;
// lightguardian/fig7/known.csv contains the numbers. "We randomly generate 10M packets belonging to 0.1M different
// flows" (LightGuardian §8.3.1) can mean that each packet belongs to a random flow, which makes sizes nearly equal.
func TestSizesDecide(t *testing.T) {
	z := LocateScales["laptop"]
	n, w := flows[Loop]/z.Share, 1<<15/z.Share
	for _, f := range []Fault{Blackhole, Loop} {
		mean := equal(f)
		got := map[string]float64{}
		for _, law := range []struct {
			name string
			size func(*rand.Rand) int
		}{
			{"uniform", func(r *rand.Rand) int { return 1 + r.IntN(int(2*mean)-1) }},
			// close to the Poisson distribution with this mean
			{"random", func(r *rand.Rand) int { return int(math.Round(mean + math.Sqrt(mean)*r.NormFloat64())) }},
		} {
			var list []float64
			for seed := range uint64(10) {
				list = append(list, replayedF1(t, f, n, w, seed+1, law.size))
			}
			iv, err := stats.Mean(list, stats.Level)
			if err != nil {
				t.Fatal(err)
			}
			got[law.name] = iv.Value
			t.Logf("%s, %s: F1 %.4f ± %.2g", f, law.name, iv.Value, iv.Hi-iv.Value)
		}
		if got["random"] < 0.98 || got["uniform"] > got["random"]-0.005 {
			t.Errorf("%s: F1 %v", f, got)
		}
	}
}
