package inband

import (
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// Stamper is INT at the switches: every data packet gets an entry with the time,
// the bytes sent and the queue of the egress port, in the precision of a
// Quantizer, and grows by what the header format adds at a hop. It implements
// netsim.Tap.
type Stamper struct {
	quantizer *Quantizer
	exact     bool
	perHop    uint16
}

// NewStamper makes the tap. perHop is the bytes that an entry adds to a packet on
// the wire: 0 for a header that has its full size from the sender on.
func NewStamper(q *Quantizer, perHop unit.Bytes) *Stamper {
	return &Stamper{quantizer: q, exact: q.exact, perHop: uint16(perHop)}
}

// Dequeue stamps data packets. A packet whose stack is full goes on without an
// entry: Quantizer.Check refuses such a network before a run.
func (s *Stamper) Dequeue(h *netsim.Hop) {
	if h.Packet.Kind != netsim.Data {
		return
	}
	sample := netsim.PortSample{TS: h.Now, Sent: h.Sent, Queue: int32(h.Queue), Port: h.Port}
	if !s.exact {
		q := s.quantizer.Quantize(Hop{Time: h.Now, Tx: h.Sent, Queue: h.Queue})
		sample.TS, sample.Sent, sample.Queue = q.Time, q.Tx, int32(q.Queue)
	}
	if h.Push(sample) {
		h.Packet.Size += s.perHop
	}
}
