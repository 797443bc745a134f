package workloads

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pintlab/internal/hash"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// Every host sends once and receives once, never to itself.
func TestPermutation(t *testing.T) {
	for _, n := range []int{2, 3, 10, 320} {
		flows := generate(t, someHosts(n), Permutation{Sizes: Fixed(10), Start: 5})
		received := make([]int, n)
		for i, f := range flows {
			if f.Src != topo.NodeID(i) || f.Src == f.Dst || f.Start != 5 || f.Size != 10 {
				t.Errorf("flow %d of %d hosts: %+v", i, n, f)
			}
			received[f.Dst]++
		}
		if len(flows) != n || slices.Min(received) != 1 || slices.Max(received) != 1 {
			t.Errorf("%d hosts: %d flows, received %v", n, len(flows), received)
		}
	}
}

// The nine derangements of four hosts are equally likely. Chi-square with 8 degrees of freedom exceeds its bound by
// chance with probability 1e-6; the seed is fixed.
func TestDerangementsAreUniform(t *testing.T) {
	r := hash.Stream(31, "derangements")
	seen := map[string]int{}
	for range 9000 {
		seen[fmt.Sprint(derangement(4, r))]++
	}
	var counts []int
	for _, c := range seen {
		counts = append(counts, c)
	}
	if x, bound := chiSquare(counts), chiSquareBound(8); len(counts) != 9 || x > bound {
		t.Errorf("%v: chi-square %.1f, want 9 cells and below %.1f", seen, x, bound)
	}
}

func TestAllToAll(t *testing.T) {
	want := []Flow{
		{0, 0, 1, 10000, 100, 3, ClassBackground, 9, 5, 0, 0}, {1, 1, 2, 10000, 100, 3, ClassBackground, 9, 5, 0, 0},
		{2, 2, 0, 10000, 100, 3, ClassBackground, 9, 5, 0, 0},
		{3, 0, 2, 10000, 100, 3, ClassBackground, 9, 5, 0, 0}, {4, 1, 0, 10000, 100, 3, ClassBackground, 9, 5, 0, 0},
		{5, 2, 1, 10000, 100, 3, ClassBackground, 9, 5, 0, 0},
	}
	if diff := cmp.Diff(want, generate(t, someHosts(3), AllToAll{Sizes: Fixed(9), Start: 5})); diff != "" {
		t.Error(diff)
	}
	flows := generate(t, someHosts(20), AllToAll{Sizes: Fixed(9)})
	pairs := map[[2]topo.NodeID]bool{}
	for _, f := range flows {
		pairs[[2]topo.NodeID{f.Src, f.Dst}] = f.Src != f.Dst
	}
	if len(flows) != 380 || len(pairs) != 380 {
		t.Errorf("%d flows between %d pairs, want 380 of each", len(flows), len(pairs))
	}
}

// Three flows share 8 Gb/s, which is 1 MB per step of 1 ms. In its three steps the first flow gets all, a half and a
// third of the rate. The second flow gets a half, a third and a half.
func TestStaircase(t *testing.T) {
	g := Staircase{To: 3, From: []topo.NodeID{2, 0, 1}, Start: unit.Second, Step: unit.Millisecond, Rate: 8 * unit.Gbps}
	want := []Flow{
		{0, 2, 3, 10000, 100, 3, ClassBackground, 1_000_000 + 500_000 + 333_333, unit.Second, 0, 0},
		{1, 0, 3, 10000, 100, 3, ClassBackground, 500_000 + 333_333 + 500_000, unit.Second + unit.Millisecond, 0, 0},
		{2, 1, 3, 10000, 100, 3, ClassBackground, 333_333 + 500_000 + 1_000_000,
			unit.Second + 2*unit.Millisecond, 0, 0},
	}
	if diff := cmp.Diff(want, generate(t, someHosts(4), g)); diff != "" {
		t.Error(diff)
	}
	g.Rate, g.Size = 0, 77
	for i := range want {
		want[i].Size = 77
	}
	if diff := cmp.Diff(want, generate(t, someHosts(4), g)); diff != "" {
		t.Error(diff)
	}
}

// The flows use the whole rate: the sum of all sizes is what this rate carries in 2n-1 steps, minus the rounding of
// each share. If active flows always had equal rates, they would end in order and one step apart.
func TestStaircaseShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "flows")
		rate := unit.Rate(rapid.Int64Range(int64(unit.Gbps), int64(100*unit.Gbps)).Draw(t, "rate"))
		g := Staircase{From: make([]topo.NodeID, n), Step: unit.Millisecond, Rate: rate}
		perStep := rate.In(g.Step)
		sum := unit.Bytes(0)
		left := make([]float64, n)
		for i := range n {
			sum += g.size(i)
			left[i] = float64(g.size(i))
		}
		if all := perStep * unit.Bytes(2*n-1); sum > all || sum < all-unit.Bytes(n*n) {
			t.Fatalf("%d flows have %d B, want %d", n, sum, all)
		}
		for k := range 2*n - 1 { // the k-th step: flows max(0, k-n+1) … min(k, n-1)
			first, last := max(0, k-n+1), min(k, n-1)
			for i := first; i <= last; i++ {
				left[i] -= float64(perStep) / float64(last-first+1)
			}
			if k >= n-1 && (left[first] > 0 || left[first] < -float64(n)) {
				t.Fatalf("flow %d of %d has %v B left when it should end", first, n, left[first])
			}
		}
	})
}

func TestTraceKeepsWhatItIsGiven(t *testing.T) {
	in := Trace{
		{ID: 9, Src: 1, Dst: 0, SrcPort: 4, DstPort: 80, Priority: 6, Class: ClassIncast, Size: 5, Start: 1},
		{ID: 3, Src: 1, Dst: 0, DstPort: 200, Size: 6, Start: 1},
	}
	want := []Flow{{0, 1, 0, 10000, 80, 6, ClassIncast, 5, 1, 0, 0},
		{1, 1, 0, 10001, 200, 0, ClassBackground, 6, 1, 0, 0}}
	if diff := cmp.Diff(want, generate(t, someHosts(2), in)); diff != "" {
		t.Error(diff)
	}
	if flows := generate(t, someHosts(2), Trace{}); len(flows) != 0 {
		t.Errorf("%d flows of an empty trace", len(flows))
	}
}
