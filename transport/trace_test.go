package transport_test

import (
	"math"
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
)

// moody reports a new rate with every second ACK, and it is an Explainer.
type moody struct {
	transport.Controller
	acks int
}

func (m *moody) OnAck(now unit.Time, a *transport.Ack) bool {
	m.acks++
	return m.Controller.OnAck(now, a) || m.acks%2 == 0
}

func (m *moody) Explain(terms []transport.Term) []transport.Term {
	return append(terms, transport.TermIf("yes", true), transport.TermIf("no", false),
		transport.Term{Name: "acks", Value: float64(m.acks)})
}

// Ten packets are sent back to back and cause ten ACKs 83.84 ns apart. The last ACK ends the flow and does not reach
// the controller, so the trace has nine steps. The even steps set the rate and report the acknowledged byte and the
// next byte.
func TestTraceTellsEachAck(t *testing.T) {
	type line struct {
		at        unit.Time
		acks      float64
		set       bool
		seq, next int64
	}
	var got []line
	lab := cctest.Lab{Graph: netsimtest.Star(2), Transport: cctest.RDMA()}
	lab.Transport.Trace = func(now unit.Time, s *transport.Step) {
		if s.Term("yes") != 1 || s.Term("no") != 0 || !math.IsNaN(s.Term("other")) || s.Flow.Src != 0 ||
			s.Flow.Size != 10_000 {
			t.Errorf("flow %+v, terms %+v", *s.Flow, s.Terms)
		}
		got = append(got, line{now, s.Term("acks"), s.Set, s.Ack.Seq, s.Ack.Next})
	}
	lab.Control = func(n *netsim.Network) transport.Factory {
		inner := cctest.NoLimit(n)
		return func() transport.Controller { return &moody{Controller: inner()} }
	}
	lab.Run(t, cctest.Flow(0, 1, 10_000))
	const first, gap = 4_177_280, 83_840
	var want []line
	for i := range 9 {
		want = append(want, line{first + gap*unit.Time(i), float64(i + 1), i%2 == 1, int64(i+1) * 1000, 10_000})
	}
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
	lab.Transport.Trace = func(unit.Time, *transport.Step) { t.Error("called") }
	lab.Control = func(n *netsim.Network) transport.Factory {
		inner := cctest.NoLimit(n)
		return func() transport.Controller {
			return struct{ transport.Controller }{&moody{Controller: inner()}}
		}
	}
	lab.Run(t, cctest.Flow(0, 1, 10_000))
}

// ringing is a moody controller with an alarm. The alarm is due 1 us after the start and sets the rate.
type ringing struct{ moody }

func (l *ringing) Start(now unit.Time, f transport.FlowInfo) {
	l.Controller.Start(now, f)
	f.Alarms.Set(1, now+unit.Microsecond)
}

func (*ringing) Alarms() int { return 2 }

func (*ringing) OnAlarm(unit.Time, int) bool { return true }

// An alarm is traced with its number and without an ACK.
func TestTraceTellsEachAlarm(t *testing.T) {
	lab := cctest.Lab{Graph: netsimtest.Star(2), Transport: cctest.RDMA()}
	alarms := 0
	lab.Transport.Trace = func(now unit.Time, s *transport.Step) {
		if s.Ack == nil {
			alarms++
			if now != unit.Microsecond || s.Alarm != 1 || !s.Set || s.Term("acks") != 0 {
				t.Errorf("at %v: alarm %d, set %v, %+v", now, s.Alarm, s.Set, s.Terms)
			}
		}
	}
	lab.Control = func(n *netsim.Network) transport.Factory {
		inner := cctest.NoLimit(n)
		return func() transport.Controller { return &ringing{moody{Controller: inner()}} }
	}
	lab.Run(t, cctest.Flow(0, 1, 10_000))
	if alarms != 1 {
		t.Errorf("%d alarms were traced", alarms)
	}
}
