package fridges

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
	"pintlab/workloads/exchange"
)

// Sizes contains the settings of a scale for figures that have memory as their x axis.
type Sizes struct {
	// Part divides the number of packets of the ISP-like trace. The length of the trace does not change. Memories are
	// divided by the same number, so that the load of an entry does not change.
	Part      int64
	SeedCount int
	From, To  int // memory from 2^From to 2^To entries
}

// SizeScales contains the settings of all scales for figures that have memory as their x axis.
var SizeScales = map[study.Scale]Sizes{study.Smoke: {32, 2, 7, 9}, study.Laptop: {4, Seeds, 8, 14},
	study.Paper: {1, Seeds, 10, 16}}

func (z Sizes) String() string {
	return fmt.Sprintf("%.1f million packets in 11.4 s, M = 2^%d to 2^%d, %s",
		10/float64(z.Part), z.From, z.To, number.Count(z.SeedCount, "hash seed"))
}

// ISP returns the ISP-like trace with its rate divided by a number.
func ISP(seed uint64, part int64) exchange.Config {
	c := exchange.ISP(seed)
	c.Requests /= part
	c.Interval *= unit.Time(part)
	return c
}

// OverMemory measures designs on the ISP-like trace at every size. The function designs returns the designs for a
// number of entries.
func OverMemory(
	ctx context.Context, j *study.Job, z Sizes, designs func(s *Study, entries int) ([]Named, error),
) ([]Row, error) {
	trace := ISP(j.Seed, z.Part)
	s, err := Open(j, "ISP-like", trace, z.SeedCount)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for k := z.From; k <= z.To; k++ {
		list, err := designs(s, 1<<k)
		if err != nil {
			return nil, err
		}
		results, err := s.Measure(ctx, list)
		if err != nil {
			return nil, err
		}
		for _, r := range results {
			rows = append(rows, r.Row)
		}
	}
	j.Footnote("ISP-like trace: %d requests, %d pairs; %s", s.Requests, s.Pairs,
		number.Count(len(s.Seeds), "hash seed"))
	j.Setting("trace", "fridges §5", "%d requests in %.3g s, delays %v", s.Requests, s.Last.Seconds(),
		trace.Delays)
	return rows, nil
}

// At returns our row of a design at a size.
func At(rows []Row, design string, memory int) Row {
	for _, r := range Select(rows, ErrorTable, design) {
		if r.Memory == memory {
			return r
		}
	}
	return Blank(ErrorTable, "ours", "", design)
}

// Score reduces the errors of a row to one number.
type Score func(*Row) float64

// Combined returns the fridges paper's measure. It is the mean of three errors of the mean CDF of all hash seeds: the
// errors of the median, the 95th and the 99th percentile. It averages out the variance of single seeds, but not their
// bias.
func Combined(r *Row) float64 { return (r.P50 + r.P95 + r.P99) / 3 }

// OneSeed returns the mean error of the CDF of one seed. One switch measures such a CDF.
func OneSeed(r *Row) float64 { return r.One.Value }

// half returns half of the width of the interval of OneSeed's logarithm.
func (r *Row) half() float64 { return (r.One.Hi - r.One.Lo) / 2 / r.One.Value }

// pairs calls the function use for each size at which b has an error. The arguments of use are the rows of a and b.
func pairs(rows []Row, a, b string, by Score, use func(r, o *Row)) {
	for _, r := range Select(rows, ErrorTable, a) {
		if o := At(rows, b, r.Memory); by(&o) > 0 {
			use(&r, &o)
		}
	}
}

// Ratio returns the geometric mean of the error of design a divided by the error of design b, over all sizes that both
// designs have.
func Ratio(rows []Row, a, b string, by Score) float64 {
	sum, n := 0.0, 0
	pairs(rows, a, b, by, func(r, o *Row) { sum, n = sum+math.Log(by(r)/by(o)), n+1 })
	return math.Exp(sum / float64(n))
}

// OneSeedRatio returns the Ratio of the OneSeed errors, with its 95 % interval over the seeds of both designs.
func OneSeedRatio(rows []Row, a, b string) stats.Number {
	squares, n := 0.0, 0.0
	pairs(rows, a, b, OneSeed, func(r, o *Row) { squares, n = squares+r.half()*r.half()+o.half()*o.half(), n+1 })
	half := math.Sqrt(squares) / n
	value := Ratio(rows, a, b, OneSeed)
	return stats.Number{Value: value, Lo: value * math.Exp(-half), Hi: value * math.Exp(half)}
}

// Trend returns the slope of log(error of a / error of b) over log(memory), with its 95 % interval over the seeds. If
// the slope is above 0, the advantage of design a grows as memory shrinks. Each size is weighted by the inverse
// variance of its ratio.
func Trend(rows []Row, a, b string) stats.Number {
	var x, y, weights []float64
	pairs(rows, a, b, OneSeed, func(r, o *Row) {
		half := math.Hypot(r.half(), o.half())
		x, y = append(x, math.Log(float64(r.Memory))), append(y, math.Log(r.One.Value/o.One.Value))
		weights = append(weights, 1/(half*half))
	})
	if len(x) < 2 {
		return stats.None()
	}
	_, slope := stat.LinearRegression(x, y, weights, false)
	mean, squares := stat.Mean(x, weights), 0.0
	for i := range x {
		squares += weights[i] * (x[i] - mean) * (x[i] - mean)
	}
	return stats.Around(slope, 1/math.Sqrt(squares))
}

// Saving returns the geometric mean, over the sizes of design a, of the memory of b divided by the memory of a at the
// same error. For each size of a, the memory of b is computed from a straight line through the logarithms of b's errors
// and sizes. The result is NaN if the error of b does not fall with its memory.
func Saving(rows []Row, a, b string, by Score) float64 {
	intercept, slope := line(rows, b, by)
	sum, n := 0.0, 0
	for _, r := range Select(rows, ErrorTable, a) {
		sum += (math.Log(by(&r))-intercept)/slope - math.Log(float64(r.Memory))
		n++
	}
	return math.Exp(sum / float64(n))
}

// OneSeedSaving returns the Saving for the OneSeed errors of designs that were measured at the same sizes. Its interval
// is derived from the interval of OneSeedRatio.
func OneSeedSaving(rows []Row, a, b string) stats.Number {
	_, slope := line(rows, b, OneSeed)
	of, m := func(x float64) float64 { return math.Pow(x, 1/slope) }, OneSeedRatio(rows, a, b)
	return stats.Number{Value: of(m.Value), Lo: of(m.Hi), Hi: of(m.Lo)}
}

// line returns the straight line through the logarithms of a design's errors and sizes. The slope is NaN if the errors
// do not fall with the size.
func line(rows []Row, design string, by Score) (intercept, slope float64) {
	var x, y []float64
	for _, r := range Select(rows, ErrorTable, design) {
		x, y = append(x, math.Log(float64(r.Memory))), append(y, math.Log(by(&r)))
	}
	if intercept, slope = stat.LinearRegression(x, y, nil, false); !(slope < 0) {
		slope = math.NaN()
	}
	return intercept, slope
}
