package dcqcn

import (
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// The alarms of variant ns3, as numbered in traces (transport.Step.Alarm).
const (
	alphaAlarm = iota
	cutAlarm   // checks for a mark, and cuts the rate if there is one
	raiseAlarm // raises the rate
)

// polled is variant ns3 for one flow.
type polled struct {
	cfg *Params
	transport.Rated
	target unit.Rate
	alpha  float64
	stage  int
	begun  bool // there was a mark
	// whether a mark has arrived since the last update of alpha, and since the last check for a cut
	markedForAlpha, markedForCut bool
}

var (
	_ transport.Timed     = (*polled)(nil)
	_ transport.Explainer = (*polled)(nil)
)

// Start begins a flow at line rate.
func (s *polled) Start(_ unit.Time, f transport.FlowInfo) {
	*s = polled{Rated: s.Begin(f), cfg: s.cfg, target: f.LineRate, alpha: 1}
}

// OnAck records a mark. The first one starts the clocks.
func (s *polled) OnAck(now unit.Time, a *transport.Ack) bool {
	if !a.Marked {
		return false
	}
	s.markedForAlpha, s.markedForCut = true, true
	if !s.begun {
		s.begun, s.markedForAlpha = true, false
		s.alpha, s.target = 1, s.Pace
		s.Flow.Alarms.Set(alphaAlarm, now+s.cfg.AlphaTimer)
		s.Flow.Alarms.Set(cutAlarm, now+s.cfg.CutInterval+unit.Nanosecond)
	}
	return false
}

func (s *polled) Alarms() int { return 3 }

func (s *polled) OnAlarm(now unit.Time, i int) bool {
	c := s.cfg
	switch i {
	case alphaAlarm:
		s.alpha = float64((1 - c.Gain) * s.alpha)
		if s.markedForAlpha {
			s.alpha += c.Gain
		}
		s.markedForAlpha = false
		s.Flow.Alarms.Set(alphaAlarm, now+c.AlphaTimer)
		return false
	case cutAlarm:
		s.Flow.Alarms.Set(cutAlarm, now+c.CutInterval)
		if !s.markedForCut {
			return false
		}
		if c.ClampTarget || s.stage > 0 {
			s.target = s.Pace
		}
		s.Pace = max(c.MinRate, unit.Rate(float64(s.Pace)*(1-s.alpha/2)))
		s.stage, s.markedForCut = 0, false
		s.Flow.Alarms.Set(raiseAlarm, now+c.Timer)
	case raiseAlarm:
		s.Flow.Alarms.Set(raiseAlarm, now+c.Timer)
		if s.stage >= c.Recovery {
			step := c.RateAI
			if s.stage > c.Recovery {
				step = c.RateHAI
			}
			s.target = min(s.Flow.LineRate, s.target+step)
		}
		s.Pace = s.Pace/2 + s.target/2
		s.stage++
	}
	return true
}

// Explain implements transport.Explainer. It reports rate, target, alpha, and the number of
// increases since the latest cut (stage).
func (s *polled) Explain(terms []transport.Term) []transport.Term {
	return append(terms, transport.Term{Name: "rate", Value: float64(s.Pace)},
		transport.Term{Name: "target", Value: float64(s.target)},
		transport.Term{Name: "alpha", Value: s.alpha}, transport.Term{Name: "stage", Value: float64(s.stage)})
}
