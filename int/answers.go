package inband

import (
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// echo uses the INT that hosts read to answer questions (telemetry.Parts.System).
type echo struct {
	net *netsim.Network
	*Params
}

func (e echo) Evidence(s telemetry.Scale) (telemetry.Evidence, error) {
	flows := make([]map[flowHops][]telemetry.Slowness, len(e.net.Graph().Nodes))
	return &queues{net: e.net, slow: s.Slow, flows: flows}, nil
}

// queues holds the queue lengths that destinations read from INT in HPCC's format. The format does not name
// switches, so a path counts as the expected one if it has the expected number of hops.
type queues struct {
	net   *netsim.Network
	slow  unit.Time
	flows []map[flowHops][]telemetry.Slowness // by destination
}

// flowHops groups the packets of a flow that have passed the same number of hops.
type flowHops struct {
	flow uint64
	hops int
}

// Read records the telemetry of a packet.
func (q *queues) Read(host netsim.NodeID, flow uint64, stack []netsim.PortSample) {
	if q.flows[host] == nil {
		q.flows[host] = map[flowHops][]telemetry.Slowness{}
	}
	w := flowHops{flow, len(stack)}
	hops := q.flows[host][w]
	if hops == nil {
		hops = make([]telemetry.Slowness, len(stack))
		q.flows[host][w] = hops
	}
	for i, s := range stack {
		// A packet is slow if the link needs q.slow or more to send the queue behind the packet.
		hops[i].Add(q.net.PortRate(s.Port).TxTime(unit.Bytes(s.Queue)) >= q.slow)
	}
}

func (q *queues) Facts(x *telemetry.Flow) telemetry.Facts {
	f := telemetry.Facts{Stopped: -1, Asked: 1}
	for _, h := range q.flows[x.Tuple.Dst][flowHops{x.Key, len(x.Path)}] {
		f.Slow, f.Known = append(f.Slow, h.Late()), 1
	}
	return f
}
