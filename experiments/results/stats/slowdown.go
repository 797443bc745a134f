package stats

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"pintlab/experiments/results/store"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
)

// Point is the slowdown of one flow.
type Point struct {
	ID       int64
	Size     unit.Bytes
	Slowdown float64
}

// Window is the time from From (included) to To (excluded).
type Window struct{ From, To unit.Time }

// Contains reports whether t is in the window.
func (w Window) Contains(t unit.Time) bool { return w.From <= t && t < w.To }

// Everything returns the window of all start times.
func Everything() Window { return Window{To: unit.Never} }

// Arrivals returns the window from the first to the last start of a flow. It is shortened by warmup at its beginning
// and by cooldown at its end, and may be empty.
func Arrivals(flows *store.Flows, warmup, cooldown unit.Time) Window {
	if flows.Len() == 0 {
		return Window{}
	}
	first, last := unit.Never, unit.Time(0)
	for r := range flows.All() {
		first, last = min(first, r.Start), max(last, r.Start)
	}
	return Window{From: first + warmup, To: last - cooldown + 1}
}

// Counted returns the flows that the statistics of a run include. It omits flows that start in the warm-up or cool-down
// of the run.
func Counted(flows *store.Flows, warmup, cooldown unit.Time) *store.Flows {
	if warmup == 0 && cooldown == 0 {
		return flows
	}
	w := Arrivals(flows, warmup, cooldown)
	in := &store.Flows{}
	for r := range flows.All() {
		if w.Contains(r.Start) {
			in.Append(*r)
		}
	}
	return in
}

// Points returns the slowdown of every flow that starts in the window and has a completion time, in order of IDs. Flows
// without a completion time have no slowdown. So a result that ignores such flows looks better than it is.
func Points(flows *store.Flows, w Window) (points []Point) {
	for r := range flows.All() {
		if w.Contains(r.Start) && r.Outcome.Timed() {
			points = append(points, Point{ID: r.ID, Size: r.Size, Slowdown: r.Slowdown()})
		}
	}
	slices.SortFunc(points, func(a, b Point) int { return cmp.Compare(a.ID, b.ID) })
	return points
}

// AllPoints is like Points, but flows without a completion time have a slowdown of NaN. So runs of the same flows have
// the same number of points.
func AllPoints(flows *store.Flows, w Window) []Point {
	points := Points(flows, w)
	for r := range flows.All() {
		if w.Contains(r.Start) && !r.Outcome.Timed() {
			points = append(points, Point{ID: r.ID, Size: r.Size, Slowdown: math.NaN()})
		}
	}
	slices.SortFunc(points, func(a, b Point) int { return cmp.Compare(a.ID, b.ID) })
	return points
}

// Bucket is a row of a slowdown table.
type Bucket struct {
	From, To         float64    // beginning and end of the bucket, as shares of all flows sorted by size
	MinSize, MaxSize unit.Bytes // smallest and largest flow
	N                int        // number of flows in the bucket with a slowdown
	Mean             float64
	P50, P95, P99    float64
	Max              float64
}

// Few reports whether the bucket has too few flows for the percentile p.
func (b Bucket) Few(p float64) bool { return !Enough(b.N, p) }

// ErrOpen is the error of a bucket in which no flow has a completion time.
var ErrOpen = errors.New("no flow has a completion time")

// Table sorts the points by size, then ID, and divides them into buckets of equal numbers of flows: bucket
// i of n has the points from ⌊i·N/n⌋ to before ⌊(i+1)·N/n⌋. The same flows have the same buckets in every
// run. It returns an error if there are fewer points than buckets, and ErrOpen if a bucket has no slowdown.
func Table(points []Point, buckets int) ([]Bucket, error) {
	if buckets < 1 || buckets > len(points) {
		return nil, fmt.Errorf("%s cannot fill %d buckets", number.Count(len(points), "flow"), buckets)
	}
	sorted := slices.SortedFunc(slices.Values(points), func(a, b Point) int {
		return cmp.Or(cmp.Compare(a.Size, b.Size), cmp.Compare(a.ID, b.ID))
	})
	table := make([]Bucket, buckets)
	for i := range table {
		part := sorted[i*len(sorted)/buckets : (i+1)*len(sorted)/buckets]
		if table[i] = bucket(part); table[i].N == 0 {
			return nil, fmt.Errorf("%d flows of %v to %v: %w", len(part), table[i].MinSize, table[i].MaxSize, ErrOpen)
		}
		table[i].From = float64(i) / float64(buckets)
		table[i].To = float64(i+1) / float64(buckets)
	}
	return table, nil
}

// bucket summarises points that are sorted by size. Points without a slowdown do not count, except for the sizes.
func bucket(points []Point) Bucket {
	var slow []float64
	for _, p := range points {
		if !math.IsNaN(p.Slowdown) {
			slow = append(slow, p.Slowdown)
		}
	}
	return bucketOf(points[0].Size, points[len(points)-1].Size, slow)
}

// bucketOf summarises flows by their slowdowns. It sorts the slowdowns.
func bucketOf(smallest, largest unit.Bytes, slow []float64) Bucket {
	b := Bucket{MinSize: smallest, MaxSize: largest, N: len(slow)}
	if len(slow) == 0 {
		return b
	}
	slices.Sort(slow)
	b.Mean, b.Max = stat.Mean(slow, nil), slow[len(slow)-1]
	b.P50, b.P95, b.P99 = Percentile(slow, 0.50), Percentile(slow, 0.95), Percentile(slow, 0.99)
	return b
}

// Match pairs the slowdowns of the flows that have a completion time in both runs, by ID: x[i] and y[i] belong to the
// same flow. It returns an error if an ID belongs to different flows in the two runs, because then their workloads
// differ. Flows of a job start when other flows finish. So they may start at different times in the two runs, and some
// may start in only one run; Match omits the latter.
func Match(a, b *store.Flows, job bool) (x, y []Point, err error) {
	other := make(map[int64]store.FlowRecord, b.Len())
	for r := range b.All() {
		other[r.ID] = *r
	}
	for r := range a.All() {
		s, ok := other[r.ID]
		switch {
		case !ok && job:
			continue
		case !ok:
			return nil, nil, fmt.Errorf("flow %d occurs in only one of the runs", r.ID)
		case r.Src != s.Src || r.Dst != s.Dst || r.Size != s.Size || r.Start != s.Start && !job:
			return nil, nil, fmt.Errorf("flow %d differs between the runs: %d to %d, %d B at %v in one, and %d to "+
				"%d, %d B at %v in the other",
				r.ID, r.Src, r.Dst, int64(r.Size), r.Start, s.Src, s.Dst, int64(s.Size), s.Start)
		}
		if r.Outcome.Timed() && s.Outcome.Timed() {
			x = append(x, Point{ID: r.ID, Size: r.Size, Slowdown: r.Slowdown()})
			y = append(y, Point{ID: s.ID, Size: s.Size, Slowdown: s.Slowdown()})
		}
	}
	if a.Len() != b.Len() && !job {
		return nil, nil, fmt.Errorf("one run has %s, the other %d", number.Count(a.Len(), "flow"), b.Len())
	}
	byID := func(p, q Point) int { return cmp.Compare(p.ID, q.ID) }
	slices.SortFunc(x, byID)
	slices.SortFunc(y, byID)
	return x, y, nil
}
