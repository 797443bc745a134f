package dcqcn

import (
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// sender is variant paper for one flow.
type sender struct {
	cfg *Params
	transport.Rated
	target unit.Rate // R_T
	alpha  float64

	begun   bool
	cnpAt   unit.Time  // time of the last CNP
	fallAt  unit.Time  // last CNP or decrease of α
	bytes   unit.Bytes // bytes since the last step of the byte counter
	byBytes int        // BC
	byTime  int        // T
}

var _ transport.Timed = (*sender)(nil)

// Start begins a flow at line rate with α = 1.
func (s *sender) Start(_ unit.Time, f transport.FlowInfo) {
	*s = sender{Rated: s.Begin(f), cfg: s.cfg, target: f.LineRate, alpha: 1}
}

// OnAck treats a mark as a CNP and counts bytes.
func (s *sender) OnAck(now unit.Time, a *transport.Ack) bool {
	if a.Marked && (!s.begun || now >= s.cnpAt+s.cfg.CNPInterval) {
		s.cut(now)
		return true
	}
	if s.Pace == s.Flow.LineRate {
		return false
	}
	before := s.Pace
	for s.bytes += a.Acked; s.bytes >= s.cfg.ByteCounter; s.bytes -= s.cfg.ByteCounter {
		s.byBytes++
		s.increase()
	}
	return s.Pace != before
}

// cut reduces the rate after a CNP.
func (s *sender) cut(now unit.Time) {
	s.fall(now)
	s.target = s.Pace
	s.Pace = max(s.cfg.MinRate, unit.Rate(float64(s.Pace)*(1-s.alpha/2)))
	s.alpha = float64((1-s.cfg.Gain)*s.alpha) + s.cfg.Gain
	s.begun, s.cnpAt, s.fallAt = true, now, now
	s.bytes, s.byBytes, s.byTime = 0, 0, 0
	s.Flow.Alarms.Set(0, now+s.cfg.Timer)
}

// fall lowers α once for each K that has passed without a CNP.
func (s *sender) fall(now unit.Time) {
	for s.begun && now-s.fallAt >= s.cfg.AlphaTimer && s.alpha > 1e-12 {
		s.alpha = float64((1 - s.cfg.Gain) * s.alpha)
		s.fallAt += s.cfg.AlphaTimer
	}
}

// Alarms implements transport.Timed. The only alarm is for increases by time.
func (s *sender) Alarms() int { return 1 }

// OnAlarm implements transport.Timed. It makes an increase by time.
func (s *sender) OnAlarm(now unit.Time, _ int) bool {
	s.byTime++
	s.increase()
	if s.Pace < s.Flow.LineRate {
		s.Flow.Alarms.Set(0, now+s.cfg.Timer)
	}
	return true
}

// increase makes a step of the timer or of the byte counter. The mean of rate and target is rounded
// up, so that the rate reaches the target.
func (s *sender) increase() {
	switch fewer, more := min(s.byTime, s.byBytes), max(s.byTime, s.byBytes); {
	case more < s.cfg.Recovery:
	case fewer > s.cfg.Recovery:
		s.target += unit.Rate(fewer-s.cfg.Recovery) * s.cfg.RateHAI
	default:
		s.target += s.cfg.RateAI
	}
	s.target = min(s.target, s.Flow.LineRate)
	s.Pace = (s.Pace + s.target + 1) / 2
}
