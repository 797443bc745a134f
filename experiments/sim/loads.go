package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/workloads"
)

// mostLoad is the share of a link that its traffic may ask for before a run warns: HPCC leaves 5 %
// of a link, and queues of any control grow without end from 100 % on.
const mostLoad = 0.95

// wireCount counts what the flows that pass put on the wire.
type wireCount struct {
	workloads.Source
	segment  unit.Bytes // payload of a full packet
	ackEvery int64

	payload, packets, acks float64
}

// Next is part of workloads.Source.
func (w *wireCount) Next() (workloads.Flow, bool) {
	f, ok := w.Source.Next()
	if ok {
		packets := int64((f.Size + w.segment - 1) / w.segment)
		w.payload += float64(f.Size)
		w.packets += float64(packets)
		w.acks += float64((packets + w.ackEvery - 1) / w.ackEvery)
	}
	return f, ok
}

// countWire counts the flows of a source with the packets of the scenario.
func (s *Simulation) countWire(flows workloads.Source) *wireCount {
	t := &s.Scenario.Transport
	return &wireCount{Source: flows, segment: max(1, t.FullPayload(s.Scenario.Telemetry.Overhead())), ackEvery: int64(t.AckEvery)}
}

// shares are the bytes on the wire for a byte of payload: of data packets with headers and
// telemetry, what switches and monitors add included, and of what receivers send back. An NDP receiver
// sends a PULL with each ACK.
func (s *Simulation) shares() (data, back float64) {
	t := &s.Scenario.Transport
	w := s.wire
	if w.payload == 0 {
		return 1, 0
	}
	tel, most := s.overhead()
	ack := t.AckHeader + telemetry.AckField(s.Scenario.Telemetry.System())
	if len(s.Scenario.CC.Control().Needs().Feedback) > 0 {
		ack += tel
	}
	back = w.acks * float64(max(t.AckMin, ack)) / w.payload
	if t.Kind == scenario.NDP {
		back *= 2
	}
	return 1 + w.packets*float64(t.Header+most)/w.payload, back
}

// wireLoads are what the sources that go on for a time ask of the links, on the average over what they
// draw, when most of them send at once. It is nil if there is no such source. What goes over equally
// short paths is split evenly.
func (s *Simulation) wireLoads() (*store.Loads, error) {
	var worst *store.Loads
	for _, first := range s.Scenario.Workload {
		at, _ := first.Traffic().Span()
		l, err := s.loadsAt(at)
		if err != nil {
			return nil, err
		}
		if l != nil && (worst == nil || l.Busiest > worst.Busiest) {
			worst = l
		}
	}
	return worst, nil
}

// loadsAt is the same for the sources that send at one time.
func (s *Simulation) loadsAt(at unit.Time) (*store.Loads, error) {
	n := s.Net.Ports()
	there, back := make([]float64, n), make([]float64, n) // payload in bit/s, and that whose ACKs go here
	all, total := 0.0, 0.0
	for _, h := range s.hosts {
		all += float64(h.Rate)
	}
	w, err := BuildWorkload(&s.Scenario, s.hosts)
	if err != nil {
		return nil, err
	}
	ways, err := s.waysAt(at)
	if err != nil {
		return nil, err
	}
	for i, src := range s.Scenario.Workload {
		start, duration := src.Traffic().Span()
		to := -1
		switch p := src.Params.(type) {
		case *workloads.PoissonTraffic:
		case *workloads.IncastTraffic:
			if p.Receiver != workloads.RandomReceiver {
				to = int(p.Receiver)
			}
		default:
			continue
		}
		if duration == 0 || start > at || at-start >= duration {
			continue
		}
		rate := src.Traffic().Offered() * all
		if incast, ok := src.Params.(*workloads.IncastTraffic); ok && rate == 0 { // at intervals
			plan, err := workloads.Workload{Seed: w.Seed, Parts: w.Parts[i : i+1]}.Plan(s.hosts)
			if err != nil {
				return nil, err
			}
			rate = float64(incast.Senders) * plan.MeanSize() * 8 / incast.Interval.Seconds()
		}
		total += rate
		sends, gets := make([]float64, len(s.hosts)), make([]float64, len(s.hosts))
		for h := range s.hosts {
			sends[h], gets[h] = rate/float64(len(s.hosts)), 1/float64(len(s.hosts)-1)
			switch _, poisson := src.Params.(*workloads.PoissonTraffic); {
			case poisson:
				sends[h] = rate * float64(s.hosts[h].Rate) / all
			case to >= 0: // the senders are all but the receiver
				sends[h], gets[h] = rate/float64(len(s.hosts)-1), 0
			}
		}
		if to >= 0 {
			gets[to] = 1
		}
		ways.spread(there, sends, gets)
		ways.spread(back, gets, sends)
	}
	if total == 0 {
		return nil, nil
	}
	data, acks := s.shares()
	l := &store.Loads{Payload: total / all, Wire: total / all * data}
	var link netsim.PortID
	for p := range netsim.PortID(n) {
		// Links that differ by rounding alone are alike.
		if x := (there[p]*data + back[p]*acks) / float64(s.Net.PortRate(p)); x > l.Busiest*(1+1e-9) {
			link, l.Busiest = p, x
		}
	}
	from, to := s.Net.PortEnds(link)
	l.Link = cmp.Or(s.Graph.Nodes[from].Name, s.Graph.Label(from)) + " to " + cmp.Or(s.Graph.Nodes[to].Name, s.Graph.Label(to))
	return l, nil
}

// ways are the paths of a time: by the links that are not down then.
type ways struct {
	*Simulation
	routes *route.Table
	down   []bool // by link; nil: none
}

// waysAt finds the ways that the faults under way at a time leave.
func (s *Simulation) waysAt(at unit.Time) (*ways, error) {
	w := &ways{Simulation: s, routes: s.Routes}
	for i, f := range s.Scenario.Faults {
		if links := s.faults.damage[i].down; len(links) > 0 && f.At <= at && at < f.Until {
			if w.down == nil {
				w.down = make([]bool, len(s.Graph.Links))
			}
			for _, l := range links {
				w.down[l] = true
			}
		}
	}
	var err error
	if w.down != nil {
		w.routes, err = route.NewExcluding(s.Graph, s.routeOptions, w.down)
	}
	return w, err
}

// spread adds what hosts send one another, in bit/s of payload: host a to any other host b
// from[a] * to[b], and nothing to itself.
func (s *ways) spread(load, from, to []float64) {
	hosts, all := s.Graph.Hosts(), 0.0
	for _, x := range from {
		all += x
	}
	for _, group := range s.neighbours() {
		wanted := 0.0
		for _, h := range group {
			wanted += to[h]
		}
		if wanted == 0 {
			continue
		}
		at := make([]float64, len(s.Graph.Nodes)) // what is on its way at a node
		for h, x := range from {
			at[hosts[h]] = x * wanted
		}
		gets := make([]float64, len(group))
		for i, h := range group {
			at[hosts[h]] = from[h] * (wanted - to[h])
			gets[i] = to[h] * (all - from[h])
		}
		s.carry(load, at, group, gets)
	}
}

// neighbours are the hosts, by index, in groups that are behind one switch with one link each. A host with
// several links is a group of its own.
func (s *Simulation) neighbours() [][]int {
	adjacency := s.Graph.Adjacency()
	behind := map[topo.NodeID]int{}
	var groups [][]int
	for h, host := range s.Graph.Hosts() {
		arcs := adjacency.Of(host)
		if len(arcs) == 1 && s.Graph.Nodes[arcs[0].Peer].Kind == topo.Switch {
			if g, ok := behind[arcs[0].Peer]; ok {
				groups[g] = append(groups[g], h)
				continue
			}
			behind[arcs[0].Peer] = len(groups)
		}
		groups = append(groups, []int{h})
	}
	return groups
}

// carry brings what is at the nodes to a group of neighbours, of whom each gets its own sum, and adds
// it to the load of the links on the way.
func (s *ways) carry(load, at []float64, group []int, gets []float64) {
	hosts := s.Graph.Hosts()
	dst := hosts[group[0]]
	sink := dst // where the shares part
	adjacency := s.Graph.Adjacency()
	if arcs := adjacency.Of(dst); len(arcs) == 1 && s.Graph.Nodes[arcs[0].Peer].Kind == topo.Switch {
		sink = arcs[0].Peer
	}
	far := s.distances(sink)
	order := make([]topo.NodeID, 0, len(at))
	for n := range at {
		order = append(order, topo.NodeID(n))
	}
	slices.SortStableFunc(order, func(a, b topo.NodeID) int { return cmp.Compare(far[b], far[a]) })
	for _, n := range order {
		if at[n] == 0 || n == sink {
			continue
		}
		next := s.routes.NextHops(n, dst)
		if n == dst { // to its neighbours
			next = []route.Port{route.Port(s.Net.Home(n))}
		}
		for _, p := range next {
			_, peer := s.Net.PortEnds(netsim.PortID(p))
			load[p] += at[n] / float64(len(next))
			at[peer] += at[n] / float64(len(next))
		}
	}
	if sink == dst {
		return
	}
	wanted := 0.0 // more than has come if there is no way from a host
	for _, x := range gets {
		wanted += x
	}
	for i, h := range group {
		if last := s.routes.NextHops(sink, hosts[h]); len(last) == 1 && wanted > 0 {
			load[last[0]] += at[sink] * gets[i] / wanted
		}
	}
}

// distances are how many links every node is away from one; those that cannot reach it are at -1.
func (s *ways) distances(from topo.NodeID) []int {
	adjacency := s.Graph.Adjacency()
	far := make([]int, len(s.Graph.Nodes))
	for i := range far {
		far[i] = -1
	}
	far[from] = 0
	for queue := []topo.NodeID{from}; len(queue) > 0; queue = queue[1:] {
		for _, arc := range adjacency.Of(queue[0]) {
			if far[arc.Peer] < 0 && (s.down == nil || !s.down[arc.Link]) {
				far[arc.Peer] = far[queue[0]] + 1
				queue = append(queue, arc.Peer)
			}
		}
	}
	return far
}

// unloaded names what the loads of a run leave out, if it has that.
func (s *Simulation) unloaded() string {
	var out []string
	for _, r := range s.monitors.rooms {
		if r.Report > 0 {
			out = append(out, "reports of monitors")
			break
		}
	}
	for i, f := range s.Scenario.Faults {
		if f.At > 0 || len(s.faults.damage[i].down) == 0 {
			out = append(out, "faults other than links that are down from 0 s on")
			break
		}
	}
	return strings.Join(out, " and ")
}

// loadNotes tell the loads of a run and what they leave out, and warn of one that a link cannot carry for long.
func loadNotes(l *store.Loads, without string) []string {
	if l == nil {
		return nil
	}
	n := []string{fmt.Sprintf("offered load %.2f %% of the host links as payload, %.2f %% on the wire, with headers and telemetry; with ACKs %.2f %% of the busiest link, %s",
		100*l.Payload, 100*l.Wire, 100*l.Busiest, l.Link)}
	if without != "" {
		n[0] += "; " + without + " are not counted"
	}
	if l.Busiest > mostLoad {
		n = append(n, fmt.Sprintf(Warning+"the link from %s is asked to carry %.3g times its rate, with headers, telemetry and ACKs: completion times grow with the duration (want at most %.2f)", l.Link, l.Busiest, mostLoad))
	}
	return n
}
