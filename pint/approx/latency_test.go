package approx

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
)

func mustLatency(t testing.TB, bits int, r Rounding) *Latency {
	t.Helper()
	l, err := NewLatency(LatencyLow, LatencyHigh, bits, r)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// The range is 1 ns to 60 µs: √(60000^(1/15)) - 1 = 0.443 with 4 bits, and √(60000^(1/255)) - 1 = 0.0218 with 8 bits.
func TestLatencyCodes(t *testing.T) {
	for _, tt := range []struct {
		bits int
		eps  float64
	}{
		{4, 0.4430},
		{8, 0.0218},
	} {
		l := mustLatency(t, tt.bits, UnbiasedLog)
		exact := math.Sqrt(math.Pow(60_000, 1/float64(int(1)<<tt.bits-1))) - 1
		if eps := l.m.Config().Eps(); math.Abs(eps-tt.eps) > 5e-5 || math.Abs(eps-exact) > 1e-12 {
			t.Errorf("%d bits: ε = %v, want %v (exactly %v)", tt.bits, eps, tt.eps, exact)
		}
		last := uint32(1<<tt.bits - 1)
		if l.Decode(0) != unit.Nanosecond || l.Decode(last) != 60*unit.Microsecond {
			t.Errorf("%d bits: codes from %v to %v", tt.bits, l.Decode(0), l.Decode(last))
		}
		if l.Encode(0, 0) != 0 || l.Encode(unit.Second, 0) != last {
			t.Errorf("%d bits: nothing and a second get %d and %d", tt.bits, l.Encode(0, 0), l.Encode(unit.Second, 0))
		}
	}
	if _, err := NewLatency(0, unit.Second, 8, Nearest); !errtest.Says(err,
		"latency code from 0s to 1s: approx: range 0 to 1e+12: want 0 < low < high") {
		t.Errorf("range from 0: %v", err)
	}
	if _, err := NewLatency(1, 2, 4, 7); !errtest.Says(err,
		"latency code from 1ps to 2ps: approx: bad multiplicative code: rounding = 7, want nearest, log or value") {
		t.Errorf("rounding 7: %v", err)
	}
}

func TestGoldenLatencyCodes(t *testing.T) {
	var b strings.Builder
	for _, bits := range []int{4, 8} {
		l := mustLatency(t, bits, Nearest)
		fmt.Fprintf(&b, "%d bits: 1ns to 60us, ε = %.4f, rounding nearest\n", bits, l.m.Config().Eps())
		for code := range uint32(1 << bits) {
			fmt.Fprintf(&b, "%3d  %v\n", code, l.Decode(code))
		}
	}
	golden(t, "latency_codes.txt", b.String())
}
