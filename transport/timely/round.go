package timely

import (
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// config holds the parameters of both senders.
type config struct {
	trips             transport.RoundTrips
	alpha, beta       float64
	low, high, minRTT unit.Time
	rateAI            unit.Rate // δ
	minRate           unit.Rate
	hyperAfter        int
	window            transport.RateWindow

	hyper unit.Rate // of roundSender: hyper increase

	// Of segmentSender.
	segment   unit.Bytes
	patched   bool
	reference unit.Time // RTT_ref
}

// roundSender is one flow's TIMELY as the published simulator has it.
type roundSender struct {
	cfg  config
	f    transport.FlowInfo
	full unit.Bytes
	rate unit.Rate

	updateSeq int64
	last      unit.Time // RTT
	diff      float64   // ns
	stage     int
}

var _ transport.Explainer = (*roundSender)(nil)

// Start begins at line rate.
func (s *roundSender) Start(_ unit.Time, f transport.FlowInfo) {
	*s = roundSender{cfg: s.cfg, f: f, full: s.cfg.window.Full(f), rate: f.LineRate}
}

// OnAck updates the rate once a window.
func (s *roundSender) OnAck(_ unit.Time, a *transport.Ack) bool {
	rtt, ok := s.cfg.trips.Of(a)
	if a.Seq <= s.updateSeq || !ok {
		return false
	}
	before := s.rate
	if s.updateSeq != 0 {
		s.update(rtt)
	}
	if a.Next > s.updateSeq {
		s.updateSeq, s.last = a.Next, rtt
	}
	return s.rate != before
}

func (s *roundSender) update(rtt unit.Time) {
	c := &s.cfg
	ns := float64(rtt.Nanoseconds())
	s.diff = float64((1-c.alpha)*s.diff) + float64(c.alpha*(ns-float64(s.last.Nanoseconds())))
	gradient := s.diff / float64(c.minRTT.Nanoseconds())
	factor := 0.0
	switch {
	case rtt < c.low, rtt <= c.high && gradient <= 0:
		step := c.rateAI
		if s.stage >= c.hyperAfter {
			step = c.hyper
		}
		s.stage++
		s.rate = min(s.f.LineRate, s.rate+step)
		return
	case rtt > c.high:
		factor = 1 - float64(c.beta*(1-float64(c.high.Nanoseconds())/ns))
	default:
		factor = max(0, 1-float64(c.beta*gradient))
	}
	s.stage = 0
	s.rate = max(c.minRate, unit.Rate(float64(s.rate)*factor))
}

// OnLoss changes nothing.
func (s *roundSender) OnLoss(unit.Time, transport.Loss) {}

// Window goes with the rate.
func (s *roundSender) Window() unit.Bytes {
	return s.cfg.window.Rule.Window(s.full, s.rate, s.f.LineRate)
}

// Rate returns the rate.
func (s *roundSender) Rate() unit.Rate { return s.rate }

// Explain implements transport.Explainer: rate, the RTT of the latest update (last_rtt), the
// smoothed difference of RTTs in ns (difference), increases in a row (stage), and the end of
// the window (update_seq).
func (s *roundSender) Explain(terms []transport.Term) []transport.Term {
	return append(terms, transport.Term{Name: "rate", Value: float64(s.rate)}, transport.Term{Name: "last_rtt", Value: float64(s.last)},
		transport.Term{Name: "difference", Value: s.diff}, transport.Term{Name: "stage", Value: float64(s.stage)},
		transport.Term{Name: "update_seq", Value: float64(s.updateSeq)})
}
