package estimate

import (
	"context"
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/results/store"
	"pintlab/experiments/sim"
	"pintlab/netsim"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/workloads"
)

// patience is the factor by which the marking threshold at the source of a flow exceeds the network's threshold. In
// the network, a mark on any link of the path reduces the flow's window. In the simulation of one link, the window
// would grow without limit while this link has no queue, and would fill the link at once when other flows arrive.
// Therefore the source's link also marks if the path has another link that is at least as busy (see curbed). Less
// busy links rarely mark before the simulated link does. With a factor of 1, bursts are too small; a factor of 3 is
// right on average.
const patience = 3

// end is a host in the simulation of a link. It represents a host of the network, seen over a path of the given rate
// and delay.
type end struct {
	host topo.NodeID
	line
	curbed bool // the end has a separate switch that marks its flows
}

// link builds the simulation of a link:
//
//	sources ── from ══ to ── destinations
//
// The link of a source has the rate that acknowledgements leave on the source's link in the network, and the delay of
// the path up to the simulated link. Links behind the simulated link are ten times as fast as in the network, so that
// no packet waits there. If other links would mark the flows of a source, the source has its own switch, which also
// marks (see patience). If the simulated link begins or ends at a host, this host replaces from or to. The base RTT of
// each flow is the base RTT of the flow's whole path.
func (n *network) link(port netsim.PortID) *sim.Part {
	on := n.on[port]
	g := &topo.Graph{}
	part := &sim.Part{Graph: g, Flows: make([]workloads.Flow, len(on)), Hops: make([]uint8, len(on)), Whole: n.Setting}
	number := [2]map[end]topo.NodeID{{}, {}}
	var ends [2][]end
	node := func(kind topo.Kind) topo.NodeID {
		g.Nodes = append(g.Nodes, topo.Node{Kind: kind})
		return topo.NodeID(len(g.Nodes) - 1)
	}
	host := func(side int, x end) topo.NodeID {
		id, ok := number[side][x]
		if !ok {
			id = node(topo.Host)
			number[side][x], ends[side] = id, append(ends[side], x)
		}
		return id
	}
	fromHost, toHost := false, false
	for i, f := range on {
		x, path := &n.flows[f], n.path(f)
		k := slices.Index(path, port)
		fromHost, toHost = k == 0, k == len(path)-1
		up, down := end{host: x.src}, end{host: x.dst}
		if !fromHost {
			up.rate = n.rates[path[0]]
			up.delay = n.wait(path[:1], false) + n.wait(path[1:k], true)
			up.curbed = n.curbed(path, port)
		}
		if !toHost {
			down.rate = math.MaxInt64 / 16
			for _, p := range path[k+1:] {
				down.rate = min(down.rate, n.Net.PortRate(p))
			}
			down.rate *= 10
			down.delay = n.wait(path[k+1:], true) - (down.rate.TxTime(n.Data)+down.rate.TxTime(n.Ack))/2
		}
		part.Flows[i] = workloads.Flow{
			Src: host(0, up), Dst: host(1, down), SrcPort: x.srcPort, DstPort: x.dstPort, Priority: x.priority,
			Size: x.size, Start: x.start,
		}
		part.Hops[i] = uint8(x.links - 1)
	}
	a, b := topo.NodeID(0), topo.NodeID(0) // the two ends of the simulated link
	join := func(x, y topo.NodeID, l line) {
		g.Links = append(g.Links, topo.Link{A: x, B: y, Rate: l.rate, Delay: l.delay})
	}
	if fromHost {
		a = number[0][ends[0][0]]
	} else {
		a = node(topo.Switch)
		for _, x := range ends[0] {
			if !x.curbed {
				join(number[0][x], a, x.line)
				continue
			}
			fast, m := line{rate: 10 * x.rate}, node(topo.Switch)
			join(number[0][x], m, fast)
			x.delay = max(0, x.delay-(fast.rate.TxTime(n.Data)+fast.rate.TxTime(n.Ack))/2)
			join(m, a, x.line)
		}
	}
	if toHost {
		b = number[1][ends[1][0]]
	} else {
		b = node(topo.Switch)
		for _, x := range ends[1] {
			join(b, number[1][x], x.line)
		}
	}
	join(a, b, line{n.rates[port], n.delay(port)})
	part.Marks = func(x topo.NodeID) unit.Bytes {
		if x == a || x == b {
			return 1
		}
		return patience
	}
	return part
}

// marks reports whether the control reacts to marks of switches.
func (n *network) marks() bool {
	return n.Scenario.Network.ECN.Enabled && n.Scenario.CC.Control().Needs().Marking
}

// curbed reports whether the control reacts to marks and the path has another switch link that is at least as busy as
// the simulated link.
func (n *network) curbed(path []netsim.PortID, port netsim.PortID) bool {
	return n.marks() &&
		slices.ContainsFunc(path[1:], func(p netsim.PortID) bool { return p != port && n.took(p) >= n.took(port) })
}

// wait returns the total delay of some links. If stored is set, it adds, for each link, half the transmission time of
// a full packet and an acknowledgement.
func (n *network) wait(path []netsim.PortID, stored bool) (t unit.Time) {
	for _, p := range path {
		t += n.delay(p)
		if stored {
			t += (n.Net.TxTime(p, n.Data) + n.Net.TxTime(p, n.Ack)) / 2
		}
	}
	return t
}

// delays simulates a link and returns the delay of each flow on the link. The delay is the flow's time in the
// simulation, minus the time that the flow takes alone on its path under the same control (from alone).
func (n *network) delays(ctx context.Context, port netsim.PortID, alone []alone) ([]unit.Time, netsim.Counters, error) {
	r, err := sim.Run(ctx, n.part, sim.Options{Part: n.link(port)})
	if err != nil {
		return nil, netsim.Counters{}, fmt.Errorf("link from %s: %w", n.name(port), err)
	}
	list := make([]unit.Time, len(n.on[port]))
	for r := range r.Flows.All() {
		x := &n.flows[n.on[port][r.ID]]
		if r.Outcome != store.Finished {
			return nil, netsim.Counters{}, fmt.Errorf("link from %s: flow %d is %v: an estimate needs flows that "+
				"finish",
				n.name(port), x.id, r.Outcome)
		}
		list[r.ID] = max(0, r.FCT-r.Ideal-alone[x.kind].at(x.size))
	}
	return list, r.Counters, nil
}

// name describes a link by its two ends.
func (n *network) name(p netsim.PortID) string {
	from, to := n.Net.PortEnds(p)
	return fmt.Sprintf("%s to %s", n.Graph.Label(from), n.Graph.Label(to))
}
