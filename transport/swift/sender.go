package swift

import (
	"math"

	"pintlab/netsim/unit"
	"pintlab/transport"
)

// config holds the parameters and values derived from them.
type config struct {
	Params
	trips         transport.RoundTrips
	alpha, offset float64 // α and β' of flow scaling, in picoseconds
}

// sender is Swift for one flow.
type sender struct {
	cfg     config
	pool    *transport.Pool
	f       transport.FlowInfo
	segment float64

	cwnd     float64
	rtt      unit.Time // latest
	cut      unit.Time // t_last_decrease
	timeouts int       // retransmit_cnt
	delayed  int       // successive delayed acknowledgements
	path     unit.Time // the part of the target that does not depend on the window
}

// Start begins a flow with the first window.
func (s *sender) Start(now unit.Time, f transport.FlowInfo) {
	s.pool.Start()
	*s = sender{cfg: s.cfg, pool: s.pool, f: f, segment: float64(f.Segment), rtt: max(1, f.BaseRTT)}
	s.cwnd = s.cfg.Initial
	if s.cwnd == 0 {
		s.cwnd = float64(f.LineRate.In(f.BaseRTT)) / float64(f.Packet)
	}
	s.cut = now - s.rtt // a cut is allowed at once
	s.path = s.cfg.Base + unit.Time(f.Hops)*s.cfg.Hop
	s.clamp()
}

// target implements TargetDelay, §3.5.
func (s *sender) target() unit.Time {
	scaled := s.cfg.alpha/math.Sqrt(s.cwnd) + s.cfg.offset
	return s.path + unit.Time(max(0, min(scaled, float64(s.cfg.Range))))
}

// OnAck implements "On Receiving ACK" of Algorithm 1.
func (s *sender) OnAck(now unit.Time, a *transport.Ack) bool {
	s.timeouts = 0
	rtt, ok := s.cfg.trips.Of(a, s.f.BaseRTT)
	if !ok {
		return false
	}
	before, rate := s.cwnd, s.Rate()
	s.rtt = max(1, rtt)
	delay := s.pool.OfTime(s.rtt, s.cwnd)
	if target := s.target(); delay < target {
		s.delayed = 0
		s.grow(a)
	} else if s.delayed++; s.delayed >= s.cfg.Delayed && s.mayCut(now) {
		if s.cfg.Cut == "newest" {
			delay = max(s.rtt, target)
		}
		excess := float64(delay-target) / float64(delay)
		s.multiply(now, 1-float64(s.cfg.Beta*excess))
	}
	return s.cwnd != before || s.Rate() != rate
}

// grow implements the additive increase. If a flow has less in flight than its window, the NIC
// limits the flow and the window does not grow.
func (s *sender) grow(a *transport.Ack) {
	acked := float64(a.Acked) / s.segment
	switch {
	case float64(a.Flight)/s.segment+acked+1 < s.cwnd:
	case s.cwnd >= 1:
		s.cwnd += float64(s.cfg.Increase * acked / s.cwnd)
	default:
		s.cwnd += float64(s.cfg.Increase * acked)
	}
	s.clamp()
}

// mayCut reports whether the last decrease was at least a round trip ago.
func (s *sender) mayCut(now unit.Time) bool { return now-s.cut >= s.rtt }

// multiply cuts the window, by at most max_mdf.
func (s *sender) multiply(now unit.Time, factor float64) {
	before := s.cwnd
	s.cwnd *= max(factor, 1-s.cfg.MaxDecrease)
	s.clamp()
	if s.cwnd < before {
		s.cut = now
	}
}

func (s *sender) clamp() { s.cwnd = min(max(s.cwnd, s.cfg.Least), s.cfg.Most) }

// OnLoss implements "On Retransmit Timeout" and "On Fast Recovery" of Algorithm 1. A NACK is
// treated as a fast recovery, because it reports which packet was lost.
func (s *sender) OnLoss(now unit.Time, l transport.Loss) {
	if l.Kind != transport.Timeout {
		s.timeouts = 0
	} else if s.timeouts++; s.timeouts >= s.cfg.Reset {
		s.cwnd = s.cfg.Least
		s.cut = now
		return
	}
	if s.mayCut(now) {
		s.multiply(now, 1-s.cfg.MaxDecrease)
	}
}

// Window returns cwnd in bytes, at least 1.
func (s *sender) Window() unit.Bytes { return max(1, unit.Bytes(s.cwnd*s.segment)) }

// Rate returns the line rate. If the window is below one packet, it returns the rate of one packet
// every rtt/cwnd.
func (s *sender) Rate() unit.Rate {
	if s.cwnd >= 1 {
		return s.f.LineRate
	}
	bits := float64(s.f.Packet) * 8 * float64(unit.Second)
	return max(1, min(s.f.LineRate, unit.Rate(bits/float64(s.rtt)*s.cwnd)))
}
