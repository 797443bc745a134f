package timely

import (
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// hyper is how many times δ a hyper increase adds (§4.3: "N = 5").
const hyper = 5

// segmentSender is variant paper or patched for one flow.
type segmentSender struct {
	cfg *config
	transport.Rated
	acked   unit.Bytes // bytes since the last update
	last    unit.Time  // RTT
	diff    float64    // ns
	rises   int        // successive updates with a gradient of 0 or less
	sampled bool
}

// Start begins a flow at line rate.
func (s *segmentSender) Start(_ unit.Time, f transport.FlowInfo) {
	*s = segmentSender{Rated: s.Begin(f), cfg: s.cfg}
}

// OnAck counts bytes and updates the rate when a segment is complete.
func (s *segmentSender) OnAck(_ unit.Time, a *transport.Ack) bool {
	s.acked += a.Acked
	rtt, ok := s.cfg.trips.Of(a, s.Flow.BaseRTT)
	if s.acked < s.cfg.Segment || !ok {
		return false
	}
	s.acked %= s.cfg.Segment
	before := s.Pace
	s.update(rtt)
	return s.Pace != before
}

// update implements Algorithm 1.
func (s *segmentSender) update(rtt unit.Time) {
	c := s.cfg
	if !s.sampled {
		s.sampled, s.last = true, rtt
	}
	ns := float64(rtt.Nanoseconds())
	s.diff = float64((1-c.Alpha)*s.diff) + float64(c.Alpha*(ns-float64(s.last.Nanoseconds())))
	s.last = rtt
	gradient := s.diff / float64(c.MinRTT.Nanoseconds())
	if rtt < c.Low {
		s.set(float64(s.Pace) + float64(c.RateAI))
		return
	}
	if rtt > c.High {
		s.rises = 0
		s.set(float64(s.Pace) * (1 - float64(c.Beta*(1-float64(c.High.Nanoseconds())/ns))))
		return
	}
	if c.Variant == "patched" {
		w := min(1, max(0, float64(2*gradient)+0.5))
		ref := float64(c.Reference.Nanoseconds())
		s.set(float64(float64(c.RateAI)*(1-w)) + float64(float64(s.Pace)*(1-float64(c.Beta*w*(ns-ref)/ref))))
		return
	}
	if gradient > 0 {
		s.rises = 0
		s.set(float64(s.Pace) * (1 - float64(c.Beta*gradient)))
		return
	}
	s.rises++
	step := float64(c.RateAI)
	if s.rises >= c.HyperAfter {
		step *= hyper
	}
	s.set(float64(s.Pace) + step)
}

// set stores a rate within its bounds.
func (s *segmentSender) set(rate float64) {
	s.Pace = unit.Rate(min(max(rate, float64(s.cfg.MinRate)), float64(s.Flow.LineRate)))
}
