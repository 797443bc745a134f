package workloads

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/hash"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// farOff returns a distance between an empirical distribution of n values and the true distribution. One seed in a
// million exceeds this distance (Dvoretzky, Kiefer, Wolfowitz).
func farOff(n int) float64 { return math.Sqrt(math.Log(2e6) / (2 * float64(n))) }

// distance returns the largest difference between an empirical distribution and the true distribution.
func distance(values []float64, cdf func(float64) float64) float64 {
	slices.Sort(values)
	most := 0.0
	for i, x := range values {
		if i+1 < len(values) && values[i+1] == x {
			continue // equal values form one step, at the last of these values
		}
		most = max(most, math.Abs(float64(i+1)/float64(len(values))-cdf(x)))
	}
	return most
}

// The remaining size of an active flow has the distribution E[min(S, x)]/E[S]. Each case fails by chance for one seed
// in a million.
func TestResiduals(t *testing.T) {
	const n = 40000
	tail, err := NewPareto(1.2, 1000, unit.MB)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []Sizes{WebSearch(), Hadoop(), Fixed(1000), Uniform{1, 2000}, tail} {
		grid := make([]float64, 1<<16) // quantiles
		mean := 0.0
		for i := range grid {
			grid[i] = float64(s.Size(uint64(i)<<48 + 1<<47))
			mean += grid[i] / float64(len(grid))
		}
		below := make([]float64, len(grid)+1) // sums
		for i, x := range grid {
			below[i+1] = below[i] + x
		}
		random, left := hash.Stream(1, "test"), newResiduals(s)
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(left.draw(random))
		}
		far := distance(values, func(x float64) float64 {
			i, _ := slices.BinarySearch(grid, x)
			return (below[i] + x*float64(len(grid)-i)) / float64(len(grid)) / mean
		})
		if far > farOff(n)+0.002 { // the grid
			t.Errorf("%s: %.4f from the distribution of residual sizes, want at most %.4f", s.Name(), far, farOff(n))
		}
	}
}

func manyHosts(n int) []Host {
	hosts := make([]Host, n)
	for i := range hosts {
		hosts[i] = Host{Node: topo.NodeID(i), Rate: 100 * unit.Gbps}
	}
	return hosts
}

func surrounding(t *testing.T, g Poisson, hosts int, onward bool) *Stream {
	t.Helper()
	w := Workload{Seed: 3, Parts: []Part{{Name: "p", Priority: 3, Generator: g}}}
	s, err := w.Unmeasured(manyHosts(hosts), onward)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A host has n active flows with probability (1−ρ)ρⁿ. The test fails by chance for one seed in a million for each ρ.
func TestUnderWayIsGeometric(t *testing.T) {
	const n = 20000
	for _, busy := range []float64{0.1, 0.5, 0.9} {
		counts := make([]float64, n)
		s := surrounding(t, Poisson{Sizes: Fixed(1000), Load: 0.5, Start: 7, Duration: 1, Busy: busy}, n, false)
		for f := range All(s) {
			counts[f.Src]++
			if f.Start != 7 || f.DstPort != unmeasuredPort || f.Src == f.Dst {
				t.Fatalf("%+v", f)
			}
		}
		if far := distance(counts, func(x float64) float64 { return 1 - math.Pow(busy, x+1) }); far > farOff(n) {
			t.Errorf("ρ = %v: %.4f from the geometric distribution, want at most %.4f", busy, far, farOff(n))
		}
	}
	if _, ok := surrounding(t, Poisson{Sizes: Fixed(1000), Load: 0.5, Duration: 1}, 10, false).Next(); ok {
		t.Error("flows under way that nobody asked for")
	}
}

// With a higher load a host has the same active flows and additional flows. So schemes that use different shares of a
// link start from states that are as similar as possible.
func TestBusierMeansMoreOfTheSame(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		a, b := rapid.Float64Range(0, 0.99).Draw(r, "a"), rapid.Float64Range(0, 0.99).Draw(r, "b")
		if a > b {
			a, b = b, a
		}
		of := func(busy float64) map[topo.NodeID][]Flow {
			list := map[topo.NodeID][]Flow{}
			for f := range All(surrounding(t, Poisson{Sizes: WebSearch(), Load: 0.5, Duration: 1, Busy: busy}, 5,
				false)) {
				f.ID = 0
				f.SrcPort = 0
				list[f.Src] = append(list[f.Src], f)
			}
			return list
		}
		less, more := of(a), of(b)
		for h, flows := range less {
			if len(more[h]) < len(flows) || !slices.Equal(more[h][:len(flows)], flows) {
				r.Fatalf("host %d: %v is not the beginning of %v", h, flows, more[h])
			}
		}
	})
}

// Arrivals continue at the same load after the end, and differ from the arrivals before. The sum of sizes is within
// five standard errors.
func TestOnward(t *testing.T) {
	g := Poisson{Sizes: Uniform{500, 1500}, Load: 0.5, Start: 10, Duration: unit.Millisecond}
	s := surrounding(t, g, 50, true)
	sum, end := 0.0, g.Start+2*g.Duration
	for f := range All(s) {
		if f.Start >= end {
			break
		}
		if f.Start < g.Start+g.Duration {
			t.Fatalf("arrival at %v, before the end of what counts", f.Start)
		}
		sum += float64(f.Size)
	}
	want := 50 * 0.5 * 100e9 / 8 * 1e-3
	if relative := math.Abs(sum/want - 1); relative > 5/math.Sqrt(want/1000) {
		t.Errorf("%.4g bytes arrive, want %.4g", sum, want)
	}
}

func BenchmarkResiduals(b *testing.B) {
	random, left := hash.Stream(1, "bench"), newResiduals(WebSearch())
	b.ReportAllocs()
	for b.Loop() {
		left.draw(random)
	}
}
