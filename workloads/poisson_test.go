package workloads

import (
	"math"
	"slices"
	"testing"

	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// someHosts returns n hosts with links of 100 Gb/s, numbered from 0.
func someHosts(n int) []Host {
	hosts := make([]Host, n)
	for i := range hosts {
		hosts[i] = Host{topo.NodeID(i), 100 * unit.Gbps}
	}
	return hosts
}

// 50 % of 100 Gb/s is 6.25 GB/s. With 1 711 250 B per flow this is one flow in 273.8 us.
func TestMeanGap(t *testing.T) {
	if got, want := meanGap(1_711_250, 0.5, 100*unit.Gbps), 273.8e6; math.Abs(got-want) > 1e-3 {
		t.Errorf("mean gap %v ps, want %v", got, want)
	}
}

// The gaps of one host are exponential. Their mean and variance are within five standard errors, and the largest
// distance between the two distribution functions is within the Kolmogorov-Smirnov bound for 1e-6. One of the three
// fails by chance with probability below 3e-6; the seed is fixed.
func TestPoissonGaps(t *testing.T) {
	const n = 100_000
	sizes := Fixed(1250) // 100 ns at 100 Gb/s
	w := Workload{Seed: 5, Parts: []Part{{Name: "p",
		Generator: Poisson{Sizes: sizes, Load: 0.1, Duration: n * unit.Microsecond}}}}
	flows, err := w.Generate(someHosts(2))
	if err != nil {
		t.Fatal(err)
	}
	var gaps []float64
	last := unit.Time(0)
	for _, f := range flows {
		if f.Src == 0 {
			gaps = append(gaps, (f.Start - last).Ratio(unit.Microsecond))
			last = f.Start
		}
	}
	count := float64(len(gaps))
	if math.Abs(count-n) > 5*math.Sqrt(n) {
		t.Errorf("%v flows, want %d ± %.0f", count, n, 5*math.Sqrt(n))
	}
	mean, square := 0.0, 0.0
	for _, g := range gaps {
		mean += g / count
		square += g * g / count
	}
	if bound := 5 / math.Sqrt(count); math.Abs(mean-1) > bound {
		t.Errorf("mean gap %v us, want 1 ± %.4f", mean, bound)
	}
	// The variance of a sample's variance is (µ4 - σ⁴)/n = 8/n.
	if v, bound := square-mean*mean, 5*math.Sqrt(8/count); math.Abs(v-1) > bound {
		t.Errorf("variance of the gaps %v us², want 1 ± %.4f", v, bound)
	}
	slices.Sort(gaps)
	worst := 0.0
	for i, g := range gaps {
		f := 1 - math.Exp(-g)
		worst = max(worst, f-float64(i)/count, float64(i+1)/count-f)
	}
	if bound := math.Sqrt(math.Log(2/1e-6)/2) / math.Sqrt(count); worst > bound {
		t.Errorf("distance to the exponential distribution %v, want below %v", worst, bound)
	}
}

// chiSquare returns Pearson's statistic for equally likely cells.
func chiSquare(counts []int) float64 {
	n := 0
	for _, c := range counts {
		n += c
	}
	want := float64(n) / float64(len(counts))
	x := 0.0
	for _, c := range counts {
		x += (float64(c) - want) * (float64(c) - want) / want
	}
	return x
}

// chiSquareBound returns the value that a chi-square variable with k degrees of freedom exceeds with probability 1e-6
// (Wilson and Hilferty's approximation, accurate to a percent for k ≥ 5).
func chiSquareBound(k int) float64 {
	const z = 4.7534 // the normal distribution's 1e-6 point
	v := 2 / (9 * float64(k))
	return float64(k) * math.Pow(1-v+z*math.Sqrt(v), 3)
}

// The destinations of each host are uniform over the other hosts. The test computes chi-square with 18 degrees of
// freedom for each of 20 hosts. Any of them exceeds its bound by chance with probability below 2e-5; the seed is fixed.
func TestPoissonDestinations(t *testing.T) {
	const n = 20
	w := Workload{Seed: 11, Parts: []Part{{Name: "p",
		Generator: Poisson{Sizes: Fixed(1000), Load: 0.5, Duration: 2 * unit.Millisecond}}}}
	flows, err := w.Generate(someHosts(n))
	if err != nil {
		t.Fatal(err)
	}
	counts := make([][]int, n)
	for i := range counts {
		counts[i] = make([]int, n)
	}
	for _, f := range flows {
		counts[f.Src][f.Dst]++
	}
	for src, row := range counts {
		if row[src] != 0 {
			t.Errorf("host %d sends %d flows to itself", src, row[src])
		}
		others := slices.Delete(slices.Clone(row), src, src+1)
		if x, bound := chiSquare(others), chiSquareBound(n-2); x > bound {
			t.Errorf("destinations of host %d: %v, chi-square %.1f, want below %.1f", src, others, x, bound)
		}
	}
}

// The sizes of a workload follow its distribution. The test computes chi-square over the ten ranges between the
// deciles. It fails by chance with probability 1e-6; the seed is fixed.
func TestPoissonSizes(t *testing.T) {
	w := Workload{Seed: 12, Parts: []Part{{Name: "p",
		Generator: Poisson{Sizes: WebSearch(), Load: 1, Duration: 100 * unit.Millisecond}}}}
	flows, err := w.Generate(someHosts(100))
	if err != nil {
		t.Fatal(err)
	}
	counts := make([]int, 10)
	for _, f := range flows {
		i := 0
		for i < 9 && f.Size > Quantile(WebSearch(), float64(i+1)/10) {
			i++
		}
		counts[i]++
	}
	if x, bound := chiSquare(counts), chiSquareBound(9); x > bound || len(flows) < 50_000 {
		t.Errorf("flows by decile of size: %v, chi-square %.1f, want below %.1f", counts, x, bound)
	}
}

// A host with a faster link sends more, so that each link has the nominal load. With N flows of mean m and second
// moment s the standard error of the load is sqrt(N·s)/(N·m), which is 1/sqrt(N) for fixed sizes. A host deviates by
// more than five standard errors with probability 6e-7.
func TestPoissonLoadIsPerLink(t *testing.T) {
	hosts := []Host{{0, 10 * unit.Gbps}, {5, 100 * unit.Gbps}, {6, 400 * unit.Gbps}}
	const window = 10 * unit.Millisecond
	w := Workload{Seed: 13, Parts: []Part{{Name: "p",
		Generator: Poisson{Sizes: Fixed(1000), Load: 0.3, Start: unit.Second, Duration: window}}}}
	flows, err := w.Generate(hosts)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hosts {
		n := 0
		for _, f := range flows {
			if f.Src == h.Node {
				n++
			}
			if f.Start < unit.Second || f.Start >= unit.Second+window {
				t.Fatalf("flow %d starts at %v, outside the window", f.ID, f.Start)
			}
		}
		want := 0.3 * float64(h.Rate) * window.Seconds() / 8000
		if math.Abs(float64(n)-want) > 5*math.Sqrt(want) {
			t.Errorf("host %d at %v sends %d flows, want %.0f ± %.0f", h.Node, h.Rate, n, want, 5*math.Sqrt(want))
		}
	}
}

// Equal gaps that are not a whole number of picoseconds do not drift: tick k is at k·10/3 ps, rounded down.
func TestClockDoesNotDrift(t *testing.T) {
	c := clock{now: 7, end: 1_000_000, gap: 10.0 / 3, first: true}
	for k := range 299_998 {
		at, ok := c.tick()
		if want := 7 + unit.Time(k*10/3); !ok || at < want-1 || at > want {
			t.Fatalf("tick %d at %d ps (%v), want %d", k, at, ok, want)
		}
	}
	if at, ok := c.tick(); ok {
		t.Errorf("a tick at %v, after the end", at)
	}
}
