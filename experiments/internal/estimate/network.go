package estimate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/lists"
	"pintlab/netsim"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/workloads"
)

// flow contains the properties of a flow that are known before the flow starts.
type flow struct {
	start            unit.Time
	size             unit.Bytes
	ideal            unit.Time
	first            int   // index in network.ports of the first link of the path
	id               int32 // number in the workload
	src, dst         topo.NodeID
	srcPort, dstPort uint16
	kind             uint16 // kind of its path
	priority         uint8
	incast           bool
	links            uint16 // number of links on its path
}

// network is a scenario that is divided by links. It stores only the flows of links that are simulated. Functions
// that need all flows draw them again.
type network struct {
	*sim.Whole
	part     scenario.Scenario // scenario for the simulation of a link
	crossed  []int32           // number of flows on each link
	data     []int64           // bytes of data on the wire of each link
	foreseen []int64           // packet-hops that the simulation of each link takes (see link), without retransmissions
	rates    []unit.Rate       // rate that acknowledgements leave for data on each link
	kinds    [][]netsim.PortID // an example of each kind of path
	kind     map[string]uint16 // number of each kind of path; the key has a byte for the line of each link
	lines    map[line]byte
	hops     int64     // packet-hops of the whole network, data and acknowledgements, without retransmissions
	span     unit.Time // time from the first to the last start of a flow
	largest  unit.Bytes

	flows []flow          // stored flows
	place []int32         // kind of each link, if links are clustered
	ports []netsim.PortID // links of the stored flows' paths, one path after the other
	on    [][]int32       // stored flows on each link, ascending; only for links that keep was called for
}

// path returns the path of a stored flow.
func (n *network) path(f int32) []netsim.PortID {
	x := &n.flows[f]
	return n.ports[x.first : x.first+int(x.links)]
}

// line contains the rate and the delay of a link.
type line struct {
	rate  unit.Rate
	delay unit.Time
}

func (n *network) line(p netsim.PortID) line { return line{n.Net.PortRate(p), n.delay(p)} }

// delay returns the delay of a link in simulations, which is the same in both directions. In the network, the delays
// of the two directions may differ, because the delay of a direction includes the processing delay of the switch at
// its end.
func (n *network) delay(p netsim.PortID) unit.Time {
	return (n.Net.PortDelay(p) + n.Net.PortDelay(p.Reverse())) / 2
}

// takeApart divides a scenario by links. It draws all flows and adds up the traffic of each link.
func takeApart(ctx context.Context, sc scenario.Scenario) (*network, error) {
	sc.Estimate = scenario.Estimate{}
	whole, err := sim.TakeApart(ctx, sc)
	if err != nil {
		return nil, err
	}
	ports := whole.Net.Ports()
	n := &network{
		Whole: whole, part: partOf(whole.Scenario), on: make([][]int32, ports),
		crossed: make([]int32, ports), data: make([]int64, ports), foreseen: make([]int64, ports),
		rates: make([]unit.Rate, ports),
		kind:  map[string]uint16{}, lines: map[line]byte{}, largest: 1,
	}
	acks := make([]int64, ports) // bytes of acknowledgements on each link
	first := unit.Never
	marks := n.marks()
	err = n.each(ctx, func(x *flow, outbound, inbound []netsim.PortID) error {
		packets := n.packets(x.size)
		answers := n.answers(packets)
		for i, p := range outbound {
			if i > 0 && n.Graph.Nodes[n.from(p)].Kind == topo.Host {
				return fmt.Errorf("estimate.enabled = true: host %d forwards flow %d, but an estimate lets only "+
					"switches forward", n.from(p), x.id)
			}
			n.data[p] += int64(x.size) + packets*int64(whole.Data-whole.Setting.Payload)
			n.crossed[p]++
			links := int64(1) // links that the flow crosses in the simulation
			if i > 0 {
				links++
			}
			if i < len(outbound)-1 {
				links++
			}
			n.foreseen[p] += links * (packets + answers)
			// Sources mark, except in the simulation of the path's busiest link (see curbed).
			if marks && i > 0 {
				n.foreseen[p] += (packets + answers) * int64(len(outbound)-2) / int64(len(outbound)-1)
			}
		}
		for _, p := range inbound {
			acks[p] += answers * int64(whole.Ack)
		}
		n.hops += packets*int64(len(outbound)) + answers*int64(len(inbound))
		first, n.span = min(first, x.start), x.start
		n.largest = max(n.largest, x.size)
		return nil
	})
	if err != nil {
		return nil, err
	}
	n.span -= min(first, n.span)
	for p := range n.rates {
		n.rates[p] = n.left(netsim.PortID(p), acks[p])
	}
	return n, nil
}

// each draws the flows of the workload in the order of their starts. It calls `use` for each flow, with the path of
// the data and the path of the acknowledgements. The arguments are valid only during the call.
func (n *network) each(ctx context.Context, use func(x *flow, outbound, inbound []netsim.PortID) error) error {
	src, err := n.Flows()
	if err != nil {
		return err
	}
	id := int32(0)
	var x flow
	for f := range workloads.All(src) {
		if id%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if f.Start > n.End {
			break
		}
		outbound, inbound, ideal := n.Foresee(&f)
		if len(outbound) == 0 {
			return fmt.Errorf("estimate.enabled = true: flow %d has no path from host %d to host %d",
				f.ID, f.Src, f.Dst)
		}
		if len(outbound)-1 > math.MaxUint8 {
			return fmt.Errorf("estimate.enabled = true: flow %d crosses %d switches, want at most %d",
				f.ID, len(outbound)-1, math.MaxUint8)
		}
		kind, err := n.kindOf(outbound)
		if err != nil {
			return err
		}
		x = flow{
			start: f.Start, size: f.Size, ideal: ideal, id: id, src: f.Src, dst: f.Dst, srcPort: f.SrcPort,
			dstPort: f.DstPort,
			kind:    kind, priority: f.Priority, incast: f.DstPort == workloads.IncastPort,
			links: uint16(len(outbound)),
		}
		if err := use(&x, outbound, inbound); err != nil {
			return err
		}
		id++
	}
	return src.Err()
}

// kindOf returns the number of a path's kind. Two paths are of the same kind if their links have the same rates and
// delays in the same order.
func (n *network) kindOf(path []netsim.PortID) (uint16, error) {
	var room [16]byte
	name := room[:0]
	for _, p := range path {
		l := n.line(p)
		i, ok := n.lines[l]
		if !ok {
			if len(n.lines) == 256 {
				return 0, errors.New("estimate.enabled = true: the links have more than 256 different combinations " +
					"of rate and delay")
			}
			i = byte(len(n.lines))
			n.lines[l] = i
		}
		name = append(name, i)
	}
	kind, ok := n.kind[string(name)]
	if !ok {
		if len(n.kinds) == 1<<16 {
			return 0, fmt.Errorf("estimate.enabled = true: the network has more than %d kinds of paths", 1<<16)
		}
		kind = uint16(len(n.kinds))
		n.kind[string(name)] = kind
		n.kinds = append(n.kinds, slices.Clone(path))
	}
	return kind, nil
}

// crossings returns the sum of the numbers of flows that cross each of some links.
func (n *network) crossings(links []netsim.PortID) int {
	return lists.Sum(links, func(p netsim.PortID) int { return int(n.crossed[p]) })
}

// keep draws the flows again and stores the flows of some links. These flows replace the flows that were stored
// before.
func (n *network) keep(ctx context.Context, links []netsim.PortID) error {
	n.flows, n.ports = nil, nil
	clear(n.on)
	room := make([]int32, n.crossings(links))
	for _, p := range links {
		c := n.crossed[p]
		n.on[p], room = room[:0:c], room[c:]
	}
	return n.each(ctx, func(x *flow, outbound, _ []netsim.PortID) error {
		wanted := false
		for _, p := range outbound {
			if n.on[p] != nil {
				n.on[p] = append(n.on[p], int32(len(n.flows)))
				wanted = true
			}
		}
		if wanted {
			x.first = len(n.ports)
			n.flows, n.ports = append(n.flows, *x), append(n.ports, outbound...)
		}
		return nil
	})
}

// partOf returns the scenario for simulations of links. In the network, PFC spreads a queue over the links upstream
// of the paused link. In the simulation of one link, the switch has enough memory for the whole queue instead.
// Simulations run until all flows have ended.
func partOf(sc scenario.Scenario) scenario.Scenario {
	if sc.Network.PFC.Enabled {
		sc.Network.PFC = netsim.PFC{}
		sc.Network.Buffer, sc.Network.PortLimit = 2*unit.GB, unit.NoLimit
	}
	sc.Network.ProcessingDelay = 0 // included in the delays of the links
	sc.Run.Until, sc.Run.Drain, sc.Run.Workers = unit.Never, true, 1
	return sc
}

// from returns the node that sends on a link.
func (n *network) from(p netsim.PortID) topo.NodeID {
	node, _ := n.Net.PortEnds(p)
	return node
}

// packets returns the number of packets that a flow has.
func (n *network) packets(size unit.Bytes) int64 {
	return int64((size + n.Setting.Payload - 1) / n.Setting.Payload)
}

// answers returns the number of acknowledgements for a number of packets.
func (n *network) answers(packets int64) int64 {
	return n.Scenario.Transport.Acks(packets)
}

// left returns the rate of a link, minus the mean rate of acknowledgements on the link while flows start. This mean
// rate is limited to the rate of the acknowledgements for data at full rate.
func (n *network) left(p netsim.PortID, acks int64) unit.Rate {
	rate := n.Net.PortRate(p)
	most := rate / unit.Rate(max(2, int64(n.Scenario.Transport.Acknowledged(n.Data)/n.Ack)))
	if n.span == 0 {
		return rate - most*min(1, unit.Rate(acks))
	}
	mean := unit.Rate(float64(acks) * 8 / n.span.Seconds())
	step := rate / 256 // rounded, so that links of a simulation can share tables of transmission times
	return rate - min(mean, most)/step*step
}

// load returns the share of time in which a link is busy while flows start.
func (n *network) load(p netsim.PortID) float64 {
	took := n.took(p)
	return took.Ratio(max(n.span, took, 1))
}

// took returns the time that a link needs to transmit the data of all its flows.
func (n *network) took(p netsim.PortID) unit.Time { return n.rates[p].TxTime(unit.Bytes(n.data[p])) }

// loaded returns the links with flows, in descending order of bytes.
func (n *network) loaded() []netsim.PortID {
	var list []netsim.PortID
	for p, flows := range n.crossed {
		if flows > 0 {
			list = append(list, netsim.PortID(p))
		}
	}
	slices.SortStableFunc(list, func(a, b netsim.PortID) int { return cmp.Compare(n.data[b], n.data[a]) })
	return list
}
