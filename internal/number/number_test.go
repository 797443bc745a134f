package number

import (
	"math"
	"strings"
	"testing"
)

func TestFormat(t *testing.T) {
	tests := []struct {
		v      float64
		unit   string
		digits int
		want   string
	}{
		{1.5e6, Bytes, 3, "1.5 MB"}, {999, Bytes, 3, "999 B"}, {1000, Bytes, 3, "1 KB"},
		{999.7e3, Bytes, 3, "1 MB"},
		{323, Bytes, 2, "323 B"}, {0, Bytes, 3, "0 B"}, {30e6, Bytes, 2, "30 MB"},
		{7.35e15, Bytes, 3, "7350 TB"},
		{2e-5, Seconds, 3, "20 µs"}, {1.234e-7, Seconds, 3, "123 ns"}, {0, Seconds, 3, "0 s"},
		{3600, Seconds, 3, "3600 s"},
		{1e11, BitsPerSecond, 3, "100 Gb/s"}, {-2.5e9, BitsPerSecond, 3, "−2.5 Gb/s"},
		{71, "%", 3, "71 %"}, {0.12345, "", 3, "0.123"}, {1234.5, "packets", 3, "1234 packets"},
		{30000, "packets", 3, "30,000 packets"}, {-1.5, "us", 3, "−1.5 µs"},
		{math.NaN(), "s", 3, "–"}, {math.Inf(1), "s", 3, "∞"}, {math.Inf(-1), "s", 3, "−∞"},
	}
	for _, tt := range tests {
		if got := Format(tt.v, tt.unit, tt.digits); got != tt.want {
			t.Errorf("Format(%v, %q, %d) = %q, want %q", tt.v, tt.unit, tt.digits, got, tt.want)
		}
	}
}

func TestSize(t *testing.T) {
	for want, v := range map[string]float64{
		"96 KiB": 98304, "512 KB": 500 << 10, "256 KB": 250 << 10, "300 KiB": 300 << 10, "3 MiB": 3 << 20,
		"1.5 MiB": 1536 << 10, "1200 KiB": 1200 << 10,
		"9 GiB": 9 << 30, "128 KB": 125 << 10, "32 MB": 32e6, "2.56 KB": 2560, "98.3 KB": 98304.5,
		"4.19 MB": 4095 << 10, "−4 KiB": -4096, "0 B": 0, "1 KB": 1000, "–": math.NaN(),
	} {
		if got := Size(v, 3); got != want {
			t.Errorf("Size(%v, 3) = %q, want %q", v, got, want)
		}
	}
}

func TestColumn(t *testing.T) {
	tests := []struct {
		values []float64
		want   string
	}{
		{[]float64{1, 2, 30000}, "1 2 30,000"},
		{[]float64{1.5, 20, 300}, "1.50 20.00 300.00"},
		{[]float64{0.000123, 1}, "0.000123 1.000000"},
		{[]float64{1e-9, 2e-5}, "1.00×10⁻⁹ 2.00×10⁻⁵"},
		{[]float64{1e12, 1}, "1.00×10¹² 1.00"},
		{[]float64{97.6, 0.0923, 0, 9.97e-8}, "97.6 0.0923 0 9.97×10⁻⁸"},
		{[]float64{9999.4, 1e-4, 9999.6, 1e-9, 0.5}, "9999 0.000100 1.00×10⁴ 1.00×10⁻⁹ 0.500"},
		{[]float64{0.25, 12345.678}, "0.250 12,345.678"},
		{[]float64{0, math.NaN(), math.Inf(-1)}, "0 – −∞"},
		{nil, ""},
	}
	for _, tt := range tests {
		format := Column(tt.values)
		var got []string
		for _, v := range tt.values {
			got = append(got, format(v))
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%v printed as %q, want %q", tt.values, s, tt.want)
		}
	}
}

func TestChange(t *testing.T) {
	for want, v := range map[string]float64{"+7.8": 7.8, "−13.0": -13, "0.0": -0.04, "+12,345.0": 12345} {
		if got := Change(v, 1); got != want {
			t.Errorf("Change(%v, 1) = %q, want %q", v, got, want)
		}
	}
}

func TestShare(t *testing.T) {
	for want, v := range map[string]float64{"12.5 %": 0.125, "−50 %": -0.5, "7 %": 0.07, "0.0123 %": 123.4e-6,
		"–": math.NaN()} {
		if got := Share(v); got != want {
			t.Errorf("Share(%v) = %q, want %q", v, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for want, got := range map[string]string{
		"1 flow": Count(1, "flow"), "0 flows": Count(0, "flow"), "2 hash seeds": Count(uint64(2), "hash seed"),
		"1 entry": Count(int64(1), "entry"), "2 entries": Count(2, "entry"), "3 arrays": Count(3, "array"),
		"2 switches": Count(2, "switch"), "5 hashes": Count(5, "hash"), "4 boxes": Count(4, "box"),
		"74 epochs": Count(74, "epoch"), "1 epoch": Count(1, "epoch"), "2 patches": Count(2, "patch"),
		"is": Plural(1, "is", "are"), "are": Plural(0, "is", "are"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
