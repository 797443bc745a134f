package hpcc

import (
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// INT computes U from the telemetry of every hop: MeasureInflight, lines 1 to 10
// of Algorithm 1.
type INT struct {
	rates  func(netsim.PortID) unit.Rate
	fields telemetry.Fields // nil: the fields are exact
	places bool             // records do not identify their ports
	t      float64
	base   unit.Time
	bdp    float64 // line rate · T in bytes

	line float64
	u    float64
	last float64   // load of the busiest link since the previous ACK
	tau  unit.Time // time over which last was measured
	prev []netsim.PortSample
	rate []float64 // rate of the link at each hop
}

// NewPlacesINT makes a gauge that identifies a hop only by its position on the path, like the published simulator.
// After a path change, this gauge subtracts counters of different ports. A position that no earlier path of the flow
// had starts from zero.
func NewPlacesINT(rates func(netsim.PortID) unit.Rate, fields telemetry.Fields) *INT {
	return &INT{rates: rates, fields: fields, places: true}
}

// NewINT makes a gauge. The function rates returns the link rate of a port; fields may be nil.
func NewINT(rates func(netsim.PortID) unit.Rate, fields telemetry.Fields) *INT {
	return &INT{rates: rates, fields: fields}
}

// ns returns a time in nanoseconds. Whole nanoseconds are exact.
func ns(t unit.Time) float64 { return float64(t) / 1000 }

// Start begins with U = 1, like the published simulator: an unmeasured path counts as full.
func (g *INT) Start(f transport.FlowInfo, t unit.Time, bdp unit.Bytes) {
	g.base, g.t, g.bdp = t, ns(t), float64(bdp)
	g.u = 1
	g.prev = g.prev[:0]
	g.line = float64(f.LineRate)
}

// Utilisation returns U after this ACK.
func (g *INT) Utilisation(_ unit.Time, a *transport.Ack) (u float64, first, fresh bool) {
	if len(a.Hops) == 0 {
		return 0, false, false
	}
	if g.places && len(g.prev) > 0 {
		g.follow(a.Hops)
	}
	if !g.samePath(a.Hops) {
		if g.remember(a.Hops); g.places && a.Next == 0 {
			g.prev = g.prev[:0] // the next stack counts as the first again
		}
		return 0, true, true
	}
	busiest, tau := 0.0, unit.Time(0) // line 2
	hops := a.Hops
	prev, rate := g.prev[:len(hops)], g.rate[:len(hops)]
	for i := range hops { // line 3
		now, old := &hops[i], &prev[i]
		dt, tx := now.TS-old.TS, now.Sent-old.Sent
		if g.fields != nil {
			dt, tx = g.fields.TimeSince(now.TS, old.TS), g.fields.TxSince(now.Sent, old.Sent)
		}
		if dt > 0 {
			b := rate[i]
			txRate := float64(tx*8) / float64(ns(dt)*1e-9) // line 4
			// Line 5. The queue contributes qlen/(B·T). B·T is computed as B divided by the line rate, times bdp, which
			// is a number of bytes.
			load := float64(txRate / b)
			if queue := min(now.Queue, old.Queue); queue != 0 { // a queue is rare, and divisions are slow
				load += float64(float64(queue) * g.line / b / g.bdp)
			}
			if load > busiest { // lines 6 and 7
				busiest, tau = load, dt
			}
		} else if dt == 0 { // a coarse clock has not moved
			continue
		}
		*old = *now // line 27
	}
	tau = min(tau, g.base) // line 8
	g.last, g.tau = busiest, tau
	// Line 9.
	g.u = (float64(g.u*(g.t-ns(tau))) + float64(busiest*ns(tau))) / g.t
	return g.u, false, true // line 10
}

// Explain implements transport.Explainer. It reports the load of the busiest link since the
// previous ACK (sample), which U includes, and the measured time (span).
func (g *INT) Explain(terms []transport.Term) []transport.Term {
	return append(terms, transport.Term{Name: "sample", Value: g.last},
		transport.Term{Name: "span", Value: float64(g.tau)})
}

func (g *INT) samePath(hops []netsim.PortSample) bool {
	if len(hops) != len(g.prev) {
		return g.places && len(g.prev) > 0
	}
	for i := range hops {
		if hops[i].Port != g.prev[i].Port {
			return false
		}
	}
	return true
}

// follow copies the ports and link rates of hops to the remembered hops, whose counters do not change.
func (g *INT) follow(hops []netsim.PortSample) {
	for i := range hops {
		if i == len(g.prev) {
			g.prev, g.rate = append(g.prev, netsim.PortSample{Port: netsim.NoPort}), append(g.rate, 0)
		}
		if p := hops[i].Port; g.prev[i].Port != p {
			g.prev[i].Port, g.rate[i] = p, float64(g.rates(p))
		}
	}
}

func (g *INT) remember(hops []netsim.PortSample) {
	g.prev = append(g.prev[:0], hops...)
	g.rate = g.rate[:0]
	for i := range hops {
		g.rate = append(g.rate, float64(g.rates(hops[i].Port)))
	}
}
