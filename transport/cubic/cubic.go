// Package cubic implements CUBIC, the congestion control of most TCPs today.
//
//	RFC 9438, "CUBIC for Fast and Long-Distance Networks", 2023, §4.
//
// # Symbols
//
//	RFC         here             meaning
//	C           Params.C         segments per second cubed
//	β_cubic     Params.Beta      multiplicative decrease
//	W_max       wMax             window, in segments, at the last loss
//	K           k                seconds from the beginning of an epoch until the window is W_max again
//	W_est       est              window of a Reno flow with the same losses
//	cwnd_prior  prior            window before the last decrease
//
// Package reno has slow start, fast recovery and the loss window. Package transport decides what is
// lost and retransmitted.
//
// # Choices that the RFC leaves open
//
//   - Slow start ends with a loss. There is no HyStart++ (RFC 9406).
//   - A mark (RFC 3168, if enabled) reduces the window once per window of data, to at least two
//     segments. flight_size (§4.6) is the number of bytes in flight before the ACK.
//   - A window grows by whole bytes; the fraction is carried over to the next ACK.
//   - An epoch begins with the first ACK of congestion avoidance. A flow that leaves slow start
//     without a loss begins its first epoch with K = 0, as after a timeout (§4.8).
//   - The round-trip time in the target (§4.2) comes from the latest ACK that has one.
package cubic

import (
	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/reno"
)

// Params are the keys of CUBIC in a scenario. The defaults are from RFC 9438 §4.
type Params struct {
	reno.Params
	// C, growth in segments per second cubed.
	C float64 `yaml:"c" default:"0.4" range:">0 <=1e12"`
	// β, share of the window that remains after a loss.
	Beta float64 `yaml:"beta" default:"0.7" range:">0 <1"`
	// A flow yields to new flows if its window at a loss is smaller than at the previous loss (§4.7).
	FastConvergence bool `yaml:"fast_convergence" default:"true"`
}

// Default returns the parameters with the defaults of their tags.
func Default() Params { return schema.Default[Params]() }

// New makes the controllers of a run.
func (p *Params) New(*transport.Setting) (transport.Factory, error) {
	window := p.Params
	window.ECN = false // CUBIC handles marks itself
	return func() transport.Controller { return &sender{Sender: reno.NewSender(window), cfg: *p} }, nil
}

// sender is CUBIC for one flow.
type sender struct {
	*reno.Sender
	cfg Params
	mss float64

	wMax, prior float64 // segments
	est         float64
	k           float64 // seconds
	epoch       unit.Time
	begun       bool // an epoch has begun
	fresh       bool // the next epoch begins with K = 0
	rtt         unit.Time
	part        float64 // fraction of a byte that is not in the window yet
}

// Start begins a flow with slow start.
func (s *sender) Start(now unit.Time, f transport.FlowInfo) {
	*s = sender{Sender: s.Sender, cfg: s.cfg, mss: float64(f.Segment), fresh: true, rtt: f.BaseRTT}
	s.Sender.Start(now, f)
}

// OnAck grows the window by §4.2 to 4.5.
func (s *sender) OnAck(now unit.Time, a *transport.Ack) bool {
	if a.HasRTT {
		s.rtt = a.RTT
	}
	if s.cfg.ECN && a.Marked && a.Phase == transport.Open {
		if a.Congested {
			s.decrease()
			s.Reduce(max(unit.Bytes(float64(a.Flight+a.Acked)*s.cfg.Beta), unit.Bytes(2*s.mss)))
		}
		return a.Congested
	}
	if a.Phase != transport.Open || a.Acked == 0 || s.SlowStart() {
		return s.Sender.OnAck(now, a)
	}
	cwnd := float64(s.Window()) / s.mss
	if !s.begun {
		s.begin(now, cwnd)
	}
	acked := float64(a.Acked) / s.mss
	// §4.3, equation 4 and the text after it: with this alpha, CUBIC has the mean window of Reno.
	alpha := 3 * (1 - s.cfg.Beta) / (1 + s.cfg.Beta)
	if s.est >= s.prior {
		alpha = 1
	}
	s.est += float64(alpha * acked / cwnd)
	if s.at(now-s.epoch) < s.est {
		return s.grow(max(0, s.est-cwnd))
	}
	// §4.4 and 4.5: the window grows towards W_cubic one round-trip time from now.
	target := min(max(s.at(now-s.epoch+s.rtt), cwnd), 1.5*cwnd)
	return s.grow(float64((target - cwnd) / cwnd * acked))
}

// begin starts an epoch of congestion avoidance.
func (s *sender) begin(now unit.Time, cwnd float64) {
	s.begun, s.epoch, s.est = true, now, cwnd
	s.k = 0
	if s.fresh || cwnd >= s.wMax {
		s.wMax, s.fresh = cwnd, false
		return
	}
	s.k = cbrt((s.wMax - cwnd) / s.cfg.C) // equation 2
}

// at returns W_cubic, equation 1, in segments.
func (s *sender) at(t unit.Time) float64 {
	d := float64(t)/float64(unit.Second) - s.k
	return float64(float64(float64(s.cfg.C*d)*d)*d) + s.wMax
}

// most is a window that no flow can fill.
const most unit.Bytes = 1 << 50

// grow adds segments to the window. It reports whether the window has changed.
func (s *sender) grow(segments float64) bool {
	if s.Window() > most {
		return false
	}
	s.part += float64(segments * s.mss)
	whole := unit.Bytes(min(s.part, float64(most)))
	s.part -= float64(whole)
	s.Grow(s.Window() + whole)
	return whole > 0
}

// OnLoss implements the multiplicative decrease, §4.6 to 4.8.
func (s *sender) OnLoss(_ unit.Time, l transport.Loss) {
	s.decrease()
	s.fresh = l.Kind == transport.Timeout
	s.Back(l, unit.Bytes(float64(l.Flight)*s.cfg.Beta))
}

// decrease ends the epoch and sets W_max: §4.6 and 4.7.
func (s *sender) decrease() {
	cwnd := float64(s.Window()) / s.mss
	s.prior, s.begun, s.part = cwnd, false, 0
	if s.cfg.FastConvergence && cwnd < s.wMax {
		s.wMax = cwnd * (1 + s.cfg.Beta) / 2
	} else {
		s.wMax = cwnd
	}
	s.fresh = false
}

// cbrt returns the cube root of a number that is not negative. It uses Newton's method from above,
// so that the result is the same on every machine.
func cbrt(x float64) float64 {
	if x <= 0 {
		return 0
	}
	y := max(x, 1.0)
	for range 2000 {
		next := (float64(2*y) + x/float64(y*y)) / 3
		if next >= y {
			break
		}
		y = next
	}
	return y
}
