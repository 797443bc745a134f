package pint

import (
	"context"
	"errors"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// arrivals keeps an F for each flow, at the destination of the flow. It is a netsim.Sink. It also needs
// telemetry.Witness as a tap, because it computes the digests of the switches from the true path.
type arrivals[F any] struct {
	net    *netsim.Network
	ids    []uint64 // IDs of the switches, by node
	begin  func(*arrival) (*F, error)
	record func(*F, *arrival) error
	hosts  []host[F] // by node
}

// host contains the flows that end at a host, and the current packet.
type host[F any] struct {
	flows []*F // by first packet
	index map[uint64]*F
	now   arrival
	err   error
}

// arrival is a packet that has arrived.
type arrival struct {
	*netsim.Packet
	now   unit.Time
	host  netsim.NodeID
	key   uint64              // key of the flow
	id    uint64              // identifier of the packet
	stack []netsim.PortSample // from the first switch on
	path  []uint64            // IDs of these switches
}

var errNoWitness = errors.New("a packet has no witnesses: make Witness a tap of the run")

func newArrivals[F any](
	n *netsim.Network, ids []uint64, begin func(*arrival) (*F, error), record func(*F, *arrival) error,
) *arrivals[F] {
	return &arrivals[F]{n, ids, begin, record, make([]host[F], len(n.Graph().Nodes))}
}

// Deliver records a packet.
func (s *arrivals[F]) Deliver(now unit.Time, at netsim.NodeID, p *netsim.Packet, stack []netsim.PortSample) {
	h := &s.hosts[at]
	if h.err != nil {
		return
	}
	if len(stack) == 0 {
		h.err = errNoWitness
		return
	}
	key := s.net.FlowKey(p.Flow)
	h.now = arrival{p, now, at, key, netsim.PacketKey(key, p.ID), stack, h.now.path[:0]}
	for i := range stack {
		from, _ := s.net.PortEnds(stack[i].Port)
		h.now.path = append(h.now.path, s.ids[from])
	}
	f := h.index[key]
	if f == nil {
		if f, h.err = s.begin(&h.now); h.err != nil {
			return
		}
		if h.index == nil {
			h.index = map[uint64]*F{}
		}
		h.index[key], h.flows = f, append(h.flows, f)
	}
	h.err = s.record(f, &h.now)
}

// all returns the flows by host and first packet, or the first error.
func (s *arrivals[F]) all() (list []*F, err error) {
	for i := range s.hosts {
		if err := s.hosts[i].err; err != nil {
			return nil, err
		}
		list = append(list, s.hosts[i].flows...)
	}
	return list, nil
}

// watch runs a scenario with a sink. It returns an error for a run whose results the sink cannot rely on.
func watch(
	ctx context.Context, sc scenario.Scenario, p study.Progress, sink func(*sim.Simulation) (netsim.Sink, error),
) (*sim.Result, error) {
	r, err := sim.Run(ctx, sc, sim.Options{Progress: p, Sink: sink})
	if err != nil {
		return nil, err
	}
	return r, r.Complaint(false)
}
