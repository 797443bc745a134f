package estimate

import (
	"cmp"
	"math"
	"slices"

	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/internal/lists"
	"pintlab/netsim/unit"
)

// Error is the error of an estimate for flows in a range of sizes. It contains slowdowns in the run, and the change
// from the run to the estimate in per cent.
type Error struct {
	Least    unit.Bytes `json:"least_bytes"` // smallest flow size
	Most     unit.Bytes `json:"most_bytes"`  // largest
	Flows    int        `json:"flows"`
	P50      float64    `json:"p50_slowdown"`      // slowdown in the run
	P50Error float64    `json:"p50_error_percent"` // error of the estimate
	P99      float64    `json:"p99_slowdown"`      // slowdown in the run
	P99Error float64    `json:"p99_error_percent"` // error of the estimate
	// lower end of the 95 % interval, which is computed for the logarithm of the ratio, so it is never below −100 %
	P99Low float64 `json:"p99_error_low_percent"`
	// upper end; both ends equal the error if there is only one flow
	P99High float64 `json:"p99_error_high_percent"`
	// Half is half the width of the interval of the ratio itself, in percent: the width for small errors.
	Half float64 `json:"-"`
}

// sections is the number of groups into which flows are divided for the jackknife interval.
const sections = 10

// Errors compares an estimate with a run of the same flows. It divides the flows by size into groups with about equal
// numbers of flows. Flows of the same size are in the same group. Errors returns the errors of the groups, from small
// to large flows, and then the error of all flows.
func Errors(run, estimate *store.Flows, groups int) ([]Error, error) {
	x, y, err := stats.Match(run, estimate, false)
	if err != nil || len(x) == 0 {
		return nil, err
	}
	bySize := lists.Indices(len(x))
	slices.SortStableFunc(bySize, func(a, b int) int { return cmp.Compare(x[a].Size, x[b].Size) })
	of := func(list []int) (Error, error) {
		e := Error{Least: x[list[0]].Size, Most: x[list[len(list)-1]].Size, Flows: len(list)}
		// Each section consists of every tenth flow in the order of sizes, so that it contains all sizes.
		percentile := func(points []stats.Point, p float64, without int) float64 {
			var slow []float64
			for i, at := range list {
				if i%sections != without {
					slow = append(slow, points[at].Slowdown)
				}
			}
			slices.Sort(slow)
			return stats.Percentile(slow, p)
		}
		e.P50, e.P99 = percentile(x, 0.50, -1), percentile(x, 0.99, -1)
		e.P50Error = stats.Percent(percentile(y, 0.50, -1) / e.P50)
		i, err := stats.Jackknife(min(sections, len(list)), func(without int) float64 {
			if len(list) == 1 {
				without = -1
			}
			return stats.Percent(percentile(y, 0.99, without) / percentile(x, 0.99, without))
		}, 0.95)
		if e.P99Error = i.Value; i.Bounded() {
			e.Half = (i.Hi - i.Lo) / 2
		}
		// The half width of the logarithm of the ratio, by the delta method.
		ratio := 1 + e.P99Error/100
		half := e.Half / 100 / ratio
		e.P99Low, e.P99High = stats.Percent(ratio*math.Exp(-half)), stats.Percent(ratio*math.Exp(half))
		return e, err
	}
	var list []Error
	from := 0
	for k := range groups {
		end := max(from, (k+1)*len(x)/groups)
		for end > from && end < len(x) && x[bySize[end]].Size == x[bySize[end-1]].Size {
			end++
		}
		part := bySize[from:end]
		if from = end; len(part) == 0 || len(part) == len(x) {
			continue
		}
		e, err := of(part)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	all, err := of(bySize)
	return append(list, all), err
}
