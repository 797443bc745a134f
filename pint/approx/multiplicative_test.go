package approx

import (
	"flag"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/errtest"
	"pintlab/internal/hash"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with the file testdata/name.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("differs from %s (rewrite with -update):\n%s", file, got)
	}
}

func mustNew(t testing.TB, c Config) *Multiplicative {
	t.Helper()
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func withRounding(c Config, r Rounding) Config {
	c.Rounding = r
	return c
}

// The numbers in §4.3.
func TestPaperNumbers(t *testing.T) {
	if got := Base(0.025); math.Abs(got-1.050625) > 1e-15 {
		t.Errorf("(1+0.025)² = %v, want 1.050625", got)
	}
	// "If we want to compress a 32-bit value into 16 bits, we can set ε = 0.0025":
	// 4443 codes cover 1 to 2^32-1, so 13 bits would do.
	n := CodesFor(Base(0.0025), 1, 1<<32-1)
	if want := 1 + int(math.Ceil(32*math.Ln2/(2*math.Log(1.0025)))); n != want || n > 1<<16 {
		t.Errorf("32-bit values need %d codes at ε = 0.0025, want %d, at most 65536", n, want)
	}
	m := mustNew(t, Config{Base: Base(0.0025), Min: 1, Codes: n})
	for _, v := range []float64{1, 2, 1000, 65535, 1e9, 1<<32 - 1} {
		if r := m.Decode(m.Encode(v, 0)) / v; r > 1.0025 || r < 1/1.0025 {
			t.Errorf("%v is decoded as %v times itself, beyond 1+ε = 1.0025", v, r)
		}
	}
	// "In practice, we just need 8 bits to support ε = 0.025": the codes cover 1/512 to far above
	// any load that HPCC meets.
	u := mustNew(t, Utilization())
	if low, high := u.Range(); u.Bits() != 8 || low != 1.0/512 || math.Abs(high-575.3) > 0.1 {
		t.Errorf("U's code has %d bits for %v to %v, want 8 for 1/512 to 575", u.Bits(), low, high)
	}
}

// Every code decodes to the value of exact arithmetic, within the 255 roundings of the table.
func TestTableAgainstExactArithmetic(t *testing.T) {
	m := mustNew(t, Utilization())
	base := new(big.Float).SetPrec(400).SetFloat64(m.Config().Base)
	v := new(big.Float).SetPrec(400).SetFloat64(1.0 / 512)
	for code := range uint32(256) {
		want, _ := v.Float64()
		if rel := math.Abs(m.Decode(code)/want - 1); rel > float64(code+1)*0x1p-53 {
			t.Errorf("code %d: %v, exact %v", code, m.Decode(code), want)
		}
		v.Mul(v, base)
	}
}

// slowEncode encodes like Encode, but with the logarithms of package math, and without look-up tables and fast paths.
func slowEncode(m *Multiplicative, v float64, word uint64) uint32 {
	top := uint32(m.Config().Codes - 1)
	if !(v > m.Decode(0)) {
		return 0
	}
	code := uint32(0)
	for code < top && m.Decode(code+1) <= v {
		code++
	}
	if code == top {
		return top
	}
	low, high := m.Decode(code), m.Decode(code+1)
	p := 0.0
	switch m.Config().Rounding {
	case UnbiasedLog:
		p = math.Log(v/low) / math.Log(high/low)
	case UnbiasedValue:
		p = (v - low) / (high - low)
	case Nearest:
		if v/low >= high/v {
			p = 1
		}
	}
	if float64(word>>11)/(1<<53) < p {
		code++
	}
	return code
}

func drawConfig(t *rapid.T) Config {
	return Config{
		Base:     Base(rapid.Float64Range(0.0005, 2).Draw(t, "eps")),
		Min:      rapid.SampledFrom([]float64{1.0 / 512, 1, 1000, 0.3}).Draw(t, "min"),
		Codes:    rapid.IntRange(2, 300).Draw(t, "codes"),
		Rounding: Rounding(rapid.IntRange(0, 2).Draw(t, "rounding")),
	}
}

// drawValue draws a value log-uniformly over the range of m and a little beyond it.
func drawValue(t *rapid.T, m *Multiplicative, name string) float64 {
	low, high := m.Range()
	f := rapid.Float64Range(-0.1, 1.1).Draw(t, name)
	return low * math.Pow(high/low, f)
}

func TestEncodeAgainstSlow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, err := New(drawConfig(t))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			v := drawValue(t, m, "v")
			word := hash.Mix64(rapid.Uint64().Draw(t, "word") + uint64(i))
			if code, _ := m.up(v); m.Config().Rounding == Nearest &&
				math.Abs(v/m.Decode(code)/math.Sqrt(m.Config().Base)-1) < 1e-12 {
				continue // exactly at the border both codes are equally near
			}
			if got, want := m.Encode(v, word), slowEncode(m, v, word); got != want {
				t.Fatalf("%+v: Encode(%v, %#x) = %d, want %d", m.Config(), v, word, got, want)
			}
		}
	})
}

// Nearest errs by at most a factor 1+ε, and the random modes by at most (1+ε)². For a fixed word, every mode is
// monotone in the value. Values outside the range get the first or the last code.
func TestGuarantee(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, err := New(drawConfig(t))
		if err != nil {
			t.Fatal(err)
		}
		low, high := m.Range()
		word := rapid.Uint64().Draw(t, "word")
		v, w := drawValue(t, m, "v"), drawValue(t, m, "w")
		if v > w {
			v, w = w, v
		}
		a, b := m.Encode(v, word), m.Encode(w, word)
		if a > b {
			t.Fatalf("%+v: %v has code %d, %v has code %d", m.Config(), v, a, w, b)
		}
		if v < low && a != 0 {
			t.Fatalf("%v below %v has code %d, want 0", v, low, a)
		}
		if w >= high && b != uint32(m.Config().Codes-1) {
			t.Fatalf("%v above %v has code %d, want the last", w, high, b)
		}
		bound := math.Sqrt(m.Config().Base)
		if m.Config().Rounding != Nearest {
			bound = m.Config().Base
		}
		bound *= 1 + 1e-12
		if v >= low && v <= high {
			if r := m.Decode(a) / v; r > bound || r < 1/bound {
				t.Fatalf("%+v: %v decoded as %v, ratio %v beyond %v", m.Config(), v, m.Decode(a), r, bound)
			}
		}
	})
}

func TestEncodeDecodedIsIdentity(t *testing.T) {
	for _, r := range []Rounding{Nearest, UnbiasedLog, UnbiasedValue} {
		m := mustNew(t, withRounding(Utilization(), r))
		for code := range uint32(256) {
			for _, word := range []uint64{0, 1 << 63, ^uint64(0)} {
				if got := m.Encode(m.Decode(code), word); got != code {
					t.Errorf("%v: Encode(Decode(%d), %#x) = %d", r, code, word, got)
				}
			}
		}
	}
}

func TestSaturation(t *testing.T) {
	for _, r := range []Rounding{Nearest, UnbiasedLog, UnbiasedValue} {
		m := mustNew(t, withRounding(Utilization(), r))
		for _, tt := range []struct {
			v    float64
			want uint32
		}{
			{0, 0}, {-1, 0}, {math.Inf(-1), 0}, {math.NaN(), 0}, {1e-300, 0}, {1.0 / 513, 0}, {1.0 / 512, 0},
			{1e6, 255}, {math.MaxFloat64, 255}, {math.Inf(1), 255},
		} {
			if got := m.Encode(tt.v, 0); got != tt.want {
				t.Errorf("%v: Encode(%v) = %d, want %d", r, tt.v, got, tt.want)
			}
		}
	}
}

// Encode rounds up exactly if the word, as a fraction, is below the probability that up returns.
func TestUpIsTheProbability(t *testing.T) {
	for _, r := range []Rounding{UnbiasedLog, UnbiasedValue} {
		m := mustNew(t, withRounding(Utilization(), r))
		for i := range 1000 {
			v := 0.002 + 0.0031*float64(i)
			code, p := m.up(v)
			word := uint64(math.Ceil(p*(1<<53))) << 11 // first multiple of 2^-53 that is not below p
			if p > 0 && m.Encode(v, word-1<<11) != code+1 {
				t.Errorf("%v: %v with a word just below %v is not rounded up", r, v, p)
			}
			if p < 1 && m.Encode(v, word) != code {
				t.Errorf("%v: %v with a word at %v is not rounded down", r, v, p)
			}
		}
	}
}

// With UnbiasedLog the expected code is the logarithm, and with UnbiasedValue the expected decoded value is the value.
// The test computes both expectations instead of sampling them, so they are exact up to rounding.
func TestUnbiased(t *testing.T) {
	for _, base := range []float64{1.05, Base(0.025), 2.0823} {
		log := mustNew(t, Config{Base: base, Min: 1.0 / 512, Codes: 200, Rounding: UnbiasedLog})
		val := mustNew(t, withRounding(log.Config(), UnbiasedValue))
		for i := range 2000 {
			v := 0.00196 + 0.00171*float64(i)
			code, p := log.up(v)
			if got, want := float64(code)+p, math.Log(v*512)/math.Log(base); math.Abs(got-want) > 1e-10 {
				t.Errorf("base %v: expected code of %v is %v, logarithm %v", base, v, got, want)
			}
			if got := val.Expected(v); math.Abs(got/v-1) > 1e-14 {
				t.Errorf("base %v: expected value of %v is %v", base, v, got)
			}
		}
	}
}

// §4.3's [·]_R is unbiased for the logarithm. The expected value is too large by at most ln²((1+ε)²)/8, which is 0.0305
// % at ε = 0.025; the paper prints "0.03 %".
func TestBiasOfLogRounding(t *testing.T) {
	m := mustNew(t, Utilization())
	worst := 0.0
	for i := range 10_000 {
		v := 1 + float64(i)*1e-5 // two steps of codes
		bias := m.Expected(v)/v - 1
		if bias < -1e-14 {
			t.Errorf("bias of %v is %v, want none below 0 (the exponential is convex)", v, bias)
		}
		worst = max(worst, bias)
	}
	l := math.Log(1.050625)
	if got := fmt.Sprintf("%.2f %%", 100*worst); got != "0.03 %" || math.Abs(worst/(l*l/8)-1) > 1e-3 {
		t.Errorf("largest bias %v (%s), want %v", worst, got, l*l/8)
	}
	mean, w := m.MaxBias(1, 1000)
	if math.Abs(w-worst) > 1e-7 || math.Abs(mean-worst*2/3) > 1e-6 { // the mean of a parabola is 2/3 of its maximum
		t.Errorf("MaxBias(1) = %v, %v; want %v, %v", mean, w, worst*2/3, worst)
	}
}

// slowExpectedMax computes ExpectedMax from all outcomes.
func slowExpectedMax(m *Multiplicative, values []float64) float64 {
	e := 0.0
	for outcome := range 1 << len(values) {
		weight, top := 1.0, uint32(0)
		for i, v := range values {
			code, p := m.up(v)
			if outcome>>i&1 == 1 {
				weight *= p
				code++
			} else {
				weight *= 1 - p
			}
			if weight == 0 {
				break
			}
			top = max(top, code)
		}
		if weight > 0 {
			e += weight * m.Decode(top)
		}
	}
	return e
}

func TestExpectedMaxAgainstAllOutcomes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, err := New(drawConfig(t))
		if err != nil {
			t.Fatal(err)
		}
		low, high := m.Range()
		v := low * math.Pow(high/low, rapid.Float64Range(0, 1).Draw(t, "v"))
		values := make([]float64, rapid.IntRange(1, 6).Draw(t, "hops"))
		for i := range values {
			values[i] = v * rapid.Float64Range(1, 1+2*(m.Config().Base-1)).Draw(t, "factor")
		}
		got, want := m.ExpectedMax(values...), slowExpectedMax(m, values)
		if math.Abs(got/want-1) > 1e-12 {
			t.Fatalf("%+v: ExpectedMax(%v) = %v, want %v", m.Config(), values, got, want)
		}
	})
}

// A maximum of independently rounded codes is too large on average. The bias grows with the number of equally loaded
// hops, and approaches one step of codes from below.
func TestBiasOfTheMaximum(t *testing.T) {
	var b strings.Builder
	b.WriteString("Upward bias of the maximum of k codes of the same load, percent:\n" +
		"mean and worst over the position of the load between two codes.\n")
	b.WriteString("The words of the k hops are independent; with one word for all hops the row k = 1 holds.\n\n")
	fmt.Fprintf(&b, "%4s  %21s  %21s  %21s\n", "k", "log, base 1.050625", "value, base 1.050625", "value, base 1.05")
	last := 0.0
	for _, k := range []int{1, 2, 3, 5, 7, 10, 60} {
		fmt.Fprintf(&b, "%4d", k)
		for i, c := range []Config{
			Utilization(),
			withRounding(Utilization(), UnbiasedValue),
			{Base: 1.05, Min: 1.0 / 512, Codes: 256, Rounding: UnbiasedValue},
		} {
			mean, worst := mustNew(t, c).MaxBias(k, 1000)
			fmt.Fprintf(&b, "  %10.4f %10.4f", 100*mean, 100*worst)
			if i == 0 {
				if mean <= last || worst >= c.Base-1 {
					t.Errorf("k = %d: mean %v, worst %v; want growth and less than a level", k, mean, worst)
				}
				last = mean
			}
		}
		b.WriteByte('\n')
	}
	golden(t, "max_bias.txt", b.String())
}

// With one word per packet, rounding commutes with max, so the bias is the same as for a single code.
func TestSharedWordCommutesWithMax(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, err := New(drawConfig(t))
		if err != nil {
			t.Fatal(err)
		}
		word := rapid.Uint64().Draw(t, "word")
		v, w := drawValue(t, m, "v"), drawValue(t, m, "w")
		if got, want := max(m.Encode(v, word), m.Encode(w, word)), m.Encode(max(v, w), word); got != want {
			t.Fatalf("largest code %d, code of the largest %d", got, want)
		}
	})
}

func TestGoldenUtilizationCodes(t *testing.T) {
	var b strings.Builder
	b.WriteString("HPCC's U in 8 bits: code, value at (1+0.025)² = 1.050625, value at base 1.05.\n\n")
	paper := mustNew(t, Utilization())
	ns3 := mustNew(t, Config{Base: 1.05, Min: 1.0 / 512, Codes: 256, Rounding: UnbiasedValue})
	for code := range uint32(256) {
		fmt.Fprintf(&b, "%3d  %-22v %v\n", code, paper.Decode(code), ns3.Decode(code))
	}
	golden(t, "utilization_codes.txt", b.String())
}

// The golden file lists encodings of selected loads in all rounding modes, for small and large words.
func TestGoldenEncodings(t *testing.T) {
	words := []uint64{0, 1 << 62, 1 << 63, 3 << 62, ^uint64(0)}
	var b strings.Builder
	b.WriteString("Codes of U at ε = 0.025, with the random word at 0, 1/4, 1/2, 3/4 and 1-2^-64.\n\n")
	fmt.Fprintf(&b, "%-8s  %-7s  %-19s  %-19s\n", "U", "nearest", "log", "value")
	for _, v := range []float64{0, 0.001, 1.0 / 512, 0.002, 0.003, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1, 1.05,
		1.5, 2, 4, 10, 100, 575, 600} {
		fmt.Fprintf(&b, "%-8.5g", v)
		for _, r := range []Rounding{Nearest, UnbiasedLog, UnbiasedValue} {
			m := mustNew(t, withRounding(Utilization(), r))
			if r == Nearest {
				fmt.Fprintf(&b, "  %7d ", m.Encode(v, 0))
				continue
			}
			for _, w := range words {
				fmt.Fprintf(&b, " %3d", m.Encode(v, w))
			}
			b.WriteString("  ")
		}
		s := strings.TrimRight(b.String(), " ")
		b.Reset()
		b.WriteString(s + "\n")
	}
	golden(t, "encodings.txt", b.String())
}

func TestCodesFor(t *testing.T) {
	for _, tt := range []struct {
		base, low, high float64
		want            int
	}{
		{2, 1, 1, 1}, {2, 1, 8, 4}, {2, 1, 8.1, 5},
		{1, 1, 2, 0}, {2, 0, 1, 0}, {2, 2, 1, 0}, {2, 1, math.Inf(1), 0}, {math.NaN(), 1, 2, 0},
		{1 + 1e-6, 1, 2, 0}, // 693 148 codes
	} {
		if got := CodesFor(tt.base, tt.low, tt.high); got != tt.want {
			t.Errorf("CodesFor(%v, %v, %v) = %d, want %d", tt.base, tt.low, tt.high, got, tt.want)
		}
	}
}

func TestCover(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(0.001, 1000).Draw(t, "low")
		high := low * rapid.Float64Range(1.01, 1e9).Draw(t, "ratio")
		bits := rapid.IntRange(1, 12).Draw(t, "bits")
		c, err := Cover(low, high, bits)
		if err != nil {
			t.Fatal(err)
		}
		values := c.values()
		if top := values[len(values)-1]; top < high || top > high*(1+1e-11) {
			t.Fatalf("Cover(%v, %v, %d) ends at %v", low, high, bits, top)
		}
	})
}

func TestConfigErrors(t *testing.T) {
	good := Utilization()
	tests := []struct {
		edit func(*Config)
		want string
	}{
		{func(c *Config) { c.Base = 1 }, "approx: bad multiplicative code: base = 1, … number … 1"},
		{func(c *Config) { c.Base = math.NaN() }, "approx: bad multiplicative code: base = NaN, … number … 1"},
		{func(c *Config) { c.Min = 0 }, "approx: bad multiplicative code: min = 0, want a positive number"},
		{func(c *Config) { c.Codes = 1 << 17 }, "approx: bad multiplicative code: codes = 131072, want 2 to 65536"},
		{func(c *Config) { c.Rounding = 9; c.Codes = 1 },
			"approx: bad multiplicative code: codes = 1, want 2 to 65536\nrounding = 9, want nearest, log or value"},
		{func(c *Config) { c.Base = 1e10 },
			"approx: bad multiplicative code: code 32 of 256 exceeds the largest float64"},
		{func(c *Config) { c.Base = 1 + 0x1p-52; c.Min = 1.7 }, ""},
	}
	for i, tt := range tests {
		c := good
		tt.edit(&c)
		_, err := New(c)
		if tt.want != "" && !errtest.Says(err, tt.want) {
			t.Errorf("%d: %v\nwant %s", i, err, tt.want)
		} else if tt.want == "" && err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
	for _, tt := range []struct {
		low, high float64
		bits      int
		want      string
	}{
		{1, 2, 0, "approx: 0 bits: want 1 to 16"},
		{1, 2, 17, "approx: 17 bits: want 1 to 16"},
		{2, 1, 8, "approx: range 2 to 1: want 0 < low < high"},
		{0, 1, 8, "approx: range 0 to 1: want 0 < low < high"},
		{1e-300, 1e300, 1, "approx: range 1e-300 to 1e+300: too wide for 1 bit"},
	} {
		if _, err := Cover(tt.low, tt.high, tt.bits); !errtest.Says(err, tt.want) {
			t.Errorf("Cover(%v, %v, %d): %v, want %s", tt.low, tt.high, tt.bits, err, tt.want)
		}
	}
}

func TestRoundingNames(t *testing.T) {
	for _, r := range []Rounding{Nearest, UnbiasedLog, UnbiasedValue} {
		text, err := r.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var back Rounding
		if err := back.UnmarshalText(text); err != nil || back != r {
			t.Errorf("%q -> %v, %v", text, back, err)
		}
	}
	if _, err := ParseRounding("up"); !errtest.Says(err, `rounding "up": want nearest, log or value`) {
		t.Errorf("ParseRounding(up): %v", err)
	}
}

func FuzzEncode(f *testing.F) {
	f.Add(1.05, 1.0/512, 256, uint8(1), 0.95, uint64(1))
	f.Add(2.0, 1.0, 16, uint8(0), 1e300, uint64(0))
	f.Add(1.0000001, 1e-300, 65536, uint8(2), math.NaN(), uint64(7))
	f.Fuzz(func(t *testing.T, base, least float64, codes int, r uint8, v float64, word uint64) {
		m, err := New(Config{Base: base, Min: least, Codes: codes % 4096, Rounding: Rounding(r)})
		if err != nil {
			return
		}
		if code := m.Encode(v, word); int(code) >= m.Config().Codes {
			t.Errorf("code %d of %d", code, m.Config().Codes)
		}
	})
}

func TestEncodeAllocatesNothing(t *testing.T) {
	m := mustNew(t, Utilization())
	sum := uint32(0)
	if n := testing.AllocsPerRun(100, func() { sum += m.Encode(0.95, 12345) }); n != 0 {
		t.Errorf("Encode allocates %v times", n)
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, c := range []Config{
		Utilization(), withRounding(Utilization(), UnbiasedValue), withRounding(Utilization(), Nearest),
		{Base: Base(0.0025), Min: 1, Codes: 4443, Rounding: UnbiasedLog},
	} {
		b.Run(fmt.Sprintf("%v/%d", c.Rounding, c.Codes), func(b *testing.B) {
			m := mustNew(b, c)
			values := make([]float64, 1024)
			for i := range values {
				values[i] = c.Min + 2*hash.Unit(hash.Mix64(uint64(i)))
			}
			b.ReportAllocs()
			sum := uint32(0)
			for i := range b.N {
				sum += m.Encode(values[i&1023], uint64(i)*0x9e3779b97f4a7c15)
			}
			sink = sum
		})
	}
}

var sink uint32
