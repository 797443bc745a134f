package reno_test

import (
	"testing"

	"pintlab/internal/errtest"
	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
	"pintlab/transport/reno"
)

const mss = 1460

func start(t *testing.T, segments int) transport.Controller {
	t.Helper()
	f, err := (&reno.Params{InitialWindow: segments}).New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := f()
	c.Start(0, transport.FlowInfo{Segment: mss, Packet: 1514, LineRate: 10 * unit.Gbps})
	return c
}

func want(t *testing.T, c transport.Controller, what string, bytes unit.Bytes) {
	t.Helper()
	if w := c.Window(); w != bytes {
		t.Errorf("%s: window %d, want %d", what, w, bytes)
	}
}

func ack(c transport.Controller, phase transport.Phase, acked, flight unit.Bytes) {
	c.OnAck(0, &transport.Ack{Phase: phase, Acked: acked, Flight: flight})
}

func TestController(t *testing.T) {
	f, err := (&reno.Params{InitialWindow: 10}).New(nil)
	if err != nil {
		t.Fatal(err)
	}
	cctest.Suite(t, f)
}

func TestConfig(t *testing.T) {
	var p reno.Params
	(&schema.Language{}).Default(&p)
	if p.InitialWindow != 10 {
		t.Errorf("initial window of %d segments, want 10 (RFC 6928)", p.InitialWindow)
	}
	_, err := (&reno.Params{}).New(nil)
	if want := "reno: initial window = 0 segments, want >= 1"; !errtest.Says(err, want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Equation 2: an ACK of N new bytes adds min(N, SMSS), so that an ACK of two segments adds one
// segment and an ACK of 100 bytes adds 100 bytes.
func TestEquation2AddsWhatIsAcknowledgedAtMostASegment(t *testing.T) {
	c := start(t, 2)
	want(t, c, "start", 2*mss)
	ack(c, transport.Open, mss, 0)
	want(t, c, "one segment", 3*mss)
	ack(c, transport.Open, 2*mss, 0)
	want(t, c, "two segments", 4*mss)
	ack(c, transport.Open, 100, 0)
	want(t, c, "100 bytes", 4*mss+100)
}

// Equation 4: ssthresh = max(FlightSize/2, 2·SMSS); the window in fast recovery is
// three segments more (§3.2 step 3), and one more for each further duplicate (step 4).
func TestEquation4HalvesTheFlight(t *testing.T) {
	c := start(t, 10)
	c.OnLoss(0, transport.Loss{Kind: transport.FastRetransmit, Flight: 20 * mss})
	want(t, c, "20 segments out", 13*mss)
	ack(c, transport.Duplicate, 0, 20*mss)
	want(t, c, "duplicate", 14*mss)
	c.OnLoss(0, transport.Loss{Kind: transport.FastRetransmit, Flight: 3 * mss})
	want(t, c, "3 segments out", 5*mss)
}

// When fast recovery ends, the window is min(ssthresh, max(FlightSize, SMSS) + SMSS) (§3.2 step 6, and RFC 6582 §3.2
// step 3, option 1).
func TestRecoveryEndsWithoutABurst(t *testing.T) {
	for _, tt := range []struct{ flight, want unit.Bytes }{{20 * mss, 10 * mss}, {9 * mss, 10 * mss},
		{5 * mss, 6 * mss}, {0, 2 * mss}} {
		c := start(t, 10)
		c.OnLoss(0, transport.Loss{Kind: transport.FastRetransmit, Flight: 20 * mss})
		ack(c, transport.Exit, mss, tt.flight)
		want(t, c, tt.flight.String()+" out", tt.want)
	}
}

// RFC 6582 §3.2 step 3, partial acknowledgement: the window shrinks by the acknowledged bytes, and grows by a segment
// if at least one segment was acknowledged.
func TestPartialAcknowledgementDeflatesTheWindow(t *testing.T) {
	c := start(t, 10)
	c.OnLoss(0, transport.Loss{Kind: transport.FastRetransmit, Flight: 20 * mss})
	ack(c, transport.Partial, 4*mss, 0)
	want(t, c, "4 segments", 10*mss)
	ack(c, transport.Partial, 100, 0)
	want(t, c, "100 bytes", 10*mss-100)
	ack(c, transport.Partial, 100*mss, 0)
	want(t, c, "more than the window", 2*mss)
}

// §3.1: the loss window is one segment, and ssthresh is half of the data in flight. A second timeout of the same data
// does not change ssthresh, so that slow start ends at 5.
func TestTimeoutStartsFromOneSegment(t *testing.T) {
	c := start(t, 10)
	c.OnLoss(0, transport.Loss{Kind: transport.Timeout, Flight: 10 * mss})
	want(t, c, "timeout", mss)
	c.OnLoss(0, transport.Loss{Kind: transport.Timeout, Flight: mss, Again: true})
	want(t, c, "second timeout", mss)
	for range 4 {
		ack(c, transport.Open, mss, 0)
	}
	want(t, c, "slow start", 5*mss)
	ack(c, transport.Open, mss, 0)
	want(t, c, "congestion avoidance", 5*mss)
}

// Congestion avoidance adds a segment for each window of bytes that is acknowledged,
// whether one ACK covers one segment or two (§3.1).
func TestCongestionAvoidanceCountsBytes(t *testing.T) {
	for _, every := range []unit.Bytes{1, 2, 5} {
		c := start(t, 10)
		c.OnLoss(0, transport.Loss{Kind: transport.FastRetransmit, Flight: 20 * mss})
		ack(c, transport.Exit, mss, 20*mss) // window and ssthresh 10
		for range 10 / every {
			want(t, c, "before a window is acknowledged", 10*mss)
			ack(c, transport.Open, every*mss, 0)
		}
		want(t, c, "after", 11*mss)
	}
}

// Reno does not pace.
func TestRateIsTheLineRate(t *testing.T) {
	if r := start(t, 10).Rate(); r != 10*unit.Gbps {
		t.Errorf("rate %v, want 10Gbps", r)
	}
}

// A threshold of 13 segments ends the slow start that begins with 10: after a few ACKs the window grows by only one
// segment per window of ACKs.
func TestInitialThresholdEndsTheFirstSlowStart(t *testing.T) {
	f, err := (&reno.Params{InitialWindow: 10, InitialThreshold: 13 * mss}).New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := f()
	c.Start(0, transport.FlowInfo{Segment: mss, Packet: 1514, LineRate: 10 * unit.Gbps})
	for range 3 {
		ack(c, transport.Open, mss, 0)
	}
	want(t, c, "slow start", 13*mss)
	for range 12 {
		ack(c, transport.Open, mss, 0)
	}
	want(t, c, "congestion avoidance", 13*mss)
	ack(c, transport.Open, mss, 0)
	want(t, c, "a window later", 14*mss)
}

// RFC 3168 §6.1.2: the first mark of a window halves the window and sets the threshold; further
// marks of that window and ACKs that echo them change nothing; congestion avoidance follows. In
// fast recovery marks change nothing.
func TestMarksHalveOncePerWindow(t *testing.T) {
	f, err := (&reno.Params{InitialWindow: 20, ECN: true}).New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := f()
	c.Start(0, transport.FlowInfo{Segment: mss, Packet: 1514, LineRate: 10 * unit.Gbps})
	if set := c.OnAck(0, &transport.Ack{Acked: mss, Marked: true, Congested: true}); !set {
		t.Error("the first mark sets nothing")
	}
	want(t, c, "first mark", 10*mss)
	if set := c.OnAck(0, &transport.Ack{Acked: mss, Marked: true}); set {
		t.Error("the second mark of the window sets something")
	}
	want(t, c, "second mark", 10*mss)
	for range 9 {
		ack(c, transport.Open, mss, 0)
	}
	want(t, c, "before a window is acknowledged", 10*mss)
	ack(c, transport.Open, mss, 0)
	want(t, c, "congestion avoidance", 11*mss)

	c.OnLoss(0, transport.Loss{Kind: transport.FastRetransmit, Flight: 10 * mss})
	c.OnAck(0, &transport.Ack{Phase: transport.Duplicate, Marked: true, Congested: true})
	want(t, c, "in recovery", 9*mss)
	for range 5 {
		c.OnAck(0, &transport.Ack{Acked: mss, Marked: true, Congested: true})
	}
	want(t, c, "two segments at least", 2*mss)
}

func TestControllerWithECN(t *testing.T) {
	f, err := (&reno.Params{InitialWindow: 10, ECN: true, InitialThreshold: 50_000}).New(nil)
	if err != nil {
		t.Fatal(err)
	}
	cctest.Suite(t, f)
}
