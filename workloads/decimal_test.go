package workloads

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseDecimal(t *testing.T) {
	tests := []struct {
		in     string
		places int
		want   int64
		exact  bool
	}{
		{"2.000000033", 12, 2_000_000_033_000, true},
		{"0", 12, 0, true}, {"000.000", 3, 0, true}, {"7", 0, 7, true},
		{"97.5", 15, 97_500_000_000_000_000, true}, {".5", 1, 5, true}, {"2.", 1, 20, true}, {"1.e2", 0, 100, true},
		{"1e-06", 12, 1_000_000, true}, {"2.5E+3", 0, 2500, true}, {"2.5e3", 0, 2500, true}, {"1200e-2", 0, 12, true},
		{"1.0000000000004", 12, 1_000_000_000_000, false},
		{"1.0000000000005", 12, 1_000_000_000_001, false},
		{"0.05", 1, 1, false}, {"0.04", 1, 0, false}, {"0.009", 1, 0, false}, {"9.99", 1, 100, false},
		{"1e-9999", 0, 0, false},
		{"9223372036854775807", 0, 1<<63 - 1, true},
		{"9223372036854775806.5", 0, 1<<63 - 1, false},
	}
	for _, tt := range tests {
		got, exact, err := parseDecimal(tt.in, tt.places)
		if err != nil || got != tt.want || exact != tt.exact {
			t.Errorf("parseDecimal(%q, %d) = %d, %v, %v; want %d, %v",
				tt.in, tt.places, got, exact, err, tt.want, tt.exact)
		}
	}
	for _, bad := range []string{"", ".", ".e1", "1..", "1.2.3", "-1", "+1", "1e", "1e+", "1e1.5", "0x10", "1_000",
		"NaN", "Inf", "١", "1 ", "9223372036854775808", "9223372036854775807.5", "1e19", "18446744073709551616",
		"1e9999", "1e99999"} {
		if v, _, err := parseDecimal(bad, 0); err == nil {
			t.Errorf("parseDecimal(%q) = %d, want an error", bad, v)
		}
	}
}

// The result equals the nearest multiple computed with arbitrary precision, with halves rounded up.
func TestParseDecimalIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[0-9]{1,12}(\.[0-9]{1,20})?(e[+-]?[0-9])?`).Draw(t, "text")
		places := rapid.IntRange(0, 15).Draw(t, "places")
		want, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Skipf("needs another draw, math/big reads no number in %q", text)
		}
		want.Mul(want, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)))
		twice := new(big.Rat).Add(want, big.NewRat(1, 2))
		floor := new(big.Int).Div(twice.Num(), twice.Denom())
		got, exact, err := parseDecimal(text, places)
		if !floor.IsInt64() {
			if err == nil {
				t.Fatalf("parseDecimal(%q, %d) = %d, want an error", text, places, got)
			}
			return
		}
		if err != nil || got != floor.Int64() || exact != want.IsInt() {
			t.Fatalf("parseDecimal(%q, %d) = %d, %v, %v; want %v, %v",
				text, places, got, exact, err, floor, want.IsInt())
		}
	})
}

func TestFormatDecimal(t *testing.T) {
	tests := []struct {
		v           int64
		places, min int
		want        string
	}{
		{2_000_000_033_000, 12, 9, "2.000000033"},
		{2_000_000_033_001, 12, 9, "2.000000033001"},
		{0, 12, 9, "0.000000000"},
		{1, 12, 9, "0.000000000001"},
		{97_500_000_000_000_000, 15, 0, "97.5"},
		{100_000_000_000_000_000, 15, 0, "100"},
		{5, 0, 0, "5"},
	}
	for _, tt := range tests {
		if got := formatDecimal(tt.v, tt.places, tt.min); got != tt.want {
			t.Errorf("formatDecimal(%d, %d, %d) = %q, want %q", tt.v, tt.places, tt.min, got, tt.want)
		}
	}
}

func TestDecimalRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Int64Min(0).Draw(t, "v")
		places := rapid.IntRange(0, 15).Draw(t, "places")
		text := formatDecimal(v, places, rapid.IntRange(0, places).Draw(t, "least places"))
		if got, exact, err := parseDecimal(text, places); err != nil || got != v || !exact {
			t.Fatalf("%d -> %q -> %d, %v, %v", v, text, got, exact, err)
		}
	})
}

func FuzzParseDecimal(f *testing.F) {
	for _, s := range []string{"2.000000033", "1e-06", "0.0000000000005", "99999999999999999999", "1e9999",
		"5e-1", ".", "1.e5"} {
		f.Add(s, 12)
	}
	f.Fuzz(func(t *testing.T, s string, places int) {
		if places < 0 || places > 15 {
			return
		}
		v, _, err := parseDecimal(s, places)
		if err == nil && v < 0 {
			t.Errorf("parseDecimal(%q, %d) = %d", s, places, v)
		}
		if err != nil && !strings.HasPrefix(err.Error(), `"`) {
			t.Errorf("parseDecimal(%q): error %v does not begin with the text", s, err)
		}
	})
}
