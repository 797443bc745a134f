package fixed_test

import (
	"testing"

	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
	"pintlab/transport/fixed"
)

func TestController(t *testing.T) {
	cctest.Suite(t, cctest.Fixed(5000, unit.Gbps))
}

func TestRateIsAtMostTheLineRate(t *testing.T) {
	c := cctest.Fixed(5000, 25*unit.Gbps)()
	for _, tt := range []struct{ line, want unit.Rate }{{10 * unit.Gbps, 10 * unit.Gbps},
		{100 * unit.Gbps, 25 * unit.Gbps}} {
		c.Start(0, transport.FlowInfo{LineRate: tt.line})
		if c.Rate() != tt.want || c.Window() != 5000 {
			t.Errorf("line rate %v: rate %v, window %v; want %v, 5KB", tt.line, c.Rate(), c.Window(), tt.want)
		}
	}
}

func TestConfig(t *testing.T) {
	_, err := (&fixed.Params{Window: 0, Rate: 1}).New(nil)
	if want := "fixed: window = 0B, rate = 1bps, … > 0"; !errtest.Says(err, want) {
		t.Errorf("got %v, want %s", err, want)
	}
}
