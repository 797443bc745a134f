package sim_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
	"pgregory.net/rapid"

	"pintlab/internal/errtest"
)

// One long flow crosses links of capacity 10 and 4, and each link has one more flow. The link of capacity 4 is full
// first, with a rate of 2 for each of its flows. The other flow on the link of capacity 10 gets the remaining 8.
func TestMaxMinByHand(t *testing.T) {
	got, err := MaxMin([]float64{10, 4}, [][]int{{0, 1}, {0}, {1}})
	if err != nil || !slices.Equal(got, []float64{2, 8, 2}) {
		t.Errorf("rates %v, %v; want 2, 8, 2", got, err)
	}
}

func TestMaxMinRefuses(t *testing.T) {
	for _, tt := range []struct {
		capacity []float64
		paths    [][]int
		want     string
	}{
		{[]float64{1, 0}, [][]int{{0}}, "physics: link 1 has capacity 0, want above 0"},
		{[]float64{math.NaN()}, [][]int{{0}}, "physics: link 0 has capacity NaN, want above 0"},
		{[]float64{1}, [][]int{{0}, {}}, "physics: flow 1 uses no link"},
		{[]float64{1}, [][]int{{1}}, "physics: flow 0 uses link 1 of 1"},
	} {
		if _, err := MaxMin(tt.capacity, tt.paths); !errtest.Says(err, tt.want) {
			t.Errorf("error %v, want %s", err, tt.want)
		}
	}
}

// drawNetwork draws capacities of links, and paths over them.
func drawNetwork(t *rapid.T) (capacity []float64, paths [][]int) {
	links := rapid.IntRange(1, 6).Draw(t, "links")
	for range links {
		capacity = append(capacity, float64(rapid.IntRange(1, 20).Draw(t, "capacity")))
	}
	for range rapid.IntRange(1, 8).Draw(t, "flows") {
		paths = append(paths,
			rapid.SliceOfNDistinct(rapid.IntRange(0, links-1), 1, links, rapid.ID[int]).Draw(t, "path"))
	}
	return capacity, paths
}

// By definition, no link is overloaded, and each flow has a full link on which no flow is faster.
func TestMaxMinHasABottleneckForEachFlow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity, paths := drawNetwork(t)
		rates, err := MaxMin(capacity, paths)
		if err != nil {
			t.Fatal(err)
		}
		load, fastest := make([]float64, len(capacity)), make([]float64, len(capacity))
		for i, p := range paths {
			for _, l := range p {
				load[l] += rates[i]
				fastest[l] = max(fastest[l], rates[i])
			}
		}
		for l := range capacity {
			if load[l] > capacity[l]*(1+1e-12) {
				t.Fatalf("link %d carries %v of %v: rates %v", l, load[l], capacity[l], rates)
			}
		}
		for i, p := range paths {
			if !slices.ContainsFunc(p, func(l int) bool {
				return load[l] >= capacity[l]*(1-1e-12) && fastest[l] <= rates[i]*(1+1e-12)
			}) {
				t.Fatalf("flow %d has no bottleneck: rates %v, loads %v", i, rates, load)
			}
		}
	})
}

// A sequence of linear programs finds the same rates. Each program finds the largest rate t that all flows without a
// fixed rate can have. Then the rates of flows are fixed that cannot have more than t while the other flows have t.
func TestMaxMinIsTheLexicographicOptimum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity, paths := drawNetwork(t)
		want, err := MaxMin(capacity, paths)
		if err != nil {
			t.Fatal(err)
		}
		fixed := make([]float64, len(paths))
		for i := range fixed {
			fixed[i] = math.NaN()
		}
		for range paths {
			if !slices.ContainsFunc(fixed, math.IsNaN) {
				break
			}
			level := best(t, capacity, paths, fixed, -1, 0)
			for i := range paths {
				if math.IsNaN(fixed[i]) && best(t, capacity, paths, fixed, i, level) <= level*(1+1e-7) {
					fixed[i] = level
				}
			}
		}
		for i := range want {
			if math.Abs(fixed[i]-want[i]) > 1e-6*want[i] {
				t.Fatalf("rates %v by linear programs, %v by water-filling", fixed, want)
			}
		}
	})
}

// best returns the largest rate that all open flows can have (i < 0), or that flow i can have while the other open
// flows have `level`. The other flows have their rates in fixed.
func best(t *rapid.T, capacity []float64, paths [][]int, fixed []float64, i int, level float64) float64 {
	// The variables are the unknown rate, and a slack for each link.
	c := make([]float64, 1+len(capacity))
	c[0] = -1
	a := mat.NewDense(len(capacity), len(c), nil)
	b := slices.Clone(capacity)
	for f, p := range paths {
		for _, l := range p {
			switch {
			case !math.IsNaN(fixed[f]):
				b[l] -= fixed[f]
			case i < 0 || i == f:
				a.Set(l, 0, a.At(l, 0)+1)
			default:
				b[l] -= level
			}
		}
	}
	for l := range capacity {
		a.Set(l, 1+l, 1)
		b[l] = max(b[l], 0)
	}
	value, _, err := lp.Simplex(c, a, b, 0, nil)
	if err != nil {
		t.Fatalf("linear program: %v", err)
	}
	return -value
}
