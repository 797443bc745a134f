package dctcp

import (
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/reno"
)

// windowSender is form window for one flow.
type windowSender struct {
	*reno.Sender
	gain  float64
	mss   unit.Bytes
	alpha float64
	// Bytes of this window.
	acked, marked unit.Bytes
	windowEnd     int64 // end of this window
	reacted       int64 // the flow has reacted to congestion for bytes up to here
}

// Start begins a flow with α = 1.
func (s *windowSender) Start(now unit.Time, f transport.FlowInfo) {
	*s = windowSender{Sender: s.Sender, gain: s.gain, mss: f.Segment, alpha: 1}
	s.Sender.Start(now, f)
}

// OnAck implements RFC 8257 §3.3.
func (s *windowSender) OnAck(now unit.Time, a *transport.Ack) bool {
	s.acked += a.Acked
	if a.Marked {
		s.marked += a.Acked
	}
	if a.Seq > s.windowEnd {
		if s.acked > 0 {
			f := float64(s.marked) / float64(s.acked)
			s.alpha = float64((1-s.gain)*s.alpha) + float64(s.gain*f)
		}
		s.acked, s.marked, s.windowEnd = 0, 0, a.Next
	}
	if !a.Marked || a.Phase != transport.Open {
		return s.Sender.OnAck(now, a)
	}
	if a.Seq <= s.reacted {
		return false // nor grow: RFC 3168 §6.1.2
	}
	s.Reduce(max(2*s.mss, unit.Bytes(float64(s.Window())*(1-s.alpha/2))))
	s.reacted = a.Next
	return true
}

// OnLoss halves the window as Reno does.
func (s *windowSender) OnLoss(now unit.Time, l transport.Loss) {
	s.Sender.OnLoss(now, l)
	s.reacted = max(s.reacted, l.Seq+int64(l.Flight))
}
