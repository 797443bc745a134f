package uet

import (
	"encoding/binary"

	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/recovery"
)

// Hosts are the hosts of Ultra Ethernet. They implement transport.Recovery.
type Hosts struct{ Params }

// Options implements transport.Recovery. Packets carry the fields of a request or answer, at no
// cost on the wire.
func (*Hosts) Options() (wire unit.Bytes, room int) { return 0, optionsRoom }

func (*Hosts) Kind() string { return transport.Pulled }

// Spares implements transport.Sparing. Receivers acknowledge the first packet, the last packet, and one packet after
// every Threshold bytes.
func (x *Hosts) Spares(packets int64, packet unit.Bytes) bool {
	return packets > 2 && packet < x.Threshold
}

func (x *Hosts) Strategy(c *transport.Config, n *netsim.Network) transport.Strategy {
	h := &hosts{Hosts: x, Config: c, queues: recovery.New(n.Ports()), header: int64(c.PacketSize(0)),
		byCredit: x.credits(), byWindow: x.windows()}
	h.packet = h.header + int64(c.Segment)
	return h
}

// hosts are the hosts of a run. They implement transport.ReceiverDriven.
type hosts struct {
	*Hosts
	*transport.Config
	flows  []*flow // by slot
	queues recovery.Queues
	header int64 // header of a data packet, in bytes
	packet int64 // largest packet on the wire
	// byCredit and byWindow state what limits senders. They are read for each packet, so they are not computed from
	// Control each time.
	byCredit, byWindow bool
}

// flow holds the state of both ends of a flow.
type flow struct {
	source
	sink
}

func (h *hosts) Open(s *transport.Sender, r *transport.Receiver) {
	for int(s.Slot) >= len(h.flows) {
		h.flows = append(h.flows, &flow{})
	}
	h.queues.Open(s.Slot, r.Port)
	f := h.flows[s.Slot]
	f.Reset(h.Segment, s.Flow.Size, true)
	f.source = source{Board: f.Board, speculates: true, wished: -1}
	f.sink = sink{}
}

// wire returns the size of a segment on the wire.
func (h *hosts) wire(s *transport.Sender, i int64) int64 {
	return h.header + min(int64(h.Segment), int64(s.Flow.Size)-i*int64(h.Segment))
}

func (h *hosts) TakeAnswer(t *transport.Stack, s *transport.Sender, id netsim.PacketID, p *netsim.Packet) {
	b := &h.flows[p.Flow].source
	switch p.Kind {
	case netsim.Control:
		b.settle()
		h.takePull(s, b, p.Seq)
	case netsim.Ack:
		h.takeAck(t, s, b, p, readAnswer(t.Engine().Options(id)))
	default: // a NACK, or headers that a switch has sent back
		h.takeNack(t, s, b, p, b.Index(p.Seq))
	}
}

// request holds the fields that only data packets have.
type request struct {
	target int64 // RCCC: the sender's requested PULL number, in quanta
	kind   uint8
}

// Kinds of requests: whether a packet has data and whether it requests an ACK.
const (
	plain uint8 = iota
	ask         // data, and a request for an ACK
	rts         // only a request for an ACK
	probe       // only a request for an ACK, but on a path for data
)

// answer holds the fields that only ACKs have.
type answer struct {
	segment uint32 // number of the segment that the ACK answers
	base    uint32 // first segment of the bitmap
	bitmap  uint64 // received segments from base on
	got     int64  // bytes on the wire of all received data
	beyond  uint32 // segments received beyond a gap
	again   bool   // the segment was a retransmission
	kind    uint8  // kind of the request
}

const optionsRoom = 32

func (r request) write(to []byte) {
	binary.LittleEndian.PutUint64(to, uint64(r.target))
	to[8] = r.kind
}

func readRequest(from []byte) request {
	return request{target: int64(binary.LittleEndian.Uint64(from)), kind: from[8]}
}

func (a *answer) write(to []byte) {
	e := binary.LittleEndian
	e.PutUint32(to, a.segment)
	e.PutUint32(to[4:], a.base)
	e.PutUint64(to[8:], a.bitmap)
	e.PutUint64(to[16:], uint64(a.got))
	e.PutUint32(to[24:], a.beyond)
	to[28], to[29] = 0, a.kind
	if a.again {
		to[28] = 1
	}
}

func readAnswer(from []byte) answer {
	e := binary.LittleEndian
	return answer{
		segment: e.Uint32(from), base: e.Uint32(from[4:]), bitmap: e.Uint64(from[8:]), got: int64(e.Uint64(from[16:])),
		beyond: e.Uint32(from[24:]), again: from[28] != 0, kind: from[29],
	}
}
