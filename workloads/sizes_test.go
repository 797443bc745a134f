package workloads

import (
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/errtest"
	"pintlab/internal/hash"
	"pintlab/netsim/unit"
)

func mustPareto(t testing.TB, shape float64, min, max unit.Bytes) *Pareto {
	t.Helper()
	d, err := NewPareto(shape, min, max)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The mean of the bounded Pareto distribution agrees with the textbook formula, which loses digits near shape 1 and has
// a different form at shape 1.
func TestParetoMean(t *testing.T) {
	for _, tt := range []struct{ shape, min, max float64 }{{1.1, 1000, 1e9}, {2, 10, 1000}, {0.5, 1, 1e6},
		{3.5, 100, 200}, {30, 5, 1e15}, {100, 1, 1 << 50}} {
		a, l, h := tt.shape, tt.min, tt.max
		want := math.Pow(l, a) / (1 - math.Pow(l/h, a)) * a / (a - 1) * (1/math.Pow(l, a-1) - 1/math.Pow(h, a-1))
		got := mustPareto(t, a, unit.Bytes(l), unit.Bytes(h)).Mean()
		if math.Abs(got-want) > 1e-11*want {
			t.Errorf("mean at shape %v on [%v, %v] is %v, want %v", a, l, h, got, want)
		}
	}
	// At shape 1, the mean is min·max/(max-min)·ln(max/min). If the shape differs by 1e-12, the mean is the same to 11
	// digits.
	want := 1000.0 * 1e6 / (1e6 - 1000) * math.Log(1000)
	for _, shape := range []float64{1, 1 + 1e-12, 1 - 1e-12} {
		if got := mustPareto(t, shape, 1000, 1e6).Mean(); math.Abs(got-want) > 1e-10*want {
			t.Errorf("mean at shape %v is %v, want %v", shape, got, want)
		}
	}
}

// The probability of a quantile x is F(x) = (1 - (min/x)^a) / (1 - (min/max)^a), except for rounding to a byte.
func TestParetoQuantile(t *testing.T) {
	d := mustPareto(t, 1.2, 1_000_000, 1_000_000_000)
	for _, p := range []float64{0, 0.01, 0.5, 0.9, 0.99, 0.9999, 1} {
		x := float64(Quantile(d, p))
		got := (1 - math.Pow(1e6/x, 1.2)) / (1 - math.Pow(1e-3, 1.2))
		if math.Abs(got-p) > 1e-6 { // half a byte in 1 MB, density 1.2/MB
			t.Errorf("quantile %v is %v B, below which lies %v", p, x, got)
		}
	}
	if lo, hi := Quantile(d, 0), Quantile(d, 1); lo != 1_000_000 || hi != 1_000_000_000 {
		t.Errorf("sizes from %v to %v", lo, hi)
	}
}

func TestParetoStaysInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := unit.Bytes(rapid.Int64Range(1, maxSize-1).Draw(t, "min"))
		hi := unit.Bytes(rapid.Int64Range(int64(lo)+1, maxSize).Draw(t, "max"))
		d, err := NewPareto(rapid.Float64Range(0.01, 100).Draw(t, "shape"), lo, hi)
		if err != nil {
			t.Fatal(err)
		}
		u := rapid.Uint64().Draw(t, "u")
		v := rapid.Uint64Min(u).Draw(t, "v")
		a, b := d.Size(u), d.Size(v)
		if a < lo || b > hi || a > b {
			t.Fatalf("%s: sizes %d at %d, %d at %d", d.Name(), a, u, b, v)
		}
		if m := d.Mean(); !(m >= float64(lo)*(1-1e-9) && m <= float64(hi)*(1+1e-9)) {
			t.Fatalf("%s: mean %v", d.Name(), m)
		}
		if d.Size(0) != lo {
			t.Fatalf("%s: smallest size %d", d.Name(), d.Size(0))
		}
	})
}

func TestNewParetoErrors(t *testing.T) {
	const prefix = "workloads: bounded Pareto distribution: "
	tests := []struct {
		shape    float64
		min, max unit.Bytes
		want     string
	}{
		{0, 1, 2, "shape 0, want 0.01 to 100"},
		{math.NaN(), 1, 2, "shape NaN, want 0.01 to 100"},
		{1, 0, 2, "sizes from 0 to 2 B, want 1 <= min < max <= 1125899906842624"},
		{101, 5, 5, "shape 101, want 0.01 to 100\nsizes from 5 to 5 B, want 1 <= min < max <= 1125899906842624"},
	}
	for _, tt := range tests {
		if _, err := NewPareto(tt.shape, tt.min, tt.max); !errtest.Says(err, prefix+tt.want) {
			t.Errorf("NewPareto(%v, %d, %d): error %v, want %s", tt.shape, tt.min, tt.max, err, prefix+tt.want)
		}
	}
}

// The mean of a million sizes is within five standard errors of the mean of the distribution. The second moment is
// estimated from the sample. One of the eight distributions fails by chance with probability below 5e-6; the seed is
// fixed.
func TestSampleMeans(t *testing.T) {
	r := hash.Stream(7, "sample means")
	for _, s := range []Sizes{
		WebSearch(), Hadoop(), Fixed(12345), Uniform{1, 10}, Uniform{64, 1500},
		mustPareto(t, 1.3, 1000, 10_000_000), mustPareto(t, 1, 100, 200), mustCDF(t, "10 50\n20 50\n40 100"),
	} {
		const n = 1_000_000
		sum, square := 0.0, 0.0
		for range n {
			x := float64(Draw(s, r))
			sum += x
			square += x * x
		}
		mean := sum / n
		bound := 5*math.Sqrt(math.Max(0, square/n-mean*mean)/n) + 1e-6*mean
		if math.Abs(mean-s.Mean()) > bound {
			t.Errorf("%s: mean of %d sizes %v, want %v ± %v", s.Name(), n, mean, s.Mean(), bound)
		}
	}
}

// Kolmogorov-Smirnov test at the points: the share of sizes up to each point differs from the file by at most the bound
// for 1e-6. By chance, one of the two distributions exceeds this bound with probability 2e-6; the seed is fixed.
func TestSampleDistribution(t *testing.T) {
	r := hash.Stream(8, "sample distribution")
	for _, c := range []*CDF{WebSearch(), Hadoop()} {
		const n = 200_000
		sizes := make([]unit.Bytes, n)
		for i := range sizes {
			sizes[i] = Draw(c, r)
		}
		slices.Sort(sizes)
		bound := math.Sqrt(math.Log(2/1e-6) / 2 / n)
		worst := 0.0
		line := func(x, from, to, pFrom, pTo float64) float64 { return pFrom + (x-from)/(to-from)*(pTo-pFrom) }
		points := c.Points()
		for i, k := 0, 1; i < n; i++ {
			for sizes[i] > points[k].Size {
				k++
			}
			a, b := points[k-1], points[k]
			f := line(float64(sizes[i]), float64(a.Size), float64(b.Size), float64(a.Cumulative)/allOfIt,
				float64(b.Cumulative)/allOfIt)
			// A size represents all real numbers that round to it, up to half a byte away.
			slack := 0.5 / float64(b.Size-a.Size) * float64(b.Cumulative-a.Cumulative) / allOfIt
			last := i
			for last+1 < n && sizes[last+1] == sizes[i] {
				last++
			}
			worst = max(worst, f-slack-float64(last+1)/n, float64(i)/n-f-slack)
		}
		if worst > bound {
			t.Errorf("%s: distance %v, want below %v", c.Name(), worst, bound)
		}
	}
}

func TestParseSizes(t *testing.T) {
	for in, want := range map[string]string{
		"websearch": "websearch", "hadoop": "hadoop", "fixed:10KB": "fixed:10KB", "fixed:1024B": "fixed:1KiB",
		"uniform:1KB:1.5MB": "uniform:1KB:1.5MB", "pareto:1.20:1KB:10MB": "pareto:1.2:1KB:10MB",
	} {
		s, err := ParseSizes(in)
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if s.Name() != want {
			t.Errorf("%s: name %s, want %s", in, s.Name(), want)
		}
		again, err := ParseSizes(s.Name())
		if err != nil || again.Mean() != s.Mean() {
			t.Errorf("%s: its name gives mean %v, %v, want %v", in, again, err, s.Mean())
		}
	}
}

func TestParseSizesErrors(t *testing.T) {
	const accepted = " (accepted: websearch, hadoop, fixed:SIZE, uniform:MIN:MAX or pareto:SHAPE:MIN:MAX, sizes " +
		"such as 10KB)"
	tests := []struct{ in, want string }{
		{"", `flow sizes "": unknown distribution ""` + accepted},
		{"dctcp", `flow sizes "dctcp": unknown distribution "dctcp"` + accepted},
		{"fixed", `flow sizes "fixed": fixed has 0 values, want 1` + accepted},
		{"websearch:", `flow sizes "websearch:": websearch has 1 value, want 0` + accepted},
		{"fixed:10", `flow sizes "fixed:10": size "10": … number … unit (GiB, MiB, KiB, GB, MB, KB, B)`},
		{"fixed:0B", `flow sizes "fixed:0B": fixed size 0 B, want 1 to 1125899906842624`},
		{"fixed:9000000GB", `flow sizes "fixed:9000000GB": fixed size 9000000000000000 B, want 1 to 1125899906842624`},
		{"uniform:2KB:1KB", `flow sizes "uniform:2KB:1KB": uniform sizes from 2000 to 1000 B, ` +
			`want 1 <= min <= max <= 1125899906842624`},
		{"pareto:x:1KB:2KB", `flow sizes "pareto:x:1KB:2KB": shape "x" … number`},
		{"pareto:-1:1KB:2KB", `flow sizes "pareto:-1:1KB:2KB": workloads: bounded Pareto distribution: ` +
			`shape -1, want 0.01 to 100`},
	}
	for _, tt := range tests {
		if s, err := ParseSizes(tt.in); !errtest.Says(err, tt.want) || s != nil {
			t.Errorf("ParseSizes(%q) = %v, error %v, want %s", tt.in, s, err, tt.want)
		}
	}
}

func FuzzParseSizes(f *testing.F) {
	for _, s := range []string{"websearch", "fixed:10KB", "uniform:1KB:1.5MB", "pareto:1.2:1KB:10MB",
		"pareto:nan:1B:2B", "fixed:", ":::"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSizes(text)
		if err != nil {
			return
		}
		if err := checkSizes(s); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if lo, hi := s.Size(0), s.Size(math.MaxUint64); lo < 1 || hi < lo || hi > maxSize {
			t.Errorf("%q: sizes from %d to %d", text, lo, hi)
		}
		again, err := ParseSizes(s.Name())
		if err != nil || again.Name() != s.Name() {
			t.Errorf("%q has the name %q, which gives %v, %v", text, s.Name(), again, err)
		}
	})
}

func TestQuantilePanics(t *testing.T) {
	for _, p := range []float64{-0.1, 1.1, math.NaN()} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Quantile(%v) does not panic", p)
				}
			}()
			Quantile(Fixed(1), p)
		}()
	}
}

func TestDrawTakesOneWord(t *testing.T) {
	for _, s := range []Sizes{WebSearch(), Fixed(1), Uniform{1, 3}, mustPareto(t, 1, 1, 9)} {
		a, b := hash.Stream(1, "x"), hash.Stream(1, "x")
		Draw(s, a)
		b.Uint64()
		if a.Uint64() != b.Uint64() {
			t.Errorf("%s does not take one word for a size", s.Name())
		}
	}
}

func ExampleDescribeSizes() {
	if err := DescribeSizes(os.Stdout, WebSearch()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// websearch: mean 1711250 B
	//     0 %             1 B
	//    10 %          6667 B
	//    25 %         25000 B
	//    50 %         73077 B
	//    75 %       1500000 B
	//    90 %       5000000 B
	//    95 %       8571429 B
	//    99 %      23333333 B
	//   100 %      30000000 B
}

func BenchmarkParetoSize(b *testing.B) {
	d := mustPareto(b, 1.2, 1000, 10_000_000)
	b.ReportAllocs()
	var sum unit.Bytes
	for i := range b.N {
		sum += d.Size(uint64(i) * 0x9e3779b97f4a7c15)
	}
	if sum < 0 {
		b.Fatal(sum)
	}
}
