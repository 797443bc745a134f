// Package reno implements the congestion control of TCP Reno and NewReno: slow start, congestion
// avoidance and the window during fast recovery.
//
//	RFC 5681, "TCP Congestion Control", 2009, §3.
//	RFC 6582, "The NewReno Modification to TCP's Fast Recovery", 2012, §3.2.
//
// Package transport decides what is lost and retransmitted.
//
// # Choices that the RFCs leave open
//
//   - Congestion avoidance counts acknowledged bytes and adds one segment per window of
//     acknowledged bytes (RFC 5681 §3.1, the recommended way), so that delayed ACKs do not slow the
//     growth down.
//   - In slow start an ACK adds the bytes that it acknowledges, at most one segment.
//   - A mark (RFC 3168, if enabled) halves the window once per window of data, to at least two
//     segments, and sets the slow-start threshold to the new window. ACKs that report marks do not
//     grow the window (RFC 3168 §6.1.2).
//   - At the end of fast recovery the window is min(ssthresh, flight + SMSS) (RFC 6582 §3.2 step 3,
//     option 1), which avoids a burst.
package reno

import (
	"fmt"

	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Params are the keys of Reno in a scenario. The default initial window is ten segments (RFC 6928).
type Params struct {
	// Full packets before the first ACK.
	InitialWindow int `yaml:"initial_window" default:"10" range:">=1 <=10000" draw:"1..20"`
	// Window at which the first slow start ends, or "none": it ends with the first loss or mark.
	InitialThreshold unit.Limit `yaml:"initial_ssthresh" default:"none" range:">0B" draw:"none|20KB|1B"`
	// Marks decrease the window as losses do (RFC 3168).
	ECN bool `yaml:"ecn" default:"false"`
}

// Default returns the parameters with the defaults of their tags.
func Default() Params { return schema.Default[Params]() }

// Needs requires TCP without pacing, and marks if ECN is set.
func (p *Params) Needs() transport.Needs {
	return transport.Needs{Loss: transport.TCPLoss, Pacing: transport.Unpaced, Marking: p.ECN}
}

// Marking implements transport.Marker. The threshold is a bandwidth-delay product, so that the link
// stays busy after a mark halves the window.
func (*Params) Marking(s *transport.Setting) transport.Marking {
	return s.MarkBDP(1, "rate x largest base RTT")
}

// New makes the controllers of a run.
func (p *Params) New(*transport.Setting) (transport.Factory, error) {
	if p.InitialWindow < 1 {
		return nil, fmt.Errorf("reno: initial window = %d segments, want >= 1", p.InitialWindow)
	}
	return func() transport.Controller { return NewSender(*p) }, nil
}

// NewSender makes a sender.
func NewSender(p Params) *Sender { return &Sender{cfg: p} }

// Sender is Reno for one flow. It implements transport.Controller.
type Sender struct {
	cfg      Params
	mss      unit.Bytes // SMSS
	cwnd     unit.Bytes
	ssthresh unit.Bytes
	counted  unit.Bytes // bytes acknowledged since the last increase in congestion avoidance
	line     unit.Rate
}

var _ transport.Controller = (*Sender)(nil)

// Start begins a flow with the initial window and threshold. A threshold of 0 means none, like
// unit.NoLimit.
func (s *Sender) Start(_ unit.Time, f transport.FlowInfo) {
	*s = Sender{
		cfg: s.cfg, mss: f.Segment, line: f.LineRate,
		cwnd:     unit.Bytes(s.cfg.InitialWindow) * f.Segment,
		ssthresh: 1 << 60,
	}
	if t := unit.Bytes(s.cfg.InitialThreshold); t > 0 {
		s.ssthresh = min(s.ssthresh, t)
	}
}

// OnAck updates the window.
func (s *Sender) OnAck(_ unit.Time, a *transport.Ack) bool {
	if s.cfg.ECN && a.Marked && a.Phase == transport.Open {
		if a.Congested {
			s.Reduce(max(s.cwnd/2, 2*s.mss))
		}
		return a.Congested
	}
	switch a.Phase {
	case transport.Duplicate: // RFC 5681 §3.2 step 4: another packet has left the network
		s.cwnd += s.mss
	case transport.Partial: // RFC 6582 §3.2 step 3: deflate by the acknowledged bytes
		s.cwnd = max(s.mss, s.cwnd-a.Acked)
		if a.Acked >= s.mss {
			s.cwnd += s.mss
		}
	case transport.Repair: // RFC 6675 §5: the bytes in the network follow the window
		return false
	case transport.Exit: // RFC 6582 §3.2 step 3, full acknowledgement
		s.cwnd = min(s.ssthresh, max(a.Flight, s.mss)+s.mss)
		s.counted = 0
	default:
		if s.cwnd < s.ssthresh { // RFC 5681 equation 2
			s.cwnd += min(a.Acked, s.mss)
			return true
		}
		s.counted += a.Acked
		if s.counted >= s.cwnd {
			s.counted -= s.cwnd
			s.cwnd += s.mss
		}
	}
	return true
}

// OnLoss implements RFC 5681 equation 4 and the further steps for each kind of loss.
func (s *Sender) OnLoss(_ unit.Time, l transport.Loss) { s.Back(l, l.Flight/2) }

// Back works like OnLoss, but with the given slow-start threshold. A threshold below two segments
// is raised to two segments.
func (s *Sender) Back(l transport.Loss, ssthresh unit.Bytes) {
	if !l.Again { // RFC 5681 §3.1: a second timeout of the same data keeps ssthresh
		s.ssthresh = max(ssthresh, 2*s.mss)
	}
	s.counted = 0
	if l.Kind == transport.Timeout {
		s.cwnd = s.mss // the loss window
		return
	}
	if l.Kind == transport.Selective { // RFC 6675 §5 step 4.2
		s.cwnd = s.ssthresh
		return
	}
	s.cwnd = s.ssthresh + 3*s.mss // three packets have left the network: §3.2 step 3
}

// Reduce sets the window and the slow-start threshold to w, for a congestion signal other than a
// loss.
func (s *Sender) Reduce(w unit.Bytes) { s.cwnd, s.ssthresh, s.counted = w, w, 0 }

// SlowStart reports whether the next ACK of new data grows the window by slow start.
func (s *Sender) SlowStart() bool { return s.cwnd < s.ssthresh }

// Grow sets the window to w. It is for controls with another rule of congestion avoidance.
func (s *Sender) Grow(w unit.Bytes) { s.cwnd = w }

// Window returns cwnd.
func (s *Sender) Window() unit.Bytes { return s.cwnd }

// Rate returns the line rate: Reno does not pace.
func (s *Sender) Rate() unit.Rate { return s.line }
