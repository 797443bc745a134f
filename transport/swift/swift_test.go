package swift

import (
	"math"
	"strings"
	"testing"

	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
)

const (
	us   = unit.Microsecond
	line = 100 * unit.Gbps
)

// keys returns parameters that allow mental arithmetic: α = 30/(2 - 1/2) = 20 us, β' = -10 us.
func keys() Params {
	return Params{
		Base: 10 * us, Hop: 2 * us, Range: 30 * us, RangeMin: 0.25, RangeMax: 4,
		Increase: 1, Beta: 0.8, MaxDecrease: 0.5, Reset: 4, Least: 0.01, Most: 10_000, Initial: 16,
	}
}

func setting() *transport.Setting {
	return &transport.Setting{MaxHops: 1, Farthest: func() (unit.Time, unit.Bytes) { return 10 * us, 125_000 }}
}

func factory(t *testing.T, p Params) transport.Factory {
	t.Helper()
	f, err := p.New(setting())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// start begins a flow over a number of switches with a window.
func start(t *testing.T, hops int, cwnd float64) *sender {
	t.Helper()
	p := keys()
	p.Initial = cwnd
	s := factory(t, p)().(*sender)
	s.Start(100*us, transport.FlowInfo{Segment: 1000, Packet: 1250, LineRate: line, PathRate: line,
		BaseRTT: 10 * us, Hops: hops})
	return s
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*math.Abs(want) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// §3.5: base_target, 2 us for each switch, and 20/√cwnd - 10 us between 0 and fs_range.
func TestTarget(t *testing.T) {
	for _, tt := range []struct {
		hops int
		cwnd float64
		want unit.Time
	}{
		{1, 16, 12 * us}, {3, 16, 16 * us}, {5, 4, 20 * us}, // nothing from fs_max_cwnd on
		{1, 1, 22 * us}, {1, 0.25, 42 * us}, // all of it at fs_min_cwnd
		{1, 0.04, 42 * us}, // and no more below
	} {
		if got := start(t, tt.hops, tt.cwnd).target(); got != tt.want {
			t.Errorf("%d hops, cwnd %v: target %v, want %v", tt.hops, tt.cwnd, got, tt.want)
		}
	}
}

// Without fs_range the target does not depend on the window.
func TestFlowScalingOff(t *testing.T) {
	p := keys()
	p.Range = 0
	s := factory(t, p)().(*sender)
	s.Start(0, transport.FlowInfo{Segment: 1000, Packet: 1048, LineRate: line, BaseRTT: 10 * us, Hops: 1})
	s.cwnd = 0.01
	if got := s.target(); got != 12*us {
		t.Errorf("target %v", got)
	}
}

func ack(rtt unit.Time, packets int) *transport.Ack {
	return &transport.Ack{HasRTT: true, RTT: rtt, Acked: unit.Bytes(1000 * packets), Flight: 1 << 30}
}

// Below the target each acknowledged packet adds ai/cwnd to the window, or ai if the window is below one packet.
func TestAdditiveIncrease(t *testing.T) {
	s := start(t, 1, 16)
	s.OnAck(200*us, ack(11*us, 1))
	near(t, "cwnd", s.cwnd, 16+1.0/16)
	s = start(t, 1, 16)
	s.OnAck(200*us, ack(11*us, 4))
	near(t, "cwnd", s.cwnd, 16.25)
	s = start(t, 1, 0.25)
	s.OnAck(200*us, ack(41*us, 1))
	near(t, "cwnd", s.cwnd, 1.25)
}

// A window does not grow if the NIC prevents the flow from filling it. With 13 packets in flight after the ACK of one
// packet, 14 were in flight before, although the window has 16. With 14 packets in flight after the ACK, the window
// counts as full and grows.
func TestNoIncreaseBehindTheNIC(t *testing.T) {
	for flight, want := range map[unit.Bytes]float64{13_000: 16, 14_000: 16 + 1.0/16} {
		s := start(t, 1, 16)
		a := ack(11*us, 1)
		a.Flight = flight
		s.OnAck(200*us, a)
		near(t, "cwnd", s.cwnd, want)
	}
}

// Above the target of 12 us the window is multiplied by 1 - 0.8·(24-12)/24 = 0.6, at least by 0.5, and once per round
// trip.
func TestMultiplicativeDecrease(t *testing.T) {
	s := start(t, 1, 16)
	s.OnAck(200*us, ack(24*us, 1))
	near(t, "cwnd", s.cwnd, 9.6)
	if s.OnAck(223*us, ack(24*us, 1)) {
		t.Error("two decreases in a round trip")
	}
	s.OnAck(224*us, ack(24*us, 1))
	near(t, "cwnd", s.cwnd, 5.76)
	s.OnAck(500*us, ack(240*us, 1))
	near(t, "cwnd", s.cwnd, 2.88)
	// At the target itself the window is multiplied by 1, which is no decrease.
	s.cwnd = 4
	s.OnAck(900*us, ack(12*us, 1))
	near(t, "cwnd", s.cwnd, 4)
	s.OnAck(901*us, ack(24*us, 1))
	near(t, "cwnd", s.cwnd, 2.4)
}

// Algorithm 1 for losses: a loss halves the window, at most once per round trip. The fourth timeout without an ACK in
// between sets the window to min_cwnd.
func TestLosses(t *testing.T) {
	s := start(t, 1, 16)
	s.OnLoss(200*us, transport.Loss{Kind: transport.FastRetransmit})
	near(t, "cwnd", s.cwnd, 8)
	s.OnLoss(205*us, transport.Loss{Kind: transport.Gap}) // within 10 us
	near(t, "cwnd", s.cwnd, 8)
	s.OnLoss(210*us, transport.Loss{Kind: transport.Gap})
	near(t, "cwnd", s.cwnd, 4)
	for i, want := range []float64{2, 1, 0.5, 0.01} {
		s.OnLoss(unit.Time(300+100*i)*us, transport.Loss{Kind: transport.Timeout})
		near(t, "cwnd", s.cwnd, want)
	}
	s.cwnd = 16
	s.OnAck(1000*us, &transport.Ack{}) // resets the count
	s.OnLoss(1100*us, transport.Loss{Kind: transport.Timeout})
	near(t, "cwnd", s.cwnd, 8)
}

// A window of at least one packet limits a flow without pacing. With a smaller window, a packet of 1250 B leaves every
// rtt/cwnd: with 0.25 packets and 20 us every 80 us, which is 125 Mb/s.
func TestPacingBelowOnePacket(t *testing.T) {
	s := start(t, 1, 1)
	if s.Rate() != line || s.Window() != 1000 {
		t.Errorf("one packet: %v, %v", s.Rate(), s.Window())
	}
	s.cwnd, s.rtt = 0.25, 20*us
	if s.Rate() != 125*unit.Mbps || s.Window() != 250 {
		t.Errorf("a quarter: %v, %v", s.Rate(), s.Window())
	}
}

// The first window equals the bytes that the NIC sends in the base RTT: 125 000 B, packets of 1250
// B.
func TestFirstWindow(t *testing.T) { near(t, "cwnd", start(t, 1, 0).cwnd, 100) }

func TestBadParams(t *testing.T) {
	for want, edit := range map[string]func(*Params){
		"cc.fs_min_cwnd = 4: want less than cc.fs_max_cwnd = 4": func(p *Params) { p.RangeMin = 4 },
		"cc.min_cwnd = 1: want at most cc.max_cwnd = 0.5":       func(p *Params) { p.Least, p.Most = 1, 0.5 },
		"cc.base_target = 7us, cc.hop_target = 2us: want a target above the base RTT of the longest " +
			"paths (1 switch, 10us)": func(p *Params) { p.Base = 7 * us },
	} {
		p := keys()
		edit(&p)
		if _, err := p.New(setting()); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// switched returns the keys for round-trip times from switches, in units of 1 us.
func switched(t *testing.T) transport.Factory {
	t.Helper()
	p, s := keys(), setting()
	p.Signal, s.Feedback = "switch", cctest.RoundTripFeedback(us)
	f, err := p.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A window of 16 packets has a target of 12 us. The switch's estimate of 20 us counts and cuts the window by 0.8·8/20.
// The host's 11 us does not count. Without an estimate nothing changes.
func TestSignalOfTheSwitch(t *testing.T) {
	s := switched(t)().(*sender)
	s.Start(100*us, transport.FlowInfo{Segment: 1000, Packet: 1250, LineRate: line, PathRate: line,
		BaseRTT: 10 * us, Hops: 1})
	ack := transport.Ack{Acked: 1000, Flight: 16_000, HasRTT: true, RTT: 11 * us}
	if s.OnAck(200*us, &ack) || s.cwnd != 16 {
		t.Errorf("without an estimate cwnd = %v", s.cwnd)
	}
	ack.Digest = 20
	if !s.OnAck(201*us, &ack) {
		t.Error("an estimate set nothing")
	}
	near(t, "cwnd", s.cwnd, 16*(1-0.8*8/20))
	if got, want := (&Params{Signal: "switch"}).Needs().Feedback, telemetry.RoundTrip; len(got) != 1 || got[0] != want {
		t.Errorf("needs %v, want %s", got, want)
	}
}

func TestControllers(t *testing.T) {
	p := keys()
	p.Initial = 0
	for name, f := range map[string]transport.Factory{"host": factory(t, p), "switch": switched(t)} {
		t.Run(name, func(t *testing.T) { cctest.Suite(t, f) })
	}
}

// With delayed_acks of 3 the third consecutive acknowledgement above the target cuts the window. An acknowledgement
// below the target resets the count.
func TestCutAfterSeveralDelayedAcks(t *testing.T) {
	p := keys()
	p.Delayed = 3
	s := factory(t, p)().(*sender)
	s.Start(100*us, transport.FlowInfo{Segment: 1000, Packet: 1250, LineRate: line, BaseRTT: 10 * us, Hops: 1})
	for i, c := range []struct {
		rtt unit.Time
		cut bool
	}{{24 * us, false}, {24 * us, false}, {11 * us, false}, {24 * us, false}, {24 * us, false}, {24 * us, true}} {
		before := s.cwnd
		s.OnAck(unit.Time(200+100*i)*us, ack(c.rtt, 1))
		if cut := s.cwnd < before; cut != c.cut {
			t.Errorf("acknowledgement %d: the window is %v after %v", i, s.cwnd, before)
		}
	}
}

// The median of 11, 14 and 24 us is 14 us, above the target of 12 us: the window is cut by 0.8·(14-12)/14, or, if the
// newest delay decides, by 0.8·(24-12)/24. The median of 11, 14 and 11 us is below the target.
func TestCutByTheMedian(t *testing.T) {
	for _, c := range []struct {
		cut  string
		last unit.Time
		want float64 // share that is left
	}{
		{"pooled", 24 * us, 1 - 0.8*2/14}, {"newest", 24 * us, 1 - 0.8*12/24},
		{"pooled", 11 * us, 1}, {"newest", 11 * us, 1},
	} {
		p := keys()
		p.Cut, p.Pooling = c.cut, transport.Pooling{Feedback: "median", Number: "fixed", Most: 3}
		s := factory(t, p)().(*sender)
		s.Start(100*us, transport.FlowInfo{Segment: 1000, Packet: 1250, LineRate: line, BaseRTT: 10 * us, Hops: 1})
		s.OnAck(200*us, ack(11*us, 0))
		s.pool.Of(float64(14*us), s.cwnd)
		before := s.cwnd
		s.OnAck(300*us, ack(c.last, 0))
		near(t, c.cut, s.cwnd/before, c.want)
	}
}

// If the newest delay is below the target and the median is above it, nothing is cut.
func TestNoCutByANewestDelayBelowTheTarget(t *testing.T) {
	p := keys()
	p.Cut, p.Pooling = "newest", transport.Pooling{Feedback: "median", Number: "fixed", Most: 3}
	s := factory(t, p)().(*sender)
	s.Start(100*us, transport.FlowInfo{Segment: 1000, Packet: 1250, LineRate: line, BaseRTT: 10 * us, Hops: 1})
	s.pool.Of(float64(24*us), s.cwnd)
	s.pool.Of(float64(24*us), s.cwnd)
	s.OnAck(300*us, ack(11*us, 0))
	near(t, "cwnd", s.cwnd, 16)
}
