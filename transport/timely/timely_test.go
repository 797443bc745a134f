package timely

import (
	"strings"
	"testing"

	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
)

const us = unit.Microsecond

func paper() *config {
	return &config{Params: Params{
		Alpha: 0.875, Beta: 0.8, Low: 50 * us, High: 500 * us, MinRTT: 20 * us,
		RateAI: 10 * unit.Mbps, MinRate: 10 * unit.Mbps, HyperAfter: 5, Segment: 2000,
	}}
}

func published() *config {
	c := paper()
	c.RateAI, c.RateHAI, c.MinRate = 100*unit.Mbps, 500*unit.Mbps, unit.Gbps
	return c
}

func info() transport.FlowInfo {
	return transport.FlowInfo{Segment: 1000, Packet: 1056, LineRate: 10 * unit.Gbps, PathRate: 10 * unit.Gbps,
		BaseRTT: 10 * us}
}

// Algorithm 1, with a completion every 2000 bytes and rates in Mb/s from 10000.
func TestPaperByHand(t *testing.T) {
	s := &segmentSender{cfg: paper()}
	s.Start(0, info())
	rate := 10_000.0
	for i, tt := range []struct {
		rtt  unit.Time // RTT of the second packet of a segment
		want float64
	}{
		{100 * us, rate},        // gradient 0: additive increase, without effect at line rate
		{116 * us, rate * 0.44}, // diff 0.875·16 = 14 us, gradient 0.7: 1 - 0.56
		{600 * us, 0},           // above T_high: computed below
		{40 * us, 0},            // below T_low: 10 Mb/s more, and diff is -489.…
		{100 * us, 0},           // diff 0.125·diff + 52.5 us
	} {
		s.OnAck(0, &transport.Ack{Acked: 1000, HasRTT: true, RTT: 77 * us})
		before := float64(s.Pace) / 1e6
		s.OnAck(0, &transport.Ack{Acked: 1000, HasRTT: true, RTT: tt.rtt})
		want := tt.want
		switch i {
		case 2:
			want = before * (1 - 0.8*(1-500.0/600))
		case 3:
			want = before + 10
		case 4:
			// The successive values of diff are 14; 1.75 + 423.5 = 425.25; 53.15625 - 490 =
			// -436.84375; -54.60546875 + 52.5 = -2.10546875. So the gradient is below 0.
			want = before + 10
		}
		if got := float64(s.Pace) / 1e6; got-want > 1e-5 || want-got > 1e-5 {
			t.Errorf("completion %d: %v Mb/s, want %v", i, got, want)
		}
	}
	// The fifth successive completion with a gradient of at most 0 causes hyper increase. The first of these five has
	// already happened.
	for i := 2; i <= 6; i++ {
		before := s.Pace
		s.OnAck(0, &transport.Ack{Acked: 2000, HasRTT: true, RTT: 100*us - unit.Time(i)*us})
		want := 10 * unit.Mbps
		if i >= 5 {
			want = 50 * unit.Mbps
		}
		if s.Pace-before != want {
			t.Errorf("successive completion %d adds %v, want %v", i, s.Pace-before, want)
		}
	}
}

// The weight of patched TIMELY: RTTs 100, 100 us have gradient 0, so w = 1/2. With β =
// 0.008 and RTT_ref = 80 us the error is 1/4: rate·(1 - 0.001) + 5 Mb/s.
func TestPatchedByHand(t *testing.T) {
	c := paper()
	c.Variant, c.Beta, c.Reference = "patched", 0.008, 80*us
	s := &segmentSender{cfg: c}
	s.Start(0, info())
	for range 2 {
		before := float64(s.Pace)
		s.OnAck(0, &transport.Ack{Acked: 2000, HasRTT: true, RTT: 100 * us})
		if want := unit.Rate(before*0.999 + 5e6); s.Pace < want-1 || s.Pace > want+1 {
			t.Errorf("rate %v, want %v", s.Pace, want)
		}
	}
	// A gradient above 1/4 has the weight 1: error (200-80)/80 = 1.5.
	before := float64(s.Pace)
	s.OnAck(0, &transport.Ack{Acked: 2000, HasRTT: true, RTT: 200 * us})
	if want := unit.Rate(before * (1 - 0.008*1.5)); s.Pace < want-1 || s.Pace > want+1 {
		t.Errorf("rate %v, want %v", s.Pace, want)
	}
	// A gradient below -1/4 has the weight 0: 10 Mb/s are added.
	last := s.Pace
	s.OnAck(0, &transport.Ack{Acked: 2000, HasRTT: true, RTT: 60 * us})
	if s.Pace != last+10*unit.Mbps {
		t.Errorf("rate %v, want 10 Mb/s above %v", s.Pace, last)
	}
}

// The published simulator's rules, for successive windows of 10000 bytes, with rates in Mb/s.
func TestRoundByHand(t *testing.T) {
	s := &roundSender{cfg: published()}
	s.Start(0, info())
	seq := int64(0)
	window := func(rtt unit.Time) unit.Rate {
		seq += 10_000
		s.OnAck(0, &transport.Ack{Seq: seq - 9000, Next: seq, HasRTT: true, RTT: rtt})
		rate := s.Pace
		// Another ACK of the same window changes nothing.
		if s.OnAck(0, &transport.Ack{Seq: seq, Next: seq + 5000, HasRTT: true, RTT: 400 * us}); s.Pace != rate {
			t.Error("two updates in a window")
		}
		return s.Pace
	}
	for i, tt := range []struct {
		rtt  unit.Time
		want unit.Rate
	}{
		{60 * us, 10_000 * unit.Mbps}, // the first ACK only records
		{76 * us, 4400 * unit.Mbps},   // diff 14 us, gradient 0.7
		{1000 * us, 2640 * unit.Mbps}, // above T_high: 1 - 0.8/2
		{1000 * us, 1584 * unit.Mbps}, // again
		{2000 * us, 1000 * unit.Mbps}, // not below 1 Gb/s
		{40 * us, 1100 * unit.Mbps},   // below T_low: five increases of 100 Mb/s
		{40 * us, 1200 * unit.Mbps},
		{40 * us, 1300 * unit.Mbps},
		{40 * us, 1400 * unit.Mbps},
		{40 * us, 1500 * unit.Mbps},
		{40 * us, 2000 * unit.Mbps}, // then of 500 Mb/s
		{50 * us, 2000 * unit.Mbps}, // set below
	} {
		if i == 11 {
			tt.want = unit.Rate(2e9 * (1 - 0.8*s.next(50)))
		}
		if got := window(tt.rtt); got != tt.want {
			t.Errorf("window %d: %v, want %v", i, got, tt.want)
		}
	}
}

// next returns the gradient after an RTT in microseconds.
func (s *roundSender) next(rtt float64) float64 {
	return (0.125*s.diff + 0.875*(rtt*1000-float64(s.last.Nanoseconds()))) / 20_000
}

// With the signal of the switch, a completion counts if an ACK contains an estimate. The estimate of 600 us is above
// T_high, and the host's 40 us is ignored.
func TestSignalOfTheSwitch(t *testing.T) {
	p := Params{
		Variant: "paper", Signal: "switch", Alpha: 0.875, Beta: 0.8, Low: 50 * us, High: 500 * us, MinRTT: 20 * us,
		Segment: 2000, RateAI: 10 * unit.Mbps, MinRate: 10 * unit.Mbps, Window: "none",
	}
	f, err := p.New(&transport.Setting{Slowest: 10 * unit.Gbps, Feedback: cctest.RoundTripFeedback(us)})
	if err != nil {
		t.Fatal(err)
	}
	for _, variant := range []string{"paper", "ns3"} {
		p.Variant = variant
		if got := p.Needs().Feedback; len(got) != 1 || got[0] != telemetry.RoundTrip {
			t.Errorf("%s needs %v", variant, got)
		}
	}
	s := f()
	s.Start(0, info())
	ack := transport.Ack{Acked: 2000, HasRTT: true, RTT: 40 * us}
	if s.OnAck(0, &ack) || s.Rate() != 10*unit.Gbps {
		t.Errorf("without an estimate %v", s.Rate())
	}
	ack.Acked, ack.Digest = 0, 600
	if !s.OnAck(0, &ack) || s.Rate()/unit.Mbps != 8666 { // 1 - 0.8·(1 - 500/600) = 13/15
		t.Errorf("600 us: %v, want 13/15 of 10 Gb/s", s.Rate())
	}
}

// A note reports a segment that takes many RTTs on the slowest link: 16 KB at 100 Mb/s take 1.28 ms, 64 times minRTT.
func TestSlowSegment(t *testing.T) {
	p := Params{
		Variant: "paper", Signal: "host", Alpha: 0.875, Beta: 0.8, Low: 50 * us, High: 500 * us, MinRTT: 20 * us,
		Segment: 16 * unit.KB, RateAI: 10 * unit.Mbps, MinRate: unit.Mbps, Window: "none",
	}
	for slowest, want := range map[unit.Rate]string{10 * unit.Gbps: "",
		100 * unit.Mbps: "cc.segment = 16KB takes 1.28ms at the slowest link, 100Mbps, which is 64 times cc.min_rtt"} {
		told := ""
		if _, err := p.New(&transport.Setting{HostRate: 10 * unit.Gbps, Slowest: slowest, Warn: func(s string) {
			told += s
		}}); err != nil {
			t.Fatal(err)
		}
		if (told == "") != (want == "") || !strings.HasPrefix(told, want) {
			t.Errorf("%v: %q, want %q", slowest, told, want)
		}
	}
}

func TestControllers(t *testing.T) {
	patched := paper()
	patched.Variant, patched.Beta, patched.Reference = "patched", 0.008, 60*us
	setting := &transport.Setting{Feedback: cctest.RoundTripFeedback(us)}
	switched := paper()
	var err error
	if switched.trips, err = setting.RoundTrips("switch"); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]transport.Factory{
		"switch":  func() transport.Controller { return &segmentSender{cfg: switched} },
		"paper":   func() transport.Controller { return &segmentSender{cfg: paper()} },
		"patched": func() transport.Controller { return &segmentSender{cfg: patched} },
		"round": func() transport.Controller {
			return &roundSender{Rated: transport.Rated{Limit: transport.RateWindow{Rule: transport.Scaled}},
				cfg: published()}
		},
	} {
		t.Run(name, func(t *testing.T) { cctest.Suite(t, f) })
	}
}
