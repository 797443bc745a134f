package transport_test

import (
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
)

// moody sets its rate anew with every second ACK and says why.
type moody struct {
	transport.Controller
	acks int
}

func (m *moody) OnAck(now unit.Time, a *transport.Ack) bool {
	m.acks++
	return m.Controller.OnAck(now, a) || m.acks%2 == 0
}

func (m *moody) Explain(d *transport.Decision) { d.Fast, d.Code = true, uint32(m.acks) }

// Ten packets that are sent back to back, ten ACKs 83.84 ns apart, the last of which
// ends the flow before the controller hears of it: the trace has ACKs 2, 4, 6 and 8,
// with the byte that is acknowledged and the one that comes next.
func TestTraceTellsEachDecision(t *testing.T) {
	type line struct {
		at        unit.Time
		code      uint32
		seq, next int64
	}
	var got []line
	lab := cctest.Lab{Graph: netsimtest.Star(2), Transport: cctest.RDMA()}
	lab.Transport.Trace = func(now unit.Time, a *transport.AckTrace) {
		if !a.Fast || a.Flow.Src != 0 || a.Flow.Size != 10_000 {
			t.Errorf("flow %+v, decision %+v", *a.Flow, a.Decision)
		}
		got = append(got, line{now, a.Code, a.Ack.Seq, a.Ack.Next})
	}
	lab.Control = func(n *netsim.Network) transport.Factory {
		inner := cctest.NoLimit(n)
		return func() transport.Controller { return &moody{Controller: inner()} }
	}
	lab.Run(t, cctest.Flow(0, 1, 10_000))
	const first, gap = 4_177_280, 83_840
	want := []line{{first + gap, 2, 2000, 10_000}, {first + 3*gap, 4, 4000, 10_000}, {first + 5*gap, 6, 6000, 10_000}, {first + 7*gap, 8, 8000, 10_000}}
	if len(got) != len(want) {
		t.Fatalf("traced %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("traced %v, want %v", got[i], want[i])
		}
	}
}

// A controller that cannot explain itself leaves no trace.
func TestTraceNeedsAnExplainer(t *testing.T) {
	lab := cctest.Lab{Graph: netsimtest.Star(2), Transport: cctest.RDMA()}
	lab.Transport.Trace = func(unit.Time, *transport.AckTrace) { t.Error("called") }
	lab.Control = func(n *netsim.Network) transport.Factory {
		inner := cctest.NoLimit(n)
		return func() transport.Controller {
			return struct{ transport.Controller }{&moody{Controller: inner()}}
		}
	}
	lab.Run(t, cctest.Flow(0, 1, 10_000))
}
