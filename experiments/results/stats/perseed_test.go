package stats

import (
	"math"
	"testing"

	"pintlab/internal/errtest"
	"pintlab/internal/hash"
	"pintlab/netsim/unit"
)

// points returns flows of 1, 2, … KB with the given slowdowns.
func points(slowdowns ...float64) []Point {
	var list []Point
	for i, s := range slowdowns {
		list = append(list, Point{ID: int64(i), Size: unit.Bytes(i+1) * unit.KB, Slowdown: s})
	}
	return list
}

// has reports whether the ends of an interval of numbers above 1 follow from a half width.
func has(m Sized, half float64) bool {
	over := m.Value - 1
	h := half / over
	hi := 1 + over*math.Exp(min(h, 2))*max(1, h-1)
	return math.Abs(m.Lo-max(1, m.Value-half)) < 1e-3 && (half == 0 && m.Hi == m.Value || math.Abs(m.Hi/hi-1) < 1e-3)
}

// Two seeds have four flows each, in two buckets. The numbers are computed by hand: the p95 of two values is the larger
// value, and t for one degree of freedom at 95 % is 12.706.
func TestBySize(t *testing.T) {
	rows, err := BySize([][]Point{points(1, 2, 3, 4), points(1, 4, 3, 4)}, 2, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct{ share, size, value, half float64 }{
		{50, 2000, 3, 12.706},
		{100, 4000, 4, 0},
	}
	for i, w := range want {
		r := rows[i]
		if r.Share != w.share || r.Size != w.size || r.Value != w.value || r.Flows != 2 || !has(r, w.half) {
			t.Errorf("bucket %d is %+v, want %+v", i+1, r, w)
		}
	}
}

// One seed has no interval.
func TestBySizeOfOneSeed(t *testing.T) {
	rows, err := BySize([][]Point{points(1, 2, 3)}, 1, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	if r := rows[0]; r.Value != 2 || !math.IsNaN(r.Lo) || !math.IsNaN(r.Hi) || r.Differs(1) {
		t.Errorf("%+v, want the median 2 without an interval", r)
	}
	if _, err := BySize([][]Point{points(1, 2)}, 3, 0.5); !errtest.Says(err, "2 flows … 3 buckets") {
		t.Errorf("error %v", err)
	}
}

// The ratio of two curves is the geometric mean of the ratios of the seeds: √(2·8) = 4. Both ratios differ from 4 by
// the factor 2, and t is 12.706 for two seeds.
func TestOver(t *testing.T) {
	a, err := BySize([][]Point{points(2, 2), points(8, 8)}, 1, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	b, err := BySize([][]Point{points(1, 1), points(1, 1)}, 1, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := Over(a, b)
	if err != nil {
		t.Fatal(err)
	}
	half := 12.7062 * math.Log(2)
	if r := rows[0]; math.Abs(r.Value-4) > 1e-12 || math.Abs(math.Log(r.Hi/4)-half) > 1e-3 ||
		math.Abs(math.Log(4/r.Lo)-half) > 1e-3 {
		t.Errorf("%+v, want 4 within a factor of %v", r, math.Exp(half))
	}
	// If a flow has no slowdown, for example because no byte was acknowledged, the other flows are still compared.
	fewer, err := BySize([][]Point{points(1, math.NaN()), points(1, 1)}, 1, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := Over(a, fewer); err != nil || rows[0].Flows != 1 || math.Abs(rows[0].Value-4) > 1e-12 {
		t.Errorf("%+v, %v; want 4 of 1 flow", rows, err)
	}
	other, err := BySize([][]Point{points(1, 1, 1), points(1, 1, 1)}, 1, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Over(a, other); !errtest.Says(err, "bucket 1 … 2000 B … 3000 B in the other: …") {
		t.Errorf("error %v", err)
	}
}

func TestDiffers(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   bool
	}{{0.9, 1.1, false}, {1.01, 1.1, true}, {0.8, 0.99, true}, {1, 1.1, false}, {math.NaN(), math.NaN(), false}} {
		if got := (Number{Lo: c.lo, Hi: c.hi}).Differs(1); got != c.want {
			t.Errorf("from %v to %v: %v", c.lo, c.hi, got)
		}
	}
}

// A share is between 0 and 1, and an unknown interval stays unknown. Computed by hand: 0.2, 0.3 and 0.4 have the half
// width 4.3027·0.1/√3, and the interval of 0.1 and 0.9 exceeds both limits.
func TestWithin(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		lo, hi float64
	}{
		{[]float64{0.1, 0.9}, 0, 1}, {[]float64{0.2, 0.3, 0.4}, 0.3 - 0.248414, 0.3 + 0.248414},
		{[]float64{0.3}, math.NaN(), math.NaN()},
	} {
		var p PerSeed
		for _, v := range tt.values {
			p.Add(v, 1)
		}
		mean, err := p.Mean()
		m := mean.Within(0, 1)
		same := func(a, b float64) bool { return math.Abs(a-b) < 1e-6 || math.IsNaN(a) && math.IsNaN(b) }
		if err != nil || m.Value != mean.Value || !same(m.Lo, tt.lo) || !same(m.Hi, tt.hi) {
			t.Errorf("%v: %v to %v, want %v to %v (%v)", tt.values, m.Lo, m.Hi, tt.lo, tt.hi, err)
		}
	}
}

// One value has no interval.
func TestIntervalWithin(t *testing.T) {
	one, err := Mean([]float64{0.9}, Level)
	if err != nil || one.Within(0, 1).Bounded() {
		t.Errorf("%+v, %v", one.Within(0, 1), err)
	}
	two, err := Mean([]float64{0.9, 1}, Level)
	if got := two.Within(0, 1); err != nil || two.Hi <= 1 || got.Lo != two.Lo || got.Hi != 1 || got.Value != two.Value {
		t.Errorf("%+v became %+v, %v", two, got, err)
	}
}

// If numbers have a smallest possible value, the interval does not extend below it, and the upper end is computed from
// logarithms. The ends are computed by hand for the smallest value 1:
//
// 3, 5 and 10 have the mean 6, which is 5 above 1. The half width is 4.3027·√(13/3) = 8.957, so the ends are 1 and 1 +
// 5·exp(8.957/5). 5, 6 and 7 have the half width 2.484. Equal numbers have an interval of width 0. If a number is below
// the smallest value, that value does not apply, and the interval stays above 0. 10.2 and 34.2 are very different:
// their half width is 12.706·24/2 = 152.5, which is 7.2 times the distance of their mean from 1.
func TestLeast(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		lo, hi float64
	}{
		{[]float64{3, 5, 10}, 1, 1 + 5*math.Exp(8.9566/5)},
		{[]float64{5, 6, 7}, 6 - 2.48414, 1 + 5*math.Exp(2.48414/5)},
		{[]float64{1, 1, 1}, 1, 1},
		{[]float64{0.5, 1.5}, 0, math.Exp(2) * (6.3531 - 1)},
		{[]float64{10.2, 34.2}, 1, 1 + 21.2*math.Exp(2)*(152.4745/21.2-1)},
	} {
		p := PerSeed{Least: 1}
		for _, v := range tt.values {
			p.Add(v, 1)
		}
		m, err := p.Mean()
		if err != nil || math.Abs(m.Lo-tt.lo) > 1e-4 || math.Abs(m.Hi/tt.hi-1) > 1e-4 {
			t.Errorf("%v: %v to %v, want %v to %v (%v)", tt.values, m.Lo, m.Hi, tt.lo, tt.hi, err)
		}
	}
}

// Intervals never extend below their bound. For skewed numbers, they contain the true mean more often than the
// intervals m ± h. We tested 20000 means of n seeds of lognormal slowdowns, 1 + exp(0.6 z). For n = 3, 4, 6 and 10, the
// interval contains the true mean for 94.2, 93.6, 93.4 and 93.4 %, and m ± h contains it for 91.3, 90.3, 90.3 and 90.9
// %. Each share has a standard error of 0.18 %. The test fails if the share is below 92 %, or if the share of m ± h is
// above 91.9 %. For a new seed, the probability of this is below 10⁻³, and the seed is fixed.
func TestCoverageAboveLeast(t *testing.T) {
	r := hash.Stream(3, "stats/least")
	truth := 1 + math.Exp(0.18)
	for _, n := range []int{3, 4, 6, 10} {
		const sets = 20000
		hits, plain := 0, 0
		for range sets {
			p := PerSeed{Least: 1}
			for range n {
				p.Add(1+math.Exp(0.6*r.NormFloat64()), 1)
			}
			m, err := p.Mean()
			if err != nil || m.Lo < 1 || m.Lo > m.Value || m.Hi < m.Value {
				t.Fatalf("%+v, %v", m, err)
			}
			iv, err := Mean(p.values, Level)
			if err != nil {
				t.Fatal(err)
			}
			if m.Lo <= truth && truth <= m.Hi {
				hits++
			}
			if iv.Lo <= truth && truth <= iv.Hi {
				plain++
			}
		}
		if hits < 0.92*sets || plain > 0.919*sets {
			t.Errorf("%d seeds: %d of %d intervals contain the mean, of m ± h %d", n, hits, sets, plain)
		}
	}
}

// The interval of one long run is computed over the run's sections, here by hand. The percentile of all flows is 6, and
// it is 4 and 6 in the two sections. So the half width is t(1) √((4+0)/(2·1)) = 12.706 √2. In another run, the
// percentile is 3, and 2 and 3 in the sections. The ratio of the two runs is 2, and the ratios of their sections are
// also 2. So the interval of the ratio has width 0.
func TestBySizeSectioned(t *testing.T) {
	curve := func(all, first, second []Point) []Sized {
		rows, err := BySizeSectioned([][]Point{all}, [][]Point{first, second}, 1, 0.95, Level)
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	a := curve(points(4, 4, 6, 6), points(4, 4), points(6, 6))
	b := curve(points(2, 2, 3, 3), points(2, 2), points(3, 3))
	half := 12.7062 * math.Sqrt2
	if r := a[0]; r.Value != 6 || r.Seeds != 1 || r.Flows != 4 || !has(r, half) {
		t.Errorf("%+v, want 6 ± %v of one seed", r, half)
	}
	over, err := Over(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if r := over[0]; math.Abs(r.Value-2) > 1e-12 || math.Abs(r.Hi-2) > 1e-12 || math.Abs(r.Lo-2) > 1e-12 {
		t.Errorf("%+v, want 2 without width", r)
	}
	// If there are several seeds, intervals do not need sections.
	two, err := BySizeSectioned([][]Point{points(1, 1), points(3, 3)}, [][]Point{points(9, 9), points(9, 9)}, 1, 0.95,
		Level)
	if err != nil {
		t.Fatal(err)
	}
	if two[0].Value != 2 || !has(two[0], 12.7062) {
		t.Errorf("%+v, want the mean 2 of two seeds", two[0])
	}
}

func TestChange(t *testing.T) {
	for got, want := range map[string]string{
		Number{Value: 0.948, Lo: 0.94, Hi: 0.955}.Change(): "−5.2 % (−6.0 % to −4.5 %)",
		Number{Value: 1.1, Lo: math.NaN(), Hi: 1}.Change(): "+10.0 %",
		Number{Value: 0.39, Lo: 1e-7, Hi: 1e10}.Change():   "−61.0 % (<−99.9 % to >+99999 %)",
		Number{Value: 0.87, Lo: 0.002, Hi: 1.02}.Brief():   "−13 % (−99.8 to +2.0)",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
