package sim

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"pintlab/experiments/scenario"
	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/buffer"
	"pintlab/netsim/route"
	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/ns3"
	"pintlab/workloads"
)

// Simulation is a scenario that is ready to run.
type Simulation struct {
	Scenario scenario.Scenario
	Graph    *topo.Graph
	Routes   *route.Table
	Net      *netsim.Network
	Engine   *netsim.Engine
	Stack    Stack
	Workload WorkloadInfo
	Choices  []schema.Settled // settings that the scenario leaves to the network

	hosts []workloads.Host
	part  *Part // the part of a larger network that this network represents; nil if the network is whole
	done  func(*transport.Record)
	trace func(unit.Time, *transport.Step)
	feed  *feed
	jobs  *Jobs      // flows that wait for other flows; nil if there are none
	wire  *wireCount // counts the bytes of the flows on the wire
	rules rules
	draws *ns3.Draws       // random draws of the published simulator; nil if hashes decide
	pfc   *frameLog        // log of PFC frames; nil if they are not recorded
	parts *telemetry.Parts // parts of the telemetry system
	monitors
	routesNow *route.Table // present routes, which change with faults
	sink      func(*Simulation) (netsim.Sink, error)
	tap       func(*Simulation) (netsim.Tap, error)
	receive   func(*Simulation) netsim.Sink
	report    func([]byte)
	observed  bool // a caller observes events, so all nodes must process them in order of time

	routeOptions route.Options
	faults       faults
	sampler      *sampler   // nil if nothing is sampled
	capture      *Capture   // nil if nothing is captured
	together     int64      // largest number of flows with the same start
	longest      unit.Bytes // largest flow
	surrounded   bool       // some flows are not measured
	// stop is called before the first event, and while one event starts many flows. An error ends the run.
	stop     func() error
	cautions []string // warnings of the congestion control
	halted   error    // error that ended the build
	apart    bool     // the network is simulated in parts
	// by rate: the control of flows whose slower host has this rate, if values of the control differ
	byHost map[unit.Rate]transport.Control
	poll   int64        // events between calls of look
	look   func() error // checks limits and reports progress; an error ends the run
}

// Stack is the transport of all hosts.
type Stack interface {
	Active() int
	Acked() int64
	Oldest() (f transport.Flow, acked unit.Bytes, ok bool)
	Inspect(func(transport.FlowState))
	Underway(func(*transport.Record))
	SetRoutes(*route.Table)
	Settle() // reports flows that have ended and are not reported yet
	Close(transport.Outcome)
}

// rules holds values that parts of a simulation share during the build.
type rules struct {
	baseRTT unit.Time  // largest base RTT of all pairs of hosts; 0 until computed
	bdp     unit.Bytes // largest bandwidth-delay product
	classes int        // number of the flows' traffic classes
	used    [buffer.Classes]bool
	queue   unit.Bytes // length of the data queue at a port with trimming
	least   unit.Rate  // rate of the slowest host with traffic; slower hosts do not affect values that are auto
}

// Build builds the parts of a scenario and connects them. It calls done with the record of each flow that
// ends; done must not retain it.
func Build(sc scenario.Scenario, o Options, done func(*transport.Record)) (*Simulation, error) {
	stop := o.stop
	if stop == nil {
		stop = func() error { return nil }
	}
	if err := sc.Validate(); err != nil {
		return nil, err
	}
	if sc.Estimate.Enabled {
		return nil, errors.New("estimate.enabled = true: this function simulates packets; pintlab estimate, run, " +
			"sweep and compare can estimate")
	}
	if o.Trace != nil && sc.Run.Workers > 1 {
		return nil, fmt.Errorf("run.workers = %d: a trace of acknowledgements needs 1", sc.Run.Workers)
	}
	s := &Simulation{
		Scenario: sc.Clone(), done: done, trace: o.Trace, sink: o.Sink, tap: o.Tap, receive: o.Receive,
		report: o.Report, part: o.Part, apart: o.apart, stop: stop, poll: cmp.Or(o.poll, pollEvery),
	}
	if s.part != nil {
		s.rules.baseRTT, s.rules.bdp = s.part.Whole.Farthest()
	}
	s.observed = o.Trace != nil || o.Sink != nil || o.Tap != nil || o.Receive != nil || o.Ready != nil ||
		o.GivenUp != nil
	fits := func() error { return s.fits(o.memory) }
	for _, step := range []func() error{
		s.buildGraph, s.buildWorkload, s.checkJobs, fits, s.buildNetwork, s.buildTransport,
		s.buildFaults, s.buildSampling, s.buildCapture,
	} {
		if err := step(); err != nil {
			return nil, err
		}
		if s.halted != nil {
			return nil, s.halted
		}
	}
	if o.Ready != nil {
		if err := o.Ready(s); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// configure computes the routes and the parts of the configuration that do not depend on auto settings.
func (s *Simulation) configure() (cfg netsim.Config, err error) {
	sc := &s.Scenario
	ro, err := sc.Network.ECMP.Options(sc.Seed)
	if err != nil {
		return cfg, err
	}
	balancing := sc.Network.Balancing.Balancer()
	balancing.Options(&ro)
	s.routeOptions = ro
	if s.Routes, err = route.New(s.Graph, ro); err != nil {
		return cfg, err
	}
	cfg = netsim.Config{Params: sc.Network.Params, TxTime: unit.Rate.TxTime}
	cfg.ECN, cfg.Trimming = netsim.ECN{}, netsim.Trimming{} // until they are chosen
	cfg.PerPacket = balancing.Splits() != route.Flows
	cfg.Seed = sc.Seed
	if sc.Run.Ties == "fifo" {
		cfg.Ties = netsim.FIFO
	}
	s.routesNow = s.Routes
	if err = s.makeRoom(); err != nil {
		return cfg, err
	}
	tel, most := s.overhead()
	if t := &sc.Transport; t.FullPayload(most) < 1 {
		return cfg, fmt.Errorf("transport.mtu = %v: leaves no room for payload after headers, "+
			"telemetry and the bytes of monitors on the longest path (%v)", t.MTU, most)
	}
	blocks, options := s.recovery(&transport.Setting{}).Options()
	cfg.Options = options
	carried, grown := s.carried()
	cfg.MaxPacket = max(sc.Transport.FullPayload(most)+sc.Transport.Header+most, sc.Transport.Header+grown,
		sc.Transport.AckMin,
		sc.Transport.AckHeader+telemetry.AckField(sc.Telemetry.System())+carried+blocks, s.room.Report,
		sc.Network.PFC.Frame)
	cfg.Cargo, cfg.ReportQueue, cfg.ReportRoute, cfg.FreeReports = s.room.Cargo, reportQueue, s.reportRoute,
		s.weightless()
	if sc.Network.TelemetryCycles {
		if cfg.HopCost, err = hopCost(s.Graph, tel); err != nil {
			return cfg, fmt.Errorf("network.telemetry_cycles: %w", err)
		}
	}
	s.buffer(&cfg)
	if sc.Network.Trimming.Enabled {
		cfg.HeaderClass = uint8(sc.Transport.AckClass)
		s.rules.queue, _ = sc.Network.Trimming.Limits(cfg.MaxPacket)
	}
	if sc.Published() {
		cfg.Draws, cfg.KeepFlushed, cfg.FreeAcks = s.draws, true, sc.Transport.FreeAcks
	}
	if slices.Contains(sc.Run.Outputs, scenario.OutputPFC) {
		s.pfc = newFrameLog(s.Graph, sc.Run.Ties == "fifo")
		cfg.OnPFC = s.pfc.add
	}
	cfg.StackDepth = s.stackDepth()
	cfg.Divide = !sc.Published() && !s.weightless() && !s.observed && s.jobs.local()
	cfg.Crowd = int(s.together)
	if cfg.MaxPacket > netsim.LargestPacket {
		key, value := "payload", sc.Transport.Payload
		if sc.Transport.Sizing == transport.SegmentMTU {
			key, value = "mtu", sc.Transport.MTU
		}
		return cfg, fmt.Errorf("transport.%s = %v: a packet would have %v with headers, telemetry and the "+
			"bytes of monitors; want at most %v", key, value, cfg.MaxPacket, netsim.LargestPacket)
	}
	return cfg, nil
}

// network builds the network. Errors name the keys of the scenario.
func (s *Simulation) network(cfg netsim.Config) (*netsim.Network, error) {
	n, err := netsim.New(s.Graph, s.Routes.MaxHops(), cfg)
	var small *buffer.SizeError
	if errors.As(err, &small) {
		return nil, fmt.Errorf("network.buffer = %v: want more than the %v that network.pfc.headroom and "+
			"network.pfc.reserve take for %s (the headroom holds the data that still arrives after a pause; it "+
			"depends on topology.host_rate, fabric_rate and link_delay, or map_host_rate, map_rate and map_delay of a "+
			"map, and on network.processing_delay)", small.Total, small.Fixed, number.Count(small.Ports, "port"))
	}
	return n, err
}

func (s *Simulation) buildNetwork() error {
	sc := &s.Scenario
	cfg, err := s.configure()
	if err != nil {
		return err
	}
	if err := s.choose(cfg); err != nil {
		return err
	}
	if n := &sc.Network; n.ECN.Enabled || n.Trimming.Enabled {
		cfg.ECN, cfg.Trimming, s.Net = n.ECN, n.Trimming, nil
		s.rules.queue, _ = n.Trimming.Limits(cfg.MaxPacket)
		if s.part != nil {
			cfg.MarkTimes = s.part.Marks
		}
	}
	if s.Net == nil {
		if s.Net, err = s.network(cfg); err != nil {
			return err
		}
	}
	taps, sinks, err := s.observers()
	if err != nil {
		return err
	}
	if taps, err = s.watch(taps); err != nil {
		return err
	}
	if s.jobs != nil {
		taps = append(taps, s.jobs.waits)
	}
	workers := sc.Run.Workers
	if !s.jobs.local() {
		workers = 1
	}
	s.export(s.report)
	if s.Engine, err = netsim.NewEngine(s.Net, workers, taps, sinks); err != nil {
		return fmt.Errorf("run.workers = %d: %w", sc.Run.Workers, err)
	}
	s.Engine.Watch(s.watchers())
	return nil
}

// overhead returns the bytes of telemetry and monitors on every data packet at its source, and the largest
// number of such bytes on its path.
func (s *Simulation) overhead() (atSource, most unit.Bytes) {
	if s.Scenario.CC.Control().Needs().Probes {
		return s.room.AtSource, s.room.AtSource + s.room.Growth
	}
	return s.carried()
}

// carried is like overhead, but for the packets that carry the telemetry of the congestion control: data packets or
// probes.
func (s *Simulation) carried() (atSource, most unit.Bytes) {
	system := s.Scenario.Telemetry.System()
	atSource = system.Overhead() + s.room.AtSource
	hops := system.Stack(s.Routes.MaxHops(), s.Scenario.Breaks())
	return atSource, atSource + telemetry.Growth(system, hops) + s.room.Growth
}

// buffer sets the memories of switches, which depend on the rest of the scenario.
func (s *Simulation) buffer(cfg *netsim.Config) {
	cfg.Classes = s.rules.classes
	if len(s.Scenario.Monitors) > 0 && !s.weightless() {
		cfg.Classes++ // reports have a separate class
	}
	cfg.ShiftFrom, _ = s.hostRates()
	if s.Scenario.Published() { // that simulator applies the first host's rate to all
		adjacency := s.Graph.Adjacency()
		cfg.ShiftFrom = s.Graph.Links[adjacency.Of(s.Graph.Hosts()[0])[0].Link].Rate
		cfg.FreePool = ns3.FreePool
	}
	if cfg.Serialisation == "floor-ns" {
		if cfg.TxTime = ns3.TxTime; cfg.PFC.Enabled {
			s.floorHeadroom(cfg)
		}
	}
}

// floorHeadroom sets the headroom for links whose transmission times are truncated to nanoseconds. Packets, above all
// small ones, then arrive faster than the link's rate allows. Packets of some 50 B at 400 Gb/s would take no time and
// need infinite memory, so each of them counts as one nanosecond.
func (s *Simulation) floorHeadroom(cfg *netsim.Config) {
	t := &s.Scenario.Transport
	atSource, _ := s.overhead()
	least := min(t.Header+atSource+1, max(t.AckMin, t.AckHeader))
	fastest := map[unit.Rate]unit.Rate{}
	for _, l := range s.Graph.Links {
		if fastest[l.Rate] != 0 {
			continue
		}
		fastest[l.Rate] = l.Rate
		for size := least; size <= cfg.MaxPacket; size++ {
			took := max(cfg.TxTime(l.Rate, size), unit.Nanosecond)
			fastest[l.Rate] = max(fastest[l.Rate], unit.Rate(float64(size)*8/took.Seconds())+1)
		}
	}
	frames := unit.Bytes(max(1, cfg.Classes)) * cfg.PFC.Frame
	cfg.Headroom = func(r unit.Rate, d unit.Time) unit.Bytes {
		return buffer.Headroom(fastest[r], d+cfg.ProcessingDelay, cfg.MaxPacket, frames)
	}
}

// unlike selects hosts such that the largest distance between any two hosts is also the distance of two selected hosts.
// Among hosts with equal links to one switch it selects two hosts. Among switches with equal delays and links it
// selects the hosts of two switches. twins maps the second host of a switch to the first, because the second must be
// compared only with the first.
func (s *Simulation) unlike(hosts []topo.NodeID) (stay []topo.NodeID, twins map[topo.NodeID]topo.NodeID) {
	adjacency := s.Graph.Adjacency()
	kindOf := func(n topo.NodeID, arc topo.Arc) topo.Link {
		kind := s.Graph.Links[arc.Link]
		if kind.A == n {
			kind.A = -1
		} else {
			kind.B = -1
		}
		return kind
	}
	var (
		third  = map[topo.NodeID]bool{} // switches whose hosts are omitted
		number = map[topo.Link]uint32{}
		alike  = map[string]int{} // number of switches with the same links
		links  []uint32
		key    []byte
	)
	for i, x := range s.Graph.Nodes {
		n := topo.NodeID(i)
		if x.Kind != topo.Switch {
			continue
		}
		ends := true // whether hosts have one link each
		links, key = links[:0], key[:0]
		for _, arc := range adjacency.Of(n) {
			kind := kindOf(n, arc)
			if s.Graph.Nodes[arc.Peer].Kind == topo.Host {
				ends = ends && len(adjacency.Of(arc.Peer)) == 1
				if kind.A < 0 {
					kind.B = -2 // any host
				} else {
					kind.A = -2
				}
			}
			if _, ok := number[kind]; !ok {
				number[kind] = uint32(len(number))
			}
			links = append(links, number[kind])
		}
		slices.Sort(links)
		for _, l := range links {
			key = binary.LittleEndian.AppendUint32(key, l)
		}
		key = binary.LittleEndian.AppendUint64(key, uint64(x.Delay))
		if ends {
			alike[string(key)]++
			third[n] = alike[string(key)] > 2
		}
	}
	seen := map[topo.Link][]topo.NodeID{} // kept hosts by switch and kind of link
	twins = map[topo.NodeID]topo.NodeID{}
	return slices.DeleteFunc(slices.Clone(hosts), func(h topo.NodeID) bool {
		arcs := adjacency.Of(h)
		if len(arcs) != 1 {
			return false
		}
		if third[arcs[0].Peer] {
			return true
		}
		kind := kindOf(h, arcs[0])
		alike := append(seen[kind], h)
		seen[kind] = alike
		if len(alike) == 2 {
			twins[h] = alike[0]
		}
		return len(alike) > 2
	}), twins
}

// trip is the rate and delay of a path.
type trip struct {
	rate unit.Rate // rate of its slowest link
	took unit.Time // time of a full packet
}

// hop is the link at a port.
type hop struct {
	trip
	ack unit.Time // time of an ACK in the other direction
	to  topo.NodeID
}

// shortest finds the shortest paths from any node to a host.
type shortest struct {
	*Simulation
	hops []hop // by port
	dst  topo.NodeID
	of   []topo.NodeID // by node: the host to which paths and ack apply
	// by node: paths to dst, except paths that are neither faster in rate nor longer in time than another path
	paths [][]trip
	ack   []unit.Time // by node: longest time of an ACK from dst
}

func (s *Simulation) shortest() *shortest {
	sizes, nodes := s.sizes(), len(s.Graph.Nodes)
	w := &shortest{s, make([]hop, s.Net.Ports()), -1, slices.Repeat([]topo.NodeID{-1}, nodes),
		make([][]trip, nodes), make([]unit.Time, nodes)}
	for i := range w.hops {
		p := []route.Port{route.Port(i)}
		w.hops[i] = hop{trip{s.Net.PortRate(p[0]), transport.BaseRTT(s.Net, &sizes, p, nil)},
			transport.BaseRTT(s.Net, &sizes, nil, []route.Port{p[0].Reverse()}), p[0].To(s.Graph)}
	}
	return w
}

// to sets the destination for from.
func (w *shortest) to(dst topo.NodeID) {
	w.dst, w.of[dst], w.paths[dst], w.ack[dst] = dst, dst, []trip{{rate: unit.MaxRate}}, 0
}

// from returns the paths from a node, and the longest time of an ACK, which may return on another path.
func (w *shortest) from(at topo.NodeID) ([]trip, unit.Time) {
	if w.of[at] == w.dst {
		return w.paths[at], w.ack[at]
	}
	list, longest := w.paths[at][:0], unit.Time(0)
	for _, p := range w.Routes.NextHops(at, w.dst) {
		h := &w.hops[p]
		paths, ack := w.from(h.to)
		longest = max(longest, h.ack+ack)
		for _, x := range paths {
			x.rate, x.took = min(x.rate, h.rate), x.took+h.took
			if !slices.ContainsFunc(list, func(y trip) bool { return y.rate >= x.rate && y.took >= x.took }) {
				list = append(slices.DeleteFunc(list, func(y trip) bool {
					return y.rate <= x.rate && y.took <= x.took
				}), x)
			}
		}
	}
	w.of[at], w.paths[at], w.ack[at] = w.dst, list, longest
	return list, longest
}

// farthest returns the largest base RTT and bandwidth-delay product over all pairs of hosts. Packets and
// ACKs may take any of the shortest paths; in the published simulator they take the first path of each
// pair.
func (s *Simulation) farthest() (unit.Time, unit.Bytes) {
	if s.rules.baseRTT > 0 {
		return s.rules.baseRTT, s.rules.bdp
	}
	hosts, sizes := s.counting(), s.sizes()
	spread := s.Scenario.Network.Balancing.Balancer().Splits() == route.Packets
	take := func(rtt unit.Time, rate unit.Rate) {
		s.rules.baseRTT, s.rules.bdp = max(s.rules.baseRTT, rtt), max(s.rules.bdp, rate.In(rtt))
	}
	var twins map[topo.NodeID]topo.NodeID
	if !s.Scenario.Published() {
		hosts, twins = s.unlike(hosts)
	}
	w := s.shortest()
	for i, b := range hosts {
		twin, second := twins[b]
		if i%512 == 511 {
			if s.halted = s.stop(); s.halted != nil {
				break // Build returns s.halted
			}
		}
		w.to(b)
		for _, a := range hosts {
			if other, ok := twins[a]; a == b || second && a != twin || ok && other != b {
				continue
			}
			if s.Scenario.Published() {
				take(ns3.PairOf(s.Net, s.Routes, sizes.Segment, a, b))
				continue
			}
			together := unit.Rate(0) // rate of all paths together
			if spread {
				together = transport.SpreadRate(s.Net, s.Routes, s.Routes.NextHops(a, b)[0], b)
			}
			paths, ack := w.from(a)
			for _, x := range paths {
				take(x.took+ack, cmp.Or(together, x.rate))
			}
		}
	}
	return s.rules.baseRTT, s.rules.bdp
}
