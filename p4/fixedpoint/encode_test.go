package fixedpoint

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func mustEncoder(t testing.TB, c EncoderConfig) *Encoder {
	t.Helper()
	e, err := NewEncoder(c)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func utilizationEncoder(t testing.TB) *Encoder {
	t.Helper()
	e, err := ConfigOf(AppendixB, 8).Encoder()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// U = 1 is 512 times the smallest value, so its code is log_1.050625(512) = 126.32. Over all 256 random numbers, the
// mean code equals the logarithm up to half a cell of the table (0.16 codes) and the rounding to 8 fractional bits
// (1/512).
func TestCodeIsTheLogarithmOnAverage(t *testing.T) {
	e := utilizationEncoder(t)
	mean := func(x uint32) float64 {
		sum := 0.0
		for r := range uint32(256) {
			sum += float64(e.Encode(x, r))
		}
		return sum / 256
	}
	half := math.Log2(1+1.0/128) / math.Log2(1.050625)
	for x := uint32(1 << 13); x < 1<<31; x += x/97 + 1 {
		want := min(math.Log2(float64(x)/(1<<13))/math.Log2(1.050625), 255)
		if got := mean(x); math.Abs(got-want) > half+1.0/256 {
			t.Fatalf("mean code of %v is %v, want %v within %v", Utilization.Value(x), got, want, half)
		}
	}
	if got := mean(1 << 22); math.Abs(got-126.32) > half {
		t.Errorf("mean code of U = 1 is %v, want 126.32", got)
	}
	for _, c := range []struct{ x, random, want uint32 }{
		{0, 255, 0}, {1, 255, 0}, {1<<13 - 1, 255, 0}, {1 << 13, 0, 0}, {math.MaxUint32, 0, 255},
		{math.MaxUint32, 255, 255},
		{1 << 13, 256, 0}, // only eight bits of the random number count
	} {
		if got := e.Encode(c.x, c.random); got != c.want {
			t.Errorf("Encode(%d, %d) = %d, want %d", c.x, c.random, got, c.want)
		}
	}
}

func TestEncodeIsMonotone(t *testing.T) {
	e := utilizationEncoder(t)
	rapid.Check(t, func(t *rapid.T) {
		x, y := rapid.Uint32().Draw(t, "x"), rapid.Uint32().Draw(t, "y")
		r := rapid.Uint32Range(0, 255).Draw(t, "random")
		if x <= y && e.Encode(x, r) > e.Encode(y, r) {
			t.Fatalf("Encode(%d, %d) = %d exceeds Encode(%d) = %d", x, r, e.Encode(x, r), y, e.Encode(y, r))
		}
	})
}

// lookup finds the prefix of a number as a switch does.
func lookup(list []Prefix, x uint32) (uint32, int) {
	hits, code := 0, uint32(0)
	for _, p := range list {
		if (x^p.Value)>>(32-p.Length) == 0 {
			hits++
			code = p.Code
		}
	}
	return code, hits
}

func TestPrefixesAreTheTable(t *testing.T) {
	for _, e := range []*Encoder{
		utilizationEncoder(t),
		mustEncoder(t, EncoderConfig{Min: 1, Base: 1.0441, Codes: 256, TableBits: 4}),
		mustEncoder(t, EncoderConfig{Min: 3, Base: 2, Codes: 16, TableBits: 3}),
	} {
		list := e.Prefixes()
		check := func(x uint32) {
			code, hits := lookup(list, x)
			if hits > 1 {
				t.Fatalf("%d matches %d prefixes", x, hits)
			}
			for _, r := range []uint32{0, 77, 255} {
				if got, want := (code+r)>>roundBits, e.Encode(x, r); got != want {
					t.Fatalf("q = %d: prefix gives code %d for %d, want %d", e.q, got, x, want)
				}
			}
		}
		for x := range uint32(1 << 12) {
			check(x)
		}
		for x := uint64(1 << 12); x < 1<<32; x = x*65/64 + 1 {
			check(uint32(x))
			check(uint32(x) | 0xff)
		}
	}
}

func TestEncoderConfigProblems(t *testing.T) {
	_, err := NewEncoder(EncoderConfig{Base: math.NaN(), Codes: 1, TableBits: 13})
	if err == nil {
		t.Fatal("a bad code is accepted")
	}
	for _, want := range []string{"min = 0", "base = NaN", "codes = 1", "table bits = 13"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
}
