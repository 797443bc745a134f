package numeric

import (
	"math"
	"testing"

	"pintlab/internal/hash"
)

// Ln stays within the bound that its comment promises. The test compares it with math.Log, whose own error is below one
// unit in the last place (1.1e-16 relative).
func TestLnIsTheLogarithm(t *testing.T) {
	check := func(x float64) {
		t.Helper()
		got, want := Ln(x), math.Log(x)
		if want == 0 {
			if got != 0 {
				t.Errorf("ln(%v) = %v, want 0", x, got)
			}
			return
		}
		if e := math.Abs(got-want) / math.Abs(want); !(e < 1.2e-15) {
			t.Errorf("ln(%v) = %v, math.Log gives %v: relative error %.2g", x, got, want, e)
		}
	}
	for _, x := range []float64{1, 2, 0.5, math.E, 10, math.Sqrt2, math.Sqrt2 / 2, 1 - 1.0/(1<<53), 1 + 1.0/(1<<52),
		1.0 / (1 << 53), math.MaxFloat64, 0x1p-1022} {
		check(x)
		check(math.Nextafter(x, 1))
	}
	r := hash.Stream(1, "ln")
	for range 200_000 {
		check(1 - r.Float64()) // the range of the exponential samples
		check(math.Ldexp(1+r.Float64(), r.IntN(2000)-1000))
	}
}

// Exp and Growth stay within the bounds that their comments promise. The test compares them with math.Exp and
// math.Expm1.
func TestExpIsTheExponential(t *testing.T) {
	check := func(x float64) {
		t.Helper()
		if got, want := Exp(x), math.Exp(x); !(math.Abs(got-want) <= 1.2e-15*want) {
			t.Errorf("exp(%v) = %v, math.Exp gives %v: relative error %.2g", x, got, want, math.Abs(got-want)/want)
		}
		want := 1.0
		if x != 0 {
			want = math.Expm1(x) / x
		}
		if got := Growth(x); !(math.Abs(got-want) <= 1e-14*want) {
			t.Errorf("Growth(%v) = %v, want %v: relative error %.2g", x, got, want, math.Abs(got-want)/want)
		}
	}
	for _, x := range []float64{0, 1, -1, 0.5, -0.5, 700, -700, 1e-300, -1e-9, math.Ln2 / 2, -math.Ln2 / 2} {
		check(x)
	}
	r := hash.Stream(3, "exp")
	for range 100_000 {
		check(r.Float64()*1400 - 700)
		check(r.Float64()*2 - 1)
	}
	if got := Growth(-5000); got != 1.0/5000 {
		t.Errorf("Growth(-5000) = %v, want 1/5000", got)
	}
}

// These are the exact bits, so that a change of rounding on any machine is detected. The values are results of this
// function, and agree with math.Log to the bound of TestLnIsTheLogarithm.
func TestLnBits(t *testing.T) {
	h := uint64(14695981039346656037)
	r := hash.Stream(2, "ln bits")
	for range 10_000 {
		h = (h ^ math.Float64bits(Exponential(r.Uint64()))) * 1099511628211
	}
	if want := uint64(0x8aade9ac1597c5ce); h != want {
		t.Errorf("hash of 10000 exponential samples is %#x, want %#x", h, want)
	}
}

func TestExponentialRange(t *testing.T) {
	if got := Exponential(math.MaxUint64); got != 0 {
		t.Errorf("smallest sample %v, want 0", got)
	}
	if got, want := Exponential(0), 53*math.Ln2; math.Abs(got-want) > 1e-13 {
		t.Errorf("largest sample %v, want %v", got, want)
	}
}

// With 200 000 draws, the mean is outside of 0 ± 5 standard errors with probability 6e-7. The share of draws within
// one, two or three standard deviations is outside of its value ± 5 standard errors with about the same probability.
func TestNormal(t *testing.T) {
	const n = 200_000
	r := hash.Stream(5, "normal")
	sum, within := 0.0, [4]int{}
	for range n {
		x := Normal(r)
		sum += x
		for k := range within {
			if math.Abs(x) < float64(k) {
				within[k]++
			}
		}
	}
	if m := sum / n; math.Abs(m) > 5/math.Sqrt(n) {
		t.Errorf("mean %v, want 0", m)
	}
	for k, got := range within {
		want := math.Erf(float64(k) / math.Sqrt2)
		if share := float64(got) / n; math.Abs(share-want) > 5*math.Sqrt(want*(1-want)/n) {
			t.Errorf("%v of the draws within %d standard deviations, want %v", share, k, want)
		}
	}
}

func BenchmarkExponential(b *testing.B) {
	sum := 0.0
	for i := range b.N {
		sum += Exponential(uint64(i) * 0x9e3779b97f4a7c15)
	}
	if sum < 0 {
		b.Fatal(sum)
	}
}
