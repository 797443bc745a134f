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

// patience is how many times the threshold of marking is at the source of a flow. A window that grows until a mark comes
// is cut in the network by any link of its path. In the simulation of one link it would grow without end while that link has no
// queue, and fill it at once when others come. Therefore the source's link marks, too, if the path has another link that is as
// busy (see curbed); links with less to send hardly mark before the one under study does. With the thresholds of the network
// bursts come out too small; 3 is right on the average.
const patience = 3

// end is a host in the simulation of a link: a host of the network that is so far away.
type end struct {
	host topo.NodeID
	line
	curbed bool // its switch marks
}

// link builds the simulation of a link:
//
//	sources ── from ══ to ── destinations
//
// A source has the rate of its own link and the delay of the path up to the link under study. Behind that, links are
// ten times as fast as those of the network, so that nothing waits there. A source of flows that other
// links mark has a switch of its own that marks, too (see patience). If the link under study is a host's own, the
// host takes the place of from or to. The base RTT of each flow is that of its whole path.
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
			Src: host(0, up), Dst: host(1, down), SrcPort: x.srcPort, DstPort: x.dstPort, Priority: x.priority, Size: x.size, Start: x.start,
		}
		part.Hops[i] = uint8(x.links - 1)
	}
	a, b := topo.NodeID(0), topo.NodeID(0) // where the link begins and ends
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

// marks reports whether switches mark for the control.
func (n *network) marks() bool {
	return n.Scenario.Network.ECN.Enabled && n.Scenario.CC.Control().Needs().Marking
}

// curbed reports whether switches mark for the control, and one of them has another link of the path that is at least as busy as that under study.
func (n *network) curbed(path []netsim.PortID, port netsim.PortID) bool {
	return n.marks() && slices.ContainsFunc(path[1:], func(p netsim.PortID) bool { return p != port && n.took(p) >= n.took(port) })
}

// wait returns the delay of some links, and if they store and forward half the time that a full packet and its
// acknowledgement take there.
func (n *network) wait(path []netsim.PortID, stored bool) (t unit.Time) {
	for _, p := range path {
		t += n.delay(p)
		if stored {
			t += (n.Net.TxTime(p, n.Data) + n.Net.TxTime(p, n.Ack)) / 2
		}
	}
	return t
}

// delays simulates a link and returns the delay of each of its flows: how much longer it takes than alone on its path,
// under the same control. What flows alone take tells out.
func (n *network) delays(ctx context.Context, port netsim.PortID, alone []alone) ([]unit.Time, netsim.Counters, error) {
	r, err := sim.Run(ctx, n.part, sim.Options{Part: n.link(port)})
	if err != nil {
		return nil, netsim.Counters{}, fmt.Errorf("link from %s: %w", n.name(port), err)
	}
	list := make([]unit.Time, len(n.on[port]))
	for r := range r.Flows.All() {
		x := &n.flows[n.on[port][r.ID]]
		if r.Outcome != store.Finished {
			return nil, netsim.Counters{}, fmt.Errorf("link from %s: flow %d is %v: an estimate needs flows that end", n.name(port), x.id, r.Outcome)
		}
		list[r.ID] = max(0, r.FCT-r.Ideal-alone[x.kind].at(x.size))
	}
	return list, r.Counters, nil
}

// name returns a link in words.
func (n *network) name(p netsim.PortID) string {
	from, to := n.Net.PortEnds(p)
	return fmt.Sprintf("%s to %s", n.Graph.Label(from), n.Graph.Label(to))
}
