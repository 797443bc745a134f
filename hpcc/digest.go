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

	code uint32 // of the latest digest
}

// Start is part of Gauge: a digest needs nothing of the flow.
func (g *Digest) Start(transport.FlowInfo, unit.Time, unit.Bytes) {}

// Utilisation decodes the digest.
func (g *Digest) Utilisation(_ unit.Time, a *transport.Ack) (u float64, first, fresh bool) {
	if g.Carries != nil && !g.Carries(a) {
		return 0, false, false
	}
	g.code = uint32(a.Digest >> g.Shift & g.Mask)
	return g.Code.Decode(g.code), false, true
}

// Explain is part of transport.Explainer.
func (g *Digest) Explain(d *transport.Decision) { d.Code = g.code }
