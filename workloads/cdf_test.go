package workloads

import (
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
)

// The means are computed by hand from the points, as the sum of share · midpoint over all lines.
func TestMeans(t *testing.T) {
	tests := []struct {
		sizes Sizes
		want  float64
	}{
		// .15·5000 + .05·15000 + .1·25000 + .1·40000 + .13·65000 + .07·140000 + .1·600000
		// + .1·1500000 + .1·3500000 + .07·7500000 + .03·20000000
		{WebSearch(), 1_711_250},
		// .01·50 + .01·150 + .03·250 + .1·325 + .05·375 + .1·450 + .1·550 + .1·650 + .1·850
		// + .07·1500 + .03·4500 + .02·18500 + .1·40000 + .05·65000 + .03·100000 + .05·210000
		// + .025·650000 + .015·1500000 + .01·6000000
		{Hadoop(), 120_420.75},
		{Fixed(1000), 1000},
		{Uniform{1, 2}, 1.5},
		{mustCDF(t, "0 0\n100 100"), 50},
		{mustCDF(t, "10 50\n20 100"), 12.5},      // half of the flows have 10 B, and the others have 10 to 20 B
		{mustCDF(t, "10 50\n20 50\n20 100"), 15}, // half have 10 B, half 20 B
	}
	for _, tt := range tests {
		if got := tt.sizes.Mean(); got != tt.want {
			t.Errorf("mean of %s is %v, want %v", tt.sizes.Name(), got, tt.want)
		}
	}
}

func mustCDF(t testing.TB, text string) *CDF {
	t.Helper()
	c, err := ReadCDF(strings.NewReader(text), "test")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The test checks quantiles at the points, and midway between them.
func TestQuantile(t *testing.T) {
	tests := []struct {
		sizes Sizes
		p     float64
		want  unit.Bytes
	}{
		// 50000 + 10/13·30000
		{WebSearch(), 0, 1}, {WebSearch(), 0.15, 10_000}, {WebSearch(), 0.175, 15_000}, {WebSearch(), 0.5, 73_077},
		{WebSearch(), 0.97, 10_000_000}, {WebSearch(), 0.985, 20_000_000}, {WebSearch(), 1, 30_000_000},
		{Hadoop(), 0.5, 700}, {Hadoop(), 0.975, 1_000_000}, {Hadoop(), 1, 10_000_000},
		{Fixed(7), 0.3, 7}, {Uniform{1, 4}, 0, 1}, {Uniform{1, 4}, 0.25, 2}, {Uniform{1, 4}, 0.99, 4},
		{Uniform{1, 4}, 1, 4},
		{mustCDF(t, "10 50\n20 50\n20 100"), 0.49, 10}, {mustCDF(t, "10 50\n20 50\n20 100"), 0.51, 20},
	}
	for _, tt := range tests {
		if got := Quantile(tt.sizes, tt.p); got != tt.want {
			t.Errorf("quantile %v of %s is %d, want %d", tt.p, tt.sizes.Name(), got, tt.want)
		}
	}
}

// The table of distributions agrees with the embedded files.
func TestSources(t *testing.T) {
	table, err := os.ReadFile("cdf/SOURCES.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := cdfFiles.ReadDir("cdf")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := cdfFiles.ReadFile("cdf/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		if row := fmt.Sprintf("`%s`", f.Name()); !strings.Contains(string(table), row) {
			t.Errorf("SOURCES.md has no row for %s", row)
		}
		if sum := fmt.Sprintf("%x", sha256.Sum256(data)); !strings.Contains(string(table), sum) {
			t.Errorf("SOURCES.md has no row with the hash of %s, %s", f.Name(), sum)
		}
	}
}

func TestReadCDFErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", "f: no points, want lines of bytes cumulative_share"},
		{"# only a comment\n\n", "f: no points, want lines of bytes cumulative_share"},
		{"0 0\n100", "f:2: 1 column, want 2 in every line: bytes cumulative_share, or 3 …"},
		{"0 0 0 0", "f:1: 4 columns, want 2 in every line: bytes cumulative_share, or 3 …"},
		{"0 0 0\n100 100", "f:2: 2 columns, want 2 in every line: bytes cumulative_share, or 3 …"},
		{"0 1 0\n10 7 100", `f:2: count "7", want the number of this point, 2, or the same count in every line …`},
		{"size,cdf\nbytes,share\n10,1", `f:2: size "bytes", want a whole number of bytes`},
		{"1 2\n3\n", "f:2: 1 column …"},
		{"10\n20\n", "f:2: 1 column …"},
		{"1.5 0", `f:1: size "1.5", want a whole number of bytes`},
		{"99999999999999999999 0", `f:1: size "99999999999999999999", want a whole number of bytes`},
		{"-1 0", "f:1: size -1, want >= 0"},
		{"9000000000000000000 0", "f:1: size 9000000000000000000, want <= 1125899906842624"},
		{"1 -5", `f:1: cumulative share "-5" … decimal number >= 0`},
		{"1 NaN", `f:1: cumulative share "NaN" … decimal number >= 0`},
		{"1 100.5", "f:1: cumulative share 100.5 %, want 0 to 100"},
		{"1,500 50\n2,500 100", "f:1: two different separators, want one: is the comma part of a number?"},
		{"1 1e30", `f:1: cumulative share "1e30" is too large, want at most 9223`},
		{"# sizes\n0 0\n100 50 # half\n50 100", "f:4: size 50 after 100, want ascending sizes"},
		{"0 0\n100 50\n200 40", "f:3: cumulative share 40 % after 50 %, want ascending shares"},
		{"0 0\n100 50\n100 50", "f:3: …"},
		{"0 0\n100 50", "f:2: the last cumulative share is 50 %, want 100"},
		{"0 0\n100 0.5", "f:2: the last cumulative share is 50 %, want 100"},
		{"0 0\n100 99.99999", "f:2: the last cumulative share is 99.99999 %, want 100"},
		{"0 0.5\n10 60\n100 1\n", "f:2: cumulative share 60, want 0 to 1, because the last share is a fraction"},
		{"0 100", "f:1: all flows have 0 bytes, want a largest size >= 1"},
		{strings.Repeat("1", 70_000), "f:1: line longer than 65536 bytes"},
	}
	for _, tt := range tests {
		_, err := ReadCDF(strings.NewReader(tt.text), "f")
		if !errtest.Says(err, tt.want) {
			t.Errorf("%.40q: error %v, want %s", tt.text, err, tt.want)
		}
	}
}

// The test reads one distribution in the formats of published files. Half of the flows have at most 1000 B, and all
// have at most 4000 B, so the mean is 0.5·500 + 0.5·2500.
func TestReadCDFForms(t *testing.T) {
	percent, fraction := []string{"0", "50", "100"}, []string{"0", "0.5", "1"}
	sizes := []string{"0", "1000", "4000"}
	join := func(shares []string, form string) (text string) {
		for i := range sizes {
			text += fmt.Sprintf(form, sizes[i], shares[i], i+1)
		}
		return text
	}
	for _, text := range []string{
		join(percent, "%[1]s %[2]s\n"),                                      // format of the HPCC simulators
		join(fraction, "%[1]s %[2]s\n"),                                     // most others
		join(fraction, "%[1]s,%[2]s\n"),                                     // tables
		join(percent, "%[1]s,%[2]s\n"),                                      // of percentages
		join(fraction, "%[1]s, %[2]s\r\n"),                                  // with spaces, from Windows
		join(fraction, "%[1]s\t%[2]s\n"),                                    // with tabs
		join(fraction, "%[1]s;%[2]s\n"),                                     // with semicolons
		join(fraction, "  %[1]s     %[2]s  \n"),                             // aligned
		join(fraction, "%[1]s,%[2]s,\n"),                                    // with a comma at the end
		strings.TrimSpace(join(fraction, "%[1]s %[2]s\n")),                  // without the last end of line
		"size,cdf\n" + join(fraction, "%[1]s,%[2]s\n"),                      // with a header
		"\ufeffFlow Size (B),CDF\n" + join(percent, "%[1]s,%[2]s\n"),        // from a spreadsheet
		"\"bytes\" \"probability\"\n" + join(fraction, "%[1]s %[2]s\n"),     // of R
		"# bytes share\n\n" + join(fraction, "%[1]s %[2]s # point %[3]d\n"), // with comments
		join(fraction, "%[1]s %[3]d %[2]s\n"),                               // ns-2, counted
		join(fraction, "%[1]s 1 %[2]s\n"),                                   // format of ns-2, without counts
		join(percent, "%[1]s,%[3]d,%[2]s\n"),                                // the same as a table
		"size count cdf\n" + join(fraction, "%[1]s %[3]d %[2]s\n"),          // with a header
		"1500\n" + join(fraction, "%[1]s %[2]s\n"),                          // with the mean, as in Homa's files
		"0 0\n1e+03 0.5\n4e+03 1\n",                                         // powers of ten
		"0.0 0.0\n1000.0 0.5\n4000.0 1.0\n",                                 // doubles
		"0 0\n1000 5e-1\n4000 1e0\n",                                        // shares with exponents
		"0 0\n1000 50\n4000 99.99999999999999\n",                            // sums of percentages
		"0 0\n1000 0.5\n4000 1.0000000000000002\n",                          // sums of fractions
		"0 0\n1000 0.5\n4000 1\n5000 1\n",                                   // and a last line without flows
	} {
		c, err := ReadCDF(strings.NewReader(text), "f")
		if err != nil || c.Mean() != 1500 || c.Size(0) != 1 {
			t.Errorf("%q: %+v, %v, want mean 1500", text, c, err)
		}
	}
}

func TestNewCDFErrors(t *testing.T) {
	tests := []struct {
		points []Point
		want   string
	}{
		{nil, `workloads: CDF "x" has no points`},
		{[]Point{{10, allOfIt / 2}, {5, allOfIt}},
			`workloads: CDF "x", point 2: size 5 after 10, want ascending sizes`},
		{[]Point{{10, allOfIt / 2}}, `workloads: CDF "x": the last cumulative share is 50 %, want 100`},
	}
	for _, tt := range tests {
		if _, err := NewCDF("x", tt.points); !errtest.Says(err, tt.want) {
			t.Errorf("%v: error %v, want %s", tt.points, err, tt.want)
		}
	}
}

// anyCDF draws a valid list of points.
func anyCDF(t *rapid.T) []Point {
	n := rapid.IntRange(0, 8).Draw(t, "inner points")
	points := make([]Point, 0, n+1)
	size, share := int64(0), int64(0)
	for i := range n + 1 {
		ds := rapid.Int64Range(0, 1<<40).Draw(t, "size step")
		dp := rapid.Int64Range(0, allOfIt/8).Draw(t, "share step")
		if i > 0 && ds == 0 && dp == 0 {
			ds = 1
		}
		size, share = size+ds, min(share+dp, allOfIt)
		if i == n {
			size, share = size+1, allOfIt
		}
		points = append(points, Point{unit.Bytes(size), share})
	}
	return points
}

func TestCDFRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, err := NewCDF("x", anyCDF(t))
		if err != nil {
			// the draw has two points at 100 % with the same size
			t.Skipf("needs another draw, this one is no distribution: %v", err)
		}
		var b strings.Builder
		if err := WriteCDF(&b, c); err != nil {
			t.Fatal(err)
		}
		back, err := ReadCDF(strings.NewReader(b.String()), "x")
		if err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		if fmt.Sprint(back.Points()) != fmt.Sprint(c.Points()) || back.Mean() != c.Mean() {
			t.Fatalf("wrote %v (mean %v), read %v (mean %v)", c.Points(), c.Mean(), back.Points(), back.Mean())
		}
	})
}

// Size is monotone, within the range, and within a byte (plus rounding errors) of the straight line that the formula
// describes in floating point.
func TestCDFSizeProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, err := NewCDF("x", anyCDF(t))
		if err != nil {
			t.Skipf("needs another draw, this one is no distribution: %v", err)
		}
		points := c.Points()
		u := rapid.Uint64().Draw(t, "u")
		v := rapid.Uint64Min(u).Draw(t, "v")
		small, large := c.Size(u), c.Size(v)
		if small > large {
			t.Fatalf("Size(%d) = %d > Size(%d) = %d", u, small, v, large)
		}
		if lo, hi := max(1, points[0].Size), points[len(points)-1].Size; small < lo || large > hi {
			t.Fatalf("sizes %d, %d outside [%d, %d]", small, large, lo, hi)
		}
		q := float64(u) / (1 << 64) * allOfIt
		for i := 1; i < len(points); i++ {
			a, b := points[i-1], points[i]
			if width := float64(b.Cumulative - a.Cumulative); q > float64(a.Cumulative)+1e4 &&
				q < float64(b.Cumulative)-1e4 && width > 1e9 {
				line := float64(a.Size) + (q-float64(a.Cumulative))/width*float64(b.Size-a.Size)
				if tol := 1 + float64(b.Size-a.Size)*1e-4; math.Abs(float64(small)-line) > tol {
					t.Fatalf("Size(%d) = %d, the line gives %v", u, small, line)
				}
			}
		}
	})
}

func FuzzReadCDF(f *testing.F) {
	for _, s := range []string{"0 0\n10000 15\n30000000 100\n", "1 1\n1 100", "0 0\n1 1", "5 1e2", "# c\n\n7 100 #",
		"size,cdf\n0,0\n1e3,0.5\n2e3,1\n", "0 1 0\n10 2 1", "1744.68\n1 0.5\n9 1", "1;0.1\n2;0.9999999999999999",
		"0 0\n1125899906842624 100", "1 99.9999999999999999\n2 100"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ReadCDF(strings.NewReader(text), "f")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("error without the file's name: %v", err)
			}
			return
		}
		if small, large := c.Size(0), c.Size(math.MaxUint64); small < 1 || large < small {
			t.Errorf("%q: sizes from %d to %d", text, small, large)
		}
		var b strings.Builder
		if err := WriteCDF(&b, c); err != nil {
			t.Fatal(err)
		}
		back, err := ReadCDF(strings.NewReader(b.String()), "f")
		if err != nil || back.Mean() != c.Mean() {
			t.Errorf("%q was written as %q, which gives %v", text, b.String(), err)
		}
	})
}

func BenchmarkCDFSize(b *testing.B) {
	c := WebSearch()
	b.ReportAllocs()
	var sum unit.Bytes
	for i := range b.N {
		sum += c.Size(uint64(i) * 0x9e3779b97f4a7c15)
	}
	if sum < 0 {
		b.Fatal(sum)
	}
}
