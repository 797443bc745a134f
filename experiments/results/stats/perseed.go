package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Level is the default confidence level of intervals.
const Level = 0.95

// PerSeed collects a number over several seeds, with the number of flows. The number cannot be negative.
type PerSeed struct {
	Level    float64 // confidence level of the intervals; 0 for the default
	Least    float64 // smallest possible number, such as 1 for slowdowns
	values   []float64
	flows    int
	sections []float64 // sections of the only seed
}

// Add appends the number of a seed.
func (p *PerSeed) Add(value float64, flows int) {
	if len(p.values) == 0 || flows < p.flows {
		p.flows = flows
	}
	p.values = append(p.values, value)
}

// Section appends the number of one section of a long run. It is called after Add, which appends the number of the
// whole run. If there is a single seed with sections, the interval comes from the sections (see Sectioned).
func (p *PerSeed) Section(value float64) { p.sections = append(p.sections, value) }

// sectioned reports whether p has one long run with sections.
func (p *PerSeed) sectioned() bool { return len(p.values) == 1 && len(p.sections) > 1 }

// Mean returns the mean over the seeds. Its interval does not extend below Least. If a number is less than Least, such
// as the slowdown of a flow whose ideal time is not exact, the limit is 0 instead.
func (p *PerSeed) Mean() (Number, error) {
	least := p.Least
	if slices.ContainsFunc(p.values, func(v float64) bool { return v < least }) {
		least = 0
	}
	iv, err := p.interval()
	return p.measured(iv.Within(least, math.Inf(1))), err
}

// Share is like Mean, for a number between 0 and 1.
func (p *PerSeed) Share() (Number, error) {
	m, err := p.Mean()
	return m.Within(0, 1), err
}

// interval returns the mean over the seeds, with an interval that ignores limits of the numbers.
func (p *PerSeed) interval() (Number, error) {
	if p.sectioned() {
		return Sectioned(p.values[0], p.sections, cmp.Or(p.Level, Level))
	}
	return Mean(p.values, cmp.Or(p.Level, Level))
}

// Over returns the geometric mean, over the seeds, of p's number divided by o's number. If both
// are single long runs that are divided into sections, it returns the ratio of their numbers, with an interval that is
// computed from the sections.
func (p *PerSeed) Over(o *PerSeed) (Number, error) {
	ratio := PairedRatio
	if p.sectioned() && o.sectioned() {
		ratio = func(a, b []float64, level float64) (Number, error) {
			return SectionedRatio(a[0], b[0], p.sections, o.sections, level)
		}
	}
	iv, err := ratio(p.values, o.values, cmp.Or(p.Level, Level))
	m := p.measured(iv)
	m.Flows = min(m.Flows, o.flows)
	return m, err
}

func (p *PerSeed) measured(m Number) Number {
	m.Flows, m.Seeds, m.per = p.flows, len(p.values), *p
	return m
}

// BySize sorts the flows of each seed by size and divides them into buckets of equal numbers of flows. It returns, for
// each bucket, the mean over the seeds of the percentile p of the slowdowns. This mean varies less than the percentile
// over the flows of all seeds together, and it has an interval.
func BySize(seeds [][]Point, buckets int, p float64) ([]Sized, error) {
	return BySizeSectioned(seeds, nil, buckets, p, Level)
}

// BySizeSectioned is like BySize, with a confidence level. If there is a single long run, intervals are computed over
// the sections of its flows.
func BySizeSectioned(seeds, sections [][]Point, buckets int, p, level float64) ([]Sized, error) {
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
	curve := make([]Sized, buckets)
	for i := range curve {
		m, err := each[i].Mean()
		if err != nil {
			return nil, err
		}
		curve[i] = Sized{sizes[i], shares[i], m}
	}
	return curve, nil
}

// Over divides curve a by curve b, bucket by bucket, and returns geometric means over the seeds. Both curves must be
// about the same flows. If some flows have no number in one of the curves, Flows is the smaller number of flows.
func Over(a, b []Sized) ([]Sized, error) {
	curve := make([]Sized, len(a))
	for i := range curve {
		sized := !math.IsNaN(a[i].Size) || !math.IsNaN(b[i].Size)
		if sized && a[i].Size != b[i].Size {
			return nil, fmt.Errorf("bucket %d has flows up to %.0f B in one run and up to %.0f B in the other: "+
				"these are not the same flows",
				i+1, a[i].Size, b[i].Size)
		}
		m, err := a[i].per.Over(&b[i].per)
		if err != nil {
			return nil, err
		}
		curve[i] = Sized{a[i].Size, a[i].Share, m}
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
