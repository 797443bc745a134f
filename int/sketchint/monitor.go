package sketchint

import (
	"fmt"
	"math"
	"slices"

	"pintlab/internal/hash"
	"pintlab/internal/mem"
	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// Params are the keys of the monitor in a scenario.
type Params struct {
	// Where agents are: at the hosts, or at the switches that connect hosts. In switches they need CM insertion.
	Agents string `yaml:"agents" default:"hosts" oneof:"hosts|switches"`
	// Arrays of counters: three with counters of 8, 16 and 32 bits (tower), or three with counters of 32 bits (rows).
	Sketch string `yaml:"sketch" default:"tower" oneof:"tower|rows"`
	// Insertion of the heavy tasks; latencies always have CM insertion.
	Insertion string `yaml:"insertion" default:"cu" oneof:"cm|cu"`
	// Counters of latencies and packets: together in buckets, or apart in a sketch each, as in the published code.
	Counters string `yaml:"counters" default:"buckets" oneof:"buckets|apart"`
	// Memory of an agent's sketch for heavy hitters and changes.
	Memory unit.Bytes `yaml:"memory" default:"50KB" range:">=100B <=64MiB" draw:"400B"`
	// Sketches of latencies of an agent: one, or one for each hop of the longest path, as in a pipeline.
	LatencySketches string `yaml:"latency_sketches" default:"one" oneof:"one|hops"`
	// Memory of an agent's sketches for latencies.
	LatencyMemory unit.Bytes `yaml:"latency_memory" default:"300KB" range:">=100B <=64MiB" draw:"2000B"`
	// Entries of each of an agent's two tables.
	Table int `yaml:"table" default:"1024" range:">=1 <=65536" draw:"16|1"`
	// Time after which an agent's two groups swap; the testbed of the SketchINT paper has 5 s.
	Period unit.Time `yaml:"period" default:"100ms" range:">=1us" draw:"1..3ms"`
	// A flow of this many packets in a period is a heavy hitter.
	Hitter int `yaml:"hitter" default:"1500" range:">=1"`
	// A difference of this many packets between two periods is a heavy change.
	Change int `yaml:"change" default:"750" range:">=1"`
	// A latency above this many times the flow's average is inflated.
	Inflation int `yaml:"inflation" default:"5" range:">=1 <=1000"`
	// Time through a switch with empty queues, added to the time in the queue.
	Pipeline unit.Time `yaml:"pipeline" default:"500ns" range:">=1ns <=1ms"`
	// Node number of the host of the global analyzer.
	Collector int `yaml:"collector" default:"0" range:">=0" draw:"0..hosts"`
	// Whether switches also write how many packets they have dropped, in 32 bits of a record. This shows the drops of
	// each switch and period.
	Drops bool `yaml:"drops" default:"false"`
	// Size of the frames that carry the sketches, on the wire.
	Frame unit.Bytes `yaml:"frame" default:"9000B" range:">=256B <=9216B"`
	// Whether packets are also counted exactly, to measure the errors of the sketches; this takes memory for each flow.
	Truth bool `yaml:"truth" default:"false"`
}

// Default returns the parameters with the defaults of their tags.
func Default() Params { return schema.Default[Params]() }

// frameHeader is the part of a frame without counters: Ethernet (14 B and 4 B), IPv4 (20),
// UDP (8), and the frame's number, agent and offset (12).
const frameHeader = 58

// mirrorHeader is the size of a packet that INT in passport mode would mirror, without the INT layer: the headers
// (Ethernet, IPv4 and TCP, 58 B) without payload.
const mirrorHeader = 58

// batch is the number of frames that an agent sends at once. The queue of reports at a host has room for them.
const batch = 50

// mostShare is the largest share of the analyzer's link that the sketches may take.
const mostShare = 0.5

// Room returns the size of the INT layer of the longest path, on the wire and as cargo, and the size of frames.
func (p *Params) Room(maxHops int) telemetry.Room {
	n := p.layout().bytes(maxHops)
	return telemetry.Room{Growth: unit.Bytes(n), Cargo: n, Report: p.Frame}
}

// layout returns the layout of records.
func (p *Params) layout() layout {
	if p.Drops {
		return counting
	}
	return plain
}

// Check reports memories without room for a counter in each array, and CU insertion in switches.
func (p *Params) Check(c *schema.Checker, prefix string) {
	c.FailIf(p.Agents == "switches" && p.Insertion == "cu", prefix+"insertion",
		"want cm with agents = switches, because the pipeline of a switch cannot insert with cu")
	c.FailIf(p.LatencySketches == "hops" && p.Counters == "apart", prefix+"latency_sketches",
		"want another value than hops with counters = apart, because the published code has such counters at hosts "+
			"only")
	s := newShape(p, 1, 1)
	for _, x := range []struct {
		key string
		err error
	}{{"memory", s.heavy.Validate()}, {"latency_memory", s.checkLatency()}} {
		if x.err != nil {
			c.Fail(prefix+x.key, x.err.Error())
		}
	}
}

// Watch puts INT into the switches, agents at the hosts or at their switches, and the analyzer at its host.
func (p *Params) Watch(at *telemetry.Place) (*telemetry.Watch, error) {
	hosts := at.Graph.Hosts()
	collector, err := at.Host("collector", p.Collector)
	if err != nil {
		return nil, err
	}
	switches := at.Graph.Switches()
	if n := len(switches); n > math.MaxUint16 {
		return nil, fmt.Errorf("kind = sketchint: %d switches, want at most %d, because a switch ID has 16 "+
			"bits", n, math.MaxUint16)
	}
	m := &monitor{
		params: *p, at: at, switches: switches, shape: newShape(p, at.MaxHops, len(switches)), collector: collector,
		agents: make([]agent, len(at.Graph.Nodes)), atSwitches: p.Agents == "switches",
		host: make([]bool, len(at.Graph.Nodes)), results: newResults(), layout: p.layout(),
	}
	if p.Drops {
		m.drops = newDrops(at, p.Truth)
	}
	for _, h := range hosts {
		m.host[h] = true
	}
	m.sites = m.places()
	for node, id := range at.SwitchIDs() {
		m.ids = append(m.ids, uint16(id))
		m.agents[node].node = netsim.NodeID(node)
	}
	if err := m.shape.checkLatency(); err != nil {
		return nil, fmt.Errorf("latency_memory = %v for %d sketches: %w", p.LatencyMemory, m.shape.sketches, err)
	}
	m.frames = (m.shape.size() + m.load() - 1) / m.load()
	m.slices = (m.frames + batch - 1) / batch
	// If the frames needed more than the link carries, they would never arrive, and the run
	// would not end.
	need := 8 * float64(m.frames) * float64(p.Frame) * float64(len(m.sites)) / p.Period.Seconds()
	if share := need / float64(at.LinkRate(collector)); share > mostShare {
		return nil, fmt.Errorf("period = %v: sketches of %d B from %d agents take %.3g of the analyzer's link, want "+
			"at most %v; use a longer period, or smaller values of memory, latency_memory and table",
			p.Period, m.shape.size(), len(m.sites), share, mostShare)
	}
	slice := p.Period / unit.Time(m.slices)
	if slice < 1 {
		return nil, fmt.Errorf("period = %v is too short to send %s", p.Period, number.Count(m.frames, "frame"))
	}
	perPeriod := m.shape.size() + m.frames*frameHeader
	r := &telemetry.Reports{To: m.collector, From: m.sites, PerSecond: float64(perPeriod) / p.Period.Seconds()}
	return &telemetry.Watch{
		Tap: m, Watcher: m, Reports: r, Period: slice, Tick: m.tick, Tables: m.tables, Notes: m.notes, System: m,
	}, nil
}

// monitor is INT at every switch, the agents and the analyzer.
type monitor struct {
	params     Params
	at         *telemetry.Place
	shape      shape
	layout     layout
	atSwitches bool
	ids        []uint16        // by node
	switches   []netsim.NodeID // by ID
	host       []bool          // by node
	sites      []netsim.NodeID
	collector  netsim.NodeID
	agents     []agent // by node; only sites have one; each is owned by the engine that runs the node
	memory     mem.Pool[byte]
	frames     int // number of frames in a shipment
	slices     int // number of parts of a period; an agent sends a batch in each
	ticks      int

	received struct { // at the collector
		frames int64
		bytes  unit.Bytes
		late   int64
	}
	periods int
	errors  evaluation
	results results
	drops   *drops // nil unless switches count
	failed  error  // a shipment could not be read, which is a bug

	now    unit.Time                                       // time of the last tick
	listen func(agent netsim.NodeID, period int, g *group) // called with each group that was read; may be nil
}

// places returns the nodes that have an agent: all hosts, or the switches with hosts.
func (m *monitor) places() []netsim.NodeID {
	if !m.atSwitches {
		return m.at.Graph.Hosts()
	}
	var list []netsim.NodeID
	for _, l := range m.at.Graph.Links {
		switch {
		case m.host[l.A] && !m.host[l.B]:
			list = append(list, l.B)
		case m.host[l.B] && !m.host[l.A]:
			list = append(list, l.A)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// agent is the state of a host, or of a switch with hosts. The groups are made when the first packet
// arrives.
type agent struct {
	node         netsim.NodeID
	active, idle *group
	pending      packet // the last packet, which the active group records when the next one comes
	truth        *truth // truth of the active group; nil unless the truth is counted
	shipment     *shipment
	last         *group // the analyzer's group of the previous period; nil before the first shipment
	lastTruth    *truth

	number   uint32 // number of the next frame
	sent     unit.Bytes
	refused  int64 // frames without room at the port, or without a path
	packets  int64
	inBand   unit.Bytes // bytes that switches have added to its packets
	passport mirrored   // what INT in passport mode would have mirrored for the active group's packets
	shipped  mirrored   // the same, for the periods that were shipped
	missing  int64
	report   netsim.Report // the last frame, kept here to avoid an allocation
	err      error
}

// mirrored is a number of mirrored packets and their bytes.
type mirrored struct {
	packets int64
	bytes   unit.Bytes
}

// shipment is a group in transit.
type shipment struct {
	period  int
	seed    uint64 // seed of the group
	bytes   []byte
	first   uint32 // number of its first frame
	next    int    // next frame to send
	arrived []bool
	truth   *truth
	local   bool // from the collector's own agent, so it is not sent
}

// load returns how many bytes of a shipment a frame carries.
func (m *monitor) load() int { return int(m.params.Frame) - frameHeader }

// Dequeue implements netsim.Tap: a switch adds its record. If agents are in switches, the agent of the
// last switch removes the INT layer from the packet.
func (m *monitor) Dequeue(h *netsim.Hop) {
	k := h.Packet
	if k.Kind != netsim.Data {
		return
	}
	l := m.layer(h.Cargo())
	if h.Number == 0 {
		l.begin()
		k.Size += countBytes
	}
	ns := (h.Now - k.At + m.params.Pipeline) / unit.Nanosecond
	id, dropped := m.ids[h.Switch], uint32(0)
	if m.drops != nil {
		dropped = m.drops.counter(id)
	}
	if l.push(id, uint32(min(ns, math.MaxUint32)), dropped) {
		k.Size += uint16(m.layout)
	}
	if m.atSwitches {
		if _, to := m.at.Net.PortEnds(h.Port); m.host[to] {
			m.encode(&m.agents[h.Switch], k, h.FlowKey(), l)
		}
	}
}

// Arrive implements netsim.Watcher: the agent of the host removes the INT layer from the packet.
func (m *monitor) Arrive(x *netsim.Arrival) {
	if x.Packet.Hop > 0 && !m.atSwitches {
		m.encode(&m.agents[x.Host], x.Packet, x.FlowKey(), m.layer(x.Cargo()))
	}
}

// layer returns the INT layer in the cargo of a packet.
func (m *monitor) layer(cargo []byte) layer { return layer{m.at.Part(cargo), m.layout} }

// encode removes the INT layer from a packet and adds it to the sketches of an agent.
func (m *monitor) encode(a *agent, k *netsim.Packet, flow uint64, l layer) {
	n := l.layout.bytes(l.hops())
	k.Size -= uint16(n)
	if a.active == nil && !m.prepare(a) {
		return
	}
	a.packets++
	a.inBand += unit.Bytes(n)
	a.passport.packets++
	a.passport.bytes += mirrorHeader + unit.Bytes(n)
	a.active.insert(&a.pending)
	a.active.take(&a.pending, flow, l)
	if a.truth != nil {
		a.truth.insert(flow, l, m.shape.inflation)
	}
}

func (m *monitor) prepare(a *agent) bool {
	if a.err != nil {
		return false
	}
	// The two groups have different hashes, as adjacent windows should.
	seed := hash.Combine(hash.Combine(hash.String("int/sketchint"), m.at.Seed), uint64(a.node))
	if a.active, a.err = newGroup(&m.shape, hash.Combine(seed, 0), m.side); a.err != nil {
		return false
	}
	if a.idle, a.err = newGroup(&m.shape, hash.Combine(seed, 1), m.side); a.err != nil {
		return false
	}
	a.pending.hops = make([]hop, m.shape.maxHops)
	if m.params.Truth {
		a.truth = newTruth()
	}
	return true
}

// side returns memory from the pool that all agents share for the whole run.
func (m *monitor) side(bytes int) []byte {
	const line = 64 // each piece begins on a cache line
	return m.memory.Make((bytes + line - 1) / line * line)[:bytes]
}

// apart returns separately allocated memory, which is freed when it is no longer used.
func apart(bytes int) []byte { return make([]byte, bytes) }

// tick sends a batch of every agent's frames. At the end of a period it reads the last shipments, and the
// groups swap.
func (m *monitor) tick(now unit.Time) {
	m.now = now
	m.ticks++
	if m.ticks%m.slices == 0 {
		m.close()
		for _, h := range m.sites {
			m.swap(&m.agents[h])
		}
		if m.drops != nil {
			m.drops.look()
		}
		m.periods++
	}
	for _, h := range m.sites {
		m.send(&m.agents[h])
	}
}

// swap ships the active group of an agent and activates the idle group.
func (m *monitor) swap(a *agent) {
	if a.active == nil {
		return
	}
	a.active.insert(&a.pending)
	s := &shipment{
		period: m.periods, seed: a.active.seed, first: a.number, truth: a.truth, local: a.node == m.collector,
	}
	s.bytes = a.active.appendTo(make([]byte, 0, m.shape.size()))
	s.arrived = make([]bool, m.frames)
	a.shipment = s
	a.active, a.idle = a.idle, a.active
	a.active.reset()
	if !s.local {
		a.shipped.packets += a.passport.packets
		a.shipped.bytes += a.passport.bytes
	}
	a.passport = mirrored{}
	if a.truth != nil {
		a.truth = newTruth()
	}
}

// send sends the next batch of an agent's shipment.
func (m *monitor) send(a *agent) {
	s := a.shipment
	if s == nil || s.local {
		return
	}
	for range batch {
		if s.next == m.frames {
			return
		}
		from := s.next * m.load()
		size := unit.Bytes(frameHeader + min(m.load(), len(s.bytes)-from))
		a.report = netsim.Report{
			Monitor: m.at.Number, To: m.collector, Class: m.at.Class, Size: size,
			Number: a.number, Content: uint64(s.next),
		}
		if !m.at.Report(a.node, &a.report) {
			a.refused++
		}
		a.number++
		a.sent += size
		s.next++
	}
}

// Collect implements netsim.Watcher: a frame has reached the analyzer.
func (m *monitor) Collect(x *netsim.Arrival) {
	m.received.frames++
	m.received.bytes += unit.Bytes(x.Packet.Size)
	if s := m.shipmentOf(x.Packet); s != nil {
		s.arrived[x.Packet.Seq] = true
	} else {
		m.received.late++
	}
}

// shipmentOf returns the shipment that a frame belongs to, or nil if its period is closed.
func (m *monitor) shipmentOf(k *netsim.Packet) *shipment {
	s := m.agents[k.ReportSource()].shipment
	if s == nil || k.ID-s.first != uint32(k.Seq) {
		return nil
	}
	return s
}

// close does the global tasks with the parts of all shipments that have arrived.
func (m *monitor) close() {
	period := -1
	for _, h := range m.sites {
		a := &m.agents[h]
		if a.shipment == nil {
			continue
		}
		if err := m.analyze(a); err != nil && m.failed == nil {
			m.failed = err
		}
		period, a.shipment = a.shipment.period, nil
	}
	if m.drops != nil && period >= 0 {
		m.drops.close(period)
	}
}

// analyze does the global tasks with the shipment of one agent.
func (m *monitor) analyze(a *agent) error {
	s := a.shipment
	if !s.local {
		for i, ok := range s.arrived {
			if !ok {
				a.missing++
				from := i * m.load()
				m.shape.lose(s.bytes, from, min(from+m.load(), len(s.bytes)))
			}
		}
	}
	g, err := newGroup(&m.shape, s.seed, apart)
	if err != nil {
		return err
	}
	if err := g.read(s.bytes); err != nil {
		return err
	}
	if a.last == nil && s.period > 0 {
		// The agent had no traffic before this period, so all its counts were 0 in the previous period.
		if a.last, err = newGroup(&m.shape, s.seed, apart); err != nil {
			return err
		}
		a.lastTruth = newTruth()
	}
	m.results.add(m, s.period, g, a.last)
	if m.drops != nil {
		m.drops.take(g.drops)
	}
	if m.listen != nil {
		m.listen(a.node, s.period, g)
	}
	if s.truth != nil {
		m.errors.add(&m.params, g, a.last, s.truth, a.lastTruth)
	}
	a.last, a.lastTruth = g, s.truth
	return nil
}
