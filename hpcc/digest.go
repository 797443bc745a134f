package hpcc

import (
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Digest reads U from the PINT digest in an ACK (PINT §4.3, example 3). The switches have already averaged U.
type Digest struct {
	where telemetry.Digest
	seen  bool
	code  uint32 // code in the latest digest
}

// NewDigest makes a gauge that reads U at the place that d describes.
func NewDigest(d telemetry.Digest) *Digest { return &Digest{where: d} }

// Start resets the state of the previous flow.
func (g *Digest) Start(transport.FlowInfo, unit.Time, unit.Bytes) { g.seen = false }

// Utilisation decodes the digest.
func (g *Digest) Utilisation(_ unit.Time, a *transport.Ack) (u float64, first, fresh bool) {
	if !g.where.Holds(a.Digest) || g.where.Carries != nil && !g.where.Carries(a.Key()) {
		return 0, false, false
	}
	first = g.where.SkipFirst && !g.seen
	g.seen = a.Next > 0 // after a gap at the start of the flow, the next digest counts as the first again
	g.code = g.where.Field(a.Digest)
	return g.where.Code.Decode(g.code), first, true
}

// Explain implements transport.Explainer. It reports the code in the digest.
func (g *Digest) Explain(terms []transport.Term) []transport.Term {
	return append(terms, transport.Term{Name: "code", Value: float64(g.code)})
}
