package transport

import (
	"math"

	"pintlab/netsim/unit"
)

// Explainer is a controller that reports its state and how it computed window and rate, for
// Config.Trace.
type Explainer interface {
	// Explain appends the state after the latest OnAck or OnAlarm, and the inputs of its decision.
	// The comment of each controller's method lists the names.
	Explain([]Term) []Term
}

// Term is a quantity that a controller reports: rates in bit/s, times in ps, sequence numbers and
// counts as they are, conditions as 0 or 1.
type Term struct {
	Name  string
	Value float64
}

// TermIf returns the term of a condition.
func TermIf(name string, is bool) Term {
	if is {
		return Term{name, 1}
	}
	return Term{name, 0}
}

// Step is an acknowledgement or an alarm, and how its controller reacted.
type Step struct {
	Flow  *Flow
	Ack   *Ack // nil for an alarm
	Alarm int  // number of the alarm, if Ack is nil
	Set   bool // window and rate have been set
	Terms []Term
}

// Term returns the value of the term with this name, or NaN if the controller does not report it.
func (s *Step) Term(name string) float64 {
	for i := range s.Terms {
		if s.Terms[i].Name == name {
			return s.Terms[i].Value
		}
	}
	return math.NaN()
}

// Tracer calls a trace for each step of controllers that are Explainers.
type Tracer struct {
	// Call is Config.Trace, which is not nil.
	Call func(unit.Time, *Step)
	step Step
}

// Ack reports an acknowledgement.
func (t *Tracer) Ack(now unit.Time, c Controller, f *Flow, a *Ack, set bool) {
	t.report(now, c, Step{Flow: f, Ack: a, Set: set})
}

// Alarm reports an alarm.
func (t *Tracer) Alarm(now unit.Time, c Controller, f *Flow, alarm int, set bool) {
	t.report(now, c, Step{Flow: f, Alarm: alarm, Set: set})
}

func (t *Tracer) report(now unit.Time, c Controller, s Step) {
	e, ok := c.(Explainer)
	if !ok {
		return
	}
	s.Terms = e.Explain(t.step.Terms[:0])
	t.step = s
	t.Call(now, &t.step)
}
