package hpcc

import (
	"math"
	"math/bits"

	"pintlab/netsim/unit"
	"pintlab/transport"
)

// leastU replaces every smaller utilisation.
const leastU = 1.0 / 512

// Sender is HPCC for one flow. It implements transport.Controller.
type Sender struct {
	cfg   Config
	gauge Gauge

	value     float64 // W in bytes, or the rate in bit/s
	reference float64 // W^c, or its rate
	low, high float64 // bounds of value
	u         float64 // latest utilisation
	line      unit.Rate
	t         unit.Time  // base RTT
	bdp       unit.Bytes // window of a sender at line rate
	stage     int        // incStage
	updateSeq int64      // lastUpdateSeq
	moved     unit.Time  // time of the last update
	fast      bool       // value was computed between two updates of the reference
	scaled    float64    // the reference from which value was computed

	window unit.Bytes
	rate   unit.Rate
}

var (
	_ transport.Controller = (*Sender)(nil)
	_ transport.Explainer  = (*Sender)(nil)
)

// Start begins a flow at line rate with a full window.
func (s *Sender) Start(_ unit.Time, f transport.FlowInfo) {
	*s = Sender{cfg: s.cfg, gauge: s.gauge, line: f.LineRate, u: math.NaN()}
	s.t, s.bdp = s.cfg.T, s.cfg.BDP
	if s.cfg.PathRTT {
		s.t, s.bdp = f.BaseRTT, f.PathRate.In(f.BaseRTT)
	}
	if s.cfg.Form == Window || s.bdp == 0 {
		s.bdp = max(1, f.LineRate.In(s.t)) // otherwise, if T is too short for a byte, window and rate would be 0
	}
	s.gauge.Start(f, s.t, s.bdp)
	if s.cfg.Form == Window {
		s.low = min(float64(f.Packet), float64(s.bdp))
		s.high = float64(s.bdp)
	} else {
		s.low, s.high = float64(s.cfg.MinRate), float64(f.LineRate)
	}
	s.reference = s.high
	s.set(s.high)
}

// OnAck implements NewAck of Algorithm 1, lines 21 to 27.
func (s *Sender) OnAck(now unit.Time, a *transport.Ack) bool {
	if s.cfg.Probes != a.Probe {
		return false
	}
	u, first, fresh := s.gauge.Utilisation(now, a)
	switch {
	case !fresh:
		return false
	case first:
		if s.updateSeq == 0 {
			s.updateSeq = a.Next
		}
		return false
	}
	s.u, s.scaled, s.fast = u, s.reference, !s.cfg.Probes && a.Seq <= s.updateSeq
	if s.cfg.ByTime {
		s.fast = now < s.moved+s.t
	}
	if !s.fast { // lines 22 to 24: once per round trip
		s.set(s.compute(u, true))
		s.reference = s.value
		s.updateSeq, s.moved = max(s.updateSeq, a.Next), now
	} else { // line 26
		s.set(s.compute(u, false))
	}
	return true
}

// compute implements ComputeWind, lines 11 to 20, on a window or on a rate.
func (s *Sender) compute(u float64, update bool) float64 {
	step := float64(s.cfg.WAI)
	if s.cfg.Form == Rate {
		step = float64(s.cfg.RAI)
	}
	var v float64
	if u >= s.cfg.Eta || s.stage >= s.cfg.MaxStage {
		over := max(u, leastU) / s.cfg.Eta
		v = s.reference / over // line 13
		if s.cfg.Form == Rate {
			v = float64(int64(min(v, 1<<62))) // whole bits per second
		}
		v += step
		if update {
			s.stage = 0
		}
	} else {
		v = s.reference + step // line 17
		if update {
			s.stage++
		}
	}
	return min(max(v, s.low), s.high)
}

// set stores v and computes the other quantity, the window W = R·T or the rate R = W/T, rounded down.
func (s *Sender) set(v float64) {
	s.value = v
	if s.cfg.Form == Window {
		s.window = unit.Bytes(v)
		s.rate = s.pace(v)
		return
	}
	s.rate = unit.Rate(v)
	hi, lo := bits.Mul64(uint64(s.bdp), uint64(s.rate))
	w, _ := bits.Div64(hi, lo, uint64(s.line)) // the quotient fits, because the rate is at most the line rate
	s.window = max(1, unit.Bytes(w))
}

// OnLoss does nothing, because HPCC already reacts to the load that caused the loss.
func (s *Sender) OnLoss(unit.Time, transport.Loss) {}

// Explain implements transport.Explainer. It reports whether the ACK came between two updates of the reference (fast),
// the averaged load U (load), the reference from which the new value was computed (reference), the new rate (rate), and
// the terms of the gauge. A window is reported as the rate W/T.
func (s *Sender) Explain(terms []transport.Term) []transport.Term {
	reference := unit.Rate(s.scaled)
	if s.cfg.Form == Window {
		reference = s.pace(s.scaled)
	}
	terms = append(terms, transport.TermIf("fast", s.fast), transport.Term{Name: "load", Value: s.u},
		transport.Term{Name: "reference", Value: float64(reference)},
		transport.Term{Name: "rate", Value: float64(s.rate)})
	if g, ok := s.gauge.(transport.Explainer); ok {
		terms = g.Explain(terms)
	}
	return terms
}

// pace returns the rate W/T, at most the line rate.
func (s *Sender) pace(w float64) unit.Rate {
	return min(s.line, unit.Rate(w*8*float64(unit.Second)/float64(s.t)))
}

// Load returns U.
func (s *Sender) Load() float64 { return s.u }

// Window returns W.
func (s *Sender) Window() unit.Bytes { return s.window }

// Rate returns R, at most the line rate.
func (s *Sender) Rate() unit.Rate { return s.rate }
