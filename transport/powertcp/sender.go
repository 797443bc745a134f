package powertcp

import (
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// config holds the parameters.
type config struct {
	gamma  float64
	flows  float64   // N
	tau    unit.Time // 0: the base RTT of the flow's path
	perRTT bool      // the window changes once per round trip: θ-PowerTCP
}

// gauge measures Γ.
type gauge interface {
	// start is called when a flow starts and must reset all state. tau is in nanoseconds.
	start(tau float64)
	// power is called once for each ACK and returns Γ; fresh is false if the ACK has no feedback.
	power(now unit.Time, a *transport.Ack) (power float64, fresh bool)
}

// leastPower replaces every smaller Γ.
const leastPower = 1.0 / 512

// sender is PowerTCP for one flow.
type sender struct {
	cfg   config
	gauge gauge
	old   history

	cwnd, beta float64 // bytes
	low, high  float64 // bounds of cwnd
	tau        unit.Time
	line       unit.Rate
	updated    int64   // lastUpdated: the first byte of the next round trip
	last       float64 // latest Γ
	scaled     float64 // cwnd_old of the latest update
}

var (
	_ transport.Controller = (*sender)(nil)
	_ transport.Explainer  = (*sender)(nil)
	_ transport.Loaded     = (*sender)(nil)
)

// Start begins a flow at line rate with a full window.
func (s *sender) Start(_ unit.Time, f transport.FlowInfo) {
	*s = sender{cfg: s.cfg, gauge: s.gauge, old: s.old, tau: s.cfg.tau, line: f.LineRate, last: 1}
	if s.tau == 0 {
		s.tau = f.BaseRTT
	}
	s.gauge.start(ns(s.tau))
	s.high = float64(max(1, f.LineRate.In(s.tau)))
	s.low = min(float64(f.Packet), s.high)
	s.beta = s.high / s.cfg.flows
	s.cwnd = s.high
	s.old.reset(0, s.cwnd)
}

// OnAck implements NEWACK of both algorithms.
func (s *sender) OnAck(now unit.Time, a *transport.Ack) bool {
	power, fresh := s.gauge.power(now, a)
	if !fresh {
		return false
	}
	s.last = power
	if s.cfg.perRTT {
		if a.Seq < s.updated {
			return false
		}
		s.updated = a.Next
	}
	// UPDATEWINDOW.
	s.scaled = s.old.window(a.Seq)
	target := s.scaled/max(power, leastPower) + s.beta
	cwnd := float64(s.cfg.gamma*target) + float64((1-s.cfg.gamma)*s.cwnd)
	s.cwnd = min(max(cwnd, s.low), s.high)
	s.old.add(a.Next, s.cwnd)
	return true
}

// OnLoss clears the history if all packets are retransmitted. The window does not change: the loss
// is a consequence of the power, to which the sender has already reacted.
func (s *sender) OnLoss(_ unit.Time, l transport.Loss) {
	if l.Kind != transport.Selective {
		s.old.reset(l.Seq, s.cwnd)
	}
}

// Window returns cwnd.
func (s *sender) Window() unit.Bytes { return unit.Bytes(s.cwnd) }

// Rate returns cwnd/τ, at most the line rate.
func (s *sender) Rate() unit.Rate { return s.pace(s.cwnd) }

func (s *sender) pace(cwnd float64) unit.Rate {
	return max(1, min(s.line, unit.Rate(cwnd*8*float64(unit.Second)/float64(s.tau))))
}

func (s *sender) Load() float64 { return s.last }

// Explain implements transport.Explainer. It reports Γ (load), the window that was divided by it
// and the new window, both as rates (reference, rate), and the terms of the gauge.
func (s *sender) Explain(terms []transport.Term) []transport.Term {
	terms = append(terms, transport.Term{Name: "load", Value: s.last},
		transport.Term{Name: "reference", Value: float64(s.pace(s.scaled))},
		transport.Term{Name: "rate", Value: float64(s.Rate())})
	if g, ok := s.gauge.(transport.Explainer); ok {
		terms = g.Explain(terms)
	}
	return terms
}

// ns returns a time in nanoseconds. Whole nanoseconds are exact.
func ns(t unit.Time) float64 { return float64(t) / float64(unit.Nanosecond) }
