package approx

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/errtest"
)

func mustAdditive(t testing.TB, c AdditiveConfig) *Additive {
	t.Helper()
	d, err := NewAdditive(c)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// With Δ = 5, the 16 codes represent 0, 10, 20, …, 150.
func TestAdditiveByHand(t *testing.T) {
	d := mustAdditive(t, AdditiveConfig{Delta: 5, Codes: 16})
	for _, tt := range []struct {
		v    float64
		want uint32
	}{
		{0, 0}, {4.99, 0}, {5, 1}, {10, 1}, {14.9, 1}, {15, 2}, {144.9, 14}, {150, 15}, {1e300, 15},
		{math.Inf(1), 15}, {-3, 0}, {math.NaN(), 0},
	} {
		if got := d.Encode(tt.v, 0); got != tt.want {
			t.Errorf("Encode(%v) = %d, want %d", tt.v, got, tt.want)
		}
	}
	if got := d.Decode(7); got != 70 {
		t.Errorf("Decode(7) = %v, want 70", got)
	}
	r := mustAdditive(t, AdditiveConfig{Delta: 5, Codes: 16, Rounding: UnbiasedValue})
	if up, down := r.Encode(12.5, 1<<62-1<<11), r.Encode(12.5, 1<<62); up != 2 || down != 1 {
		t.Errorf("12.5 is a quarter of the way: codes %d and %d, want 2 below 1/4 and 1 from there", up, down)
	}
}

func TestAdditiveGuarantee(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := AdditiveConfig{Delta: rapid.Float64Range(0.001, 1000).Draw(t, "delta"),
			Codes: rapid.IntRange(2, 1<<20).Draw(t, "codes")}
		near, err := NewAdditive(c)
		if err != nil {
			t.Fatal(err)
		}
		c.Rounding = UnbiasedValue
		random, err := NewAdditive(c)
		if err != nil {
			t.Fatal(err)
		}
		v := rapid.Float64Range(0, near.Decode(uint32(c.Codes-1))).Draw(t, "v")
		word := rapid.Uint64().Draw(t, "word")
		if e := math.Abs(near.Decode(near.Encode(v, word)) - v); e > c.Delta*(1+1e-9) {
			t.Fatalf("error %v, want at most Δ = %v", e, c.Delta)
		}
		if e := math.Abs(random.Decode(random.Encode(v, word)) - v); e >= 2*c.Delta*(1+1e-9) {
			t.Fatalf("error %v, want less than 2Δ = %v", e, 2*c.Delta)
		}
	})
}

// The mean of the decoded value over all 12-bit words equals the value, up to the resolution of those words.
func TestAdditiveValueRoundingIsUnbiased(t *testing.T) {
	d := mustAdditive(t, AdditiveConfig{Delta: 0.5, Codes: 100, Rounding: UnbiasedValue})
	for _, v := range []float64{0.25, 1, 3.5, 7.125, 98.75} {
		sum := 0.0
		for w := range uint64(4096) {
			sum += d.Decode(d.Encode(v, w<<52))
		}
		if mean := sum / 4096; mean != v { // all fractions are multiples of 1/8, so the mean is exact
			t.Errorf("mean %v, want %v", mean, v)
		}
	}
}

func TestAdditiveErrors(t *testing.T) {
	_, err := NewAdditive(AdditiveConfig{Delta: 0, Codes: 1, Rounding: UnbiasedLog})
	want := "approx: bad additive code: delta = 0, want a positive number whose 2·delta·codes is finite\n" +
		"codes = 1, want 2 to 2^32\nrounding = log, want nearest or value"
	if !errtest.Says(err, want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func FuzzAdditive(f *testing.F) {
	f.Add(1.0, 16, false, 3.0, uint64(0))
	f.Add(1e-300, 1<<20, true, 1e300, ^uint64(0))
	f.Fuzz(func(t *testing.T, delta float64, codes int, random bool, v float64, word uint64) {
		c := AdditiveConfig{Delta: delta, Codes: codes}
		if random {
			c.Rounding = UnbiasedValue
		}
		d, err := NewAdditive(c)
		if err != nil {
			return
		}
		if code := d.Encode(v, word); uint64(code) >= uint64(codes) {
			t.Errorf("code %d of %d", code, codes)
		}
	})
}
