package ns3

import (
	"pintlab/netsim"
	"pintlab/transport"
)

// starts delays the start of flows by two events at the same time. In the published simulator the
// start time schedules an application, and the application schedules the flow, both without delay.
// The next start time is scheduled together with the application.
type starts struct {
	netsim.Stack
	e     *netsim.Engine
	stage int
	order uint64 // order of the event at the next start time
}

var _ netsim.Stack = (*starts)(nil)

// DelayStarts attaches a transport with Starts to its engine. The engine must order events by when
// they were scheduled.
func DelayStarts(e *netsim.Engine, t *transport.Stack) {
	e.Attach(&starts{Stack: t, e: e})
}

func (s *starts) Start() {
	now := s.e.Now()
	switch s.stage {
	case 0:
		s.stage = 1
		order := s.e.Order(0, 0)
		s.order = s.e.Order(0, 0)
		s.e.StartAt(now, order)
	case 1:
		s.stage = 2
		s.e.StartAt(now, s.e.Order(0, 0))
	case 2:
		s.stage = 0
		s.Stack.Start()
		if at, ok := s.e.Starting(); ok {
			s.e.StartAt(at, s.order)
		}
	}
}
