package dcqcn

import (
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// polledConfig holds the parameters of polled.
type polledConfig struct {
	gain        float64   // g
	alphaTimer  unit.Time // of the moves of alpha
	cutInterval unit.Time // of looks for a mark
	timer       unit.Time // of increases
	recovery    int       // F, steps of fast recovery
	rateAI      unit.Rate
	rateHAI     unit.Rate
	minRate     unit.Rate
	clampTarget bool // every cut lowers the target, not only one after an increase
	window      transport.RateWindow
}

// The alarms of variant ns3, as a trace has them (transport.Step.Alarm).
const (
	alphaAlarm = iota
	cutAlarm   // looks for a mark, and cuts the rate if there is one
	raiseAlarm // raises the rate
)

// polled is one flow's.
type polled struct {
	cfg    polledConfig
	f      transport.FlowInfo
	full   unit.Bytes // window at line rate
	rate   unit.Rate
	target unit.Rate
	alpha  float64
	stage  int
	begun  bool // a mark has come
	// since alpha moved last, and since the last look
	markedForAlpha, markedForCut bool
}

var (
	_ transport.Timed     = (*polled)(nil)
	_ transport.Explainer = (*polled)(nil)
)

// Start begins at line rate.
func (s *polled) Start(_ unit.Time, f transport.FlowInfo) {
	*s = polled{cfg: s.cfg, f: f, full: s.cfg.window.Full(f), rate: f.LineRate, target: f.LineRate, alpha: 1}
}

// OnAck notes a mark. The first one starts the clocks.
func (s *polled) OnAck(now unit.Time, a *transport.Ack) bool {
	if !a.Marked {
		return false
	}
	s.markedForAlpha, s.markedForCut = true, true
	if !s.begun {
		s.begun, s.markedForAlpha = true, false
		s.alpha, s.target = 1, s.rate
		s.f.Alarms.Set(alphaAlarm, now+s.cfg.alphaTimer)
		s.f.Alarms.Set(cutAlarm, now+s.cfg.cutInterval+unit.Nanosecond)
	}
	return false
}

// Alarms implements transport.Timed.
func (s *polled) Alarms() int { return 3 }

// OnAlarm implements transport.Timed.
func (s *polled) OnAlarm(now unit.Time, i int) bool {
	c := &s.cfg
	switch i {
	case alphaAlarm:
		s.alpha = float64((1 - c.gain) * s.alpha)
		if s.markedForAlpha {
			s.alpha += c.gain
		}
		s.markedForAlpha = false
		s.f.Alarms.Set(alphaAlarm, now+c.alphaTimer)
		return false
	case cutAlarm:
		s.f.Alarms.Set(cutAlarm, now+c.cutInterval)
		if !s.markedForCut {
			return false
		}
		if c.clampTarget || s.stage > 0 {
			s.target = s.rate
		}
		s.rate = max(c.minRate, unit.Rate(float64(s.rate)*(1-s.alpha/2)))
		s.stage, s.markedForCut = 0, false
		s.f.Alarms.Set(raiseAlarm, now+c.timer)
	case raiseAlarm:
		s.f.Alarms.Set(raiseAlarm, now+c.timer)
		if s.stage >= c.recovery {
			step := c.rateAI
			if s.stage > c.recovery {
				step = c.rateHAI
			}
			s.target = min(s.f.LineRate, s.target+step)
		}
		s.rate = s.rate/2 + s.target/2
		s.stage++
	}
	return true
}

// OnLoss changes nothing.
func (s *polled) OnLoss(unit.Time, transport.Loss) {}

// Window goes with the rate.
func (s *polled) Window() unit.Bytes { return s.cfg.window.Rule.Window(s.full, s.rate, s.f.LineRate) }

// Rate returns the rate.
func (s *polled) Rate() unit.Rate { return s.rate }

// Explain implements transport.Explainer: rate, target, alpha, and the increases since the
// latest cut (stage).
func (s *polled) Explain(terms []transport.Term) []transport.Term {
	return append(terms, transport.Term{Name: "rate", Value: float64(s.rate)}, transport.Term{Name: "target", Value: float64(s.target)},
		transport.Term{Name: "alpha", Value: s.alpha}, transport.Term{Name: "stage", Value: float64(s.stage)})
}
