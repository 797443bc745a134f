package timely

import (
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// config holds the parameters of both senders.
type config struct {
	Params
	trips transport.RoundTrips
}

// roundSender is variant ns3 for one flow.
type roundSender struct {
	cfg *config
	transport.Rated

	updateSeq int64
	last      unit.Time // RTT
	diff      float64   // ns
	stage     int
}

var _ transport.Explainer = (*roundSender)(nil)

// Start begins a flow at line rate.
func (s *roundSender) Start(_ unit.Time, f transport.FlowInfo) {
	*s = roundSender{Rated: s.Begin(f), cfg: s.cfg}
}

// OnAck updates the rate once per window.
func (s *roundSender) OnAck(_ unit.Time, a *transport.Ack) bool {
	rtt, ok := s.cfg.trips.Of(a, s.Flow.BaseRTT)
	if a.Seq <= s.updateSeq || !ok {
		return false
	}
	before := s.Pace
	if s.updateSeq != 0 {
		s.update(rtt)
	}
	if a.Next > s.updateSeq {
		s.updateSeq, s.last = a.Next, rtt
	}
	return s.Pace != before
}

func (s *roundSender) update(rtt unit.Time) {
	c := s.cfg
	ns := float64(rtt.Nanoseconds())
	s.diff = float64((1-c.Alpha)*s.diff) + float64(c.Alpha*(ns-float64(s.last.Nanoseconds())))
	gradient := s.diff / float64(c.MinRTT.Nanoseconds())
	factor := 0.0
	switch {
	case rtt < c.Low, rtt <= c.High && gradient <= 0:
		step := c.RateAI
		if s.stage >= c.HyperAfter {
			step = c.RateHAI
		}
		s.stage++
		s.Pace = min(s.Flow.LineRate, s.Pace+step)
		return
	case rtt > c.High:
		factor = 1 - float64(c.Beta*(1-float64(c.High.Nanoseconds())/ns))
	default:
		factor = max(0, 1-float64(c.Beta*gradient))
	}
	s.stage = 0
	s.Pace = max(c.MinRate, unit.Rate(float64(s.Pace)*factor))
}

// Explain implements transport.Explainer. It reports rate, the RTT of the latest update (last_rtt),
// the smoothed difference of RTTs in ns (difference), successive increases (stage), and the end of
// the window (update_seq).
func (s *roundSender) Explain(terms []transport.Term) []transport.Term {
	return append(terms, transport.Term{Name: "rate", Value: float64(s.Pace)},
		transport.Term{Name: "last_rtt", Value: float64(s.last)},
		transport.Term{Name: "difference", Value: s.diff}, transport.Term{Name: "stage", Value: float64(s.stage)},
		transport.Term{Name: "update_seq", Value: float64(s.updateSeq)})
}
