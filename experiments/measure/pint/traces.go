package pint

import (
	"fmt"
	"iter"
	"slices"

	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// Traces keeps the true latencies of the first packets of each flow, hop by hop, for Experiment. It is a netsim.Sink
// and needs telemetry.Witness as a tap. A flow whose path changes among these packets is left out.
type Traces struct {
	net   *netsim.Network
	limit int
	hosts []traceHost // by node
}

type traceHost struct {
	flows []*flowTrace // by first packet
	index map[uint64]*flowTrace
	err   error
}

// flowTrace is the packets of a flow: their IDs, and a latency each at every port.
type flowTrace struct {
	key   uint64
	ports []netsim.PortID // by which the first packet left its switches; nil once the path has changed
	ids   []uint64
	lat   []unit.Time
}

// newTraces makes the sink; limit is how many packets of each flow it keeps.
func newTraces(n *netsim.Network, limit int) (*Traces, error) {
	if limit < 1 {
		return nil, fmt.Errorf("truth: traces of %d packets, want at least 1", limit)
	}
	return &Traces{net: n, limit: limit, hosts: make([]traceHost, len(n.Graph().Nodes))}, nil
}

// Deliver records a packet.
func (t *Traces) Deliver(_ unit.Time, host netsim.NodeID, p *netsim.Packet, stack []netsim.PortSample) {
	h, key := &t.hosts[host], t.net.FlowKey(p.Flow)
	if len(stack) == 0 {
		h.err = errNoWitness
		return
	}
	f := h.index[key]
	if f == nil {
		if h.index == nil {
			h.index = map[uint64]*flowTrace{}
		}
		f = &flowTrace{key: key}
		for i := range stack {
			f.ports = append(f.ports, stack[i].Port)
		}
		h.index[key] = f
		h.flows = append(h.flows, f)
	}
	if len(f.ids) == t.limit || f.ports == nil {
		return
	}
	if int(p.Hop) != len(f.ports) || !slices.EqualFunc(stack, f.ports, func(s netsim.PortSample, p netsim.PortID) bool {
		return s.Port == p
	}) {
		*f = flowTrace{key: key}
		return
	}
	f.ids = append(f.ids, netsim.PacketKey(key, p.ID))
	for i := range stack {
		f.lat = append(f.lat, stack[i].TS)
	}
}

// Rerouted returns the number of flows left out, because their path changed.
func (t *Traces) Rerouted() int {
	n := 0
	for i := range t.hosts {
		for _, f := range t.hosts[i].flows {
			if f.ports == nil {
				n++
			}
		}
	}
	return n
}

// Err is the first packet that could not be recorded.
func (t *Traces) Err() error {
	for i := range t.hosts {
		if t.hosts[i].err != nil {
			return t.hosts[i].err
		}
	}
	return nil
}

// Count returns the number of flows of which at least this many packets are kept.
func (t *Traces) Count(packets int) int {
	n := 0
	for range t.All(packets) {
		n++
	}
	return n
}

// All yields the flows of which at least this many packets are kept, by host and first
// packet.
func (t *Traces) All(packets int) iter.Seq[LatencyTrace] {
	return func(yield func(LatencyTrace) bool) {
		for i := range t.hosts {
			for _, f := range t.hosts[i].flows {
				if f.ports != nil && len(f.ids) >= packets &&
					!yield(LatencyTrace{Key: f.key, Hops: len(f.ports), Packets: f.packets}) {
					return
				}
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
