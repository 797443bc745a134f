package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Level is the default confidence level of intervals.
const Level = 0.95

// Number is a number over several seeds and the number of flows behind it. It is the last columns of many
// rows.
type Number struct {
	Size  float64 `col:"size" unit:"B"`  // largest flow of the bucket in any seed; NaN if there are no buckets
	Share float64 `col:"share" unit:"%"` // of the flows, up to the end of the bucket; NaN if there are no buckets
	Value float64 `col:"value"`
	Lo    float64 `col:"lo"` // 95 % interval over the seeds, or over sections of one long run; NaN for neither
	Hi    float64 `col:"hi"`
	Flows int     `col:"flows"` // in the seed with the fewest
	Seeds int     `col:"seeds"`

	per PerSeed // the seeds' numbers
}

// Measured returns m. It makes rows that embed Number implement Row.
func (m Number) Measured() Number { return m }

// Within returns m with the interval of a mean of numbers from lo to hi, such as shares from 0 to 1 (see Interval.Within).
func (m Number) Within(lo, hi float64) Number {
	if iv, err := m.per.interval(); err == nil {
		_, m.Lo, m.Hi = Ends(iv.Within(lo, hi))
	}
	return m
}

// Row is a row of rows.csv that embeds Number.
type Row interface{ Measured() Number }

// PerSeed collects a number over several seeds, with the number of flows. The number cannot be negative.
type PerSeed struct {
	Level    float64 // of the intervals; 0 for the default
	Least    float64 // smallest possible number, such as 1 for slowdowns
	values   []float64
	flows    int
	sections []float64 // of the only seed
}

// Add appends the number of a seed.
func (p *PerSeed) Add(value float64, flows int) {
	if len(p.values) == 0 || flows < p.flows {
		p.flows = flows
	}
	p.values = append(p.values, value)
}

// Section appends the number of one section of a long run, after Add with that of the whole run. For a
// single seed with sections, the interval comes from the sections (see Sectioned).
func (p *PerSeed) Section(value float64) { p.sections = append(p.sections, value) }

// sectioned reports whether p has one long run with sections.
func (p *PerSeed) sectioned() bool { return len(p.values) == 1 && len(p.sections) > 1 }

// Flows returns the number of flows in the seed with the fewest.
func (p *PerSeed) Flows() int { return p.flows }

// Mean returns the mean over the seeds. Its interval does not reach below Least, or below 0 if a number is less than
// Least, such as the slowdown of a flow whose ideal time is not exact.
func (p *PerSeed) Mean() (Number, error) {
	least := p.Least
	if slices.ContainsFunc(p.values, func(v float64) bool { return v < least }) {
		least = 0
	}
	iv, err := p.interval()
	return p.measured(iv.Within(least, math.Inf(1))), err
}

// interval returns the mean over the seeds with an interval that knows no limits of the numbers.
func (p *PerSeed) interval() (Interval, error) {
	if p.sectioned() {
		return Sectioned(p.values[0], p.sections, cmp.Or(p.Level, Level))
	}
	return Mean(p.values, cmp.Or(p.Level, Level))
}

// Over returns the geometric mean of the ratios of p's to o's numbers, seed by seed. For two long runs of
// the same flows it returns their ratio with the interval of their sections.
func (p *PerSeed) Over(o *PerSeed) (Number, error) {
	ratio := PairedRatio
	if p.sectioned() && o.sectioned() {
		ratio = func(a, b []float64, level float64) (Interval, error) {
			return SectionedRatio(a[0], b[0], p.sections, o.sections, level)
		}
	}
	iv, err := ratio(p.values, o.values, cmp.Or(p.Level, Level))
	m := p.measured(iv)
	m.Flows = min(m.Flows, o.flows)
	return m, err
}

func (p *PerSeed) measured(iv Interval) Number {
	m := Number{Size: math.NaN(), Share: math.NaN(), Flows: p.flows, Seeds: len(p.values), per: *p}
	m.Value, m.Lo, m.Hi = Ends(iv)
	return m
}

// BySize divides the flows of each seed, sorted by size, into buckets of equal numbers, and returns for
// each bucket the mean over the seeds of the percentile p of the slowdowns. This mean varies less than the
// percentile over the flows of all seeds together, and it has an interval.
func BySize(seeds [][]Point, buckets int, p float64) ([]Number, error) {
	return BySizeSectioned(seeds, nil, buckets, p, Level)
}

// BySizeSectioned is BySize with a confidence level and, if there is a single long run, with intervals from
// the flows of its sections.
func BySizeSectioned(seeds, sections [][]Point, buckets int, p, level float64) ([]Number, error) {
	shares, sizes, each := make([]float64, buckets), make([]float64, buckets), make([]PerSeed, buckets)
	for i := range each {
		each[i].Level, each[i].Least = level, 1
	}
	for _, points := range seeds {
		table, err := Table(points, buckets)
		if err != nil {
			return nil, err
		}
		for i, b := range table {
			shares[i], sizes[i] = 100*b.To, max(sizes[i], float64(b.MaxSize))
			each[i].Add(b.percentile(p), b.N)
		}
	}
	for _, points := range sections {
		table, err := Table(points, buckets)
		if err != nil {
			return nil, err
		}
		for i, b := range table {
			each[i].Section(b.percentile(p))
		}
	}
	curve := make([]Number, buckets)
	for i := range curve {
		var err error
		if curve[i], err = each[i].Mean(); err != nil {
			return nil, err
		}
		curve[i].Size, curve[i].Share = sizes[i], shares[i]
	}
	return curve, nil
}

// Over divides curve a by curve b, bucket by bucket, by the geometric mean over the seeds. Both must be of
// the same flows. If some flows have no number in one of the curves, Flows is the smaller number.
func Over(a, b []Number) ([]Number, error) {
	curve := make([]Number, len(a))
	for i := range curve {
		sized := !math.IsNaN(a[i].Size) || !math.IsNaN(b[i].Size)
		if sized && a[i].Size != b[i].Size {
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

func (b Bucket) percentile(p float64) float64 {
	switch p {
	case 0.50:
		return b.P50
	case 0.95:
		return b.P95
	case 0.99:
		return b.P99
	}
	panic(fmt.Sprintf("stats: buckets have no percentile %v", p))
}

// Ends returns the value and the ends of an interval. The ends are NaN if the interval is unbounded,
// because there is one seed only.
func Ends(iv Interval) (value, lo, hi float64) {
	if !iv.Bounded() {
		return iv.Value, math.NaN(), math.NaN()
	}
	return iv.Value, iv.Lo, iv.Hi
}

// Significant reports whether the interval from lo to hi has ends and does not contain x.
func Significant(lo, hi, x float64) bool { return lo > x || hi < x }

// Distance returns the mean absolute logarithm of ratios, and the number of ratios that differ
// significantly from 1.
func Distance[R Row](ratios []R) (mean float64, differ int) {
	for _, row := range ratios {
		r := row.Measured()
		mean += math.Abs(math.Log(r.Value)) / float64(len(ratios))
		if Significant(r.Lo, r.Hi, 1) {
			differ++
		}
	}
	return mean, differ
}

// Percent converts a ratio to a change in percent.
func Percent(ratio float64) float64 { return 100 * (ratio - 1) }

// Change formats a ratio as a change in percent, with its interval if it has one.
func Change(ratio, lo, hi float64) string {
	s := signed(ratio)
	if math.IsNaN(lo) || math.IsNaN(hi) {
		return s
	}
	return fmt.Sprintf("%s (%s to %s)", s, signed(lo), signed(hi))
}

func signed(ratio float64) string { return fmt.Sprintf("%+.1f %%", Percent(ratio)) }

// Change formats a ratio as a change in percent with its interval.
func (m Number) Change() string { return Change(m.Value, m.Lo, m.Hi) }
