package approx

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/errtest"
	"pintlab/internal/hash"
)

func mustSum(t testing.TB, c SumConfig) *Sum {
	t.Helper()
	s, err := NewSum(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// distribution returns the exact probability of every code after adding the weights.
func distribution(s *Sum, weights []uint64) []float64 {
	p := make([]float64, s.Codes())
	p[0] = 1
	for _, w := range weights {
		q := make([]float64, len(p))
		for code, weight := range p {
			if weight == 0 {
				continue
			}
			next, up := s.up(uint32(code), w)
			q[next] += weight * (1 - up)
			if up > 0 {
				q[next+1] += weight * up
			}
		}
		p = q
	}
	return p
}

// With growth 1, the codes represent 0, 1, 3, 7, 15, …, as in Morris's counter with base 2.
func TestSumByHand(t *testing.T) {
	s := mustSum(t, SumConfig{Growth: 1, Max: 15})
	if s.Codes() != 5 || s.Bits() != 3 {
		t.Fatalf("%d codes, %d bits; want 5 and 3", s.Codes(), s.Bits())
	}
	for code, want := range []float64{0, 1, 3, 7, 15} {
		if got := s.Decode(uint32(code)); got != want {
			t.Errorf("code %d stands for %v, want %v", code, got, want)
		}
	}
	for _, tt := range []struct {
		code uint32
		w    uint64
		word uint64
		want uint32
	}{
		{0, 1, 0, 1},             // 0+1 = 1 exactly,
		{0, 1, ^uint64(0), 1},    // for any word
		{1, 1, 1<<63 - 1<<11, 2}, // 1+1 = 2, half way from 1 to 3: up if the word is below 1/2,
		{1, 1, 1 << 63, 1},       // otherwise down
		{2, 1, 1<<62 - 1<<11, 3}, // 3+1 = 4, a quarter of the way from 3 to 7
		{2, 1, 1 << 62, 2},
		{0, 14, 7<<61 - 1<<11, 4}, // 14, seven eighths of the way from 7 to 15
		{0, 14, 7 << 61, 3},
		{2, 4, ^uint64(0), 3}, // 3+4 = 7 exactly
		{2, 0, 0, 2},          // nothing added
		{0, 15, ^uint64(0), 4},
		{4, 1, 0, 4}, // saturated
		{3, 1000, 0, 4},
		{0, 1<<64 - 1, 0, 4},
	} {
		if got := s.Add(tt.code, tt.w, tt.word); got != tt.want {
			t.Errorf("Add(%d, %d, %#x) = %d, want %d", tt.code, tt.w, tt.word, got, tt.want)
		}
	}
}

// If every value has a code, the counter is exact and ignores the word.
func TestSumWithoutGrowthIsExact(t *testing.T) {
	c, err := CoverSum(200, 8)
	if err != nil || c.Growth != 0 {
		t.Fatalf("%+v, %v; want growth 0: 8 bits hold 200", c, err)
	}
	s := mustSum(t, c)
	code, sum := uint32(0), uint64(0)
	for i := range uint64(15) {
		code = s.Add(code, i, hash.Mix64(i+1))
		sum += i
		if s.Decode(code) != float64(sum) {
			t.Fatalf("after adding %d: %v, want %d", i, s.Decode(code), sum)
		}
	}
}

// The test computes the exact distribution. Its mean is the sum. Its variance and its probability of an error above ε
// are within the bounds of the guarantee (2a·n² for the variance).
func TestSumGuarantee(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		eps := rapid.Float64Range(0.05, 1).Draw(t, "eps")
		delta := rapid.Float64Range(0.02, 0.5).Draw(t, "delta")
		weight := rapid.OneOf(rapid.Uint64Range(0, 3), rapid.Uint64Range(0, 5000))
		weights := rapid.SliceOfN(weight, 1, 30).Draw(t, "weights")
		n := uint64(0)
		for _, w := range weights {
			n += w
		}
		if n == 0 {
			return
		}
		// The range is so large that saturation has a negligible probability.
		s, err := NewSum(SumConfig{Growth: eps * eps * delta / 2, Max: 50 * n})
		if err != nil {
			t.Skipf("needs another draw, no sum of such weights has that growth: %v", err)
		}
		mean, variance, wrong := 0.0, 0.0, 0.0
		for code, p := range distribution(s, weights) {
			v := s.Decode(uint32(code))
			mean += p * v
			variance += p * (v - float64(n)) * (v - float64(n))
			if math.Abs(v-float64(n)) > eps*float64(n) {
				wrong += p
			}
		}
		if math.Abs(mean/float64(n)-1) > 1e-9 {
			t.Fatalf("mean %v, sum %d", mean, n)
		}
		if bound := 2 * s.Config().Growth * float64(n) * float64(n); variance > bound*(1+1e-9)+1e-9 {
			t.Fatalf("variance %v of the sum %d, bound %v", variance, n, bound)
		}
		if wrong > delta {
			t.Fatalf("error above %v with probability %v, want at most %v", eps, wrong, delta)
		}
	})
}

// The test computes the bound and the exact error of hop counters with few bits.
func TestGoldenSums(t *testing.T) {
	var b strings.Builder
	b.WriteString("Sum of 5 hop latencies of 12 µs, in ns, with a counter up to 300 µs:\n")
	b.WriteString("growth, exact relative standard deviation, and the bound √(2·growth).\n\n")
	fmt.Fprintf(&b, "%4s  %10s  %9s  %9s\n", "bits", "growth", "deviation", "bound")
	for _, bits := range []int{4, 8, 12, 16} {
		c, err := CoverSum(300_000, bits)
		if err != nil {
			t.Fatal(err)
		}
		s := mustSum(t, c)
		variance := 0.0
		for code, p := range distribution(s, []uint64{12_000, 12_000, 12_000, 12_000, 12_000}) {
			d := s.Decode(uint32(code))/60_000 - 1
			variance += p * d * d
		}
		fmt.Fprintf(&b, "%4d  %10.3g  %9.5f  %9.5f\n", bits, c.Growth, math.Sqrt(variance), s.Eps(1))
		if math.Sqrt(variance) > s.Eps(1) {
			t.Errorf("%d bits: deviation %v above the bound %v", bits, math.Sqrt(variance), s.Eps(1))
		}
	}
	golden(t, "sums.txt", b.String())
}

// productDistribution returns the exact probability of every code after multiplication by the factors.
func productDistribution(p *Product, factors []float64) map[uint32]float64 {
	dist := map[uint32]float64{0: 1}
	for _, v := range factors {
		next := map[uint32]float64{}
		low, up := p.Code().up(v)
		for code, weight := range dist {
			next[code+low] += weight * (1 - up)
			if up > 0 {
				next[code+low+1] += weight * up
			}
		}
		dist = next
	}
	return dist
}

func TestProductIsUnbiased(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		factors := rapid.SliceOfN(rapid.Float64Range(1, 30), 1, 12).Draw(t, "factors")
		base := Base(rapid.Float64Range(0.01, 0.5).Draw(t, "eps"))
		want, log := 1.0, 0.0
		for _, v := range factors {
			want *= v
			log += math.Log(v) / math.Log(base)
		}
		codes := CodesFor(base, 1, want*math.Pow(base, float64(len(factors)+2)))
		byValue, err := NewProduct(base, codes, UnbiasedValue)
		if err != nil {
			t.Fatal(err)
		}
		byLog, err := NewProduct(base, codes, UnbiasedLog)
		if err != nil {
			t.Fatal(err)
		}
		mean := 0.0
		for code, p := range productDistribution(byValue, factors) {
			mean += p * byValue.Decode(code)
		}
		if math.Abs(mean/want-1) > 1e-10 {
			t.Fatalf("expected product %v, want %v", mean, want)
		}
		mean = 0
		for code, p := range productDistribution(byLog, factors) {
			mean += p * float64(code)
		}
		if math.Abs(mean-log) > 1e-8 {
			t.Fatalf("expected code %v, want the logarithm %v", mean, log)
		}
	})
}

func TestProductByHand(t *testing.T) {
	p, err := NewProduct(2, 8, Nearest)
	if err != nil {
		t.Fatal(err)
	}
	code := uint32(0)
	for _, v := range []float64{4, 1, 8.1, 0.2} { // 4 · 1 · 8 · (below 1 counts as 1)
		code = p.Mul(code, v, 0)
	}
	if got := p.Decode(code); got != 32 {
		t.Errorf("4·1·8·1 = %v, want 32", got)
	}
	if code = p.Mul(code, 1000, 0); code != 7 {
		t.Errorf("code %d beyond the last, want 7", code)
	}
}

func TestCountingErrors(t *testing.T) {
	for _, tt := range []struct {
		err  func() error
		want string
	}{
		{func() error { _, err := NewSum(SumConfig{Growth: -1, Max: 0}); return err },
			"approx: bad counter: growth = -1, want 0 or more\nmax = 0, want 1 to 2^53"},
		{func() error { _, err := NewSum(SumConfig{Growth: 0, Max: 1 << 20}); return err },
			"approx: bad counter: growth = 0, max = 1048576: … 65536 codes"},
		{func() error { _, err := CoverSum(10, 17); return err }, "approx: 17 bits: want 1 to 16"},
		{func() error { _, err := CoverSum(10, 1); return err }, "approx: … sum … to 10 … 1 bit: … 2 bits"},
		{func() error { _, err := CoverSum(0, 4); return err }, "approx: bad counter: max = 0, want 1 to 2^53"},
		{func() error { _, err := NewProduct(1, 4, Nearest); return err },
			"approx: bad multiplicative code: base = 1, … number … 1"},
	} {
		if err := tt.err(); !errtest.Says(err, tt.want) {
			t.Errorf("got  %v\nwant %s", err, tt.want)
		}
	}
}

func FuzzSum(f *testing.F) {
	f.Add(1.0, uint64(15), uint64(3), uint64(1<<63))
	f.Add(0.0, uint64(100), uint64(1<<63), uint64(0))
	f.Add(0.01, uint64(1<<53), uint64(1<<50), ^uint64(0))
	f.Fuzz(func(t *testing.T, growth float64, limit, w, word uint64) {
		if growth < 0.01 && limit > 4096 {
			return // large tables, slow to build
		}
		s, err := NewSum(SumConfig{Growth: growth, Max: limit})
		if err != nil {
			return
		}
		code := uint32(0)
		for i := range uint64(4) {
			next := s.Add(code, w, hash.Mix64(word+i))
			if next < code || int(next) >= s.Codes() {
				t.Fatalf("code %d -> %d of %d", code, next, s.Codes())
			}
			code = next
		}
	})
}

func BenchmarkSum(b *testing.B) {
	c, err := CoverSum(300_000, 8)
	if err != nil {
		b.Fatal(err)
	}
	s := mustSum(b, c)
	b.ReportAllocs()
	code := uint32(0)
	for i := range b.N {
		if i%5 == 0 {
			code = 0
		}
		code = s.Add(code, uint64(i)&0xffff, uint64(i)*0x9e3779b97f4a7c15)
	}
	sink = code
}

// CodesFor returns the number of codes with the given base that cover low to high. The last code is the first whose
// value is not below high. It returns 0 if the arguments are invalid or maxCodes does not suffice.
func CodesFor(base, low, high float64) int {
	if !(base > 1) || !(low > 0) || !(high >= low) || math.IsInf(high, 1) {
		return 0
	}
	n, v := 1, low
	for v < high {
		if n == maxCodes {
			return 0
		}
		v *= base
		n++
	}
	return n
}
