package transport

import "pintlab/netsim/unit"

// alarms implements Alarms for the controller of one flow. The field slot identifies the flow.
type alarms struct {
	t    *Stack
	slot int32
}

func (a *alarms) Set(i int, at unit.Time) {
	id := a.t.timers*a.slot + a.t.alarms + int32(i)
	a.t.e.CancelTimer(id)
	a.t.e.SetTimer(a.t.senders.at(a.slot).Port, id, at, a.t.net.FlowKey(a.slot)+1+uint64(i))
}

func (a *alarms) Cancel(i int) { a.t.e.CancelTimer(a.t.timers*a.slot + a.t.alarms + int32(i)) }

// alarmsOf returns the alarms of a starting flow, or nil if no controller of the run uses alarms.
// It reuses the struct of the previous flow in the slot.
func (t *Stack) alarmsOf(s *Sender) Alarms {
	if t.timers == t.alarms {
		return nil
	}
	if s.alarms == nil {
		s.alarms = &alarms{}
	}
	*s.alarms = alarms{t, s.Slot}
	return s.alarms
}

// alarm calls a controller whose alarm is due.
func (t *Stack) alarm(slot int32, i int) {
	s := t.senders.at(slot)
	if s.ended {
		return
	}
	set := s.ctrl.(Timed).OnAlarm(t.e.Now(), i)
	if t.cfg.Trace != nil {
		t.tracer.Alarm(t.e.Now(), s.ctrl, &s.Flow, i, set)
	}
	if !set {
		return
	}
	t.ReadController(s)
	t.e.Kick(s.Port)
}
