package dctcp

import (
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// rateSender controls one flow if cc.form is rate.
type rateSender struct {
	cfg *Params
	transport.Rated
	alpha float64

	marked    int64 // ACKs with a mark in this window
	batch     int64 // packets in this window
	updateSeq int64 // end of this window
	reduced   bool  // some of the data in flight at the latest cut is not acknowledged yet
	high      int64 // end of that data
}

var _ transport.Explainer = (*rateSender)(nil)

// Start begins a flow at line rate, with alpha 1.
func (s *rateSender) Start(_ unit.Time, f transport.FlowInfo) {
	*s = rateSender{Rated: s.Begin(f), cfg: s.cfg, alpha: 1}
}

// OnAck counts marks. Once per window it updates alpha and increases the rate. On the first mark of
// a window it cuts the rate.
func (s *rateSender) OnAck(_ unit.Time, a *transport.Ack) bool {
	before := s.Pace
	if a.Marked {
		s.marked++
	}
	fresh := a.Seq > s.updateSeq
	if fresh {
		out := a.Next
		if s.updateSeq > 0 {
			f := min(1, float64(s.marked)/float64(s.batch))
			s.alpha = float64((1-s.cfg.Gain)*s.alpha) + float64(s.cfg.Gain*f)
			s.marked = 0
			out -= a.Seq
		}
		s.updateSeq = a.Next
		s.batch = int64(uint32(uint64(out)/uint64(s.Flow.Segment) + 1))
	}
	if s.reduced && a.Seq > s.high {
		s.reduced = false
	}
	if a.Marked && !s.reduced {
		s.Pace = max(s.cfg.MinRate, unit.Rate(float64(s.Pace)*(1-s.alpha/2)))
		s.reduced, s.high = true, a.Next
	}
	if fresh && !s.reduced {
		s.Pace = min(s.Flow.LineRate, s.Pace+s.cfg.RateAI)
	}
	return s.Pace != before
}

// Explain implements transport.Explainer. It reports rate, alpha, the marks (marked) and packets
// (batch) of this window, whether the data in flight at the latest cut is still unacknowledged
// (reduced), the end of that data (high), and the end of the window (update_seq).
func (s *rateSender) Explain(terms []transport.Term) []transport.Term {
	return append(terms, transport.Term{Name: "rate", Value: float64(s.Pace)},
		transport.Term{Name: "alpha", Value: s.alpha},
		transport.Term{Name: "marked", Value: float64(s.marked)},
		transport.Term{Name: "batch", Value: float64(s.batch)},
		transport.TermIf("reduced", s.reduced), transport.Term{Name: "high", Value: float64(s.high)},
		transport.Term{Name: "update_seq", Value: float64(s.updateSeq)})
}
