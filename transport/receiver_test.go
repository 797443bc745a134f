package transport_test

import (
	"fmt"
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
	"pintlab/transport/recovery"
)

// acks lists the ACKs and NACKs that reach a source: "a3" is an ACK of three
// segments, "n3" a NACK.
func acks(r *cctest.Trial, segment int64) string {
	s := ""
	for _, e := range r.Wire {
		if e.Sent || e.Packet.Kind == netsim.Data {
			continue
		}
		if s != "" {
			s += " "
		}
		s += map[netsim.Kind]string{netsim.Ack: "a", netsim.Nack: "n"}[e.Packet.Kind]
		s += fmt.Sprint((e.Packet.Seq + segment - 1) / segment)
	}
	return s
}

// The test covers a defect: every packet reset the counter, so that flows did not finish. With an ACK for every n
// packets, a flow of p packets has ⌈p/n⌉ ACKs: one for every n packets, and one for the last packet if p is not a
// multiple of n. All bytes arrive.
func TestAckEveryNPackets(t *testing.T) {
	for _, kind := range []recovery.Kind{recovery.GoBackN, recovery.NewReno, recovery.Reno, recovery.Tahoe,
		recovery.SACK, recovery.RACK, recovery.IRN} {
		for _, every := range []int{1, 2, 20} {
			for _, packets := range []int{1, 2, 3, 19, 20, 21, 100, 101} {
				c := cctest.Of(kind)
				c.Segment, c.AckEvery = 1000, every
				l := cctest.Lab{Graph: netsimtest.Chain(2), Transport: c, Trace: true}
				r := l.Run(t, cctest.Flow(0, 1, unit.Bytes(1000*packets-300)))
				got := 0
				for _, e := range r.Wire {
					if !e.Sent && e.Packet.Kind == netsim.Ack {
						got++
					}
				}
				want := (packets + every - 1) / every
				x := r.Of(0)
				if got != want || x.Outcome != transport.Finished || int(x.Packets) != packets {
					t.Errorf("%s, %d packets, an ACK for %d: %d ACKs, want %d; %+v", kind, packets, every, got, want, x)
				}
			}
		}
	}
}

// With an ACK for every third packet there are ACKs of 3, 6, 9 and the last packet, 10.
func TestAcksAreCumulative(t *testing.T) {
	c := cctest.RDMA()
	c.AckEvery = 3
	r := cctest.Lab{Graph: netsimtest.Star(2), Transport: c, Trace: true}.Run(t, cctest.Flow(0, 1, 10_000))
	if got, want := acks(r, 1000), "a3 a6 a9 a10"; got != want {
		t.Errorf("ACKs %q, want %q", got, want)
	}
}

// The window has one packet, and the receiver acknowledges every second packet. The receiver must not wait for the
// second packet forever: its timer sends an ACK 200 us after the first packet arrived, at 1083.84·2 ns, and the next
// packet leaves 1004.8·2 ns later. An ACK sent by the timer contains no round-trip sample.
func TestDelayedAck(t *testing.T) {
	c := cctest.RDMA()
	c.AckEvery, c.AckDelay = 2, 200*unit.Microsecond
	p := &cctest.Puppet{W: 1000}
	r := cctest.Lab{Graph: netsimtest.Star(2), Transport: c, Control: cctest.Puppets(p), Trace: true}.Run(t,
		cctest.Flow(0, 1, 3000))
	const there, back, delay = 2 * 1_083_840, 2 * 1_004_800, 200_000_000
	want := []unit.Time{0, there + delay + back, 2 * (there + delay + back)}
	i := 0
	for _, e := range r.Wire {
		if e.Sent {
			if i >= len(want) || e.At != want[i] {
				t.Fatalf("packet %d is sent at %v, want %v", i, e.At, want)
			}
			i++
		}
	}
	// The last ACK, which ends the flow, is not shown to the controller.
	for i, a := range p.Acks {
		if a.HasRTT {
			t.Errorf("ACK %d, of a timer, has a round-trip time of %v", i, a.RTT)
		}
	}
	if len(p.Acks) != 2 {
		t.Errorf("%d ACKs, want 2", len(p.Acks))
	}
	if x := r.Of(0); x.FCT != 2*(there+delay+back)+there+back {
		t.Errorf("FCT %v: the last packet of a flow is acknowledged at once", x.FCT)
	}
}

// The second packet sends the ACK and ends the delay: no other ACK comes later.
func TestDelayedAckIsCancelled(t *testing.T) {
	c := cctest.RDMA()
	c.AckEvery, c.AckDelay = 2, 5*unit.Microsecond
	r := cctest.Lab{
		Graph: netsimtest.Star(2), Transport: c, Trace: true,
		Control: cctest.Puppets(&cctest.Puppet{W: 2000}),
	}.Run(t, cctest.Flow(0, 1, 10_000))
	if got, want := acks(r, 1000), "a2 a4 a6 a8 a10"; got != want {
		t.Errorf("ACKs %q, want %q", got, want)
	}
}

// A flow fails while the ACK of its only packet is delayed by 10 ms. Its destination does not learn of the failure and
// sends the ACK. The next flow must get neither that ACK nor the timer, so it gets another slot.
func TestADelayedAckOutlivesItsFlow(t *testing.T) {
	c := cctest.RDMA()
	c.AckEvery, c.AckDelay, c.MaxRetries = 2, 10*unit.Millisecond, 0
	l := cctest.Lab{
		Graph: netsimtest.Star(2), Transport: c, Trace: true,
		Control: func(*netsim.Network) transport.Factory { return cctest.Fixed(1000, unit.Tbps) },
	}
	second := cctest.Flow(0, 1, 4000)
	second.Start = 2 * unit.Millisecond
	r := l.Run(t, cctest.Flow(0, 1, 2000), second)
	for n := range int32(2) {
		if x := r.Of(n); x.Outcome != transport.Failed || x.Acked != 0 {
			t.Errorf("flow %d: %+v, want a failed flow", n, x)
		}
	}
	if got := acks(r, 1000); got != "a1 a1" {
		t.Errorf("ACKs %q, want one of each flow, after its end", got)
	}
}

// RFC 5681 §4.2: data out of order causes a duplicate ACK at once. Data that fills a gap, whole or in part, is also
// acknowledged at once. With an ACK for every 20 packets and no timer, only this rule sends ACKs before the last
// packet.
//
// If segments 2 and 5 of 0 to 9 are lost once, segments 3 to 9 except 5 cause duplicates. The retransmission of 2 fills
// the gap up to 5, and the retransmission of 5 fills the rest. If 2 and 3 are lost, the retransmission of 2 fills half
// of the gap.
func TestGapsAreAcknowledgedAtOnce(t *testing.T) {
	for _, tt := range []struct {
		lost []int64
		want string
	}{{[]int64{2, 5}, "a2 a2 a2 a2 a2 a2 a5 a10"}, {[]int64{2, 3}, "a2 a2 a2 a2 a2 a2 a3 a10"}} {
		c := cctest.TCP()
		c.Segment, c.AckEvery = 1000, 20
		r := cctest.Lab{
			Graph: netsimtest.Star(2), Transport: c, Trace: true, Drop: cctest.DropFirst(1000, tt.lost...),
			Control: cctest.Puppets(&cctest.Puppet{W: 10_000}),
		}.Run(t, cctest.Flow(0, 1, 10_000))
		if got := acks(r, 1000); got != tt.want || r.Of(0).Timeouts != 0 {
			t.Errorf("%v lost: ACKs %q and %d timeouts, want %q and none", tt.lost, got, r.Of(0).Timeouts, tt.want)
		}
	}
}

// Go-back-N keeps no data that is out of order and reports a gap once per NackInterval: segment 2 of 0 to 9 is lost,
// segment 3 causes a NACK, and segments 4 to 9 cause none. The sender goes back to 2.
func TestGoBackNReportsAGapOnce(t *testing.T) {
	c := cctest.RDMA()
	p := &cctest.Puppet{}
	r := cctest.Lab{
		Graph: netsimtest.Star(2), Transport: c, Trace: true, Drop: cctest.DropFirst(1000, 2),
		Control: cctest.Puppets(p),
	}.Run(t, cctest.Flow(0, 1, 10_000))
	if got, want := acks(r, 1000), "a1 a2 n2 a3 a4 a5 a6 a7 a8 a9 a10"; got != want {
		t.Errorf("ACKs %q, want %q", got, want)
	}
	if got, want := r.Sends(1000, unit.Microsecond), "0 1 2 3 4 5 6 7 8 9\n2 3 4 5 6 7 8 9"; got != want {
		t.Errorf("sends\n%s\nwant\n%s", got, want)
	}
	if x := r.Of(0); x.Retx != 8 || x.Timeouts != 0 {
		t.Errorf("%d sent again, %d timeouts, want 8 and 0", x.Retx, x.Timeouts)
	}
	// The sender detects one loss, of segment 2, with 8000 B in flight.
	if len(p.Lost) != 1 || p.Lost[0] != (transport.Loss{Kind: transport.Gap, Seq: 2000, Flight: 8000}) {
		t.Errorf("losses %+v", p.Lost)
	}
}

// The receiver reports the same gap again only after NackInterval. The segment is lost twice, and the receiver notices
// the second loss 4.2 us after the first. The interval is longer or shorter than that.
func TestNackInterval(t *testing.T) {
	for _, tt := range []struct {
		interval unit.Time
		timeouts uint32
		nacks    int
	}{{3 * unit.Microsecond, 0, 2}, {6 * unit.Microsecond, 1, 1}} {
		c := cctest.RDMA()
		c.NackInterval = tt.interval
		r := cctest.Lab{
			Graph: netsimtest.Star(2), Transport: c, Trace: true, Drop: cctest.DropFirst(1000, 2, 2),
			Control: cctest.Puppets(&cctest.Puppet{W: 4000}),
		}.Run(t, cctest.Flow(0, 1, 6000))
		nacks := 0
		for _, e := range r.Wire {
			if !e.Sent && e.Packet.Kind == netsim.Nack {
				nacks++
			}
		}
		if x := r.Of(0); x.Timeouts != tt.timeouts || nacks != tt.nacks {
			t.Errorf("interval %v: %d NACKs, %d timeouts, want %d and %d",
				tt.interval, nacks, x.Timeouts, tt.nacks, tt.timeouts)
		}
	}
}

// The timer repairs a lost NACK and a lost last packet.
func TestGoBackNSurvivesWithoutNacks(t *testing.T) {
	c := cctest.RDMA()
	drop := cctest.DropFirst(1000, 2, 9)
	x := cctest.Lab{
		Graph: netsimtest.Star(2), Transport: c,
		Drop: func(now unit.Time, p *netsim.Packet) bool { return p.Kind == netsim.Nack || drop(now, p) },
	}.Run(t, cctest.Flow(0, 1, 10_000)).Of(0)
	// The first copies of segments 2 and 9 are lost. One timeout repairs both losses.
	if x.Outcome != transport.Finished || x.Timeouts != 1 {
		t.Errorf("%+v, want a finished flow after one timeout", x)
	}
}

// All ACKs are lost until the sender has retransmitted the flow after a timeout. A receiver that acknowledges
// duplicates (the default) then ends the flow. With a receiver that ignores duplicates the flow fails.
func TestDuplicateDataIsAcknowledged(t *testing.T) {
	for _, duplicates := range []string{"ack", "ignore"} {
		c := cctest.RDMA()
		c.Duplicates, c.MaxRetries = duplicates, 3
		lost := 0
		x := cctest.Lab{
			Graph: netsimtest.Star(2), Transport: c,
			Drop: func(_ unit.Time, p *netsim.Packet) bool {
				if p.Kind == netsim.Ack && lost < 2 {
					lost++
					return true
				}
				return false
			},
		}.Run(t, cctest.Flow(0, 1, 2000)).Of(0)
		want := transport.Finished
		if duplicates == "ignore" {
			want = transport.Failed
		}
		if x.Outcome != want {
			t.Errorf("%s: outcome %v, want %v", duplicates, x.Outcome, want)
		}
	}
}

// An ACK echoes a mark on any packet that it covers. Each mark is echoed once. The second of four packets is marked,
// and an ACK covers two packets.
func TestMarksAreEchoedOnce(t *testing.T) {
	c := cctest.RDMA()
	c.AckEvery = 2
	p := &cctest.Puppet{W: 2000}
	mark := 0
	l := cctest.Lab{
		Graph: netsimtest.Star(2), Transport: c, Control: cctest.Puppets(p),
		Drop: func(_ unit.Time, k *netsim.Packet) bool {
			if k.Kind == netsim.Data && k.Seq == 0 && mark == 0 {
				mark++
				k.Flags |= netsim.FlagCE
			}
			return false
		},
	}
	l.Run(t, cctest.Flow(0, 1, 6000))
	if len(p.Acks) != 2 || !p.Acks[0].Marked || p.Acks[1].Marked {
		t.Errorf("ACKs %+v, want the first one marked only", p.Acks)
	}
}

// An ACK contains the round-trip time of the packet that caused it, and the digest, the identifier and the telemetry of
// this packet.
func TestAnAckEchoesItsPacket(t *testing.T) {
	c := cctest.RDMA()
	p := &cctest.Puppet{W: 1000}
	var hops [][]netsim.PortSample
	p.OnAckDo = func(_ *cctest.Puppet, _ unit.Time, a *transport.Ack) bool {
		hops = append(hops, append([]netsim.PortSample(nil), a.Hops...))
		return false
	}
	l := cctest.Lab{
		Graph: netsimtest.Chain(2), Transport: c, Control: cctest.Puppets(p),
		Taps: func(*netsim.Network) []netsim.Tap {
			return []netsim.Tap{stamp{}}
		},
	}
	l.Run(t, cctest.Flow(0, 1, 4000))
	if len(p.Acks) != 3 {
		t.Fatalf("%d ACKs, want 3", len(p.Acks))
	}
	for i, a := range p.Acks {
		// 3·(83.84 + 4.8) + 6000 ns, measured with a clock of whole nanoseconds.
		if a.RTT < 6265*unit.Nanosecond || a.RTT > 6266*unit.Nanosecond || !a.HasRTT {
			t.Errorf("ACK %d: round-trip time %v, want 6.26592us to the nanosecond", i, a.RTT)
		}
		if a.ID != uint32(i) || a.Digest != 1000+uint64(i) || len(hops[i]) != 2 || hops[i][0].Queue != int32(i) {
			t.Errorf("ACK %d: packet %d, digest %d, stack %v", i, a.ID, a.Digest, hops[i])
		}
		if a.Seq != 1000*int64(i+1) || a.Acked != 1000 || a.Flight != 0 || a.Next != a.Seq || a.Nack ||
			a.Phase != transport.Open {
			t.Errorf("ACK %d: %+v", i, a)
		}
	}
}

// stamp writes identifying values into the telemetry of data packets.
type stamp struct{}

func (stamp) Dequeue(h *netsim.Hop) {
	if k := h.Packet; k.Kind == netsim.Data {
		k.Digest = 1000 + uint64(k.ID)
		h.Push(netsim.PortSample{TS: h.Now, Queue: int32(k.ID), Port: h.Port})
	}
}
