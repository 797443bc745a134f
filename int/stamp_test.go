package inband_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	inband "pintlab/int"
	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
)

// growth returns the bytes that two hops add to a packet.
func growth(perHop unit.Bytes) []uint16 {
	if perHop == 0 {
		return nil
	}
	return []uint16{uint16(perHop), uint16(perHop)}
}

// stamped sends three packets of 1000 B over a chain of two switches whose last link has 10
// Gb/s, and returns their stacks.
func stamped(t *testing.T, spec inband.Spec, perHop unit.Bytes, others ...netsim.Tap) []netsimtest.Arrival {
	t.Helper()
	q, err := inband.NewQuantizer(spec)
	if err != nil {
		t.Fatal(err)
	}
	g := netsimtest.Chain(2)
	for i := range g.Links {
		if l := &g.Links[i]; l.A == 1 || l.B == 1 {
			l.Rate = 10 * unit.Gbps
		}
	}
	n := netsimtest.New(t, g, netsimtest.Options{Taps: func(*netsim.Network) []netsim.Tap {
		return append([]netsim.Tap{inband.NewStamper(q, growth(perHop))}, others...)
	}})
	send := netsimtest.Send{Src: 0, Dst: 1, Size: 1000}
	return netsimtest.Play(t, n, []netsimtest.Send{send, send, send})
}

// A packet is at the first switch 1080 ns after it was sent, and at the second switch 1080 ns later. There the link
// takes 800 ns for each packet. The second packet waits for the first, and the third for both.
func TestStamperWritesWhatThePortKnows(t *testing.T) {
	got := stamped(t, inband.Exact(), 0)
	for i, want := range [][]netsim.PortSample{
		{{TS: 1_080_000}, {TS: 2_160_000}},
		{{TS: 1_160_000, Sent: 1000}, {TS: 2_960_000, Sent: 1000, Queue: 1000}},
		{{TS: 1_240_000, Sent: 2000}, {TS: 3_760_000, Sent: 2000}},
	} {
		s := got[i].Stack
		for j := range s {
			s[j].Port = 0
		}
		if fmt.Sprint(s) != fmt.Sprint(want) {
			t.Errorf("packet %d: %v, want %v", i, s, want)
		}
	}
	// Each entry names its port, and the two ports differ.
	if s := stamped(t, inband.Exact(), 0)[0].Stack; s[0].Port == s[1].Port {
		t.Errorf("both entries are of port %d", s[0].Port)
	}
}

// nobody is a tap without an effect.
type nobody struct{}

func (nobody) Dequeue(*netsim.Hop) {}

// The engine writes the exact entries of a lone tap itself. With another tap it calls both.
func TestStamperAloneAndWithAnotherTap(t *testing.T) {
	for _, perHop := range []unit.Bytes{0, 12} {
		alone, both := stamped(t, inband.Exact(), perHop), stamped(t, inband.Exact(), perHop, nobody{})
		if diff := cmp.Diff(both, alone); diff != "" {
			t.Errorf("%d B per hop (-with another tap +alone):\n%s", perHop, diff)
		}
	}
}

// The published steps are 512 B for bytes sent, 320 B for queues, and 1 ns for time.
func TestStamperQuantizes(t *testing.T) {
	s := stamped(t, inband.Published(), 0)[1].Stack[1]
	if s.TS != 2_960*unit.Nanosecond || s.Sent != 512 || s.Queue != 960 {
		t.Errorf("%+v, want 2960 ns, 512 B sent and a queue of 960 B", s)
	}
}

// The header grows by 12 B per hop: the first packet has 1000, 1012 and 1024 B on its links of 100, 100 and 10 Gb/s.
func TestStamperLengthensPackets(t *testing.T) {
	a := stamped(t, inband.Exact(), 12)[0]
	if want := unit.Time(3_000_000 + 1000*80 + 1012*80 + 1024*800); a.At != want {
		t.Errorf("arrives at %v, want %v", a.At, want)
	}
}

// ACKs and PFC frames are not stamped.
func TestStamperLeavesOtherPacketsAlone(t *testing.T) {
	q, err := inband.NewQuantizer(inband.Exact())
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []netsim.Kind{netsim.Ack, netsim.Nack, netsim.Pause, netsim.Resume} {
		p := netsim.Packet{Kind: kind, Size: 60}
		inband.NewStamper(q, growth(12)).Dequeue(&netsim.Hop{Packet: &p})
		if p != (netsim.Packet{Kind: kind, Size: 60}) {
			t.Errorf("kind %d: %+v", kind, p)
		}
	}
}
