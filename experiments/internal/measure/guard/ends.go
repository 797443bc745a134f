package guard

import (
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// ends records the packets of flows at their hosts. As a tap it sees packets enter the network at the
// first switch; as a sink it sees them arrive.
type ends struct {
	net     *netsim.Network
	in      []map[uint64]*arrivals // by the first switch
	out     []map[uint64]*arrivals // by destination
	readers []telemetry.Reader
}

// arrivals contains the packets of a flow that were seen at one place.
type arrivals struct {
	packets       uint64
	last, longest unit.Time
}

func newEnds(n *netsim.Network) *ends {
	nodes := len(n.Graph().Nodes)
	return &ends{net: n, in: make([]map[uint64]*arrivals, nodes), out: make([]map[uint64]*arrivals, nodes)}
}

func note(of *map[uint64]*arrivals, flow uint64, at unit.Time) {
	x := (*of)[flow]
	if x == nil {
		if *of == nil {
			*of = map[uint64]*arrivals{}
		}
		x = &arrivals{last: at}
		(*of)[flow] = x
	}
	x.packets++
	x.longest = max(x.longest, at-x.last)
	x.last = at
}

func (e *ends) Dequeue(h *netsim.Hop) {
	if h.Number == 0 && h.Packet.Kind == netsim.Data {
		note(&e.in[h.Switch], h.FlowKey(), h.Packet.At)
	}
}

func (e *ends) Deliver(now unit.Time, host netsim.NodeID, p *netsim.Packet, stack []netsim.PortSample) {
	flow := e.net.FlowKey(p.Flow)
	note(&e.out[host], flow, now)
	for _, r := range e.readers {
		r.Read(host, flow, stack)
	}
}

func (e *ends) sent(flow uint64, first netsim.NodeID) arrivals { return of(e.in[first], flow) }
func (e *ends) of(flow uint64, destination netsim.NodeID) arrivals {
	return of(e.out[destination], flow)
}

func of(m map[uint64]*arrivals, flow uint64) arrivals {
	if x := m[flow]; x != nil {
		return *x
	}
	return arrivals{}
}

type taps []netsim.Tap

func (t taps) Dequeue(h *netsim.Hop) {
	for _, x := range t {
		x.Dequeue(h)
	}
}
