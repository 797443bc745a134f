package unit

import (
	"encoding"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/errtest"
)

func TestTxTime(t *testing.T) {
	tests := []struct {
		rate Rate
		n    Bytes
		want Time
	}{
		{100 * Gbps, 1, 80},
		{100 * Gbps, 1048, 83_840},
		{400 * Gbps, 64, 1280},
		{400 * Gbps, 1090, 21_800},
		{10 * Gbps, 1500, 1_200_000},
		{3 * BitPerSecond, 1, 2_666_666_666_667}, // 8/3 s is rounded up
		{100 * Gbps, 0, 0},
	}
	for _, tt := range tests {
		if got := tt.rate.TxTime(tt.n); got != tt.want {
			t.Errorf("%v.TxTime(%v) = %d ps, want %d", tt.rate, tt.n, got, tt.want)
		}
	}
}

// In the time TxTime(n), a link carries at least n bytes. What it carries beyond n is at most what it carries in one
// picosecond.
func TestInUndoesTxTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Rate(rapid.Int64Range(8, int64(Tbps)).Draw(t, "rate"))
		n := Bytes(rapid.Int64Range(0, 1<<20).Draw(t, "bytes"))
		if got := r.In(r.TxTime(n)); got != n {
			t.Fatalf("%v.In(TxTime(%d)) = %d", r, n, got)
		}
	})
}

func TestParse(t *testing.T) {
	for s, want := range map[string]Time{
		"1us": Microsecond, "1.5us": 1500 * Nanosecond, "0.001ms": Microsecond,
		"1000ns": Microsecond, "0s": 0, "2.000200000s": 2*Second + 200*Microsecond, "0.001ns": 1,
	} {
		if got, err := ParseTime(s); err != nil || got != want {
			t.Errorf("ParseTime(%q) = %v, %v; want %v", s, got, err, want)
		}
	}
	if got, err := ParseBytes("1.5KiB"); err != nil || got != 1536 {
		t.Errorf("1.5KiB = %v, %v", got, err)
	}
	if got, err := ParseRate("0.5Gbps"); err != nil || got != 500*Mbps {
		t.Errorf("0.5Gbps = %v, %v", got, err)
	}
}

func TestString(t *testing.T) {
	for want, got := range map[string]fmt.Stringer{
		"32MB": 32 * MB, "32MiB": 32 * MiB, "64KiB": 64 * KiB, "1.5KB": 1500 * Byte,
		"1.09KB": 1090 * Byte, "0B": Bytes(0),
		"100Gbps": 100 * Gbps, "2.5Gbps": 2500 * Mbps, "13us": 13 * Microsecond,
		"83.84ns": 83_840 * Picosecond, "0s": Time(0),
		"never": Never, "3KiB": 3 * KiB,
	} {
		if got.String() != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct{ in, want string }{
		{"5", `time "5": … number … unit (s, ms, us, ns, ps)`},
		{"", `time "": … number … unit (s, ms, us, ns, ps)`},
		{"us", `time "us": … number … unit (s, ms, us, ns, ps)`},
		{"-1us", `time "-1us": negative values are not accepted`},
		{"-us", `time "-us": … number … unit (s, ms, us, ns, ps)`},
		{"1min", `time "1min": unknown unit "min" (accepted: s, ms, us, ns, ps)`},
		{"1.s", `time "1.s": "1." … decimal number`},
		{"1..2s", `time "1..2s": "1..2" … decimal number`},
		{"0.0001ns", `time "0.0001ns": … decimals … unit can represent`},
		{"99999999999s", `time "99999999999s": too large`},
		{"99999999999999999999s",
			`time "99999999999999999999s": "99999999999999999999" is too large, want at most 9223372036854775807`},
	}
	for _, tt := range tests {
		_, err := ParseTime(tt.in)
		if !errtest.Says(err, tt.want) {
			t.Errorf("ParseTime(%q): %v, want %s", tt.in, err, tt.want)
		}
	}
}

// corners returns values at which 64-bit arithmetic is likely to overflow.
func corners() []int64 {
	c := []int64{0, 1, 999, 1000, 1023, 1024, math.MaxInt32, math.MaxUint32, 1 << 61, 1 << 62, math.MaxInt64/8 - 1,
		math.MaxInt64 / 8, math.MaxInt64 - 1, math.MaxInt64}
	for _, u := range slices.Concat(timeSuffixes, bytesSuffixes) {
		c = append(c, u.scale-1, u.scale, u.scale+1, math.MaxInt64/u.scale*u.scale)
	}
	for _, v := range c {
		c = append(c, -v, -v-1)
	}
	return c
}

// Every value is written with a unit and in few letters. Values that are not negative are read back unchanged, and
// negative ones are refused.
func FuzzFormat(f *testing.F) {
	for _, v := range corners() {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v int64) {
		written(t, Time(v), v >= 0)
		written(t, Rate(v), v >= 0)
		written(t, Bytes(v), v >= 0)
		written(t, Limit(v), v >= 0)
		s := Bytes(v).Short()
		if got, err := ParseBytes(s); v >= 0 && (err != nil || int64(got) != v) || v < 0 && err == nil {
			t.Errorf("Short of %d: %s reads as %d, %v", v, s, got, err)
		}
	})
}

// written checks that a value is written in few letters and, if required, read back unchanged.
func written[T Time | Rate | Bytes | Limit, P interface {
	*T
	encoding.TextUnmarshaler
}](t *testing.T, v T, back bool) {
	t.Helper()
	text, err := any(v).(encoding.TextMarshaler).MarshalText()
	if err != nil || len(text) > len("-9223372036854775.808Kbps") {
		t.Errorf("%d is written as %s, %v", int64(v), text, err)
	}
	var got T
	if err := P(&got).UnmarshalText(text); back && (err != nil || got != v) || !back && err == nil {
		t.Errorf("%T %d is written as %s, which is read as %d, %v", v, int64(v), text, int64(got), err)
	}
}

// Parsing returns the exact value of the decimal number, within the range of the type.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"1us", "100Gbps", "32MiB", "1.5KiB", "", "9e9s", "1.0000000000000000001s",
		"9223372.036854775807s", "9223372.036854775808s",
		"9223372036854775807B", "9223372036854775808B", "8589934591.99999999GiB", "8589934592GiB",
		"0.000000000931322574615478515625GiB", "9223372.036854775807Tbps", ".", "1.", ".5s", "00.10ms",
		"1.999999999999999KiB"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		time, err := ParseTime(s)
		exact(t, s, int64(time), err, timeSuffixes)
		rate, err := ParseRate(s)
		exact(t, s, int64(rate), err, rateSuffixes)
		bytes, err := ParseBytes(s)
		exact(t, s, int64(bytes), err, bytesSuffixes)
	})
}

// exact compares the parsed value with exact fractions.
func exact(t *testing.T, s string, got int64, err error, suffixes []suffix) {
	t.Helper()
	if err != nil {
		if got != 0 {
			t.Errorf("%q: %d and %v", s, got, err)
		}
		return
	}
	i := slices.IndexFunc(suffixes, func(u suffix) bool {
		number, ok := strings.CutSuffix(s, u.name)
		return ok && number != "" && strings.Trim(number, "0123456789.") == ""
	})
	if i < 0 {
		t.Fatalf("%q is read as %d and has no unit", s, got)
	}
	want, ok := new(big.Rat).SetString(strings.TrimSuffix(s, suffixes[i].name))
	if !ok {
		t.Fatalf("%q is read as %d and is no number", s, got)
	}
	want.Mul(want, new(big.Rat).SetInt64(suffixes[i].scale))
	if got < 0 || want.Cmp(new(big.Rat).SetInt64(got)) != 0 {
		t.Errorf("%q is read as %d, want %s", s, got, want)
	}
}

// TxTime and In are exact up to their rounding if the result fits. Otherwise they panic with the name of the function.
func FuzzTransmission(f *testing.F) {
	for _, r := range corners() {
		for _, n := range []int64{-1, 0, 1, 1500, 1 << 40, math.MaxInt64 / 8, math.MaxInt64/8 + 1, math.MaxInt64} {
			f.Add(r, n)
		}
	}
	f.Fuzz(func(t *testing.T, r, n int64) {
		bits8 := new(big.Int).Mul(big.NewInt(n), big.NewInt(8*int64(Second)))
		var want *big.Int
		if r > 0 && n >= 0 {
			want = bits8.Add(bits8, big.NewInt(r-1))
			want.Quo(want, big.NewInt(r))
		}
		fits(t, "TxTime", want, func() int64 { return int64(Rate(r).TxTime(Bytes(n))) })
		want = nil
		if r >= 0 && n >= 0 {
			want = new(big.Int).Mul(big.NewInt(r), big.NewInt(n))
			want.Quo(want, big.NewInt(8*int64(Second)))
		}
		fits(t, "In", want, func() int64 { return int64(Rate(r).In(Time(n))) })
	})
}

// fits checks that do returns the expected number, or panics if this number does not exist or is too large.
func fits(t *testing.T, name string, want *big.Int, do func() int64) {
	t.Helper()
	if want != nil && !want.IsInt64() {
		want = nil
	}
	defer func() {
		if r := recover(); want != nil && r != nil || r != nil && !strings.HasPrefix(fmt.Sprint(r), "unit: "+name) {
			t.Errorf("%s: panic %v, want %v", name, r, want)
		}
	}()
	if got := do(); want == nil || got != want.Int64() {
		t.Errorf("%s = %d, want %v", name, got, want)
	}
}

func BenchmarkTxTime(b *testing.B) {
	var sum Time
	for i := range b.N {
		sum += (100 * Gbps).TxTime(Bytes(i & 1023))
	}
	if sum < 0 {
		b.Fatal(sum)
	}
}

func Example() {
	fmt.Println((100 * Gbps).TxTime(1048), (100 * Gbps).In(12*Microsecond), 1500*Nanosecond)
	// Output: 83.84ns 150KB 1.5us
}

func TestShort(t *testing.T) {
	for b, want := range map[Bytes]string{
		0: "0B", 1: "1B", 1000: "1KB", 1500: "1500B", 3072: "3KiB", 4096: "4KiB", 32_000_000: "32MB", 32 << 20: "32MiB",
		1_600_000: "1600KB", 500_000: "500KB", 10_000_000: "10MB", 1 << 40: "1024GiB",
	} {
		if got := b.Short(); got != want {
			t.Errorf("%d is %s, want %s", b, got, want)
		}
	}
}
