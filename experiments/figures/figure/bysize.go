package figure

import (
	"fmt"
	"math"

	"pintlab/experiments/results/stats"
)

// Level is the confidence of every interval in the figures.
const Level = 0.95

// Measured is the last columns of many rows: a number over several seeds, and the flows
// behind it.
type Measured struct {
	Size  float64 `col:"size" unit:"B"`  // largest flow of a bucket, in any seed; NaN for other numbers
	Share float64 `col:"share" unit:"%"` // of the flows, up to the end of a bucket; NaN for other numbers
	Value float64 `col:"value"`
	Lo    float64 `col:"lo"` // 95 % interval over the seeds, or over sections of one long run; NaN for neither
	Hi    float64 `col:"hi"`
	Flows int     `col:"flows"` // in the seed that has the fewest
	Seeds int     `col:"seeds"`

	per PerSeed // what it is made of
}

func (m Measured) measured() Measured { return m }

// Within is m with the part of its interval from lo to hi, where the true value is known to
// lie: that of a mean of shares lies between 0 and 1.
func (m Measured) Within(lo, hi float64) Measured {
	m.Lo, m.Hi = max(m.Lo, lo), min(m.Hi, hi) // NaN stays NaN
	return m
}

// Row is a row that embeds Measured.
type Row interface{ measured() Measured }

// PerSeed is a number of each of several seeds, and how many flows it is of.
type PerSeed struct {
	values   []float64
	flows    int
	sections []float64 // of the only seed
}

// Add takes in the number of one more seed.
func (p *PerSeed) Add(value float64, flows int) {
	if len(p.values) == 0 || flows < p.flows {
		p.flows = flows
	}
	p.values = append(p.values, value)
}

// Section takes in the number of one section of a long run, whose number as a whole was
// added. A single seed with sections has the interval that they give (stats.Sectioned).
func (p *PerSeed) Section(value float64) { p.sections = append(p.sections, value) }

// sectioned says whether p is of one long run.
func (p *PerSeed) sectioned() bool { return len(p.values) == 1 && len(p.sections) > 1 }

// Flows is the number of flows in the seed that has the fewest.
func (p *PerSeed) Flows() int { return p.flows }

// Mean is the mean over the seeds.
func (p *PerSeed) Mean() (Measured, error) {
	if p.sectioned() {
		iv, err := stats.Sectioned(p.values[0], p.sections, Level)
		return p.measured(iv), err
	}
	iv, err := stats.Mean(p.values, Level)
	return p.measured(iv), err
}

// Over is the geometric mean of p's numbers over those of the same seeds in o; of a long
// run over another of the same flows their ratio.
func (p *PerSeed) Over(o *PerSeed) (Measured, error) {
	ratio := stats.PairedRatio
	if p.sectioned() && o.sectioned() {
		ratio = func(a, b []float64, level float64) (stats.Interval, error) {
			return stats.SectionedRatio(a[0], b[0], p.sections, o.sections, level)
		}
	}
	iv, err := ratio(p.values, o.values, Level)
	return p.measured(iv), err
}

func (p *PerSeed) measured(iv stats.Interval) Measured {
	m := Measured{Size: math.NaN(), Share: math.NaN(), Flows: p.flows, Seeds: len(p.values), per: *p}
	m.Value, m.Lo, m.Hi = Ends(iv)
	return m
}

// BySize cuts the flows of each seed, ordered by size, into equal numbers, takes
// the percentile p of the slowdowns in each bucket, and the mean of that over the
// seeds. With buckets so different in slowdown, the mean of percentiles is steadier
// than the percentile of all flows together, and its spread can be told.
func BySize(seeds [][]stats.Point, buckets int, p float64) ([]Measured, error) {
	return BySizeSectioned(seeds, nil, buckets, p)
}

// BySizeSectioned is BySize; where there is one seed, a long run, intervals come from the
// flows of its sections.
func BySizeSectioned(seeds, sections [][]stats.Point, buckets int, p float64) ([]Measured, error) {
	shares, sizes, each := make([]float64, buckets), make([]float64, buckets), make([]PerSeed, buckets)
	for _, points := range seeds {
		table, err := stats.Table(points, buckets)
		if err != nil {
			return nil, err
		}
		for i, b := range table {
			shares[i], sizes[i] = 100*b.To, max(sizes[i], float64(b.MaxSize))
			each[i].Add(percentile(b, p), b.N)
		}
	}
	for _, points := range sections {
		table, err := stats.Table(points, buckets)
		if err != nil {
			return nil, err
		}
		for i, b := range table {
			each[i].Section(percentile(b, p))
		}
	}
	curve := make([]Measured, buckets)
	for i := range curve {
		var err error
		if curve[i], err = each[i].Mean(); err != nil {
			return nil, err
		}
		curve[i].Size, curve[i].Share = sizes[i], shares[i]
	}
	return curve, nil
}

// Over is the curve a over the curve b, bucket by bucket, or one number over another: the
// geometric mean over the seeds of the ratios. Both are of the same flows.
func Over(a, b []Measured) ([]Measured, error) {
	curve := make([]Measured, len(a))
	for i := range curve {
		sized := !math.IsNaN(a[i].Size) || !math.IsNaN(b[i].Size)
		if sized && a[i].Size != b[i].Size || a[i].Flows != b[i].Flows {
			return nil, fmt.Errorf("bucket %d has flows up to %.0f B, and up to %.0f B: these are not the same flows", i+1, a[i].Size, b[i].Size)
		}
		var err error
		if curve[i], err = a[i].per.Over(&b[i].per); err != nil {
			return nil, err
		}
		curve[i].Size, curve[i].Share = a[i].Size, a[i].Share
	}
	return curve, nil
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

// Similar holds if all ratios are within a share of 1, and fails if the interval of one
// lies outside it.
func Similar[R Row](statement string, ratios []R, within float64) Finding {
	confirmed, contradicted := len(ratios) > 0, false
	least, most := math.Inf(1), math.Inf(-1)
	for _, row := range ratios {
		r := row.measured()
		least, most = math.Min(least, r.Value), math.Max(most, r.Value)
		confirmed = confirmed && math.Abs(r.Value-1) <= within && !math.IsNaN(r.Lo)
		contradicted = contradicted || r.Lo > 1+within || r.Hi < 1-within
	}
	return Judge(fmt.Sprintf("%s (within %.0f %%)", statement, 100*within), confirmed, contradicted,
		"changes between %+.1f %% and %+.1f %%", Percent(least), Percent(most))
}

// Lower holds if some ratios are significantly below 1 and none is above it.
func Lower[R Row](statement string, ratios []R) Finding {
	below, above, detail := tally(ratios)
	return Judge(statement, below > 0 && above == 0, above > 0 && below == 0, "%s", detail)
}

// Higher holds if some ratios are significantly above 1 and none is below it.
func Higher[R Row](statement string, ratios []R) Finding {
	below, above, detail := tally(ratios)
	return Judge(statement, above > 0 && below == 0, below > 0 && above == 0, "%s", detail)
}

// tally counts the ratios that are significantly below and above 1.
func tally[R Row](ratios []R) (below, above int, detail string) {
	mean := 0.0
	for _, row := range ratios {
		r := row.measured()
		mean += r.Value / float64(len(ratios))
		switch {
		case r.Hi < 1:
			below++
		case r.Lo > 1:
			above++
		}
	}
	return below, above, fmt.Sprintf("%+.1f %% on average; of %d buckets, %d significantly lower and %d higher", Percent(mean), len(ratios), below, above)
}

// Distance is the mean distance of ratios from 1, of their logarithms, and how many
// differ from it significantly.
func Distance[R Row](ratios []R) (mean float64, differ int) {
	for _, row := range ratios {
		r := row.measured()
		mean += math.Abs(math.Log(r.Value)) / float64(len(ratios))
		if Significant(r.Lo, r.Hi, 1) {
			differ++
		}
	}
	return mean, differ
}

// Percent is a ratio as a change in percent.
func Percent(ratio float64) float64 { return 100 * (ratio - 1) }

// Change prints a ratio as a change in percent with its interval.
func Change(ratio, lo, hi float64) string {
	s := signed(ratio)
	if math.IsNaN(lo) || math.IsNaN(hi) {
		return s
	}
	return fmt.Sprintf("%s (%s to %s)", s, signed(lo), signed(hi))
}

func signed(ratio float64) string { return fmt.Sprintf("%+.1f %%", Percent(ratio)) }

// Change is the change in percent that a ratio amounts to, with its interval.
func (m Measured) Change() string { return Change(m.Value, m.Lo, m.Hi) }

// Enough is how many flows a bucket needs for its percentile p.
func Enough(p float64) int64 {
	n := 1
	for !stats.Enough(n, p) {
		n++
	}
	return int64(n)
}
