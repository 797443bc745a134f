package sim

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/internal/lists"
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// paths describes the paths at a given time, over the links that are up.
type paths struct {
	*Simulation
	routes    *route.Table
	down      []bool // by link; nil if all are up
	adjacency topo.Adjacency
	groups    [][]int // groups of hosts with the same neighbours
	pods      [][]int // groups of a pod, by index: each has one switch, and these switches have the same neighbours
	added     int     // number of groups that addPod has processed

	nodes    []topo.NodeID // nodes of the hosts
	allHosts []int         // indices of all hosts
	leaves   bool          // each host has one link, to a switch, and a lower number than all switches

	// Scratch of deliver, by node.
	at       []float64     // traffic at the node that has not arrived
	distance []int         // links to the nearest sink; -1 if unreachable or beyond reach
	sinks    []topo.NodeID // sinks to which distance applies
	reach    int
	order    []topo.NodeID
	parts    []float64 // see divide

	// Number of switches on the paths of the traffic that is added, or anyLength. Packets that switches add bytes to
	// are added length by length, because their sizes depend on it.
	switches int
}

// anyLength is the value of paths.switches for packets whose sizes do not depend on their paths. Their load has no
// wire.
const anyLength = -1

// load is the traffic of packets of one kind by port, in bit/s.
type load struct {
	payload []float64
	wire    []float64 // nil if all packets have the same size
	size    []float64 // bytes on the wire per byte of payload, by number of switches
	whole   bool      // the number of switches is the one of the whole path, not of the path so far
}

// newLoad returns a load without traffic.
func newLoad(ports int, size []float64, whole bool) *load {
	l := &load{payload: make([]float64, ports), size: size, whole: whole}
	if len(size) > 1 {
		l.wire = make([]float64, ports)
	}
	return l
}

// on returns the traffic on the wire of a port.
func (l *load) on(p netsim.PortID) float64 {
	if l.wire == nil {
		return l.payload[p] * l.size[0]
	}
	return l.wire[p]
}

// add adds traffic to a port. Its packets have crossed a number of switches.
func (s *paths) add(l *load, p route.Port, payload float64, crossed int) {
	l.payload[p] += payload
	switch {
	case l.wire == nil:
	case l.whole:
		l.wire[p] += payload * l.size[s.switches]
	default:
		l.wire[p] += payload * l.size[crossed]
	}
}

// pathsAt returns the paths that remain while the faults of a given time are active. If byRate is true, traffic divides
// among them in proportion to their rates, whatever the balancer.
func (s *Simulation) pathsAt(at unit.Time, byRate bool) (*paths, error) {
	n := len(s.Graph.Nodes)
	w := &paths{
		Simulation: s, routes: s.Routes, adjacency: s.Graph.Adjacency(),
		at: make([]float64, n), distance: make([]int, n), switches: anyLength,
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
	if w.down != nil || byRate {
		o := s.routeOptions
		o.Weighted = o.Weighted || byRate
		w.routes, err = route.NewExcluding(s.Graph, o, w.down)
	}
	w.groups = w.hostGroups()
	w.nodes, w.leaves = s.Graph.Hosts(), true
	for i, h := range w.nodes {
		w.allHosts = append(w.allHosts, i)
		arcs := w.adjacency.Of(h)
		w.leaves = w.leaves && int(h) == i && len(arcs) == 1 && s.Graph.Nodes[arcs[0].Peer].Kind == topo.Switch
	}
	w.pods = w.podsOf()
	return w, err
}

// spread adds traffic between hosts in bit/s of payload: host a sends from[a] * to[b] to any other host b. It adds to
// acks the payload whose ACKs cross a port.
func (s *paths) spread(data, acks *load, from, to []float64) error {
	for _, pod := range s.pods {
		for n := range data.size {
			if s.switches = n; data.wire == nil {
				s.switches = anyLength
			}
			if err := errors.Join(s.addPod(data, pod, from, to), s.addPod(acks, pod, to, from)); err != nil {
				return err
			}
		}
	}
	s.switches = anyLength
	return nil
}

// crossed returns the number of switches that packets have crossed when they leave a node. It is not used with
// anyLength.
func (s *paths) crossed(n topo.NodeID) int { return s.switches - s.after(n) }

// after returns the number of switches that packets cross after they have left a node. It is negative if the node has
// no path to a sink.
func (s *paths) after(n topo.NodeID) int {
	if s.Graph.Nodes[s.sinks[0]].Kind == topo.Host {
		return s.distance[n] - 1 // the sink is not a switch
	}
	return s.distance[n]
}

// selectLength removes the traffic of senders whose paths have another number of switches.
func (s *paths) selectLength(senders []int) {
	if s.switches == anyLength {
		return
	}
	for _, h := range senders {
		n, more := s.nodes[h], 0
		if s.leaves { // hosts have no distance
			n, more = s.adjacency.Of(n)[0].Peer, 1
		}
		if s.distance[n] < 0 || s.after(n)+more != s.switches {
			s.at[s.nodes[h]] = 0
		}
	}
}

// anywhere is a reach without limit.
const anywhere = math.MaxInt

// addPod adds the traffic to the groups of a pod. Traffic from outside the pod takes the same paths to all groups up to
// the neighbours of their switches, so addPod computes this part only once.
func (s *paths) addPod(load *load, pod []int, from, to []float64) error {
	hosts, senders, reach := s.nodes, s.allHosts, anywhere
	var near []topo.NodeID // neighbours of the pod's switches
	var at []float64       // traffic at each neighbour, divided by the demand of the pod
	if len(pod) > 1 {
		senders, reach = nil, 2
		for _, g := range pod {
			senders = append(senders, s.groups[g]...)
		}
		wanted := lists.Sum(senders, func(h int) float64 { return to[h] })
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
		s.rank(s.peers(dst), anywhere)
		s.selectLength(s.allHosts)
		s.push(load, dst, s.allHosts, 1)
		for _, n := range s.order {
			if s.distance[n] == 1 {
				near, at = append(near, n), append(at, s.at[n]/wanted)
			}
		}
	}
	for _, g := range pod {
		if s.added++; s.added%64 == 0 {
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
		s.deliver(load, group, gets, senders, reach)
		s.addWithin(load, group, from, to)
	}
	return nil
}

// podsOf combines groups of hosts into pods. The groups of a pod have switches with the same neighbours, which reach
// them at the same rates, because a balancer may divide traffic by rate. If links are down or hosts forward, each group
// is a pod of its own.
func (s *paths) podsOf() (pods [][]int) {
	behind := map[string]int{}
	for g, group := range s.groups {
		if !s.leaves || s.down != nil {
			pods = append(pods, []int{g})
			continue
		}
		var key strings.Builder
		leaf := s.peers(s.nodes[group[0]])[0]
		for _, arc := range s.adjacency.Of(leaf) {
			if s.Graph.Nodes[arc.Peer].Kind == topo.Switch {
				link := &s.Graph.Links[arc.Link]
				rate := link.Rates()[0]
				if link.A == leaf {
					rate = link.Rates()[1]
				}
				fmt.Fprint(&key, arc.Peer, " ", int64(rate), " ")
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

// hostGroups groups hosts, by index. Hosts are in the same group if each has one working link to each of the same
// switches. Every other host is a separate group.
func (s *paths) hostGroups() (groups [][]int) {
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
func (s *paths) peers(n topo.NodeID) (list []topo.NodeID) {
	for _, arc := range s.adjacency.Of(n) {
		if s.down == nil || !s.down[arc.Link] {
			list = append(list, arc.Peer)
		}
	}
	slices.Sort(list)
	return list
}

// deliver moves traffic to a group of hosts and adds this traffic to the load of the links. The hosts divide the
// traffic according to gets. The traffic is in s.at, at switches and some hosts, all of them within reach links of the
// group's switches.
func (s *paths) deliver(load *load, group []int, gets []float64, senders []int, reach int) {
	hosts := s.nodes
	dst := hosts[group[0]]
	sinks := []topo.NodeID{dst} // nodes at which the shares of the hosts separate
	if p := s.peers(dst); len(group) > 1 || len(p) == 1 && s.Graph.Nodes[p[0]].Kind == topo.Switch {
		sinks = p
	}
	wanted := 0.0
	for _, x := range gets {
		wanted += x
	}
	s.rank(sinks, reach)
	s.selectLength(senders)
	s.push(load, dst, senders, 0)
	for _, n := range sinks {
		if s.at[n] == 0 {
			continue
		}
		for i, h := range group {
			last, parts := s.divide(n, hosts[h], s.at[n]*gets[i]/wanted)
			for i, p := range last {
				s.add(load, p, parts[i], s.crossed(n))
			}
		}
	}
}

// push moves traffic at switches and some hosts towards a host, up to the nodes that are stop links away from the
// sinks.
func (s *paths) push(load *load, dst topo.NodeID, senders []int, stop int) {
	if s.leaves { // no path leads through hosts, so they can be processed first
		for _, h := range senders {
			n := s.nodes[h]
			if s.at[n] == 0 {
				continue
			}
			if next := s.routes.NextHops(n, dst); len(next) == 1 {
				s.add(load, next[0], s.at[n], 0)
				s.at[s.adjacency.Of(n)[0].Peer] += s.at[n]
			}
		}
	}
	for i := len(s.order) - 1; i >= 0; i-- {
		n := s.order[i]
		if s.at[n] == 0 || s.distance[n] <= stop {
			continue
		}
		next, parts := s.divide(n, dst, s.at[n])
		for i, p := range next {
			_, peer := s.Net.PortEnds(netsim.PortID(p))
			s.add(load, p, parts[i], s.crossed(n))
			s.at[peer] += parts[i]
		}
	}
}

// divide divides traffic at a node among the next hops towards a host. The parts are valid until the next call.
func (s *paths) divide(at, dst topo.NodeID, traffic float64) (next []route.Port, parts []float64) {
	next, s.parts = s.routes.Divide(s.parts[:0], at, dst, traffic)
	return next, s.parts
}

// addWithin adds the traffic between hosts of a group, over any of their switches.
func (s *paths) addWithin(load *load, group []int, from, to []float64) {
	if s.switches != anyLength && s.switches != 1 {
		return
	}
	gets := lists.Sum(group, func(h int) float64 { return to[h] })
	clear(s.at) // at each switch, traffic from[h] of its hosts
	peer := func(i int) topo.NodeID { return s.nodes[group[(i+1)%len(group)]] }
	for i, h := range group {
		up, parts := s.divide(s.nodes[h], peer(i), from[h])
		for i, p := range up {
			s.add(load, p, parts[i]*(gets-to[h]), 0)
			_, by := s.Net.PortEnds(netsim.PortID(p))
			s.at[by] += parts[i]
		}
	}
	for i, h := range group {
		up, own := s.divide(s.nodes[h], peer(i), from[h])
		for i, p := range up {
			_, by := s.Net.PortEnds(netsim.PortID(p))
			for _, down := range s.routes.NextHops(by, s.nodes[h]) {
				s.add(load, down, (s.at[by]-own[i])*to[h], 1)
			}
		}
	}
}

// rank computes the distance of every node, except leaf hosts, to the nearest of some nodes, up to
// reach. It also orders the nodes within reach by distance, then by descending number.
func (s *paths) rank(from []topo.NodeID, reach int) {
	if slices.Equal(s.sinks, from) && s.reach == reach {
		return
	}
	s.sinks, s.reach = append(s.sinks[:0], from...), reach
	for i := range s.distance {
		s.distance[i] = -1
	}
	for _, n := range from {
		s.distance[n] = 0
	}
	s.order = append(s.order[:0], from...)
	for i, steps := 0, 0; i < len(s.order) && steps < reach; steps++ {
		end := len(s.order)
		for ; i < end; i++ {
			if s.Graph.Nodes[s.order[i]].Kind == topo.Host && steps > 0 {
				continue // hosts do not forward
			}
			for _, arc := range s.adjacency.Of(s.order[i]) {
				if s.distance[arc.Peer] < 0 && !(s.leaves && int(arc.Peer) < len(s.nodes)) &&
					(s.down == nil || !s.down[arc.Link]) {
					s.distance[arc.Peer] = s.distance[s.order[i]] + 1
					s.order = append(s.order, arc.Peer)
				}
			}
		}
		slices.SortFunc(s.order[end:], func(a, b topo.NodeID) int { return cmp.Compare(b, a) })
	}
}
