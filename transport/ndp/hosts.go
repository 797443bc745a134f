package ndp

import (
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/recovery"
)

// answerRoom is the size in bytes of a field in each ACK and NACK. The field identifies the
// received packet by its first byte.
const answerRoom = 8

// Hosts are the hosts of NDP. They implement transport.Recovery.
type Hosts struct {
	// ByClass makes a receiver pull flows of the highest class first, instead of all flows in turn.
	ByClass bool
	// Avoid, if not nil, makes senders stop using bad paths for a time.
	Avoid *route.Penalty
}

func (h Hosts) Penalty() *route.Penalty { return h.Avoid }

// Options implements transport.Recovery. ACKs carry answerRoom bytes, at no cost on the wire.
func (Hosts) Options() (wire unit.Bytes, room int) { return 0, answerRoom }

func (Hosts) Kind() string { return transport.Pulled }

func (h Hosts) Strategy(c *transport.Config, n *netsim.Network) transport.Strategy {
	return &hosts{Hosts: h, Config: c, queues: recovery.New(n.Ports())}
}

// hosts are the hosts of a run. They implement transport.ReceiverDriven.
type hosts struct {
	Hosts
	*transport.Config
	flows  []*flow // by slot
	queues recovery.Queues
}

// flow holds the state of both ends of a flow.
type flow struct {
	source
	demand
}

func (h *hosts) Open(s *transport.Sender, r *transport.Receiver) {
	for int(s.Slot) >= len(h.flows) {
		h.flows = append(h.flows, &flow{})
	}
	f := h.flows[s.Slot]
	h.queues.Open(s.Slot, r.Port)
	f.Reset(h.Segment, s.Flow.Size, true)
	f.source = source{Board: f.Board, rto: h.RTOInitial}
	f.demand = demand{}
	if h.ByClass {
		f.class = s.Flow.Class
	}
}

func (h *hosts) TakeAnswer(t *transport.Stack, s *transport.Sender, id netsim.PacketID, p *netsim.Packet) {
	b := &h.flows[p.Flow].source
	switch p.Kind {
	case netsim.Control:
		b.takePull(p)
	case netsim.Returned:
		h.takeReturned(t, s, b, p)
	default:
		h.takeAnswer(t, s, b, id, p)
	}
}

// backedOff returns the timeout after this many successive timeouts.
func (h *hosts) backedOff(tries int) unit.Time {
	wait := h.RTOInitial
	for ; tries > 0 && wait < h.RTOMax; tries-- {
		wait *= 2
	}
	return min(wait, h.RTOMax)
}
