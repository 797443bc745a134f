package transport

import (
	"testing"

	"pintlab/netsim/unit"
)

// A window of 52000 B at 100 Gb/s is 13000 B at 25 Gb/s. A window is never less than a byte.
func TestWindowRules(t *testing.T) {
	for _, tt := range []struct {
		rule WindowRule
		rate unit.Rate
		want unit.Bytes
	}{
		{windowless, 25 * unit.Gbps, NoWindow}, {constant, 25 * unit.Gbps, 52_000},
		{Scaled, 25 * unit.Gbps, 13_000}, {Scaled, 100 * unit.Gbps, 52_000}, {Scaled, unit.Mbps, 1},
		{Scaled, 33_333_333_333, 17_333},
	} {
		if got := tt.rule.Window(52_000, tt.rate, 100*unit.Gbps); got != tt.want {
			t.Errorf("rule %d at %v: %d bytes, want %d", tt.rule, tt.rate, got, tt.want)
		}
	}
}

// The path of a flow, of 40 Gb/s and 10 us, has a bandwidth-delay product of 50000 B.
func TestRateWindowOfAPath(t *testing.T) {
	f := FlowInfo{LineRate: 100 * unit.Gbps, PathRate: 40 * unit.Gbps, BaseRTT: 10 * unit.Microsecond}
	full := func(w RateWindow) unit.Bytes {
		r := Rated{Limit: w}
		r = r.Begin(f)
		return r.Window()
	}
	if got := full(RateWindow{Rule: Scaled}); got != 50_000 {
		t.Errorf("%d bytes, want 50000", got)
	}
	if got := full(RateWindow{Rule: Scaled, BDP: 7}); got != 7 {
		t.Errorf("%d bytes, want 7", got)
	}
	// BDP is the 500000 B of a faster host. At 100 Gb/s and an RTT of 10 us the window is at most
	// 125000 B.
	if got := full(RateWindow{Rule: Scaled, BDP: 500_000, RTT: 10 * unit.Microsecond}); got != 125_000 {
		t.Errorf("%d bytes, want 125000", got)
	}
	f.PathRate = 1
	if got := full(RateWindow{Rule: constant}); got != 1 {
		t.Errorf("%d bytes, want 1", got)
	}
}
