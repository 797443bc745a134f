package ns3

import (
	"pintlab/hpcc"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// SkipFirst is a gauge of HPCC whose first feedback of each flow only starts the clock
// of updates, as that simulator treats a first digest like a first INT stack.
type SkipFirst struct {
	hpcc.Gauge
	seen bool
}

var _ transport.Explainer = (*SkipFirst)(nil)

// Start is part of hpcc.Gauge.
func (g *SkipFirst) Start(f transport.FlowInfo, t unit.Time, bdp unit.Bytes) {
	g.seen = false
	g.Gauge.Start(f, t, bdp)
}

// Utilisation is part of hpcc.Gauge.
func (g *SkipFirst) Utilisation(now unit.Time, a *transport.Ack) (u float64, first, fresh bool) {
	u, first, fresh = g.Gauge.Utilisation(now, a)
	if fresh && !g.seen {
		g.seen, first = true, true
	}
	return u, first, fresh
}

// Explain is part of transport.Explainer.
func (g *SkipFirst) Explain(d *transport.Decision) {
	if x, ok := g.Gauge.(transport.Explainer); ok {
		x.Explain(d)
	}
}
