package sim_test

import (
	"fmt"
	"math"
	"slices"
)

// MaxMin is the max-min fair allocation of the capacities of links to flows, by water-filling (Bertsekas and Gallager,
// Data Networks, 2nd edition, §6.5.2): all rates grow together, and when a link is full, the flows on it stop growing.
// paths[i] lists the links of flow i. MaxMin returns an error if a path is empty or names an unknown link, or if a
// capacity is not positive.
func MaxMin(capacity []float64, paths [][]int) ([]float64, error) {
	for l, c := range capacity {
		if !(c > 0 && c <= math.MaxFloat64) {
			return nil, fmt.Errorf("physics: link %d has capacity %v, want above 0", l, c)
		}
	}
	growing := make([]int, len(capacity)) // flows on each link that still grow
	for i, p := range paths {
		if len(p) == 0 {
			return nil, fmt.Errorf("physics: flow %d uses no link", i)
		}
		for _, l := range p {
			if l < 0 || l >= len(capacity) {
				return nil, fmt.Errorf("physics: flow %d uses link %d of %d", i, l, len(capacity))
			}
			growing[l]++
		}
	}
	left := slices.Clone(capacity) // capacity of each link minus the rates of the flows that have stopped growing
	rates := make([]float64, len(paths))
	stopped := make([]bool, len(paths))
	for range paths {
		full, level := -1, math.Inf(1)
		for l, n := range growing {
			if n > 0 && left[l]/float64(n) < level {
				full, level = l, left[l]/float64(n)
			}
		}
		if full < 0 {
			break
		}
		for i, p := range paths {
			if stopped[i] || !slices.Contains(p, full) {
				continue
			}
			stopped[i], rates[i] = true, level
			for _, l := range p {
				growing[l]--
				left[l] = max(0, left[l]-level)
			}
		}
	}
	return rates, nil
}
