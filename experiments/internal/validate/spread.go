package validate

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
)

// ownRandom returns the scenario of a recorded HPCC-PINT run with our own random numbers instead of the C library's.
// Hashes of the packet decide the rounding, and a hash at the switches decides which packets carry feedback. The
// probabilities stay the same.
func ownRandom(sc scenario.Scenario, seed uint64) (scenario.Scenario, error) {
	return sc.With("telemetry.arithmetic=float", "telemetry.sample_at=switch", fmt.Sprintf("telemetry.seed=%d", seed))
}

// The error rate of a comparison of distributions.
const (
	// spreadLevel is the permitted probability that two runs of a case count as different although only their random
	// numbers differ. It covers all statistics of the case together, if they are normally distributed.
	spreadLevel = 0.01
	// spreadMargin is the difference, relative to our mean, that is always accepted.
	spreadMargin = 0.01
)

// Spread compares the recorded run with the spread of our runs over seeds. Each statistic of the recorded run must lie
// in the prediction interval for one more run,
//
//	mean ± t(n-1, 1 - spreadLevel/2m) · s · √(1 + 1/n)
//
// with n seeds, m statistics (Bonferroni) and the standard deviation s over the seeds. A statistic within spreadMargin
// of the mean is also accepted, because many statistics are equal for a few seeds and differ by half a percent for the
// next seed.
type Spread struct {
	Seeds   int         `json:"seeds"`
	Level   float64     `json:"level"`  // spreadLevel
	Margin  float64     `json:"margin"` // spreadMargin
	Rows    []SpreadRow `json:"rows"`
	Outside int         `json:"outside"`      // number of statistics of the recorded run outside their interval
	Moving  int         `json:"moving"`       // statistics that differ between our seeds
	Beyond  int         `json:"beyond_range"` // number of statistics of the recorded run outside the range of our seeds
	// OwnOutside is the number of our seeds that would differ if each were compared with the others. It needs
	// enough seeds.
	OwnOutside int `json:"own_outside"`
}

// SpreadRow is one statistic.
type SpreadRow struct {
	Share     float64 `json:"share"` // share of the flows, up to the end of the bucket
	MaxSize   int64   `json:"max_size_bytes"`
	Statistic string  `json:"statistic"` // mean, p50 or p95
	Theirs    float64 `json:"theirs"`
	Mean      float64 `json:"mean"` // over our seeds
	SD        float64 `json:"sd"`
	Min       float64 `json:"min"`
	Max       float64 `json:"max"`
	Lo        float64 `json:"lo"` // prediction interval
	Hi        float64 `json:"hi"`
}

// inside reports whether the recorded value is in the interval.
func (r *SpreadRow) inside() bool { return r.Lo <= r.Theirs && r.Theirs <= r.Hi }

// spreadTable returns the table with 20 buckets. If there are too few flows for it, one bucket contains all flows.
func spreadTable(lines []store.FCT) ([]stats.Bucket, error) {
	if b, err := table(lines); err == nil {
		return b, nil
	}
	points := make([]stats.Point, len(lines))
	for i := range lines {
		l := &lines[i]
		points[i] = stats.Point{ID: int64(i), Size: l.Size, Slowdown: max(1, l.FCT.Ratio(l.Standalone))}
	}
	return stats.Table(points, 1)
}

// spreadOf compares a table with the tables of our seeds.
func spreadOf(theirs []stats.Bucket, ours [][]stats.Bucket) *Spread {
	s := &Spread{Seeds: len(ours), Level: spreadLevel, Margin: spreadMargin}
	s.Rows = spreadRows(theirs, ours)
	for i := range s.Rows {
		r := &s.Rows[i]
		if !r.inside() {
			s.Outside++
		}
		if r.Theirs < r.Min || r.Theirs > r.Max {
			s.Beyond++
		}
		if r.Min < r.Max {
			s.Moving++
		}
	}
	if len(ours) > MinSeeds {
		for i := range ours {
			rest := slices.Delete(slices.Clone(ours), i, i+1)
			outside := func(r SpreadRow) bool { return !r.inside() }
			if slices.ContainsFunc(spreadRows(ours[i], rest), outside) {
				s.OwnOutside++
			}
		}
	}
	return s
}

// spreadRows compares each statistic of a table with the statistics of our seeds.
func spreadRows(theirs []stats.Bucket, ours [][]stats.Bucket) []SpreadRow {
	var rows []SpreadRow
	values := make([]float64, len(ours))
	for i, b := range theirs {
		for _, q := range statistics {
			r := SpreadRow{Share: b.To, MaxSize: int64(b.MaxSize), Statistic: q.name, Theirs: q.of(&b)}
			for k := range ours {
				values[k] = q.of(&ours[k][i])
			}
			r.Min, r.Max = slices.Min(values), slices.Max(values)
			r.Mean, r.SD = stat.MeanStdDev(values, nil)
			rows = append(rows, r)
		}
	}
	n, m := float64(len(ours)), float64(len(rows))
	t := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(1 - spreadLevel/(2*m))
	for i := range rows {
		r := &rows[i]
		half := max(t*r.SD*math.Sqrt(1+1/n), spreadMargin*r.Mean)
		r.Lo, r.Hi = r.Mean-half, r.Mean+half
	}
	return rows
}

// statistics lists the compared numbers of a bucket.
var statistics = []struct {
	name string
	of   func(*stats.Bucket) float64
}{
	{"mean", func(b *stats.Bucket) float64 { return b.Mean }},
	{"p50", func(b *stats.Bucket) float64 { return b.P50 }},
	{"p95", func(b *stats.Bucket) float64 { return b.P95 }},
}
