package transport_test

import (
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
)

// waker sends one packet. It sends the next packet when an alarm raises the rate.
type waker struct {
	cctest.Puppet
	alarms transport.Alarms
	rung   []unit.Time
	which  []int
}

func (w *waker) Start(now unit.Time, f transport.FlowInfo) {
	w.Puppet.Start(now, f)
	w.alarms, w.R = f.Alarms, unit.Mbps
	w.alarms.Set(0, now+20*unit.Microsecond)
	w.alarms.Set(1, now+40*unit.Microsecond)
	w.alarms.Set(1, now+10*unit.Microsecond) // in place of 40 us
}

func (w *waker) Alarms() int { return 2 }

func (w *waker) OnAlarm(now unit.Time, i int) bool {
	w.rung, w.which = append(w.rung, now), append(w.which, i)
	w.alarms.Set(1, now+unit.Second)
	if i == 1 {
		w.alarms.Cancel(1)
		return false
	}
	w.R = 0
	return true
}

// Alarm 1 is due at 10 us and changes nothing. Alarm 0 is due at 20 us and raises the rate, so the flow ends one round
// trip of a packet later. The end of the flow cancels the alarm that is set for the next second.
func TestAlarms(t *testing.T) {
	var made []*waker
	lab := cctest.Lab{
		Graph: netsimtest.Star(2), Transport: cctest.RDMA(),
		Control: func(*netsim.Network) transport.Factory {
			return func() transport.Controller {
				w := &waker{}
				made = append(made, w)
				return w
			}
		},
	}
	second := cctest.Flow(0, 1, 2000)
	second.Start = 2 * unit.Second
	first := cctest.Flow(0, 1, 2000)
	r := lab.Run(t, first, second)
	if len(made) != 1 {
		t.Fatalf("%d controllers for two flows one after the other", len(made))
	}
	w := made[0]
	us := unit.Microsecond
	want := []unit.Time{10 * us, 20 * us, 2*unit.Second + 10*us, 2*unit.Second + 20*us}
	if len(w.rung) != 4 || w.rung[0] != want[0] || w.rung[1] != want[1] || w.rung[2] != want[2] ||
		w.rung[3] != want[3] {
		t.Errorf("alarms %v at %v, want at %v", w.which, w.rung, want)
	}
	if fct, want := r.Of(0).FCT, 20*us+4_177_280; fct != want {
		t.Errorf("the first flow ends after %v, want %v", fct, want)
	}
}
