package transport

import "pintlab/netsim/unit"

// Explainer is a controller that can say how it came to its latest window and rate,
// for Config.Trace.
type Explainer interface {
	// Explain describes what OnAck did when it last returned true. It leaves alone
	// what it has nothing to say about.
	Explain(*Decision)
}

// Decision is how a controller came to a rate.
type Decision struct {
	Fast      bool      // a reaction between two moves of the reference
	Reference unit.Rate // rate that was scaled, before it moved
	Rate      unit.Rate // that follows
	Load      float64   // utilisation by which the reference was scaled, smoothed
	Sample    float64   // of the busiest link since the ACK before, which Load takes in
	Span      unit.Time // the time that Sample stands for
	Code      uint32    // code in which the switches sent Load
}

// AckTrace is an acknowledgement and what came of it.
type AckTrace struct {
	Flow *Flow
	Ack  *Ack
	Decision
}

// trace reports the acknowledgement in t.ack, by which the flow's controller has set
// its window and rate anew.
func (t *Stack) trace(now unit.Time, s *sender) {
	e, ok := s.ctrl.(Explainer)
	if !ok {
		return
	}
	t.traced = AckTrace{Flow: &s.flow, Ack: &t.ack}
	e.Explain(&t.traced.Decision)
	t.cfg.Trace(now, &t.traced)
}
