package recovery_test

import (
	"strings"
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
	"pintlab/transport/recovery"
	"pintlab/transport/reno"
)

const mss = 1460

// renoWith makes Reno controllers with an initial window of the given number of segments.
func renoWith(segments int) func(*netsim.Network) transport.Factory {
	f, err := (&reno.Params{InitialWindow: segments}).New(nil)
	if err != nil {
		panic(err)
	}
	return func(*netsim.Network) transport.Factory { return f }
}

// rounds returns a path with a round trip of 400 us at 10 Gb/s. This is so long that the packets of a window, 1.2 us
// each, form one burst, and each round is a separate line of Trial.Sends. The initial window is 4 segments, and the
// retransmission timer runs for 5 ms.
func rounds(r recovery.Kind) cctest.Lab {
	g := netsimtest.Star(2)
	for i := range g.Links {
		g.Links[i].Rate, g.Links[i].Delay = 10*unit.Gbps, 100*unit.Microsecond
	}
	c, tcp := cctest.Of(r), cctest.TCP()
	c.Segment, c.Header, c.AckHeader, c.WindowEdge = tcp.Segment, tcp.Header, tcp.AckHeader, tcp.WindowEdge
	c.RTOMin, c.RTOInitial = 5*unit.Millisecond, 5*unit.Millisecond
	return cctest.Lab{
		Graph: g, Transport: c, Control: renoWith(4), Trace: true,
		Network: func(n *netsim.Config) { n.PFC.Enabled = false },
	}
}

func trace(t *testing.T, l cctest.Lab, segments unit.Bytes) (string, *transport.Record) {
	t.Helper()
	r := l.Run(t, cctest.Flow(0, 1, segments*mss))
	return r.Sends(mss, 100*unit.Microsecond), r.Of(0)
}

var recoveries = []struct {
	name string
	kind recovery.Kind
}{{"tahoe", recovery.Tahoe}, {"reno", recovery.Reno}, {"newreno", recovery.NewReno}, {"sack", recovery.SACK},
	{"rack", recovery.RACK}}

func checkTrace(t *testing.T, name, got, want string) {
	t.Helper()
	want = strings.ReplaceAll(strings.TrimSpace(want), "\t", "")
	if got != want {
		t.Errorf("%s:\ngot\n%s\nwant\n%s", name, got, want)
	}
}

// Without loss, slow start doubles the window each round (RFC 5681 equation 2).
func TestSlowStartDoublesTheWindow(t *testing.T) {
	for _, r := range recoveries {
		got, x := trace(t, rounds(r.kind), 30)
		checkTrace(t, r.name, got, `
			0 1 2 3
			4 5 6 7 8 9 10 11
			12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27
			28 29`)
		if x.Retx != 0 || x.Timeouts != 0 {
			t.Errorf("%s: %d packets sent again, %d timeouts", r.name, x.Retx, x.Timeouts)
		}
	}
}

// Segment s10 is lost once (s10 is segment number 10; a number without s is a number of segments). RFC 5681 and 6582
// then require:
//
//   - Round 3: the ACKs of s4 to s9 open the window from 8 to 14 segments and send s12 to s23. The duplicate ACK that
//     s11 causes sends s24, although the window is full: this is limited transmit.
//   - Round 4: the second duplicate, caused by s12, sends s25 by limited transmit. The third, caused by s13, indicates
//     a loss. 16 segments are in flight. The 2 that were sent by limited transmit do not count, so ssthresh = 14/2 = 7.
//
// Reno and NewReno send s10 again with a window of 7 + 3 = 10. The duplicates that s14 to s24 cause increase this
// window by one each. Once the window exceeds 16, from the duplicate of s20 on, each duplicate sends one segment: s26
// to s30. In round 5, the duplicate of s25 sends s31. The ACK of s10 covers all segments up to s25 and ends the
// recovery: 6 segments are in flight, the window is min(7, 6+1) = 7, and s32 is sent. The ACKs of s26 to s30 send s33
// to s37. In congestion avoidance, 7 acknowledged segments increase the window by one: round 6 has 8 segments, and
// round 7 has 9.
//
// With SACK, s10 to s25 are in flight when the loss is detected. s11 to s13 are sacked and s10 is lost, so 12 segments
// are in the network, or 13 after s10 is sent again. The window is 7. The duplicates of s14 to s19 reduce the number in
// the network to 7, and the duplicates of s20 to s24 send one segment each, s26 to s30, as with NewReno. Round 5 is
// also the same as with NewReno: 6 segments are in flight when the ACK of s10 ends the recovery.
//
// RACK detects the loss of s10 a quarter of a round trip after the ACK that s11 causes, so RACK sends s10 again a round
// earlier. 15 segments were in flight, 1 of them by limited transmit: ssthresh is 7. 13 segments are in the network, or
// 14 after s10 is sent again. The duplicates of s12 to s18 reduce this number to 7, and the duplicates of s19 to s24
// send one segment each, s25 to s30. The ACK of s10 covers all segments up to s24, ends the recovery and sends s31.
// Round 5 is congestion avoidance with a window of 7, which the last ACK increases to 8.
//
// Tahoe sends s10 again with a window of 1; the other duplicates have no effect. The ACK of s10 covers all segments up
// to s25. Slow start continues with windows of 2 and 4, and then up to ssthresh, 7.
func TestOneLoss(t *testing.T) {
	want := map[string]string{
		"tahoe": `
			0 1 2 3
			4 5 6 7 8 9 10 11
			12 13 14 15 16 17 18 19 20 21 22 23 24
			25 10
			26 27
			28 29 30 31
			32 33 34 35 36 37 38
			39 40 41 42 43 44 45 46
			47 48 49 50 51 52 53 54 55
			56 57 58 59`,
		"reno": `
			0 1 2 3
			4 5 6 7 8 9 10 11
			12 13 14 15 16 17 18 19 20 21 22 23 24
			25 10 26 27 28 29 30
			31 32 33 34 35 36 37
			38 39 40 41 42 43 44 45
			46 47 48 49 50 51 52 53 54
			55 56 57 58 59`,
	}
	want["newreno"], want["sack"] = want["reno"], want["reno"]
	want["rack"] = `
		0 1 2 3
		4 5 6 7 8 9 10 11
		12 13 14 15 16 17 18 19 20 21 22 23 24 10
		25 26 27 28 29 30 31
		32 33 34 35 36 37 38 39
		40 41 42 43 44 45 46 47 48
		49 50 51 52 53 54 55 56 57 58
		59`
	for _, r := range recoveries {
		l := rounds(r.kind)
		l.Drop = cctest.DropFirst(mss, 10)
		got, x := trace(t, l, 60)
		checkTrace(t, r.name, got, want[r.name])
		if x.Retx != 1 || x.Timeouts != 0 {
			t.Errorf("%s: %d packets sent again, %d timeouts, want 1 and 0", r.name, x.Retx, x.Timeouts)
		}
	}
}

// Segments 10 and 12 are lost once. Up to the fast retransmit everything is as with one loss, with one duplicate fewer:
// 14 causes the third duplicate, and 29 is the last new segment in round 4. In round 5 the duplicate of 25 sends 30,
// and then the ACK of 10 covers only 10 and 11.
//
// For NewReno this is a partial acknowledgement. It sends 12 at once. The window of 21 shrinks by the 2 acknowledged
// segments and grows by 1 to 20, which admits 31, and then one segment for each of the duplicates of 26 to 29. In round
// 6 the ACK of 12 covers everything up to 30: 6 are in flight, and the window is 7.
//
// Reno ends its recovery with the ACK of 10. The window is 7 and 19 are in flight, so it sends nothing, not even by
// limited transmit, until the third duplicate (28) indicates another loss. Then it sends 12 again with ssthresh = 19/2.
// The ACK of 12 covers everything up to 30, so that nothing is in flight. The window is 1 + 1 and grows in slow start.
//
// SACK: with the duplicate of 14 three segments above 10 have arrived. 10 is sent again, and 12 are in the network. The
// duplicate of 15 is the third above 12, which is now lost, so that 11 are in the network. The duplicate of 20 reduces
// this to 6; the window of 7 then admits 12. The duplicates of 21 to 24 send 26 to 29. In round 5 the duplicate of 25
// sends 30, the ACK of 10 sends 31, and the ACK of 12 covers all up to 25: 6 are in flight, and the window is 7.
//
// RACK sends 10 again in round 3, as with one loss. In round 4 the duplicate of 13 shows that 12, which was sent before
// it, is lost; in recovery RACK does not wait longer. Of 14 in the network 12 remain. The duplicate of 19 reduces this
// to 6 and sends 12, the duplicates of 20 to 24 send 25 to 29, and the ACK of 10, which covers 11, sends 30. The ACK of
// 12 ends the recovery.
//
// Tahoe sends 10. With the ACK that covers 11 it sends 12, and also 13, which has already arrived. The ACK of 12 covers
// everything up to 25. 13 causes a duplicate, which sends 29 by limited transmit.
func TestTwoLossesInAWindow(t *testing.T) {
	want := map[string]string{
		"tahoe": `
			0 1 2 3
			4 5 6 7 8 9 10 11
			12 13 14 15 16 17 18 19 20 21 22 23 24
			25 10
			12 13
			26 27 28 29
			30 31 32 33 34 35 36
			37 38 39 40 41 42 43 44`,
		"reno": `
			0 1 2 3
			4 5 6 7 8 9 10 11
			12 13 14 15 16 17 18 19 20 21 22 23 24
			25 10 26 27 28 29
			30 12
			31 32
			33 34 35 36
			37 38 39 40 41 42 43 44`,
		"newreno": `
			0 1 2 3
			4 5 6 7 8 9 10 11
			12 13 14 15 16 17 18 19 20 21 22 23 24
			25 10 26 27 28 29
			30 12 31 32 33 34 35
			36 37 38 39 40 41 42
			43 44`,
		"sack": `
			0 1 2 3
			4 5 6 7 8 9 10 11
			12 13 14 15 16 17 18 19 20 21 22 23 24
			25 10 12 26 27 28 29
			30 31 32 33 34 35 36
			37 38 39 40 41 42 43 44`,
		"rack": `
			0 1 2 3
			4 5 6 7 8 9 10 11
			12 13 14 15 16 17 18 19 20 21 22 23 24 10
			12 25 26 27 28 29 30
			31 32 33 34 35 36 37
			38 39 40 41 42 43 44`,
	}
	retx := map[string]uint32{"tahoe": 3, "reno": 2, "newreno": 2, "sack": 2, "rack": 2}
	for _, r := range recoveries {
		l := rounds(r.kind)
		l.Drop = cctest.DropFirst(mss, 10, 12)
		got, x := trace(t, l, 45)
		checkTrace(t, r.name, got, want[r.name])
		if x.Retx != retx[r.name] || x.Timeouts != 0 {
			t.Errorf("%s: %d packets sent again, %d timeouts, want %d and 0", r.name, x.Retx, x.Timeouts, retx[r.name])
		}
	}
}

// The whole second window is lost. There is no duplicate but a timeout, which is the same for all variants. 8 are in
// flight, so ssthresh is 4 and the window 1. Everything is sent again in slow start up to a window of 4, which then
// grows by one each round.
//
// RACK sends a probe instead (RFC 8985 §7), two round trips after the last segment: 12, which is new. Its ACK shows
// that 4 to 11 are lost. 9 are in flight and the window is 4.5 segments, without a timeout and without slow start.
// Recovery ends with the ACK of 11. The eight ACKs of 13 to 20 are fewer than two windows of 4.5.
func TestATimeoutStartsSlowlyAgain(t *testing.T) {
	l := rounds(recovery.RACK)
	l.Drop = cctest.DropFirst(mss, 4, 5, 6, 7, 8, 9, 10, 11)
	got, x := trace(t, l, 22)
	checkTrace(t, "rack", got, `
		0 1 2 3
		4 5 6 7 8 9 10 11
		12
		4 5 6 7
		8 9 10 11
		13 14 15 16
		17 18 19 20
		21`)
	if x.Retx != 8 || x.Timeouts != 0 {
		t.Errorf("rack: %d packets sent again, %d timeouts, want 8 and 0", x.Retx, x.Timeouts)
	}
	for _, r := range recoveries {
		if r.kind == recovery.RACK {
			continue
		}
		l := rounds(r.kind)
		l.Drop = cctest.DropFirst(mss, 4, 5, 6, 7, 8, 9, 10, 11)
		got, x := trace(t, l, 22)
		checkTrace(t, r.name, got, `
			0 1 2 3
			4 5 6 7 8 9 10 11
			4
			5 6
			7 8 9 10
			11 12 13 14 15
			16 17 18 19 20 21`)
		if x.Retx != 8 || x.Timeouts != 1 {
			t.Errorf("%s: %d packets sent again, %d timeouts, want 8 and 1", r.name, x.Retx, x.Timeouts)
		}
	}
}

// A lost last segment causes no duplicates. The timer runs for 5 ms from the last ACK of new data (RFC 6298 §5.3), and
// twice as long each time the segment is lost again (§5.5). The first ACK after that ends the flow.
func TestALostTailIsSentAgainWithBackoff(t *testing.T) {
	l := rounds(recovery.NewReno)
	l.Drop = cctest.DropFirst(mss, 11, 11, 11)
	r := l.Run(t, cctest.Flow(0, 1, 12*mss))
	var acked unit.Time // the ACK of segment 10
	var tail []unit.Time
	for _, e := range r.Wire {
		switch {
		case e.Packet.Kind == netsim.Ack && e.Packet.Seq == 11*mss:
			acked = e.At
		case e.Sent && e.Packet.Seq == 11*mss:
			tail = append(tail, e.At)
		}
	}
	want := []unit.Time{tail[0], acked + 5*unit.Millisecond, acked + 15*unit.Millisecond, acked + 35*unit.Millisecond}
	for i := range want {
		if len(tail) != len(want) || tail[i] != want[i] {
			t.Fatalf("the last segment is sent at %v, want %v", tail, want)
		}
	}
	if x := r.Of(0); x.Timeouts != 3 || x.Retx != 3 || x.Outcome != transport.Finished {
		t.Errorf("%+v, want 3 timeouts, 3 packets sent again and a finished flow", x)
	}
}

// All packets are lost. After timeouts of 5, 10 and 20 ms the sender tries again. The fourth timeout, 40 ms later,
// exceeds the limit, so that the flow fails at 75 ms. With RTOMax = 15 ms it would fail at 5 + 10 + 15 + 15 = 45 ms.
func TestAFlowFailsAfterTooManyTimeouts(t *testing.T) {
	for _, tt := range []struct {
		rtoMax, want unit.Time
	}{{unit.Second, 75 * unit.Millisecond}, {15 * unit.Millisecond, 45 * unit.Millisecond}} {
		for _, kind := range []recovery.Kind{recovery.NewReno, recovery.GoBackN} {
			l := rounds(kind)
			l.Transport.MaxRetries, l.Transport.RTOMax = 3, tt.rtoMax
			l.Drop = func(_ unit.Time, p *netsim.Packet) bool { return p.Kind == netsim.Data }
			r := l.Run(t, cctest.Flow(0, 1, 4*mss))
			x := r.Of(0)
			if x.Outcome != transport.Failed || x.Timeouts != 3 || x.Packets != 4+3 || x.Acked != 0 {
				t.Errorf("recovery %s: %+v, want a failed flow with 3 timeouts and 7 packets", kind, x)
			}
			if got := r.Engine.Now(); got != tt.want || x.Ended != tt.want {
				t.Errorf("recovery %s: the flow fails at %v, its record says %v, want %v", kind, got, x.Ended, tt.want)
			}
		}
	}
}

// MaxTimeouts counts consecutive timeouts: an ACK of new data resets the count. There are two timeouts of segment 0,
// two of 1, and one of 3. Segment 3 is lost when limited transmit sends it, and again when it follows segment 1.
func TestProgressForgivesTimeouts(t *testing.T) {
	l := rounds(recovery.NewReno)
	l.Transport.MaxRetries = 2
	l.Control = renoWith(1)
	l.Drop = cctest.DropFirst(mss, 0, 0, 1, 1, 3, 3)
	if x := l.Run(t, cctest.Flow(0, 1, 6*mss)).Of(0); x.Outcome != transport.Finished || x.Timeouts != 5 {
		t.Errorf("%+v, want a finished flow with 5 timeouts", x)
	}
}

// RFC 5681 §3.1: when a segment times out again, ssthresh stays. The loss of a window of 8 sets ssthresh to 4. If the
// second timeout set ssthresh again, from the one segment in flight, ssthresh would be 2, and slow start would end
// earlier.
func TestASecondTimeoutKeepsSsthresh(t *testing.T) {
	l := rounds(recovery.NewReno)
	l.Drop = cctest.DropFirst(mss, 4, 4, 5, 6, 7, 8, 9, 10, 11)
	got, _ := trace(t, l, 16)
	checkTrace(t, "newreno", got, `
		0 1 2 3
		4 5 6 7 8 9 10 11
		4
		4
		5 6
		7 8 9 10
		11 12 13 14 15`)
}

// RFC 6582 §3.2 step 4: duplicates caused by retransmissions after a timeout do not indicate a loss. 4 to 7 are lost,
// and so are the ACKs of 8 to 11, which causes a timeout. Slow start sends 4 to 10 again up to the window of 4. 7 fills
// the last gap. 8 to 10 had already arrived and cause three duplicates of the ACK of 11, while 12 to 16 are sent. These
// duplicates must not send 12 again and reduce the window of 5.
//
// With SACK the ACK of 4 reports that 8 to 11 have arrived: only 5 to 7 are missing, and new segments follow. With RACK
// the ACK of the probe 12 reports this, and there is no timeout.
func TestDuplicatesAfterATimeoutAreNoLoss(t *testing.T) {
	const blind = `
		0 1 2 3
		4 5 6 7 8 9 10 11
		4
		5 6
		7 8 9 10
		12 13 14 15 16
		17 18 19 20 21 22
		23 24`
	want := map[string]string{
		"tahoe": blind, "reno": blind, "newreno": blind,
		"sack": `
			0 1 2 3
			4 5 6 7 8 9 10 11
			4
			5 6
			7 12 13 14
			15 16 17 18 19
			20 21 22 23 24`,
		"rack": `
			0 1 2 3
			4 5 6 7 8 9 10 11
			12
			4 5 6 7
			13 14 15 16
			17 18 19 20
			21 22 23 24`,
	}
	for _, r := range recoveries {
		l := rounds(r.kind)
		data, acks := cctest.DropFirst(mss, 4, 5, 6, 7), 0
		l.Drop = func(now unit.Time, p *netsim.Packet) bool {
			if p.Kind == netsim.Ack && p.Seq == 4*mss && acks < 5 {
				acks++ // the first ACK is no duplicate
				return acks > 1
			}
			return data(now, p)
		}
		got, x := trace(t, l, 25)
		checkTrace(t, r.name, got, want[r.name])
		timeouts := uint32(1)
		if r.kind == recovery.RACK {
			timeouts = 0
		}
		if x.Timeouts != timeouts {
			t.Errorf("%s: %d timeouts, want %d", r.name, x.Timeouts, timeouts)
		}
	}
}

// late delivers a data segment after the three that follow it.
type late struct {
	*transport.Stack
	e    *netsim.Engine
	held netsim.PacketID
	wait int
}

func (l *late) Deliver(host netsim.NodeID, id netsim.PacketID) {
	p := l.e.Packet(id)
	if p.Kind == netsim.Data && p.Seq == 2*mss && l.wait == 0 {
		l.held, l.wait = id, 1
		return
	}
	data := p.Kind == netsim.Data
	l.Stack.Deliver(host, id)
	if data && l.wait > 0 {
		if l.wait++; l.wait == 5 {
			l.Stack.Deliver(host, l.held)
		}
	}
}

// Segment 2 arrives three packets late and causes a fast retransmit. The sender's new rate delays the retransmission by
// some 10 us; it would be sent 390 us after the last of the 20 segments. Meanwhile 2 and the later segments are
// acknowledged, so that nothing is sent again.
func TestARetransmissionIsCalledOffWhenTheSegmentArrives(t *testing.T) {
	p := &cctest.Puppet{W: 20 * mss}
	p.OnLossDo = func(p *cctest.Puppet, _ transport.Loss) { p.R = 31 * unit.Mbps }
	l := rounds(recovery.Reno) // with NewReno the ACK would be a partial acknowledgement
	l.Trace, l.Control = false, cctest.Puppets(p)
	r := l.Start(t, cctest.Flow(0, 1, 40*mss))
	r.Engine.Attach(&late{Stack: r.Stack, e: r.Engine})
	r.Engine.Run(unit.Never - 1)
	r.CheckEnd()
	if x := r.Of(0); len(p.Lost) != 1 || x.Retx != 0 || x.Packets != 40 {
		t.Errorf("%d losses found, %d packets sent again, want 1 and 0", len(p.Lost), x.Retx)
	}
}
