package timely

import (
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// hyper is how many times δ a hyper increase adds (§4.3: "N = 5").
const hyper = 5

// segmentSender is one flow's TIMELY of the papers.
type segmentSender struct {
	cfg     config
	f       transport.FlowInfo
	full    unit.Bytes
	rate    unit.Rate
	acked   unit.Bytes // since the last completion
	last    unit.Time  // RTT
	diff    float64    // ns
	rises   int        // completions in a row with a gradient of 0 or less
	sampled bool
}

// Start begins at line rate.
func (s *segmentSender) Start(_ unit.Time, f transport.FlowInfo) {
	*s = segmentSender{cfg: s.cfg, f: f, full: s.cfg.window.Full(f), rate: f.LineRate}
}

// OnAck counts bytes, and updates the rate when a segment is complete.
func (s *segmentSender) OnAck(_ unit.Time, a *transport.Ack) bool {
	s.acked += a.Acked
	rtt, ok := s.cfg.trips.Of(a)
	if s.acked < s.cfg.segment || !ok {
		return false
	}
	s.acked %= s.cfg.segment
	before := s.rate
	s.update(rtt)
	return s.rate != before
}

// update implements Algorithm 1.
func (s *segmentSender) update(rtt unit.Time) {
	c := &s.cfg
	if !s.sampled {
		s.sampled, s.last = true, rtt
	}
	ns := float64(rtt.Nanoseconds())
	s.diff = float64((1-c.alpha)*s.diff) + float64(c.alpha*(ns-float64(s.last.Nanoseconds())))
	s.last = rtt
	gradient := s.diff / float64(c.minRTT.Nanoseconds())
	if rtt < c.low {
		s.set(float64(s.rate) + float64(c.rateAI))
		return
	}
	if rtt > c.high {
		s.rises = 0
		s.set(float64(s.rate) * (1 - float64(c.beta*(1-float64(c.high.Nanoseconds())/ns))))
		return
	}
	if c.patched {
		w := min(1, max(0, float64(2*gradient)+0.5))
		ref := float64(c.reference.Nanoseconds())
		s.set(float64(float64(c.rateAI)*(1-w)) + float64(float64(s.rate)*(1-float64(c.beta*w*(ns-ref)/ref))))
		return
	}
	if gradient > 0 {
		s.rises = 0
		s.set(float64(s.rate) * (1 - float64(c.beta*gradient)))
		return
	}
	s.rises++
	step := float64(c.rateAI)
	if s.rises >= c.hyperAfter {
		step *= hyper
	}
	s.set(float64(s.rate) + step)
}

// set stores a rate within its bounds.
func (s *segmentSender) set(rate float64) {
	s.rate = unit.Rate(min(max(rate, float64(s.cfg.minRate)), float64(s.f.LineRate)))
}

// OnLoss changes nothing: the network is lossless, and delay comes first.
func (s *segmentSender) OnLoss(unit.Time, transport.Loss) {}

// Window goes with the rate.
func (s *segmentSender) Window() unit.Bytes {
	return s.cfg.window.Rule.Window(s.full, s.rate, s.f.LineRate)
}

// Rate returns the rate.
func (s *segmentSender) Rate() unit.Rate { return s.rate }
