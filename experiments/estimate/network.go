package estimate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/netsim"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/workloads"
)

// flow is a flow with what is known of it before it starts.
type flow struct {
	start            unit.Time
	size             unit.Bytes
	ideal            unit.Time
	first            int // of its path, in network.ports
	src, dst         topo.NodeID
	srcPort, dstPort uint16
	kind             uint16 // of its path
	priority         uint8
	incast           bool
	links            uint16 // on its path
}

// network is a scenario taken apart: its flows with their paths, and the flows of each directed link.
type network struct {
	*sim.Whole
	part  scenario.Scenario // of a simulation of a link
	flows []flow
	ports []netsim.PortID // on the paths of the flows, one path after the other
	on    [][]int32       // flows by link, ascending
	data  []int64         // bytes on the wire by link
	kinds [][]netsim.PortID
	hops  int64       // transmissions of packets and acknowledgements on the paths of all flows, none of them sent again
	span  unit.Time   // from the first to the last start
	rates []unit.Rate // what links have left beside acknowledgements
}

func (n *network) path(f int32) []netsim.PortID {
	x := &n.flows[f]
	return n.ports[x.first : x.first+int(x.links)]
}

// line is the rate and delay of a link.
type line struct {
	rate  unit.Rate
	delay unit.Time
}

func (n *network) line(p netsim.PortID) line { return line{n.Net.PortRate(p), n.delay(p)} }

// delay returns the delay of a link in a simulation of its own, where it is the same for data and their acknowledgements:
// switches take their time to forward a packet at the end of a link, which may be at one side only.
func (n *network) delay(p netsim.PortID) unit.Time {
	return (n.Net.PortDelay(p) + n.Net.PortDelay(p.Reverse())) / 2
}

// takeApart finds the paths of all flows.
func takeApart(ctx context.Context, sc scenario.Scenario) (*network, error) {
	sc.Estimate = scenario.Estimate{}
	whole, err := sim.TakeApart(ctx, sc)
	if err != nil {
		return nil, err
	}
	n := &network{Whole: whole, on: make([][]int32, whole.Net.Ports()), data: make([]int64, whole.Net.Ports()), rates: make([]unit.Rate, whole.Net.Ports())}
	n.part = partOf(whole.Scenario)
	src, err := whole.Flows()
	if err != nil {
		return nil, err
	}
	acks := make([]int64, whole.Net.Ports()) // bytes
	crossed := make([]int32, whole.Net.Ports())
	kinds, lines := map[string]uint16{}, map[line]byte{}
	var name []byte
	first := unit.Never
	for f := range workloads.All(src) {
		if len(n.flows)%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if f.Start > n.End {
			break
		}
		forth, back, ideal := whole.Foresee(&f)
		if len(forth) == 0 {
			return nil, fmt.Errorf("estimate.enabled = true: flow %d has no path from host %d to host %d", f.ID, f.Src, f.Dst)
		}
		if len(forth)-1 > math.MaxUint8 {
			return nil, fmt.Errorf("estimate.enabled = true: flow %d crosses %d switches, want at most %d", f.ID, len(forth)-1, math.MaxUint8)
		}
		packets := n.packets(f.Size)
		wire := int64(f.Size) + packets*int64(whole.Data-whole.Setting.Payload)
		name = name[:0]
		for i, p := range forth {
			if i > 0 && n.Graph.Nodes[n.from(p)].Kind == topo.Host {
				return nil, fmt.Errorf("estimate.enabled = true: host %d forwards flow %d; an estimate needs switches that do", n.from(p), f.ID)
			}
			n.data[p] += wire
			crossed[p]++
			l := n.line(p)
			if _, ok := lines[l]; !ok {
				if len(lines) == 256 {
					return nil, fmt.Errorf("estimate.enabled = true: links of more than 256 rates and delays")
				}
				lines[l] = byte(len(lines))
			}
			name = append(name, lines[l])
		}
		answers := n.answers(packets)
		for _, p := range back {
			acks[p] += answers * int64(whole.Ack)
		}
		n.hops += packets*int64(len(forth)) + answers*int64(len(back))
		kind, ok := kinds[string(name)]
		if !ok {
			if len(kinds) == 1<<16 {
				return nil, fmt.Errorf("estimate.enabled = true: more than %d kinds of paths", 1<<16)
			}
			kind = uint16(len(kinds))
			kinds[string(name)] = kind
			n.kinds = append(n.kinds, slices.Clone(forth))
		}
		n.flows = append(n.flows, flow{
			start: f.Start, size: f.Size, ideal: ideal, first: len(n.ports), src: f.Src, dst: f.Dst, srcPort: f.SrcPort, dstPort: f.DstPort,
			kind: kind, priority: f.Priority, incast: f.DstPort == workloads.IncastPort, links: uint16(len(forth)),
		})
		n.ports = append(n.ports, forth...)
		first, n.span = min(first, f.Start), f.Start
	}
	if err := src.Err(); err != nil {
		return nil, err
	}
	n.span -= min(first, n.span)
	all := make([]int32, len(n.ports))
	for p, c := range crossed {
		n.on[p], all = all[:0:c], all[c:]
		n.rates[p] = n.left(netsim.PortID(p), acks[p])
	}
	for f := range n.flows {
		for _, p := range n.path(int32(f)) {
			n.on[p] = append(n.on[p], int32(f))
		}
	}
	return n, nil
}

// partOf returns the scenario of simulations of links. A link that pauses those before it has its queue there, too; in
// a simulation of one link it keeps all of it, for which it has the memory. Flows are waited for, however long they take.
func partOf(sc scenario.Scenario) scenario.Scenario {
	if sc.Network.PFC.Enabled {
		sc.Network.PFC = scenario.PFC{}
		sc.Network.Buffer, sc.Network.PortLimit = 2*unit.GB, unit.NoLimit
	}
	sc.Network.ProcessingDelay = 0 // is in the delays of the links
	sc.Run.Until, sc.Run.Drain, sc.Run.Workers = unit.Never, true, 1
	return sc
}

// from returns the node at which a link begins.
func (n *network) from(p netsim.PortID) topo.NodeID {
	node, _ := n.Net.PortEnds(p)
	return node
}

// packets returns how many packets a flow has.
func (n *network) packets(size unit.Bytes) int64 {
	return int64((size + n.Setting.Payload - 1) / n.Setting.Payload)
}

// answers returns how many acknowledgements so many packets have.
func (n *network) answers(packets int64) int64 {
	every := int64(n.Scenario.Transport.AckEvery)
	return (packets + every - 1) / every
}

// foreseen returns the packet-hops of the simulation of a link (see link) if no packet is sent again.
func (n *network) foreseen(p netsim.PortID) (hops int64) {
	for _, f := range n.on[p] {
		path, links := n.path(f), int64(1)
		if path[0] != p {
			links++
			if n.marks() {
				links++
			}
		}
		if path[len(path)-1] != p {
			links++
		}
		packets := n.packets(n.flows[f].size)
		hops += links * (packets + n.answers(packets))
	}
	return hops
}

// left returns the rate of a link less that of the acknowledgements that cross it, on the average over the time in which
// flows start, and at most as many as data at full rate can cause.
func (n *network) left(p netsim.PortID, acks int64) unit.Rate {
	rate := n.Net.PortRate(p)
	most := rate / unit.Rate(max(2, int64(n.Data)*int64(n.Scenario.Transport.AckEvery)/int64(n.Ack)))
	if n.span == 0 {
		return rate - most*min(1, unit.Rate(acks))
	}
	mean := unit.Rate(float64(acks) * 8 / n.span.Seconds())
	step := rate / 256 // so that links of a simulation share their tables of transmission times
	return rate - min(mean, most)/step*step
}

// load returns the share of a link's time that its flows take while flows start.
func (n *network) load(p netsim.PortID) float64 {
	took := n.took(p)
	return took.Ratio(max(n.span, took, 1))
}

// took returns the time that a link takes to send its flows.
func (n *network) took(p netsim.PortID) unit.Time { return n.rates[p].TxTime(unit.Bytes(n.data[p])) }

// loaded returns the links that flows cross, those with the most work first.
func (n *network) loaded() []netsim.PortID {
	var list []netsim.PortID
	for p, on := range n.on {
		if len(on) > 0 {
			list = append(list, netsim.PortID(p))
		}
	}
	slices.SortStableFunc(list, func(a, b netsim.PortID) int { return cmp.Compare(n.data[b], n.data[a]) })
	return list
}
