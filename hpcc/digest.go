package hpcc

import (
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Decoder reads a utilisation code.
type Decoder interface{ Decode(code uint32) float64 }

// Digest takes U from the PINT digest that an ACK echoes (PINT §4.3, example 3).
// The switches have smoothed it, so it is used as it is.
type Digest struct {
	Code Decoder
	// Carries says whether the data packet that caused an ACK carried a
	// utilisation; nil means that every one does.
	Carries func(*transport.Ack) bool
	// Shift and Mask say where in the digest the code is.
	Shift uint
	Mask  uint64
	// SkipFirst makes the first digest of a flow only start the clock of updates,
	// as the published simulator does, which treats it like a first INT stack.
	SkipFirst bool

	seen bool
	code uint32 // of the latest digest
}

// Start forgets the flow before.
func (g *Digest) Start(transport.FlowInfo, unit.Time, unit.Bytes) { g.seen = false }

// Utilisation decodes the digest.
func (g *Digest) Utilisation(_ unit.Time, a *transport.Ack) (u float64, first, fresh bool) {
	if g.Carries != nil && !g.Carries(a) {
		return 0, false, false
	}
	first = g.SkipFirst && !g.seen
	g.seen = true
	g.code = uint32(a.Digest >> g.Shift & g.Mask)
	return g.Code.Decode(g.code), first, true
}

// Explain is part of transport.Explainer.
func (g *Digest) Explain(d *transport.Decision) { d.Code = g.code }
