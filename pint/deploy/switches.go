package deploy

import (
	"errors"
	"fmt"
	"slices"

	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/pint"
	"pintlab/pint/query"
	"pintlab/pint/query/module"
)

// Observed are the values that switches of the simulator observe.
var Observed = []query.Value{query.SwitchID, query.EgressPort, query.IngressTime, query.HopLatency, query.QueueOccupancy, query.Load}

// Check says what of a plan cannot run in the simulator, on paths of up to the given
// number of switches.
func Check(p *query.Plan, hops int) error {
	var errs []error
	if p.Hops < hops {
		errs = append(errs, fmt.Errorf("hops = %d, and the network has paths of %d switches", p.Hops, hops))
	}
	for i := range p.Queries {
		q := &p.Queries[i]
		for _, v := range []query.Value{q.Value, q.With} {
			if v != 0 && !slices.Contains(Observed, v) {
				errs = append(errs, fmt.Errorf("%s: a switch of the simulator does not observe %v (accepted: %v)", q.Label(), v, Observed))
			}
		}
		if q.Aggregation.Class() != query.PerPacket && q.Flow != query.ByFiveTuple {
			errs = append(errs, fmt.Errorf("%s: flow = %v: flows of the simulator are connections (accepted: %v)", q.Label(), q.Flow, query.ByFiveTuple))
		}
	}
	return errors.Join(errs...)
}

// Uses says whether a query of the plan asks for a value.
func Uses(p *query.Plan, v query.Value) bool {
	return slices.ContainsFunc(p.Queries, func(q query.Query) bool { return q.Value == v || q.With == v })
}

// Config is what switches are given besides the plan.
type Config struct {
	// IDs is the ID of each switch, by node.
	IDs []uint64
	// Load computes U at a port. It is needed if the plan uses query.Load.
	Load func(netsim.PortID) pint.Arithmetic
}

// Switches is the encoding module at every switch of a network. It implements
// netsim.Tap.
type Switches struct {
	encoder *module.Encoder
	ids     []uint64
	load    []loadPort // by port; nil if the plan does not use it
}

// loadPort is the register of HPCC's U at a port.
type loadPort struct {
	arith pint.Arithmetic
	u     float64
	last  unit.Time
	seen  bool
}

// NewSwitches makes the tap for a network.
func NewSwitches(n *netsim.Network, e *module.Encoder, c Config) (*Switches, error) {
	if have, want := len(c.IDs), len(n.Graph().Nodes); have != want {
		return nil, fmt.Errorf("sim: IDs for %d nodes, want %d", have, want)
	}
	s := &Switches{encoder: e, ids: c.IDs}
	if Uses(e.Plan(), query.Load) {
		if c.Load == nil {
			return nil, errors.New("sim: the plan uses load, and there is no arithmetic for it")
		}
		s.load = make([]loadPort, n.Ports())
		for i := range s.load {
			s.load[i].arith = c.Load(netsim.PortID(i))
		}
	}
	return s, nil
}

// U is the utilisation that the switch holds for a port.
func (s *Switches) U(p netsim.PortID) float64 { return s.load[p].u }

// Dequeue updates the port's register and writes the digest of a data packet.
func (s *Switches) Dequeue(h *netsim.Hop) {
	k := h.Packet
	o := module.Observation{
		SwitchID:       s.ids[h.Switch],
		EgressPort:     uint32(h.Port),
		IngressTime:    k.At,
		HopLatency:     h.Now - k.At,
		QueueOccupancy: h.Queue,
	}
	if s.load != nil {
		p, tau := &s.load[h.Port], unit.Never
		if p.seen {
			tau = h.Now - p.last
		}
		p.u = p.arith.Update(p.u, tau, h.Queue, unit.Bytes(k.Size))
		p.last, p.seen = h.Now, true
		o.Load = p.u
	}
	if k.Kind == netsim.Data {
		k.Digest = s.encoder.Encode(h.Key(), h.Number+1, k.Digest, &o)
	}
}

// Witness carries the truth beside each data packet, at no cost in bytes: the telemetry
// stack gets an entry per switch with the egress port, the queue, and in TS the time
// that the packet spent in the switch. It implements netsim.Tap.
type Witness struct{}

// Dequeue pushes the entry of a switch.
func (Witness) Dequeue(h *netsim.Hop) {
	if h.Packet.Kind == netsim.Data {
		h.Push(netsim.PortSample{TS: h.Now - h.Packet.At, Sent: h.Sent, Queue: int32(h.Queue), Port: h.Port})
	}
}
