package powertcp

import (
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// average is Γ_smooth.
type average struct {
	value float64
	tau   float64 // ns
}

// take implements the last line of NORMPOWER, for a power that was measured over dt nanoseconds.
func (m *average) take(power, dt float64) float64 {
	dt = min(dt, m.tau)
	m.value = (float64(m.value*(m.tau-dt)) + float64(power*dt)) / m.tau
	return m.value
}

// hopGauge is NORMPOWER of Algorithm 1: Γ from a record per hop.
type hopGauge struct {
	average
	rates  func(netsim.PortID) unit.Rate
	fields telemetry.Fields // nil: the fields are exact
	prev   []netsim.PortSample
	rate   []float64 // rate of the link at each hop, in bytes/ns
	last   float64   // Γ of the busiest hop since the previous ACK
	span   float64   // ns
}

func (g *hopGauge) start(tau float64) {
	g.average = average{value: 1, tau: tau}
	g.prev = g.prev[:0]
	g.last, g.span = 1, 0
}

func (g *hopGauge) power(_ unit.Time, a *transport.Ack) (float64, bool) {
	if len(a.Hops) == 0 {
		return 0, false
	}
	if !g.samePath(a.Hops) {
		g.prev, g.rate = append(g.prev[:0], a.Hops...), g.rate[:0]
		for i := range a.Hops {
			g.rate = append(g.rate, g.rates(a.Hops[i].Port).BytesPerSecond()/1e9)
		}
		return 0, false
	}
	busiest, span := 0.0, 0.0
	for i := range a.Hops {
		now, old := &a.Hops[i], &g.prev[i]
		dt, tx := now.TS-old.TS, now.Sent-old.Sent
		if g.fields != nil {
			dt, tx = g.fields.TimeSince(now.TS, old.TS), g.fields.TxSince(now.Sent, old.Sent)
		}
		if dt > 0 {
			bytes := unit.Bytes(now.Queue-old.Queue) + tx // bytes that have arrived: λ·dt
			bdp := float64(g.rate[i] * g.tau)
			// λ·ν/(b²·τ) = λ/b · (q + b·τ)/(b·τ)
			p := float64(bytes) / float64(g.rate[i]*ns(dt)) * (float64(now.Queue) + bdp) / bdp
			if p > busiest {
				busiest, span = p, ns(dt)
			}
		}
		*old = *now
	}
	if span == 0 { // nothing arrived
		return g.value, true
	}
	g.last, g.span = busiest, span
	return g.take(busiest, span), true
}

func (g *hopGauge) samePath(hops []netsim.PortSample) bool {
	if len(hops) != len(g.prev) {
		return false
	}
	for i := range hops {
		if hops[i].Port != g.prev[i].Port {
			return false
		}
	}
	return true
}

// Explain implements transport.Explainer. It reports the power of the busiest hop since the
// previous ACK (sample), which Γ includes, and the measured time (span).
func (g *hopGauge) Explain(terms []transport.Term) []transport.Term {
	span := unit.Time(min(g.span, g.tau) * float64(unit.Nanosecond))
	return append(terms, transport.Term{Name: "sample", Value: g.last},
		transport.Term{Name: "span", Value: float64(span)})
}

// thetaGauge is NORMPOWER of Algorithm 2: Γ from round-trip times.
type thetaGauge struct {
	average
	rtt  float64 // round-trip time of the previous ACK, in ns
	at   unit.Time
	seen bool
}

func newThetaGauge() gauge { return &thetaGauge{} }

func (g *thetaGauge) start(tau float64) { *g = thetaGauge{average: average{value: 1, tau: tau}} }

func (g *thetaGauge) power(now unit.Time, a *transport.Ack) (float64, bool) {
	if !a.HasRTT {
		return 0, false
	}
	rtt, dt, first := ns(a.RTT), ns(now-g.at), !g.seen
	if !first && dt <= 0 {
		return g.value, true // two ACKs at the same time: no gradient
	}
	gradient := (rtt - g.rtt) / dt
	g.rtt, g.at, g.seen = rtt, now, true
	if first {
		return 0, false
	}
	return g.take((gradient+1)*rtt/g.tau, dt), true
}

// digestGauge reads Γ from the PINT digest in an ACK.
type digestGauge struct {
	where *telemetry.Digest
	code  uint32 // code in the latest digest
}

func newDigestGauge(d *telemetry.Digest) func() gauge {
	return func() gauge { return &digestGauge{where: d} }
}

func (g *digestGauge) start(float64) {}

func (g *digestGauge) power(_ unit.Time, a *transport.Ack) (float64, bool) {
	if g.where.Carries != nil && !g.where.Carries(a.Key()) {
		return 0, false
	}
	g.code = g.where.Field(a.Digest)
	return g.where.Code.Decode(g.code), true
}

// Explain implements transport.Explainer. It reports the code in the digest.
func (g *digestGauge) Explain(terms []transport.Term) []transport.Term {
	return append(terms, transport.Term{Name: "code", Value: float64(g.code)})
}
