package deploy

import (
	"fmt"

	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/pint"
	"pintlab/pint/query"
)

// Config holds the settings of switches in addition to the plan.
type Config struct {
	// IDs is the ID of each switch, by node.
	IDs []uint64
	// Load returns the arithmetic that computes U at a port. It is required if the plan uses
	// query.Load or query.TxUtilization, which is U without the queue.
	Load func(netsim.PortID) pint.Arithmetic
	// Queue is the longest possible queue of a port. It is required if the plan uses
	// query.QueueCongestion, which is a share of this length.
	Queue unit.Bytes
}

// Switches is the encoding module at every switch of a network. It implements
// netsim.Tap.
type Switches struct {
	encoder *query.Encoder
	ids     []uint64
	load    []loadPort // by port; nil if the plan does not use query.Load
	tx      []loadPort // by port, without the queue; nil if the plan does not use query.TxUtilization
	queue   unit.Bytes // longest queue; 0 if the plan does not use query.QueueCongestion
	from    bool       // the plan uses ingress ports
}

// loadPort is the register of HPCC's U at a port.
type loadPort struct {
	arith pint.Arithmetic
	u     float64
	last  unit.Time
	seen  bool
}

// update returns U after a packet has left the port. queue is the remaining queue.
func (p *loadPort) update(now unit.Time, queue, size unit.Bytes) float64 {
	tau := unit.Never
	if p.seen {
		tau = now - p.last
	}
	p.u = p.arith.Update(p.u, tau, queue, size)
	p.last, p.seen = now, true
	return p.u
}

// unknownPort is the ingress port of a packet that has left the path of its flow.
const unknownPort = 0xffff

// NewSwitches makes the tap of a network.
func NewSwitches(n *netsim.Network, e *query.Encoder, c Config) (*Switches, error) {
	if have, want := len(c.IDs), len(n.Graph().Nodes); have != want {
		return nil, fmt.Errorf("sim: IDs for %d nodes, want %d", have, want)
	}
	s := &Switches{encoder: e, ids: c.IDs}
	for _, x := range []struct {
		value query.Value
		ports *[]loadPort
	}{{query.Load, &s.load}, {query.TxUtilization, &s.tx}} {
		if !e.Plan().Uses(x.value) {
			continue
		}
		if c.Load == nil {
			return nil, fmt.Errorf("sim: the plan uses %v, and there is no arithmetic for it", x.value)
		}
		*x.ports = make([]loadPort, n.Ports())
		for i := range *x.ports {
			(*x.ports)[i].arith = c.Load(netsim.PortID(i))
		}
	}
	if e.Plan().Uses(query.QueueCongestion) {
		if c.Queue <= 0 {
			return nil, fmt.Errorf("sim: the plan uses %v, but the lengths of the queues are missing",
				query.QueueCongestion)
		}
		s.queue = c.Queue
	}
	s.from = e.Plan().Uses(query.IngressPort)
	return s, nil
}

// Dequeue updates the port's register and writes the digest of a data packet.
func (s *Switches) Dequeue(h *netsim.Hop) {
	var o query.Observation
	s.observe(h, &o)
	if k := h.Packet; k.Kind == netsim.Data {
		k.Digest = s.encoder.Encode(h.Key(), h.Number+1, k.Digest, &o)
	}
}

// counts reports whether packets of all kinds update the switch's registers.
func (s *Switches) counts() bool { return s.load != nil || s.tx != nil }

// observe updates the port's registers and fills o, which must be zero, with what the switch
// observes about a packet.
func (s *Switches) observe(h *netsim.Hop, o *query.Observation) {
	k := h.Packet
	// Assigning single fields is five times as fast as copying a whole Observation.
	o.SwitchID = s.ids[h.Switch]
	o.EgressPort = uint32(h.Port)
	o.IngressTime = k.At
	o.HopLatency = h.Now - k.At
	o.QueueOccupancy = h.Queue
	if s.load != nil {
		o.Load = s.load[h.Port].update(h.Now, h.Queue, unit.Bytes(k.Size))
	}
	if s.tx != nil {
		o.TxUtilization = min(s.tx[h.Port].update(h.Now, 0, unit.Bytes(k.Size)), 1)
	}
	if s.queue > 0 {
		o.QueueCongestion = min(float64(h.Queue)/float64(s.queue), 1)
	}
	if s.from {
		o.IngressPort = unknownPort
		if from := h.From(); from != netsim.NoPort {
			o.IngressPort = uint32(from)
		}
	}
}
