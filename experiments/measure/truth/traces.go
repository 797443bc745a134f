package truth

import (
	"fmt"
	"iter"

	"pintlab/experiments/measure/latencies"
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// Traces keeps the true latencies of the first packets of each flow, hop by hop, for latencies.Experiment. It is a netsim.Sink
// and needs telemetry.Witness as a tap.
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

// flowTrace is the packets of a flow: their IDs, and hops latencies each.
type flowTrace struct {
	key  uint64
	hops int
	ids  []uint64
	lat  []unit.Time
}

// NewTraces makes the sink; limit is how many packets of each flow it keeps.
func NewTraces(n *netsim.Network, limit int) (*Traces, error) {
	if limit < 1 {
		return nil, fmt.Errorf("truth: traces of %d packets, want at least 1", limit)
	}
	return &Traces{net: n, limit: limit, hosts: make([]traceHost, len(n.Graph().Nodes))}, nil
}

// Deliver records a packet.
func (t *Traces) Deliver(_ unit.Time, host netsim.NodeID, p *netsim.Packet, stack []netsim.PortSample) {
	h, key := &t.hosts[host], t.net.FlowKey(p.Flow)
	f := h.index[key]
	if f == nil {
		if h.index == nil {
			h.index = map[uint64]*flowTrace{}
		}
		f = &flowTrace{key: key, hops: int(p.Hop)}
		h.index[key] = f
		h.flows = append(h.flows, f)
	}
	if len(f.ids) == t.limit {
		return
	}
	if len(stack) != f.hops {
		if h.err == nil {
			h.err = fmt.Errorf("truth: a packet of flow %x has witnesses of %d hops, the first one passed %d: is Witness a tap, did the route change?", key, len(stack), f.hops)
		}
		return
	}
	f.ids = append(f.ids, netsim.PacketKey(key, p.ID))
	for i := range stack {
		f.lat = append(f.lat, stack[i].TS)
	}
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
func (t *Traces) All(packets int) iter.Seq[latencies.Trace] {
	return func(yield func(latencies.Trace) bool) {
		for i := range t.hosts {
			for _, f := range t.hosts[i].flows {
				if len(f.ids) >= packets && !yield(latencies.Trace{Key: f.key, Hops: f.hops, Packets: f.packets}) {
					return
				}
			}
		}
	}
}

func (f *flowTrace) packets(yield func(uint64, []unit.Time) bool) {
	for i, id := range f.ids {
		if !yield(id, f.lat[i*f.hops:(i+1)*f.hops]) {
			return
		}
	}
}
