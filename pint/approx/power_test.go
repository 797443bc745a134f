package approx_test

import (
	"math"
	"testing"

	"pintlab/netsim/unit"
	"pintlab/pint/approx"
)

// At 100 Gb/s and T = 10 us, B·T = 125 000 B. In 1 us, a tenth of T, the link sends 12 500 B, and Γ keeps nine tenths
// of its old value.
func TestPowerByHand(t *testing.T) {
	l, err := approx.NewPower(100*unit.Gbps, 10*unit.Microsecond)
	if err != nil {
		t.Fatal(err)
	}
	us := unit.Microsecond
	for _, tt := range []struct {
		p       float64
		tau     unit.Time
		queue   unit.Bytes
		arrived unit.Bytes
		want    float64
	}{
		{1, us, 0, 12_500, 1},               // the link is full, without a queue: Γ stays at 1
		{1, us, 0, 6_250, 0.95},             // half full
		{1, us, 125_000, 12_500, 0.9 + 0.2}, // twice the voltage
		{1, us, 25_000, 25_000, 0.9 + 0.24}, // twice the current at 1.2 times the voltage
		{1.1, us, 12_500, 12_500, 1.1},      // the equilibrium of one flow: q = β
		{5, 10 * us, 0, 12_500, 0.1},        // T has passed: only the new bytes count
		{5, unit.Never, 62_500, 12_500, 0.15},
	} {
		if got := l.Update(tt.p, tt.tau, tt.queue, tt.arrived); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%+v: %v", tt, got)
		}
	}
	for _, bad := range []struct {
		rate unit.Rate
		t    unit.Time
	}{{0, us}, {unit.Gbps, 0}} {
		if _, err := approx.NewExactPower(bad.rate, bad.t, nil); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// The code of Γ covers 1/16 to 246, because 1.033^255 = e^(255·0.032467) = 3939.
func TestPowerCode(t *testing.T) {
	m, err := approx.New(approx.PowerCode())
	if err != nil {
		t.Fatal(err)
	}
	if low, high := m.Range(); low != 1.0/16 || math.Abs(high-246.2) > 0.3 || m.Bits() != 8 {
		t.Errorf("%v to %v in %d bits", low, high, m.Bits())
	}
}
