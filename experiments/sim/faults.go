package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/internal/hash"
	"pintlab/internal/lists"
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/workloads"
)

// faults is the schedule and the state of the faults of a run. A link, or a host's sending or receiving,
// works again when the last fault that affects it is over.
type faults struct {
	events  []faultEvent
	effects []faultEffect // by index of the fault in the scenario
	active  []bool        // by index of the fault in the scenario

	links  []int // by link: number of faults that take it down
	halted []int // by node: number of faults that stop its sending
	dead   []int // by node: number of faults that stop its receiving

	starts []faultStart // one for each fault that has begun
	epochs []epoch      // in order of time, the first from 0
}

// faultEffect is the effect of an active fault.
type faultEffect struct {
	down       []int // links that are down
	halt       topo.NodeID
	kill       topo.NodeID // -1 for none, as halt
	fail       map[int]netsim.LinkFault
	misforward map[topo.NodeID]netsim.Misforwarding
}

// faultEvent is the begin or end of a fault.
type faultEvent struct {
	at     unit.Time
	begins bool
	number int // index in the scenario
}

func (f *faults) down() []bool {
	list := make([]bool, len(f.links))
	for i, n := range f.links {
		list[i] = n > 0
	}
	return list
}

// silent returns the hosts that faults prevent from sending.
func (f *faults) silent() []topo.NodeID {
	var list []topo.NodeID
	for i, n := range f.halted {
		if n > 0 {
			list = append(list, topo.NodeID(i))
		}
	}
	return list
}

// late describes the faults that have not begun.
func (f *faults) late() []string {
	var list []string
	for _, x := range f.events {
		if x.begins {
			list = append(list, fmt.Sprintf("faults.%d, at %v,", x.number, x.at))
		}
	}
	return list
}

// breaks reports whether a fault takes links down, so that routes avoid them.
func (f *faults) breaks(fault int) bool { return len(f.effects[fault].down) > 0 }

func (f *faults) next() unit.Time {
	if len(f.events) == 0 {
		return unit.Never
	}
	return f.events[0].at
}

func (s *Simulation) buildFaults() error {
	nodes := len(s.Graph.Nodes)
	s.faults.links = make([]int, len(s.Graph.Links))
	s.faults.halted, s.faults.dead = make([]int, nodes), make([]int, nodes)
	s.faults.active = make([]bool, len(s.Scenario.Faults))
	s.faults.epochs = []epoch{{routes: s.Routes}}
	for i, f := range s.Scenario.Faults {
		key := fmt.Sprintf("faults.%d", i)
		if !s.Scenario.Transport.Timer && !s.Scenario.Published() {
			return fmt.Errorf("%s: packets that the fault loses would never be sent again with transport.timer = "+
				"false", key)
		}
		d, err := s.effectOf(key, i, f)
		if err != nil {
			return err
		}
		if f.At > s.Scenario.Run.Until {
			return fmt.Errorf("%s.at = %v is after the end of the run at run.until = %v, so the fault would have no "+
				"effect",
				key, f.At, s.Scenario.Run.Until)
		}
		s.faults.effects = append(s.faults.effects, *d)
		s.faults.events = append(s.faults.events, faultEvent{at: f.At, begins: true, number: i})
		if f.Until != unit.Never {
			s.faults.events = append(s.faults.events, faultEvent{at: f.Until, number: i})
		}
	}
	slices.SortStableFunc(s.faults.events, func(a, b faultEvent) int { return cmp.Compare(a.at, b.at) })
	return nil
}

// effectOf returns the effect of a fault in this network.
func (s *Simulation) effectOf(key string, number int, f scenario.Fault) (*faultEffect, error) {
	d := &faultEffect{halt: -1, kill: -1}
	var err error
	switch f.Kind {
	case scenario.HostPause, scenario.HostFailure:
		if d.halt, err = s.faultyHost(key+".host", f.Host); err != nil {
			return nil, err
		}
		if f.Kind == scenario.HostFailure {
			d.kill = d.halt
		}
	case scenario.LinkDown:
		link, err := s.faultyLink(key, f)
		if err != nil {
			return nil, err
		}
		d.down = []int{link}
	case scenario.Blackhole, scenario.RandomDrop, scenario.Jitter:
		link, err := s.faultyLink(key, f)
		if err != nil {
			return nil, err
		}
		x := netsim.LinkFault{Hole: f.Kind == scenario.Blackhole, By: netsim.Blackholed, Drop: f.Probability}
		if f.Kind == scenario.Jitter {
			x.Share, x.Rate, x.ExtraDelay = f.Spread, f.Rate, f.Delay
			l := s.Graph.Links[link]
			switch {
			case f.Rate > l.Rate:
				return nil, fmt.Errorf("%s.rate = %v, want at most %v, the rate of the link", key, f.Rate, l.Rate)
			case f.Rate == l.Rate && f.Delay == 0:
				return nil, fmt.Errorf("%s: the link would keep its rate and delay, which is no fault: want a lower "+
					"rate or delay > 0s", key)
			}
		}
		d.fail = map[int]netsim.LinkFault{link: x}
	case scenario.BlackholeEntry, scenario.Loop, scenario.WrongPath:
		d.misforward, err = s.misforwardings(key, number, f)
		return d, err
	case scenario.SwitchFailure:
		at, err := s.faultySwitch(key+".switch", f.Switch)
		if err != nil {
			return nil, err
		}
		for i, l := range s.Graph.Links {
			if (l.A == at || l.B == at) && f.Reroute {
				d.down = append(d.down, i)
			} else if l.A == at || l.B == at {
				if d.fail == nil {
					d.fail = map[int]netsim.LinkFault{}
				}
				d.fail[i] = netsim.LinkFault{Hole: true, By: netsim.Dead}
			}
		}
	default:
		return nil, fmt.Errorf("%s.kind = %q is not built", key, f.Kind)
	}
	return d, nil
}

// faultyHost returns the host that a fault names by its node number.
func (s *Simulation) faultyHost(key string, n int) (topo.NodeID, error) {
	_, err := workloads.HostAt(key, s.hosts, n)
	return topo.NodeID(n), err
}

// faultySwitch returns the switch that a fault names by its node number.
func (s *Simulation) faultySwitch(key string, n int) (topo.NodeID, error) {
	list := s.Graph.Switches()
	if slices.Contains(list, topo.NodeID(n)) {
		return topo.NodeID(n), nil
	}
	if n >= len(s.Graph.Nodes) {
		return -1, fmt.Errorf("%s = %d: no such node; the switches are nodes %d to %d",
			key, n, slices.Min(list), slices.Max(list))
	}
	return -1, fmt.Errorf("%s = %d: that node is %s; the switches are nodes %d to %d",
		key, n, s.Graph.Label(topo.NodeID(n)), slices.Min(list), slices.Max(list))
}

// faultyLink returns the link between the nodes a and b of a fault.
func (s *Simulation) faultyLink(key string, f scenario.Fault) (int, error) {
	what := fmt.Sprintf("%s.a = %d, %s.b = %d", key, f.A, key, f.B)
	if n := len(s.Graph.Nodes); max(f.A, f.B) >= n {
		return -1, fmt.Errorf("%s: the nodes of this network are 0 to %d", what, n-1)
	}
	neighbours := s.Graph.Adjacency()
	arcs := neighbours.Of(topo.NodeID(f.A))
	if i := slices.IndexFunc(arcs, func(a topo.Arc) bool { return int(a.Peer) == f.B }); i >= 0 {
		return int(arcs[i].Link), nil
	}
	peers := slices.Compact(lists.Map(arcs, func(a topo.Arc) string { return fmt.Sprint(a.Peer) }))
	return -1, fmt.Errorf("%s: no link joins these nodes; %s is joined to %s", what, s.Graph.Label(topo.NodeID(f.A)),
		strings.Join(peers, ", "))
}

// portTo returns a node's port to a neighbour, or NoPort if they are not linked.
func (s *Simulation) portTo(from, to topo.NodeID) netsim.PortID {
	for p := range netsim.PortID(2 * len(s.Graph.Links)) {
		if p.From(s.Graph) == from && p.To(s.Graph) == to {
			return p
		}
	}
	return netsim.NoPort
}

// expiry is the number of switches after which a packet on a wrong path is dropped. A wrong path alone causes no loop,
// but together with other faults it can cause one.
const expiry = 64

// misforwardings returns the wrong forwarding entries of a fault.
func (s *Simulation) misforwardings(
	key string, number int, f scenario.Fault,
) (map[topo.NodeID]netsim.Misforwarding, error) {
	x := netsim.Misforwarding{
		To: netsim.AnyNode, From: netsim.NoPort, Out: netsim.NoPort, Part: f.Share, TTL: expiry,
		Key: hash.Combine(hash.Combine(hash.String("fault"), s.Scenario.Seed), uint64(number)),
	}
	if f.Dst >= 0 {
		to, err := s.faultyHost(key+".dst", f.Dst)
		if err != nil {
			return nil, err
		}
		x.To = to
	}
	if f.Kind == scenario.Loop {
		a, err := s.faultySwitch(key+".a", f.A)
		if err != nil {
			return nil, err
		}
		b, err := s.faultySwitch(key+".b", f.B)
		if err != nil {
			return nil, err
		}
		if _, err := s.faultyLink(key, f); err != nil {
			return nil, err
		}
		x.TTL, x.Back = uint8(f.TTL), true
		atA, atB := x, x
		atA.Out, atB.Out = s.portTo(a, b), s.portTo(b, a)
		if f.Dst < 0 {
			atA.From, atB.From = atB.Out, atA.Out
		}
		return map[topo.NodeID]netsim.Misforwarding{a: atA, b: atB}, nil
	}
	at, err := s.faultySwitch(key+".switch", f.Switch)
	if err != nil {
		return nil, err
	}
	if f.Kind == scenario.WrongPath {
		next, err := s.faultySwitch(key+".next", f.Next)
		if err != nil {
			return nil, err
		}
		if x.Out = s.portTo(at, next); x.Out == netsim.NoPort {
			return nil, fmt.Errorf("%s.next = %d: no link joins it and switch = %d", key, f.Next, f.Switch)
		}
		if err := s.longer(at, next, x.To); err != nil {
			return nil, fmt.Errorf("%s.next = %d: %w", key, f.Next, err)
		}
	}
	return map[topo.NodeID]netsim.Misforwarding{at: x}, nil
}

// longer returns an error unless the path to a host through a switch's neighbour is a longer path: it must
// not be a shortest path, and must not return to the switch through another neighbour.
func (s *Simulation) longer(at, next, to topo.NodeID) error {
	if slices.ContainsFunc(s.Routes.NextHops(at, to), func(p netsim.PortID) bool { return p.To(s.Graph) == next }) {
		return fmt.Errorf("want a wrong next hop, but this one is on a shortest path from %s to "+
			"%s", s.Graph.Label(at), s.Graph.Label(to))
	}
	seen := map[topo.NodeID]bool{next: true}
	for queue := []topo.NodeID{next}; len(queue) > 0; queue = queue[1:] {
		for _, p := range s.Routes.NextHops(queue[0], to) {
			n := p.To(s.Graph)
			if n == at && queue[0] != next {
				return fmt.Errorf("from there packets may return to %s through %s and circulate forever: want kind "+
					"= loop for such a fault", s.Graph.Label(at), s.Graph.Label(queue[0]))
			}
			if n != at && !seen[n] {
				seen[n] = true
				queue = append(queue, n)
			}
		}
	}
	return nil
}

// OnPath reports whether a fault, while active, affects the packets of a flow on a path of the fault-free
// routes. The path is a list of ports from the source to the destination.
func (s *Simulation) OnPath(fault int, path []netsim.PortID, flow uint64) bool {
	d := &s.faults.effects[fault]
	to := path[len(path)-1].To(s.Graph)
	if d.kill == to {
		return true
	}
	for i, p := range path {
		link := int(p) / 2
		if _, ok := d.fail[link]; ok || slices.Contains(d.down, link) {
			return true
		}
		if i == 0 {
			continue
		}
		at, _ := s.Net.PortEnds(p)
		if w, ok := d.misforward[at]; ok && w.Applies(to, path[i-1], flow) {
			return true
		}
	}
	return false
}

// faultsWithoutFlows returns warnings for faults that were on no flow's path while they were active. It returns
// none if this is unknown: if packets of a flow take several paths, if there are unrecorded flows, or if another fault
// changes the paths of flows.
func (s *Simulation) faultsWithoutFlows(flows *store.Flows, ended unit.Time) []string {
	if s.Scenario.Published() || len(s.Scenario.Monitors) > 0 || s.surrounded || !s.single() {
		return nil
	}
	moves := make([]bool, len(s.Scenario.Faults))
	for i := range moves {
		for j := range moves {
			moves[i] = moves[i] || j != i && s.faults.breaks(j)
		}
	}
	var list []string
	for i, fault := range s.Scenario.Faults {
		if fault.At >= ended || moves[i] {
			continue // Late reports those that begin after the end
		}
		met := func(f *store.FlowRecord) bool {
			end := ended
			if f.Outcome == store.Finished {
				end = f.Start + f.FCT
			}
			return fault.At < end && fault.Until > f.Start && s.affects(i, flowOf(f), s.Routes)
		}
		some := false
		for f := range flows.All() {
			if some = f.Outcome == store.Unreachable || met(f); some {
				break
			}
		}
		if !some {
			list = append(list, warning("faults.%d (%s) is not on the path of any flow that is active then, "+
				"according to the routes of the whole network", i, fault.Kind)...)
		}
	}
	return list
}

// applyFaults applies the faults that are due. Faults that begin or end at one instant take effect together.
// Routes change at once with links, as if the control plane needed no time.
func (s *Simulation) applyFaults(now unit.Time) error {
	f := &s.faults
	if f.next() > now {
		return nil
	}
	s.Engine.Advance(now)
	rerouted := false
	var all []*faultEffect // faults that began or ended
	for f.next() <= now {
		at := f.next()
		down, halted, dead := slices.Clone(f.links), slices.Clone(f.halted), slices.Clone(f.dead)
		var changed []*faultEffect
		for f.next() == at {
			if x := f.events[0]; x.begins {
				f.recordStart(s, x.number, at)
			}
			changed = append(changed, f.apply(f.events[0]))
			f.events = f.events[1:]
		}
		for i, before := range dead {
			if is := f.dead[i] > 0; is != (before > 0) {
				s.Engine.KillHost(topo.NodeID(i), is)
			}
		}
		for i, before := range halted {
			if is := f.halted[i] > 0; is != (before > 0) {
				s.Engine.HaltHost(topo.NodeID(i), is)
			}
		}
		for i, before := range down {
			if is := f.links[i] > 0; is != (before > 0) {
				s.Engine.SetLink(i, is)
				rerouted = true
			}
		}
		for _, d := range changed {
			for link := range d.fail {
				s.Engine.FailLink(link, f.linkFault(link))
			}
			for node := range d.misforward {
				s.Engine.Misforward(node, f.misforwarding(node))
			}
		}
		all = append(all, changed...)
	}
	if !rerouted {
		f.beginEpoch(now, s.routesNow, all)
		return nil
	}
	routes, err := route.NewExcluding(s.Graph, s.routeOptions, f.down())
	if err != nil {
		return err
	}
	s.recordMoves(now, routes)
	s.routesNow = routes
	f.beginEpoch(now, routes, all)
	s.Stack.SetRoutes(routes)
	return nil
}

func (f *faults) apply(x faultEvent) *faultEffect {
	d := &f.effects[x.number]
	f.active[x.number] = x.begins
	by := -1
	if x.begins {
		by = 1
	}
	for _, link := range d.down {
		f.links[link] += by
	}
	if d.halt >= 0 {
		f.halted[d.halt] += by
	}
	if d.kill >= 0 {
		f.dead[d.kill] += by
	}
	return d
}

func (f *faults) linkFault(link int) netsim.LinkFault {
	var all netsim.LinkFault
	for i, d := range f.effects {
		x, ok := d.fail[link]
		if !ok || !f.active[i] {
			continue
		}
		if x.Hole && !all.Hole {
			all.Hole, all.By = true, x.By
		}
		all.Drop = max(all.Drop, x.Drop)
		if x.Share > 0 {
			all.Share, all.Rate, all.ExtraDelay = x.Share, x.Rate, x.ExtraDelay
		}
	}
	return all
}

// misforwarding returns the wrong entries of all active faults at a switch. They apply to different packets, because
// Validate refuses faults that clash.
func (f *faults) misforwarding(at topo.NodeID) []netsim.Misforwarding {
	var list []netsim.Misforwarding
	for i, d := range f.effects {
		if x, ok := d.misforward[at]; ok && f.active[i] {
			list = append(list, x)
		}
	}
	return list
}

// silentCauses describes the causes of loss by silent faults.
var silentCauses = [netsim.Causes]string{
	netsim.Blackholed: "in a blackhole", netsim.Expired: "in a loop, by their TTL",
	netsim.Discarded: "at random on a link", netsim.Dead: "at a host or switch that had failed",
}
