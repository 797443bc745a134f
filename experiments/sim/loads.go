package sim

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/results/store"
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/workloads"
)

// mostLoad is the share of a link above which a run warns of its load: HPCC leaves 5 % of a link unused,
// and from 100 % on queues grow without limit under any control.
const mostLoad = 0.95

// wireCount counts the bytes on the wire of the flows that pass through.
type wireCount struct {
	workloads.Source
	transport *transport.Params
	segment   unit.Bytes // payload of a full packet

	payload, packets, acks float64
}

func (w *wireCount) Next() (workloads.Flow, bool) {
	f, ok := w.Source.Next()
	if ok {
		packets := int64((f.Size + w.segment - 1) / w.segment)
		w.payload += float64(f.Size)
		w.packets += float64(packets)
		w.acks += float64(w.transport.Acks(packets))
	}
	return f, ok
}

// countWire counts the bytes of a source's flows for the scenario's packets.
func (s *Simulation) countWire(flows workloads.Source) *wireCount {
	t := &s.Scenario.Transport
	return &wireCount{
		Source: flows, transport: &t.Params, segment: max(1, t.FullPayload(s.Scenario.Telemetry.Overhead())),
	}
}

// shares returns the bytes on the wire per byte of payload: of data packets including headers, telemetry
// and the additions of switches and monitors, and of the packets that receivers return.
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
	if r, ok := s.Scenario.CC.Control().(transport.Receiving); ok {
		back *= r.Receivers().Packets
	}
	return 1 + w.packets*float64(t.Header+most)/w.payload, back
}

// wireLoads returns the expected loads of links by sources with a duration, at the time when most of them
// are active. It returns nil if there is no such source. Traffic is divided evenly among equally short
// paths.
func (s *Simulation) wireLoads() (*store.Loads, error) {
	var worst *store.Loads
	tried := map[unit.Time]bool{}
	for _, first := range s.Scenario.Workload {
		at, _ := first.Traffic().Span()
		if tried[at] {
			continue
		}
		tried[at] = true
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

// loadsAt returns the loads of the sources that are active at a time.
func (s *Simulation) loadsAt(at unit.Time) (*store.Loads, error) {
	n := s.Net.Ports()
	there := make([]float64, n)           // payload of each port in bit/s
	back := make([]float64, n)            // payload whose ACKs cross the port
	into := make([]float64, len(s.hosts)) // payload to each host in bit/s
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
		case *workloads.PoissonTraffic, *workloads.RackTraffic:
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
		// add adds traffic between hosts, rate in total.
		add := func(rate float64, sends, gets []float64) error {
			total += rate
			for h := range into {
				into[h] += gets[h] * (rate - sends[h])
			}
			return ways.spread(there, back, sends, gets)
		}
		if g, ok := w.Parts[i].Generator.(workloads.Racks); ok {
			for sends, gets := range g.Demands(s.hosts) {
				rate := 0.0
				for _, x := range sends {
					rate += x
				}
				if err := add(rate, sends, gets); err != nil {
					return nil, err
				}
			}
			continue
		}
		rate := src.Traffic().Offered() * all
		if incast, ok := src.Params.(*workloads.IncastTraffic); ok && rate == 0 { // events at intervals
			plan, err := workloads.Workload{Seed: w.Seed, Parts: w.Parts[i : i+1]}.Plan(s.hosts)
			if err != nil {
				return nil, err
			}
			rate = float64(incast.Senders) * plan.MeanSize() * 8 / incast.Interval.Seconds()
		}
		sends, gets := make([]float64, len(s.hosts)), make([]float64, len(s.hosts))
		for h := range s.hosts {
			sends[h], gets[h] = rate/float64(len(s.hosts)), 1/float64(len(s.hosts)-1)
			switch _, poisson := src.Params.(*workloads.PoissonTraffic); {
			case poisson:
				sends[h] = rate * float64(s.hosts[h].Rate) / all
			case to >= 0: // all hosts but the receiver send
				sends[h], gets[h] = rate/float64(len(s.hosts)-1), 0
			}
		}
		if to >= 0 {
			gets[to] = 1
		}
		if err := add(rate, sends, gets); err != nil {
			return nil, err
		}
	}
	if total == 0 {
		return nil, nil
	}
	reports := s.reportLoads(ways, there, into)
	data, acks := s.shares()
	l := &store.Loads{Payload: total / all, Wire: total / all * data}
	var link netsim.PortID
	for p := range netsim.PortID(n) {
		// Ignore differences between links that are due to rounding.
		if x := (there[p]*data + back[p]*acks + reports[p]) / float64(s.Net.PortRate(p)); x > l.Busiest*(1+1e-9) {
			link, l.Busiest = p, x
		}
	}
	from, to := s.Net.PortEnds(link)
	l.Link = s.name(from) + " to " + s.name(to)
	return l, nil
}

// reportLoads returns the reports of monitors on each port in bit/s. there is the payload on each port, and
// into the payload to each host, in bit/s.
func (s *Simulation) reportLoads(w *ways, there, into []float64) []float64 {
	load := make([]float64, len(there))
	hosts := s.Graph.Hosts()
	passed, arrived := make([]float64, len(s.Graph.Nodes)), 0.0 // payload through each switch
	through := 0.0
	for p, x := range there {
		if _, at := s.Net.PortEnds(netsim.PortID(p)); s.Graph.Nodes[at].Kind == topo.Switch {
			passed[at] += x
			through += x
		}
	}
	for _, x := range into {
		arrived += x
	}
	packets := s.wire.packets / max(1, s.wire.payload) // packets per byte
	for i, watch := range s.monitors.watches {
		r := watch.Reports
		if r == nil || s.monitors.rooms[i].Report == 0 {
			continue
		}
		clear(w.at)
		for h, x := range into {
			w.at[hosts[h]] += x * packets * (r.PerArrival + r.PerHop*through/arrived)
		}
		for n, x := range passed {
			w.at[n] += x * packets * r.PerSwitch
		}
		for _, n := range r.From {
			w.at[n] += 8 * r.PerSecond
		}
		w.at[r.To] = 0 // it sends nothing to itself
		w.carry(load, []int{slices.Index(hosts, r.To)}, []float64{1}, w.everyone, anywhere)
	}
	return load
}

// ways are the paths at a time, over the links that are up.
type ways struct {
	*Simulation
	routes    *route.Table
	down      []bool // by link; nil if all are up
	adjacency topo.Adjacency
	groups    [][]int // groups of hosts with the same neighbours
	pods      [][]int // groups of a pod, by index: each has one switch, and these have the same neighbours
	brought   int     // number of groups that bring has processed

	ids      []topo.NodeID // nodes of the hosts
	everyone []int         // indices of all hosts
	leaves   bool          // each host has one link, to a switch, and a lower number than all switches

	// Scratch of carry, by node.
	at    []float64     // traffic at the node that has not arrived
	far   []int         // links to the nearest sink; -1 if unreachable or beyond reach
	sinks []topo.NodeID // sinks to which far applies
	reach int
	order []topo.NodeID
}

// waysAt returns the paths that the faults active at a time leave.
func (s *Simulation) waysAt(at unit.Time) (*ways, error) {
	n := len(s.Graph.Nodes)
	w := &ways{
		Simulation: s, routes: s.Routes, adjacency: s.Graph.Adjacency(), at: make([]float64, n), far: make([]int, n),
	}
	for i, f := range s.Scenario.Faults {
		if links := s.faults.effects[i].down; len(links) > 0 && f.At <= at && at < f.Until {
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
	w.groups = w.neighbours()
	w.ids, w.leaves = s.Graph.Hosts(), true
	for i, h := range w.ids {
		w.everyone = append(w.everyone, i)
		arcs := w.adjacency.Of(h)
		w.leaves = w.leaves && int(h) == i && len(arcs) == 1 && s.Graph.Nodes[arcs[0].Peer].Kind == topo.Switch
	}
	w.pods = w.twins()
	return w, err
}

// spread adds traffic between hosts in bit/s of payload: host a sends from[a] * to[b] to any other host b.
// It adds the payload whose ACKs cross a port to back.
func (s *ways) spread(there, back, from, to []float64) error {
	for _, pod := range s.pods {
		if err := errors.Join(s.bring(there, pod, from, to), s.bring(back, pod, to, from)); err != nil {
			return err
		}
	}
	return nil
}

// anywhere is a reach without limit.
const anywhere = math.MaxInt

// bring adds the traffic to the groups of a pod. Traffic from outside the pod takes the same paths to all
// groups up to the neighbours of their switches, so it is carried there only once.
func (s *ways) bring(load []float64, pod []int, from, to []float64) error {
	hosts, senders, reach := s.ids, s.everyone, anywhere
	var near []topo.NodeID // neighbours of the pod's switches
	var at []float64       // traffic at each of them per bit/s to the pod
	if len(pod) > 1 {
		senders, reach = nil, 2
		wanted := 0.0
		for _, g := range pod {
			senders = append(senders, s.groups[g]...)
		}
		for _, h := range senders {
			wanted += to[h]
		}
		if wanted == 0 {
			return nil
		}
		clear(s.at)
		for h, x := range from {
			s.at[hosts[h]] = x * wanted
		}
		for _, h := range senders {
			s.at[hosts[h]] = 0
		}
		dst := hosts[senders[0]]
		s.measure(s.peers(dst), anywhere)
		s.move(load, dst, s.everyone, 1)
		for _, n := range s.order {
			if s.far[n] == 1 {
				near, at = append(near, n), append(at, s.at[n]/wanted)
			}
		}
	}
	for _, g := range pod {
		if s.brought++; s.brought%64 == 0 {
			if err := s.stop(); err != nil {
				return err
			}
		}
		group := s.groups[g]
		wanted := 0.0
		gets := make([]float64, len(group))
		for i, h := range group {
			wanted += to[h]
			gets[i] = to[h]
		}
		if wanted == 0 {
			continue
		}
		clear(s.at)
		for i, n := range near {
			s.at[n] = at[i] * wanted
		}
		for _, h := range senders {
			s.at[hosts[h]] = from[h] * wanted
		}
		for _, h := range group {
			s.at[hosts[h]] = 0
		}
		s.carry(load, group, gets, senders, reach)
		s.within(load, group, from, to)
	}
	return nil
}

// twins groups the groups of hosts whose switches have the same neighbours into pods. If links are down or
// hosts forward, each group is a pod of its own.
func (s *ways) twins() (pods [][]int) {
	behind := map[string]int{}
	for g, group := range s.groups {
		if !s.leaves || s.down != nil {
			pods = append(pods, []int{g})
			continue
		}
		var key strings.Builder
		for _, p := range s.peers(s.peers(s.ids[group[0]])[0]) {
			if s.Graph.Nodes[p].Kind == topo.Switch {
				fmt.Fprint(&key, p, " ")
			}
		}
		pod, ok := behind[key.String()]
		if !ok {
			pod = len(pods)
			behind[key.String()], pods = pod, append(pods, nil)
		}
		pods[pod] = append(pods[pod], g)
	}
	return pods
}

// neighbours groups hosts, by index, that have one working link to each of the same switches. Every other
// host is a group of its own.
func (s *ways) neighbours() (groups [][]int) {
	behind := map[string]int{}
	for h, host := range s.Graph.Hosts() {
		var key strings.Builder
		peers := s.peers(host)
		for i, p := range peers {
			if s.Graph.Nodes[p].Kind != topo.Switch || i > 0 && p == peers[i-1] {
				peers = nil
				break
			}
			fmt.Fprint(&key, p, " ")
		}
		if len(peers) == 0 {
			groups = append(groups, []int{h})
			continue
		}
		g, ok := behind[key.String()]
		if !ok {
			g = len(groups)
			behind[key.String()], groups = g, append(groups, nil)
		}
		groups[g] = append(groups[g], h)
	}
	return groups
}

// peers returns the neighbours of a node over links that are up, in order.
func (s *ways) peers(n topo.NodeID) (list []topo.NodeID) {
	for _, arc := range s.adjacency.Of(n) {
		if s.down == nil || !s.down[arc.Link] {
			list = append(list, arc.Peer)
		}
	}
	slices.Sort(list)
	return list
}

// carry moves the traffic in s.at, at switches and some hosts, to a group of hosts, divided among them by
// gets, and adds it to the load of the links. All of it is within reach links of the group's switches.
func (s *ways) carry(load []float64, group []int, gets []float64, senders []int, reach int) {
	hosts := s.ids
	dst := hosts[group[0]]
	sinks := []topo.NodeID{dst} // nodes at which the shares of the hosts separate
	if p := s.peers(dst); len(group) > 1 || len(p) == 1 && s.Graph.Nodes[p[0]].Kind == topo.Switch {
		sinks = p
	}
	wanted := 0.0
	for _, x := range gets {
		wanted += x
	}
	s.measure(sinks, reach)
	s.move(load, dst, senders, 0)
	for _, n := range sinks {
		if s.at[n] == 0 {
			continue
		}
		for i, h := range group {
			last := s.routes.NextHops(n, hosts[h])
			for _, p := range last {
				load[p] += s.at[n] * gets[i] / wanted / float64(len(last))
			}
		}
	}
}

// move moves the traffic at switches and some hosts towards a host, up to the nodes that are stop links
// away from the sinks.
func (s *ways) move(load []float64, dst topo.NodeID, senders []int, stop int) {
	if s.leaves { // no path leads through hosts, so they can go first
		for _, h := range senders {
			n := s.ids[h]
			if s.at[n] == 0 {
				continue
			}
			if next := s.routes.NextHops(n, dst); len(next) == 1 {
				load[next[0]] += s.at[n]
				s.at[s.adjacency.Of(n)[0].Peer] += s.at[n]
			}
		}
	}
	for i := len(s.order) - 1; i >= 0; i-- {
		n := s.order[i]
		if s.at[n] == 0 || s.far[n] <= stop {
			continue
		}
		next := s.routes.NextHops(n, dst)
		for _, p := range next {
			_, peer := s.Net.PortEnds(netsim.PortID(p))
			load[p] += s.at[n] / float64(len(next))
			s.at[peer] += s.at[n] / float64(len(next))
		}
	}
}

// within adds the traffic between hosts of a group, over any of their switches.
func (s *ways) within(load []float64, group []int, from, to []float64) {
	hosts := s.ids
	sends, gets := 0.0, 0.0
	for _, h := range group {
		sends, gets = sends+from[h], gets+to[h]
	}
	for i, h := range group {
		up := s.routes.NextHops(hosts[h], hosts[group[(i+1)%len(group)]])
		for _, p := range up {
			load[p] += from[h] * (gets - to[h]) / float64(len(up))
			_, by := s.Net.PortEnds(netsim.PortID(p))
			for _, down := range s.routes.NextHops(by, hosts[h]) {
				load[down] += (sends - from[h]) * to[h] / float64(len(up))
			}
		}
	}
}

// measure computes the distance of every node, except leaf hosts, to the nearest of some nodes, up to
// reach. It also orders the nodes within reach by distance, then by descending number.
func (s *ways) measure(from []topo.NodeID, reach int) {
	if slices.Equal(s.sinks, from) && s.reach == reach {
		return
	}
	s.sinks, s.reach = append(s.sinks[:0], from...), reach
	for i := range s.far {
		s.far[i] = -1
	}
	for _, n := range from {
		s.far[n] = 0
	}
	s.order = append(s.order[:0], from...)
	for i, far := 0, 0; i < len(s.order) && far < reach; far++ {
		end := len(s.order)
		for ; i < end; i++ {
			for _, arc := range s.adjacency.Of(s.order[i]) {
				if s.far[arc.Peer] < 0 && !(s.leaves && int(arc.Peer) < len(s.ids)) &&
					(s.down == nil || !s.down[arc.Link]) {
					s.far[arc.Peer] = s.far[s.order[i]] + 1
					s.order = append(s.order, arc.Peer)
				}
			}
		}
		slices.SortFunc(s.order[end:], func(a, b topo.NodeID) int { return cmp.Compare(b, a) })
	}
}

// reported returns words for the monitors' reports if the loads of a run include them.
func (s *Simulation) reported() string {
	for i, r := range s.monitors.rooms {
		if r.Report > 0 && s.monitors.watches[i].Reports != nil {
			return " and reports of monitors"
		}
	}
	return ""
}

// unloaded returns what the loads of a run omit, or "".
func (s *Simulation) unloaded() string {
	var out []string
	for i, r := range s.monitors.rooms {
		if r.Report > 0 && s.monitors.watches[i].Reports == nil {
			out = append(out, "reports of "+s.Scenario.Monitors[i].Kind)
			break
		}
	}
	for i, f := range s.Scenario.Faults {
		if f.At > 0 || len(s.faults.effects[i].down) == 0 {
			out = append(out, "faults other than links that are down from 0 s on")
			break
		}
	}
	return strings.Join(out, " and ")
}

// loadNotes returns notes on the loads of a run and what they omit, and a warning if a link cannot carry
// its load.
func loadNotes(l *store.Loads, with, without string) []string {
	if l == nil {
		return nil
	}
	n := []string{
		fmt.Sprintf("offered load %.2f %% of the host links as payload, %.2f %% on the wire, "+
			"with headers and telemetry; with ACKs%s %.2f %% of the busiest link, %s",
			100*l.Payload, 100*l.Wire, with, 100*l.Busiest, l.Link)}
	if without != "" {
		n[0] += "; " + without + " are not counted"
	}
	if l.Busiest > mostLoad {
		kind, then := Warning, "completion times depend on the duration"
		if l.Busiest > 1 {
			kind, then = Overload, "its queue grows for as long as flows arrive, "+
				"so completion times grow with the duration"
		}
		n = append(n, fmt.Sprintf("%sthe link from %s is offered %.3g %% of its rate, with headers, "+
			"telemetry and ACKs%s: %s (want at most %.0f %%)",
			kind, l.Link, 100*l.Busiest, with, then, 100*mostLoad))
	}
	return n
}
