package dctcp

import (
	"testing"

	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
	"pintlab/transport/reno"
)

func info() transport.FlowInfo {
	return transport.FlowInfo{Segment: 1000, Packet: 1048, LineRate: 100 * unit.Gbps, PathRate: 100 * unit.Gbps,
		BaseRTT: 10 * unit.Microsecond}
}

// The rule of the published simulator, ACK by ACK, with g = 1/16 and an increase of 615 Mb/s per
// window.
func TestRateFormByHand(t *testing.T) {
	s := &rateSender{Rated: transport.Rated{Limit: transport.RateWindow{Rule: transport.Scaled}},
		cfg: &Params{Gain: 1.0 / 16, RateAI: 615 * unit.Mbps, MinRate: unit.Gbps}}
	s.Start(0, info())
	for i, tt := range []struct {
		seq, next int64
		marked    bool
		rate      unit.Rate
		alpha     float64
	}{
		// The first ACK begins a window that ends at 50000. This window counts as 51 packets. At
		// line rate nothing is added.
		{1000, 50_000, false, 100 * unit.Gbps, 1},
		// The first mark halves the rate, because alpha is still 1.
		{2000, 51_000, true, 50 * unit.Gbps, 1},
		// There is no second cut before an ACK beyond 51000.
		{3000, 52_000, true, 50 * unit.Gbps, 1},
		// A new window begins, and both marks count. The ACK is not past 51000 yet, so nothing is
		// added.
		{51_000, 75_000, false, 50 * unit.Gbps, 15.0/16 + 1.0/16*(2.0/51)},
		{52_000, 75_000, false, 50 * unit.Gbps, 15.0/16 + 1.0/16*(2.0/51)},
		// The next window had 75000 - 51000 bytes, 25 packets, and no mark.
		{76_000, 100_000, false, 50_615 * unit.Mbps, (15.0/16 + 1.0/16*(2.0/51)) * 15 / 16},
	} {
		s.OnAck(0, &transport.Ack{Seq: tt.seq, Next: tt.next, Marked: tt.marked})
		if s.Pace != tt.rate || !near(s.alpha, tt.alpha) {
			t.Errorf("ACK %d: rate %v, alpha %v, want %v, %v", i, s.Pace, s.alpha, tt.rate, tt.alpha)
		}
	}
	if want := unit.Bytes(125_000 * 50_615 / 100_000); s.Window() != want {
		t.Errorf("window %v, want %v", s.Window(), want)
	}
	before := s.Pace
	s.OnAck(0, &transport.Ack{Seq: 77_000, Next: 101_000, Marked: true})
	if want := float64(before) * (1 - s.alpha/2); !near(float64(s.Pace)/1e9, want/1e9) {
		t.Errorf("cut to %v, want %v", s.Pace, want)
	}
	for seq := int64(102_000); s.Pace > unit.Gbps; seq += 1000 {
		s.OnAck(0, &transport.Ack{Seq: seq, Next: seq, Marked: true})
	}
	s.OnAck(0, &transport.Ack{Seq: 1 << 40, Next: 1 << 40, Marked: true})
	if s.Pace != unit.Gbps {
		t.Errorf("rate %v, below the smallest", s.Pace)
	}
}

func near(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }

func TestControllers(t *testing.T) {
	for name, f := range map[string]transport.Factory{
		"window": func() transport.Controller {
			return &windowSender{Sender: reno.NewSender(reno.Params{InitialWindow: 10}), gain: 1.0 / 16}
		},
		"rate": func() transport.Controller {
			return &rateSender{Rated: transport.Rated{Limit: transport.RateWindow{Rule: transport.Scaled}},
				cfg: &Params{Gain: 1.0 / 16, RateAI: 615 * unit.Mbps, MinRate: unit.Gbps}}
		},
	} {
		t.Run(name, func(t *testing.T) { cctest.Suite(t, f) })
	}
}
