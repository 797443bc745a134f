package dcqcn

import (
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// config holds the parameters of sender.
type config struct {
	gain     float64
	cnp      unit.Time // N
	alpha    unit.Time // K
	timer    unit.Time // T
	counter  unit.Bytes
	recovery int
	rateAI   unit.Rate
	rateHAI  unit.Rate
	minRate  unit.Rate
	window   transport.RateWindow
}

// sender is one flow's DCQCN in the form of the DCQCN paper.
type sender struct {
	cfg    config
	f      transport.FlowInfo
	full   unit.Bytes // window at line rate
	rate   unit.Rate  // R_C
	target unit.Rate  // R_T
	alpha  float64

	begun   bool
	cnpAt   unit.Time  // of the last CNP
	fallAt  unit.Time  // since when no CNP has come and α has not fallen
	bytes   unit.Bytes // since the last step of the byte counter
	byBytes int        // BC
	byTime  int        // T
}

var _ transport.Timed = (*sender)(nil)

// Start begins at line rate with α = 1.
func (s *sender) Start(_ unit.Time, f transport.FlowInfo) {
	*s = sender{cfg: s.cfg, f: f, full: s.cfg.window.Full(f), rate: f.LineRate, target: f.LineRate, alpha: 1}
}

// OnAck takes a mark for a CNP and counts bytes.
func (s *sender) OnAck(now unit.Time, a *transport.Ack) bool {
	if a.Marked && (!s.begun || now >= s.cnpAt+s.cfg.cnp) {
		s.cut(now)
		return true
	}
	if s.rate == s.f.LineRate {
		return false
	}
	before := s.rate
	for s.bytes += a.Acked; s.bytes >= s.cfg.counter; s.bytes -= s.cfg.counter {
		s.byBytes++
		s.increase()
	}
	return s.rate != before
}

// cut reduces the rate after a CNP.
func (s *sender) cut(now unit.Time) {
	s.fall(now)
	s.target = s.rate
	s.rate = max(s.cfg.minRate, unit.Rate(float64(s.rate)*(1-s.alpha/2)))
	s.alpha = float64((1-s.cfg.gain)*s.alpha) + s.cfg.gain
	s.begun, s.cnpAt, s.fallAt = true, now, now
	s.bytes, s.byBytes, s.byTime = 0, 0, 0
	s.f.Alarms.Set(0, now+s.cfg.timer)
}

// fall lowers α once for each K that has passed without a CNP.
func (s *sender) fall(now unit.Time) {
	for s.begun && now-s.fallAt >= s.cfg.alpha && s.alpha > 1e-12 {
		s.alpha = float64((1 - s.cfg.gain) * s.alpha)
		s.fallAt += s.cfg.alpha
	}
}

// Alarms implements transport.Timed: one, for increases by time.
func (s *sender) Alarms() int { return 1 }

// OnAlarm implements transport.Timed: the timer of increases.
func (s *sender) OnAlarm(now unit.Time, _ int) bool {
	s.byTime++
	s.increase()
	if s.rate < s.f.LineRate {
		s.f.Alarms.Set(0, now+s.cfg.timer)
	}
	return true
}

// increase takes a step of the timer or of the byte counter. The mean of rate and target is
// rounded up, so that the rate reaches the target.
func (s *sender) increase() {
	switch fewer, more := min(s.byTime, s.byBytes), max(s.byTime, s.byBytes); {
	case more < s.cfg.recovery:
	case fewer > s.cfg.recovery:
		s.target += unit.Rate(fewer-s.cfg.recovery) * s.cfg.rateHAI
	default:
		s.target += s.cfg.rateAI
	}
	s.target = min(s.target, s.f.LineRate)
	s.rate = (s.rate + s.target + 1) / 2
}

// OnLoss changes nothing: the network is lossless, and marks come first.
func (s *sender) OnLoss(unit.Time, transport.Loss) {}

// Window goes with the rate.
func (s *sender) Window() unit.Bytes { return s.cfg.window.Rule.Window(s.full, s.rate, s.f.LineRate) }

// Rate returns R_C.
func (s *sender) Rate() unit.Rate { return s.rate }
