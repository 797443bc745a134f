package transport_test

import (
	"fmt"
	"slices"
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
)

// marker is a tap that marks the given segments of 1000 bytes, each once.
type marker struct{ segments []int64 }

func (m *marker) Dequeue(h *netsim.Hop) {
	if i := slices.Index(m.segments, h.Packet.Seq/1000); h.Packet.Kind == netsim.Data && i >= 0 {
		m.segments = slices.Delete(m.segments, i, i+1)
		h.Packet.Flags |= netsim.FlagCE
	}
}

// marking runs a flow of 12 segments, some of them marked, with an ACK for every third packet. It lists the ACKs: "3"
// acknowledges the first three segments, and "3!" also echoes a mark.
func marking(t *testing.T, rule string, segments ...int64) (acks string, r *cctest.Trial, p *cctest.Puppet) {
	t.Helper()
	c := cctest.TCP()
	c.Segment, c.AckEvery, c.AckDelay, c.MarkEcho = 1000, 3, 100*unit.Microsecond, rule
	p = &cctest.Puppet{W: 6000}
	l := cctest.Lab{
		Graph: netsimtest.Chain(2), Transport: c, Trace: true, Control: cctest.Puppets(p),
		Taps: func(*netsim.Network) []netsim.Tap { return []netsim.Tap{&marker{segments}} },
	}
	r = l.Run(t, cctest.Flow(0, 1, 12_000))
	for _, e := range r.Wire {
		if e.Sent || e.Packet.Kind == netsim.Data {
			continue
		}
		if acks != "" {
			acks += " "
		}
		acks += fmt.Sprint(e.Packet.Seq / 1000)
		if e.Packet.Flags&netsim.FlagEcho != 0 {
			acks += "!"
		}
	}
	return acks, r, p
}

// With segments 4 and 5 (from 0) marked, only the ACK of 4 to 6 echoes a mark.
func TestEchoAnyMarksTheAckOfAMarkedPacket(t *testing.T) {
	if got, _, _ := marking(t, transport.EchoAny, 4, 5); got != "3 6! 9 12" {
		t.Errorf("ACKs %s, want 3 6! 9 12", got)
	}
}

// RFC 8257 §3.2 requires an ACK at once when marks begin or end. Segment 4 is marked: an ACK without a mark covers
// segment 3, and an ACK with a mark covers 4. Segment 5 is also marked and waits. Segment 6 is not marked: an ACK with
// a mark covers 5, and an ACK without a mark covers 6. Later ACKs again cover every third packet: 7 to 9, then 10 and
// 11 at the end.
func TestEchoChangeNeverMixesMarks(t *testing.T) {
	if got, _, _ := marking(t, transport.EchoChange, 4, 5); got != "3 4 5! 6! 7 10 12" {
		t.Errorf("ACKs %s, want 3 4 5! 6! 7 10 12", got)
	}
}

// RFC 3168 §6.1.3: from the first mark on, all ACKs echo the mark until the answer arrives. The answer is on the first
// new packet that the sender sends after it has seen the echo. The window has six packets. So the sender sends segments
// 0 to 5 at first, 6 to 8 after the ACK of 3, and 9 after the ACK of 6. The ACK of 6 is the first to echo the mark,
// which is on segment 4, so that segment 9 carries the answer. The ACK of 6 to 8 still echoes the mark.
func TestEchoLatchLastsUntilTheAnswer(t *testing.T) {
	got, r, p := marking(t, transport.EchoLatch, 4)
	if got != "3 6! 9! 12" {
		t.Errorf("ACKs %s, want 3 6! 9! 12", got)
	}
	var answers []int64
	for _, e := range r.Wire {
		if e.Sent && e.Packet.Flags&netsim.FlagCWR != 0 {
			answers = append(answers, e.Packet.Seq/1000)
		}
	}
	if !slices.Equal(answers, []int64{9}) {
		t.Errorf("answers with segments %v, want 9", answers)
	}
	var first []int64
	for _, a := range p.Acks {
		if a.Congested {
			first = append(first, a.Seq/1000)
		}
	}
	if !slices.Equal(first, []int64{6}) {
		t.Errorf("marks to be answered with the ACKs of %v, want 6 alone", first)
	}
}

// A mark on the packet that carries the answer is a new mark: ACKs echo it from then on, and the sender answers it as
// well.
func TestEchoLatchTakesAMarkOnTheAnswer(t *testing.T) {
	got, _, p := marking(t, transport.EchoLatch, 1, 6)
	n := 0
	for _, a := range p.Acks {
		if a.Congested {
			n++
		}
	}
	if got != "3! 6! 9! 12!" || n != 2 {
		t.Errorf("ACKs %s, %d marks to be answered; want 3! 6! 9! 12! and 2", got, n)
	}
}

// The sender answers marks once per window. All segments are marked, and six are in flight. The sender answers the ACK
// of 3 after it has sent six segments, so its next answer is to the ACK of 9.
func TestOneAnswerForEachWindow(t *testing.T) {
	all := make([]int64, 12)
	for i := range all {
		all[i] = int64(i)
	}
	_, _, p := marking(t, transport.EchoAny, all...)
	var got []int64
	for _, a := range p.Acks {
		if a.Congested {
			got = append(got, a.Seq/1000)
		}
	}
	if !slices.Equal(got, []int64{3, 9}) {
		t.Errorf("marks answered with the ACKs of %v, want 3 and 9", got)
	}
}
