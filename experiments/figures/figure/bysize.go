package figure

import (
	"fmt"
	"math"

	"pintlab/experiments/results/stats"
)

// Level is the confidence of every interval in the figures.
const Level = 0.95

// SizeRow is one bucket of a slowdown curve over several seeds.
type SizeRow struct {
	Share         float64 // of the flows, %, up to the end of the bucket
	Size          float64 // bytes of its largest flow, in any seed
	Value, Lo, Hi float64 // mean over the seeds; NaN for ends that one seed does not have
	Flows         int     // of the seed that has the fewest

	each []float64 // of the seeds
}

// BySize cuts the flows of each seed, ordered by size, into equal numbers, takes
// the percentile p of the slowdowns in each bucket, and the mean of that over the
// seeds. With buckets so different in slowdown, the mean of percentiles is steadier
// than the percentile of all flows together, and its spread can be told.
func BySize(seeds [][]stats.Point, buckets int, p float64) ([]SizeRow, error) {
	rows := make([]SizeRow, buckets)
	for s, points := range seeds {
		table, err := stats.Table(points, buckets)
		if err != nil {
			return nil, err
		}
		for i, b := range table {
			r := &rows[i]
			r.Share = 100 * b.To
			r.Size = max(r.Size, float64(b.MaxSize))
			if s == 0 || b.N < r.Flows {
				r.Flows = b.N
			}
			r.each = append(r.each, percentile(b, p))
		}
	}
	for i := range rows {
		iv, err := stats.Mean(rows[i].each, Level)
		if err != nil {
			return nil, err
		}
		rows[i].Value, rows[i].Lo, rows[i].Hi = Ends(iv)
	}
	return rows, nil
}

// Over is the curve a over the curve b, bucket by bucket: the geometric mean over
// the seeds of the ratios. Both are of the same flows.
func Over(a, b []SizeRow) ([]SizeRow, error) {
	rows := make([]SizeRow, len(a))
	for i := range rows {
		if a[i].Size != b[i].Size || a[i].Flows != b[i].Flows {
			return nil, fmt.Errorf("bucket %d has flows up to %.0f B, and up to %.0f B: these are not the same flows", i+1, a[i].Size, b[i].Size)
		}
		iv, err := stats.PairedRatio(a[i].each, b[i].each, Level)
		if err != nil {
			return nil, err
		}
		rows[i] = SizeRow{Share: a[i].Share, Size: a[i].Size, Flows: a[i].Flows}
		rows[i].Value, rows[i].Lo, rows[i].Hi = Ends(iv)
	}
	return rows, nil
}

func percentile(b stats.Bucket, p float64) float64 {
	switch p {
	case 0.50:
		return b.P50
	case 0.95:
		return b.P95
	case 0.99:
		return b.P99
	}
	panic(fmt.Sprintf("figure: buckets have no percentile %v", p))
}

// Ends are the value and the ends of an interval; the ends are NaN if one seed
// gives none.
func Ends(iv stats.Interval) (value, lo, hi float64) {
	if !iv.Bounded() {
		return iv.Value, math.NaN(), math.NaN()
	}
	return iv.Value, iv.Lo, iv.Hi
}

// Significant says whether an interval has ends and leaves x out.
func Significant(lo, hi, x float64) bool { return lo > x || hi < x }

// Change prints a ratio as a change in percent with its interval.
func Change(ratio, lo, hi float64) string {
	s := signed(100 * (ratio - 1))
	if math.IsNaN(lo) || math.IsNaN(hi) {
		return s
	}
	return fmt.Sprintf("%s (%s to %s)", s, signed(100*(lo-1)), signed(100*(hi-1)))
}

func signed(v float64) string { return fmt.Sprintf("%+.1f %%", v) }

// Enough is how many flows a bucket needs for its percentile p.
func Enough(p float64) int64 {
	n := 1
	for !stats.Enough(n, p) {
		n++
	}
	return int64(n)
}
