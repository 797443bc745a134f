package hpcc

import (
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// rated computes U like INT, from records that contain the rate at which a port sent instead of the bytes that it sent
// (INT-MD's utilisation).
type rated struct{ *INT }

// Utilisation returns U after this ACK.
func (g *rated) Utilisation(_ unit.Time, a *transport.Ack) (u float64, first, fresh bool) {
	if len(a.Hops) == 0 {
		return 0, false, false
	}
	if !g.samePath(a.Hops) {
		g.remember(a.Hops)
		return 0, true, true
	}
	busiest, tau := 0.0, unit.Time(0)
	for i := range a.Hops {
		now, old := &a.Hops[i], &g.prev[i]
		load := float64(now.Sent) / g.rate[i]
		load += float64(float64(min(now.Queue, old.Queue)) * g.line / g.rate[i] / g.bdp)
		if load > busiest {
			busiest, tau = load, g.fields.TimeSince(now.TS, old.TS)
		}
		*old = *now
	}
	tau = min(tau, g.base)
	g.last, g.tau = busiest, tau
	g.u = (float64(g.u*(g.t-ns(tau))) + float64(busiest*ns(tau))) / g.t
	return g.u, false, true
}
