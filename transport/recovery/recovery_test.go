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

// renoWith makes Reno controllers with an initial window of so many segments.
func renoWith(segments int) func(*netsim.Network) transport.Factory {
	f, err := (&reno.Params{InitialWindow: segments}).New(nil)
	if err != nil {
		panic(err)
	}
	return func(*netsim.Network) transport.Factory { return f }
}

// rounds returns a path with a round trip of 400 us at 10 Gb/s, so long that the packets
// of a window, 1.2 us each, are together in one burst and rounds stand apart: one
// line of Trial.Sends each. The initial window is 4 segments; the retransmission
// timer runs for 5 ms.
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

// No loss: slow start doubles the window each round (RFC 5681 equation 2).
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

// Segment 10 is lost once. What happens, by RFC 5681 and 6582:
//
//   - Round 3: the ACKs of 4 to 9 open the window from 8 to 14 and send 12 to 23. The
//     duplicate that 11 causes sends 24, beyond the window: limited transmit.
//   - Round 4: the second duplicate (12) sends 25 by limited transmit. The third (13)
//     means a loss. 16 segments are out, 2 of them by limited transmit, which do not
//     count: ssthresh = 14/2 = 7.
//
// Reno and NewReno: 10 again with a window of 7 + 3 = 10, and one more for each of
// the duplicates of 14 to 24: above 16, from 20 on, each sends one, 26 to 30.
// Round 5: the duplicate of 25 sends 31. The ACK of 10 covers all up to 25 and ends the
// recovery: 6 are out, the window is min(7, 6+1) = 7, and 32 goes. The ACKs of 26 to
// 30 send 33 to 37; in congestion avoidance 7 segments acknowledged make one more:
// round 6 has 8 segments, round 7 has 9.
//
// SACK: 10 to 25 are out at the loss, 11 to 13 are sacked and 10 is lost, so that 12 are in
// the network and 13 when 10 has gone again. The window is 7: the duplicates of 14 to 19
// bring that down to 7, and those of 20 to 24 send one each, 26 to 30, as NewReno does.
// Round 5 is that of NewReno, too: 6 are out when the ACK of 10 ends the recovery.
//
// RACK finds 10 lost a quarter of a round trip after the ACK that 11 causes, and sends it
// again a round earlier. 15 were out, 1 of them by limited transmit: ssthresh is 7. 13 are
// in the network, 14 with 10 again. The duplicates of 12 to 18 bring that down to 7, and
// those of 19 to 24 send one each, 25 to 30; the ACK of 10 covers all up to 24, ends the
// recovery and sends 31. Round 5 is congestion avoidance with 7, which becomes 8 with the
// last ACK.
//
// Tahoe: 10 again with a window of 1; the other duplicates do nothing. The ACK of 10
// covers all up to 25: slow start from there with 2, 4, then up to ssthresh 7.
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

// Segments 10 and 12 are lost once. Up to the fast retransmit it is as with one loss,
// with one duplicate less: it is 14 that causes the third, and 29 that is the last
// new segment in round 4. In round 5 the duplicate of 25 sends 30, and then the ACK of
// 10 covers 10 and 11 only.
//
// NewReno: a partial acknowledgement. 12 goes at once; the window was 21, goes down by
// the 2 and up by 1 to 20, and lets 31 go, and then one for each of the duplicates of
// 26 to 29. In round 6 the ACK of 12 covers everything up to 30: 6 are out, window 7.
//
// Reno ends its recovery with the ACK of 10: the window is 7, 19 are out, so nothing
// goes, not even by limited transmit, until the third duplicate (28) means another
// loss: 12 again, and ssthresh = 19/2. The ACK of 12 covers everything up to 30 and
// finds nothing out: the window is 1 + 1, and grows in slow start from there.
//
// SACK: with the duplicate of 14 three segments above 10 have arrived: 10 goes again, and 12
// are in the network. The duplicate of 15 is the third above 12, which is lost now: 11. The
// next to bring it down to 6, with a window of 7, is that of 20, and sends 12; those of 21
// to 24 send 26 to 29. In round 5 the duplicate of 25 sends 30, the ACK of 10 sends 31, and
// that of 12 covers all up to 25: 6 are out, window 7.
//
// RACK sends 10 again in round 3, as with one loss. In round 4 the duplicate of 13 says that
// 12 is lost, which was sent before it, in recovery without further waiting: of 14 in the
// network 12 are left. That of 19 brings it down to 6 and sends 12, those of 20 to 24 send
// 25 to 29, and the ACK of 10, which covers 11, sends 30. The ACK of 12 ends the recovery.
//
// Tahoe sends 10, and, with the ACK that covers 11, 12 and also 13, which is not
// needed. The ACK of 12 covers everything up to 25; 13 causes a duplicate, which
// sends 29 by limited transmit.
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

// The whole second window is lost: no duplicate, a timeout, which is the same for
// all. 8 are out: ssthresh is 4, the window 1; everything is sent again in slow start
// up to 4, then one more each round.
//
// RACK sends a probe instead (RFC 8985 §7), two round trips after the last segment: 12,
// which is new. Its ACK says that 4 to 11 are lost. 9 are out, the window is 4.5 segments:
// no timeout, and no slow start. Recovery ends with the ACK of 11, and the eight ACKs of 13
// to 20 are less than two windows of 4.5.
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

// A lost tail causes no duplicates. The timer runs from the last ACK of new data
// (RFC 6298 §5.3) for 5 ms, and twice as long each time the segment is lost again
// (§5.5); the first ACK after it ends the flow.
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

// Nothing arrives. The timeouts of 5, 10 and 20 ms send again; the fourth, 40 ms
// later, is one too many: the flow fails at 75 ms. With RTOMax = 15 ms it would be
// 5 + 10 + 15 + 15 = 45 ms.
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

// MaxTimeouts counts timeouts in a row: an ACK of new data starts the count anew. Two
// of segment 0, two of 1, and one of 3, which is lost first by limited transmit and
// again when it follows 1.
func TestProgressForgivesTimeouts(t *testing.T) {
	l := rounds(recovery.NewReno)
	l.Transport.MaxRetries = 2
	l.Control = renoWith(1)
	l.Drop = cctest.DropFirst(mss, 0, 0, 1, 1, 3, 3)
	if x := l.Run(t, cctest.Flow(0, 1, 6*mss)).Of(0); x.Outcome != transport.Finished || x.Timeouts != 5 {
		t.Errorf("%+v, want a finished flow with 5 timeouts", x)
	}
}

// RFC 5681 §3.1: when a segment times out again, ssthresh stays. The window of 8 that
// is lost makes ssthresh 4; were it set from the one segment that is out at the second
// timeout it would be 2, and slow start would end there.
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

// RFC 6582 §3.2 step 4: duplicates caused by what was sent again after a timeout are no
// sign of a loss. 4 to 7 are lost, and the ACKs of 8 to 11 too, so that a timeout it
// is. Slow start sends 4 to 10 again up to the window of 4; 7 fills the last hole, and
// 8 to 10, which were there already, cause three duplicates of the ACK of 11, while 12
// to 16 go out. They must not send 12 again and cut the window of 5.
//
// With SACK the ACK of 4 says that 8 to 11 have arrived: only 5 to 7 are missing, and new
// segments follow. With RACK the probe 12 says it, and there is no timeout.
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
				acks++ // the first is no duplicate
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

// Segment 2 comes three packets late: a fast retransmit, which the new rate of the sender
// puts off by some 10 us, to 390 us after the last of the 20 segments. Meanwhile 2 is
// acknowledged after all, and those behind it: nothing need be sent again.
func TestARetransmissionIsCalledOffWhenTheSegmentArrives(t *testing.T) {
	p := &cctest.Puppet{W: 20 * mss}
	p.OnLossDo = func(p *cctest.Puppet, _ transport.Loss) { p.R = 31 * unit.Mbps }
	l := rounds(recovery.Reno) // NewReno would take the ACK for a partial one
	l.Trace, l.Control = false, cctest.Puppets(p)
	r := l.Start(t, cctest.Flow(0, 1, 40*mss))
	r.Engine.Attach(&late{Stack: r.Stack, e: r.Engine})
	r.Engine.Run(unit.Never - 1)
	r.CheckEnd()
	if x := r.Of(0); len(p.Lost) != 1 || x.Retx != 0 || x.Packets != 40 {
		t.Errorf("%d losses found, %d packets sent again, want 1 and 0", len(p.Lost), x.Retx)
	}
}
