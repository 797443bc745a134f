package cubic

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
	"pintlab/transport/reno"
)

func start(p Params) *sender {
	f, err := p.New(nil)
	if err != nil {
		panic(err)
	}
	s := f().(*sender)
	s.Start(0, transport.FlowInfo{Segment: 1000, Packet: 1054, LineRate: 10 * unit.Gbps, PathRate: 10 * unit.Gbps,
		BaseRTT: 100 * unit.Millisecond})
	return s
}

var standard = Params{Params: reno.Params{InitialWindow: 10}, C: 0.4, Beta: 0.7, FastConvergence: true}

// segments returns the window in segments, including fractions of a byte.
func segments(s *sender) float64 { return (float64(s.Window()) + s.part) / 1000 }

// A loss at 100 segments leaves 70, and W_max = 100. After K = cbrt(30/0.4) = 4.217 s the window is at W_max again,
// apart from the steps between ACKs, which arrive every 10 ms. The window is concave before K and convex after K: the
// increase in the second before K equals the increase in the second after.
func TestCubicByHand(t *testing.T) {
	s := start(standard)
	s.Grow(100_000)
	s.OnLoss(0, transport.Loss{Kind: transport.FastRetransmit, Flight: 100_000})
	s.Sender.OnAck(0, &transport.Ack{Phase: transport.Exit, Flight: 70_000})
	if w := s.Window(); w != 70_000 {
		t.Fatalf("window of %d bytes after the recovery, want 70000", w)
	}
	k := math.Cbrt(75)
	at := map[int]float64{}
	for ms := 0; ms <= 6000; ms += 10 {
		// With an RTT of 10 ms the target is W_cubic 10 ms from now. Each ACK covers a tenth of the window.
		acked := s.Window() / 10
		s.OnAck(unit.Time(ms)*unit.Millisecond, &transport.Ack{Acked: acked, HasRTT: true, RTT: 10 * unit.Millisecond})
		at[ms] = segments(s)
	}
	if d := math.Abs(s.k - k); d > 1e-9 {
		t.Errorf("K = %v, want %v", s.k, k)
	}
	for _, ms := range []int{1000, 2000, 3000, 4210, 5000} {
		d := float64(ms)/1000 - k
		want := 0.4*d*d*d + 100
		// Each ACK closes a tenth of the gap between the window and its target, so the window lags
		// by the growth of some tenths of a second.
		if got := at[ms]; got > want+0.2 || got < want-0.1*0.4*3*d*d-0.2 {
			t.Errorf("after %d ms %.2f segments, W_cubic is %.2f", ms, got, want)
		}
	}
}

// §4.3: with β = 0.7 the Reno-friendly window gains 3·0.3/1.7 = 0.529 segments per window until it reaches its size
// before the loss, and then one segment.
func TestRenoFriendlyRegion(t *testing.T) {
	p := standard
	p.C = 1e-9 // so that W_cubic stays below
	s := start(p)
	s.Grow(20_000)
	s.OnLoss(0, transport.Loss{Kind: transport.FastRetransmit, Flight: 20_000})
	s.Sender.OnAck(0, &transport.Ack{Phase: transport.Exit, Flight: 14_000})
	s.wMax = 1 // and flat
	for i := range 40 {
		before := segments(s)
		prior := s.est
		for range 10 {
			s.OnAck(unit.Time(i)*unit.Millisecond, &transport.Ack{Acked: s.Window() / 10})
		}
		gain, want := segments(s)-before, 0.529
		if prior >= s.prior {
			want = 1
		} else if s.est >= s.prior {
			continue // the window in which the growth changes
		}
		if math.Abs(gain-want) > 0.05*want {
			t.Errorf("window %d: %v segments more at %v, want %v", i, gain, before, want)
		}
	}
	if s.est < s.prior+5 {
		t.Errorf("%v segments at the end; the test needs both", s.est)
	}
}

// §4.7: a loss below the last W_max sets W_max to 0.85 of the window. Without fast convergence W_max becomes the window
// itself. §4.8: a timeout leaves one segment, and the next epoch begins at the present window, with K = 0.
func TestLosses(t *testing.T) {
	for _, fast := range []bool{true, false} {
		p := standard
		p.FastConvergence = fast
		s := start(p)
		s.Grow(100_000)
		s.OnLoss(0, transport.Loss{Kind: transport.FastRetransmit, Flight: 100_000})
		s.Grow(80_000)
		s.OnLoss(0, transport.Loss{Kind: transport.FastRetransmit, Flight: 80_000})
		want := 80.0
		if fast {
			want = 68
		}
		if math.Abs(s.wMax-want) > 1e-9 {
			t.Errorf("fast convergence %v: W_max = %v, want %v", fast, s.wMax, want)
		}
		s.OnLoss(0, transport.Loss{Kind: transport.Timeout, Flight: 10_000})
		if s.Window() != 1000 || !s.SlowStart() {
			t.Errorf("window of %d bytes after a timeout", s.Window())
		}
		for s.SlowStart() {
			s.OnAck(0, &transport.Ack{Acked: 1000})
		}
		w := segments(s)
		s.OnAck(unit.Second, &transport.Ack{Acked: 1000})
		if s.k != 0 || s.wMax != w || w != 7 {
			t.Errorf("after the timeout K = %v and W_max = %v with %v segments", s.k, s.wMax, w)
		}
	}
}

func TestCubeRoot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(0, 1e15).Draw(t, "x")
		if got, want := cbrt(x), math.Cbrt(x); math.Abs(got-want) > 1e-9*(1+want) {
			t.Errorf("cbrt(%v) = %v, want %v", x, got, want)
		}
	})
}

func TestController(t *testing.T) {
	f, err := (&Params{Params: reno.Params{InitialWindow: 10}, C: 0.4, Beta: 0.7}).New(nil)
	if err != nil {
		t.Fatal(err)
	}
	cctest.Suite(t, f)
}

// RFC 9438 §4.6 on a mark: 100 segments in flight become 70, which is also the threshold, and W_max is 100. A second
// mark of the same window changes nothing. The next mark arrives below W_max, so that fast convergence sets W_max =
// 70·(1+0.7)/2 = 59.5 (§4.7).
func TestMarksDecreaseOncePerWindow(t *testing.T) {
	p := standard
	p.ECN = true
	s := start(p)
	s.Grow(100_000)
	mark := transport.Ack{Acked: 1000, Flight: 99_000, Marked: true, Congested: true}
	if !s.OnAck(0, &mark) || s.Window() != 70_000 || s.wMax != 100 || s.SlowStart() {
		t.Errorf("after a mark: window %d, W_max %v, slow start %v; want 70000, 100, false",
			s.Window(), s.wMax, s.SlowStart())
	}
	if s.OnAck(0, &transport.Ack{Acked: 1000, Flight: 98_000, Marked: true}) || s.Window() != 70_000 {
		t.Errorf("window %d after the second mark, want 70000", s.Window())
	}
	mark.Flight = 69_000
	if !s.OnAck(0, &mark) || s.Window() != 49_000 || math.Abs(s.wMax-59.5) > 1e-9 {
		t.Errorf("window %d, W_max %v after the next window's mark, want 49000 and 59.5", s.Window(), s.wMax)
	}
}

func TestControllerWithECN(t *testing.T) {
	p := standard
	p.ECN, p.InitialThreshold = true, 30_000
	f, err := p.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	cctest.Suite(t, f)
}
