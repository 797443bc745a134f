package workloads

import (
	"math"
	"slices"
	"testing"

	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// someHosts are n hosts with links of 100 Gb/s, numbered from 0.
func someHosts(n int) []Host {
	hosts := make([]Host, n)
	for i := range hosts {
		hosts[i] = Host{topo.NodeID(i), 100 * unit.Gbps}
	}
	return hosts
}

// 50 % of 100 Gb/s is 6.25 GB/s; at 1 711 250 B a flow that is one flow in 273.8 us.
func TestMeanGap(t *testing.T) {
	if got, want := meanGap(1_711_250, 0.5, 100*unit.Gbps), 273.8e6; math.Abs(got-want) > 1e-3 {
		t.Errorf("mean gap %v ps, want %v", got, want)
	}
}

// The gaps of one host are exponential: mean and variance within five standard
// errors, and the greatest distance between the two distribution functions within
// the Kolmogorov-Smirnov bound for 1e-6. One of the three fails by chance with
// probability below 3e-6; the seed is fixed.
func TestPoissonGaps(t *testing.T) {
	const n = 100_000
	sizes := Fixed(1250) // 100 ns at 100 Gb/s
	w := Workload{Seed: 5, Parts: []Part{{Name: "p", Generator: Poisson{Sizes: sizes, Load: 0.1, Duration: n * unit.Microsecond}}}}
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
