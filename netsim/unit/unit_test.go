package unit

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
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
		{3 * BitPerSecond, 1, 2_666_666_666_667}, // 8/3 s does not divide: rounded up
		{100 * Gbps, 0, 0},
	}
	for _, tt := range tests {
		if got := tt.rate.TxTime(tt.n); got != tt.want {
			t.Errorf("%v.TxTime(%v) = %d ps, want %d", tt.rate, tt.n, got, tt.want)
		}
	}
}

// A rate never carries more in TxTime(n) than n bytes plus what one picosecond
// of rounding allows, and never less.
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
		"32MB": 32 * MB, "32MiB": 32 * MiB, "64KiB": 64 * KiB, "1.5KB": 1500 * Byte, "1.09KB": 1090 * Byte, "0B": Bytes(0),
		"100Gbps": 100 * Gbps, "2.5Gbps": 2500 * Mbps, "13us": 13 * Microsecond, "83.84ns": 83_840 * Picosecond, "0s": Time(0),
		"never": Never, "3KiB": 3 * KiB,
	} {
		if got.String() != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct{ in, want string }{
		{"5", `time "5": want a number and a unit (s, ms, us, ns, ps)`},
		{"", `time "": want a number and a unit (s, ms, us, ns, ps)`},
		{"us", `time "us": want a number and a unit (s, ms, us, ns, ps)`},
		{"-1us", `time "-1us": want a number and a unit (s, ms, us, ns, ps)`},
		{"1min", `time "1min": unknown unit "min" (accepted: s, ms, us, ns, ps)`},
		{"1.s", `time "1.s": "1." is not a decimal number`},
		{"1..2s", `time "1..2s": "1..2" is not a decimal number`},
		{"0.0001ns", `time "0.0001ns": more decimals than the unit holds`},
		{"99999999999s", `time "99999999999s": too large`},
		{"99999999999999999999s", `time "99999999999999999999s": "99999999999999999999" is not a decimal number in range`},
	}
	for _, tt := range tests {
		_, err := ParseTime(tt.in)
		if err == nil || err.Error() != tt.want {
			t.Errorf("ParseTime(%q): %v, want %s", tt.in, err, tt.want)
		}
	}
}

func TestTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Int64Range(0, 1<<62).Draw(t, "v")
		if got, err := ParseTime(Time(v).String()); err != nil || got != Time(v) {
			t.Fatalf("time %d: %q -> %v, %v", v, Time(v), got, err)
		}
		if got, err := ParseRate(Rate(v).String()); err != nil || got != Rate(v) {
			t.Fatalf("rate %d: %q -> %v, %v", v, Rate(v), got, err)
		}
		if got, err := ParseBytes(Bytes(v).String()); err != nil || got != Bytes(v) {
			t.Fatalf("bytes %d: %q -> %v, %v", v, Bytes(v), got, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"1us", "100Gbps", "32MiB", "1.5KiB", "", "9e9s", "1.0000000000000000001s"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if v, err := ParseTime(s); err == nil && v < 0 {
			t.Errorf("ParseTime(%q) = %d", s, v)
		}
		if v, err := ParseBytes(s); err == nil && v < 0 {
			t.Errorf("ParseBytes(%q) = %d", s, v)
		}
		if v, err := ParseRate(s); err == nil && v < 0 {
			t.Errorf("ParseRate(%q) = %d", s, v)
		}
	})
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
