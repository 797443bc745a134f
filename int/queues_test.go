package inband

import (
	"errors"
	"fmt"
	"testing"

	"pintlab/internal/errtest"
	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// Packets of 1000 B of two classes with weights 1 and 3 pass a switch at 100 Gb/s. Each record contains the bytes that
// the packet's class has sent before, times 4 or 4/3, and the wait of the packet in bytes: the second packet waits for
// the first.
func TestRecordsOfQueues(t *testing.T) {
	g := netsimtest.Chain(1)
	for i := range g.Links {
		if l := &g.Links[i]; l.A == 0 || l.B == 0 {
			l.Rate = 200 * unit.Gbps // so that packets wait at the switch
		}
	}
	n := netsimtest.New(t, g, netsimtest.Options{Taps: func(n *netsim.Network) []netsim.Tap {
		p := Default()
		p.Of = "queue"
		parts, err := p.Attach(&telemetry.Site{Net: n, Graph: g, MaxHops: 1, Weights: []int{0, 1, 3},
			Horizon: func() (unit.Time, error) { return 0, errors.New("none") }})
		if err != nil {
			t.Fatal(err)
		}
		return []netsim.Tap{parts.Tap}
	}})
	one, three := netsimtest.Send{Dst: 1, Size: 1000, Class: 1}, netsimtest.Send{Dst: 1, Size: 1000, Class: 2}
	got := ""
	for _, a := range netsimtest.Play(t, n, []netsimtest.Send{one, three, one, three}) {
		got += fmt.Sprint(int64(a.Stack[0].Sent), "/", a.Stack[0].Queue, " ")
	}
	if want := "0/0 0/500 4000/1000 1333/1500 "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	p := Default()
	p.Of = "queue"
	if _, err := p.Attach(&telemetry.Site{}); !errtest.Says(err,
		"telemetry.of = queue: … network.scheduling.kind = strict (accepted: port; or turns, drr, wrr)") {
		t.Error(err)
	}
}

// The port itself makes a pause frame. The bytes of the frame count, but the frame has not arrived, so its field At has
// no meaning.
func TestPauseFramesDoNotWait(t *testing.T) {
	g := netsimtest.Chain(1)
	n := netsimtest.New(t, g, netsimtest.Options{})
	q, err := newQueueing(&telemetry.Site{Net: n.Engine.Network(), Weights: []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	pause := &netsim.Hop{Now: 1, Packet: &netsim.Packet{Kind: netsim.Pause, Size: 64, At: 2}}
	for want := range unit.Bytes(2) {
		if sent, queue := q.read(pause); sent != 64*want || queue != 0 {
			t.Errorf("%d sent and %d queued, want %d and 0", sent, queue, 64*want)
		}
	}
}
