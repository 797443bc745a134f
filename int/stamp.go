package inband

import (
	"sync/atomic"

	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// Stamper is INT at the switches. Every data packet gets an entry with the time, the
// bytes sent and the queue of the egress port, in the precision of a Quantizer, and
// grows by the bytes that the header format adds at a hop. It implements netsim.Stamp.
type Stamper struct {
	quantizer *Quantizer
	exact     bool
	growth    []uint16 // by entry
	port      func(*netsim.Hop) (sent, queue unit.Bytes)
	overflows atomic.Int64
}

// NewStamper makes the tap. growth contains the bytes that each entry adds to a packet on the wire, the
// oldest entry first. growth is nil if the sender already adds the full header.
func NewStamper(q *Quantizer, growth []uint16) *Stamper {
	return &Stamper{quantizer: q, exact: q.exact, growth: growth}
}

// Overflows returns how often a switch found a stack full and added nothing. Quantizer.Check refuses a network with too
// long paths before a run, but paths that avoid a broken link may be longer.
func (s *Stamper) Overflows() int64 { return s.overflows.Load() }

// Exact reports whether entries have exact values and take no bytes on the wire.
func (s *Stamper) Exact() bool { return s.exact && s.growth == nil && s.port == nil }

// Dequeue stamps data packets. A packet whose stack is full gets no entry and counts in
// Overflows.
func (s *Stamper) Dequeue(h *netsim.Hop) {
	sent, queue := h.Sent, h.Queue
	if s.port != nil {
		sent, queue = s.port(h)
	}
	if h.Packet.Kind != netsim.Data {
		return
	}
	sample := netsim.PortSample{TS: h.Now, Sent: sent, Queue: int32(queue), Port: h.Port}
	if !s.exact {
		q := s.quantizer.Quantize(Hop{Time: h.Now, Tx: sent, Queue: queue})
		sample.TS, sample.Sent, sample.Queue = q.Time, q.Tx, int32(q.Queue)
	}
	if !h.Push(sample) {
		s.overflows.Add(1) // a sum, so engines may share it
		return
	}
	if s.growth != nil {
		h.Packet.Size += s.growth[h.Number]
	}
}
