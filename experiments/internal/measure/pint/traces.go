package pint

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/lists"
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// Traces keeps the true latencies of the first packets of each flow, hop by hop. It excludes a flow if its path changes
// among these packets.
type Traces struct {
	flows []*flowTrace // by host and first packet
}

// flowTrace contains the packets of a flow: their IDs, and a latency at every port.
type flowTrace struct {
	key   uint64
	ports []netsim.PortID // ports by which the first packet left the switches; nil once the path has changed
	ids   []uint64
	lat   []unit.Time
}

// Latencies runs a scenario and returns the latencies of at most the first `limit` packets of each flow.
func Latencies(ctx context.Context, sc scenario.Scenario, limit int, p study.Progress) (*sim.Result, *Traces, error) {
	if err := study.OnePath(&sc); err != nil {
		return nil, nil, err
	}
	var sink *arrivals[flowTrace]
	r, err := watch(ctx, sc, p, func(s *sim.Simulation) (_ netsim.Sink, err error) {
		sink, err = newTraces(s.Net, s.SwitchIDs(), limit)
		return sink, err
	})
	if err != nil {
		return nil, nil, err
	}
	flows, err := sink.all()
	return r, &Traces{flows}, err
}

// newTraces makes a sink that keeps this many packets of each flow.
func newTraces(n *netsim.Network, ids []uint64, limit int) (*arrivals[flowTrace], error) {
	if limit < 1 {
		return nil, fmt.Errorf("traces of %d packets, want at least 1", limit)
	}
	return newArrivals(n, ids, func(a *arrival) (*flowTrace, error) {
		f := &flowTrace{key: a.key}
		for i := range a.stack {
			f.ports = append(f.ports, a.stack[i].Port)
		}
		return f, nil
	}, func(f *flowTrace, a *arrival) error {
		f.record(a, limit)
		return nil
	}), nil
}

func (f *flowTrace) record(a *arrival, limit int) {
	if len(f.ids) == limit || f.ports == nil {
		return
	}
	same := func(s netsim.PortSample, p netsim.PortID) bool { return s.Port == p }
	if int(a.Hop) != len(f.ports) || !slices.EqualFunc(a.stack, f.ports, same) {
		*f = flowTrace{key: f.key}
		return
	}
	f.ids = append(f.ids, a.id)
	for i := range a.stack {
		f.lat = append(f.lat, a.stack[i].TS)
	}
}

// rerouted returns the number of flows that are excluded because their path changed.
func (t *Traces) rerouted() int {
	return lists.Count(t.flows, func(f *flowTrace) bool { return f.ports == nil })
}

// All yields the flows for which at least the given number of packets is kept, ordered by host and first packet.
func (t *Traces) All(packets int) iter.Seq[LatencyTrace] {
	return func(yield func(LatencyTrace) bool) {
		for _, f := range t.flows {
			if f.ports != nil && len(f.ids) >= packets &&
				!yield(LatencyTrace{Key: f.key, Hops: len(f.ports), Packets: f.packets}) {
				return
			}
		}
	}
}

func (f *flowTrace) packets(yield func(uint64, []unit.Time) bool) {
	for i, id := range f.ids {
		if hops := len(f.ports); !yield(id, f.lat[i*hops:(i+1)*hops]) {
			return
		}
	}
}
