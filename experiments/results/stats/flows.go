package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"pintlab/experiments/results/store"
	"pintlab/netsim/unit"
)

// Times summarises completion times, in seconds.
type Times struct {
	N             int // number of flows with a completion time; if 0, all fields are 0
	Mean          float64
	P50, P95, P99 float64
	Max           float64
}

// FCT summarises the completion times of flows that start in the window and have sizes in [atLeast, below). It omits
// flows without a completion time.
func FCT(flows *store.Flows, w Window, atLeast, below unit.Bytes) Times {
	var seconds []float64
	for r := range flows.All() {
		if r.Outcome.Timed() && w.Contains(r.Start) && r.Size >= atLeast && r.Size < below {
			seconds = append(seconds, r.FCT.Seconds())
		}
	}
	return timesOf(seconds)
}

// timesOf summarises completion times. It sorts its argument.
func timesOf(seconds []float64) Times {
	if len(seconds) == 0 {
		return Times{}
	}
	// Sort first, so that the sum does not depend on the order in which flows ended.
	slices.Sort(seconds)
	return Times{
		N: len(seconds), Mean: stat.Mean(seconds, nil),
		P50: Percentile(seconds, 0.50), P95: Percentile(seconds, 0.95), P99: Percentile(seconds, 0.99),
		Max: seconds[len(seconds)-1],
	}
}

// AnySize is above the size of every flow, for FCT.
const AnySize unit.Bytes = math.MaxInt64

// Goodput is the rate at which flows delivered their payload, in bit/s.
type Goodput struct {
	N    int     // number of flows with a completion time; if 0, all fields are 0
	Mean float64 // mean of size/FCT over the flows
}

// LongFlows returns the goodput of flows that are larger than size and start in the window (PINT Fig. 2 and 7a: 10 MB).
// It omits flows without a completion time.
func LongFlows(flows *store.Flows, w Window, size unit.Bytes) Goodput {
	var rates []float64
	for r := range flows.All() {
		if !r.Outcome.Timed() || !w.Contains(r.Start) || r.Size <= size {
			continue
		}
		rates = append(rates, 8*float64(r.Size)/r.FCT.Seconds())
	}
	if len(rates) == 0 {
		return Goodput{}
	}
	slices.Sort(rates) // so that the sum does not depend on the order in which flows ended
	return Goodput{N: len(rates), Mean: stat.Mean(rates, nil)}
}

// CDFPoint is a step of an empirical distribution: a share P of the values is at most X.
type CDFPoint struct{ X, P float64 }

// CDF returns the empirical distribution of the values in at most limit steps (at least 2). The steps include the
// smallest and the largest value. If there are no values, CDF returns nil.
func CDF(values []float64, limit int) []CDFPoint {
	if len(values) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	steps := min(n, max(2, limit))
	points := make([]CDFPoint, 0, steps)
	for i := range steps {
		at := 0
		if steps > 1 {
			at = i * (n - 1) / (steps - 1)
		}
		p := CDFPoint{X: sorted[at], P: float64(at+1) / float64(n)}
		if k := len(points); k > 0 && points[k-1].X == p.X {
			points[k-1] = p // equal values are one step
			continue
		}
		points = append(points, p)
	}
	return points
}
