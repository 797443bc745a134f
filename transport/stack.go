package transport

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"pintlab/internal/prefetch"
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/unit"
)

// Stack is the transport of the hosts that a worker runs. It implements netsim.Stack. The Stack of
// the first worker represents all.
type Stack struct {
	*shared
	e       *netsim.Engine
	way     stages
	batches batches     // free list for waiting rooms
	retired []int32     // slots of ended flows that may still have packets in the network
	ended   slab[ended] // flows that ended in this window
	active  int
	acked   int64
	ack     Ack
	record  Record // argument of done
	tracer  Tracer
}

// shared is the state that the stacks of all workers share. While several run, each uses only the
// entries of its own hosts, and no list grows.
type shared struct {
	cfg     Config
	seed    uint64
	net     *netsim.Network
	routes  *route.Table
	factory Factory
	source  Source
	stopper Stopper // source, if it is a Stopper
	done    func(*Record)
	stacks  []*Stack
	coming  []coming // by place
	turns   []turn   // scratch of Settle

	strategy Strategy
	sends    SenderDriven   // strategy, if it is a SenderDriven
	driven   ReceiverDriven // strategy, if it is a ReceiverDriven
	pulling  Pulling        // driven, if it is a Pulling
	shares   Arbitrated     // driven, if it is an Arbitrated
	tells    bool           // ACKs have options
	penalty  *route.Penalty // of paths; nil if senders do not avoid paths
	// waits delays the state of flows: a flow gets a slot with its first packet, and a flow of a
	// single packet gets a controller when it needs one. It is false with several workers, because
	// slots must exist before a window begins. It is also false with alarms, a Discipline, strict
	// priorities or a ReceiverDriven, which need to know all flows.
	waits     bool
	permutes  route.PathBalancer    // cfg.Balancer, if senders choose paths
	entropic  route.EntropyBalancer // cfg.Balancer, if senders choose entropy values
	alarms    int32                 // index of the first timer of a flow that belongs to its controller
	timers    int32                 // timers per flow
	spare     Controller            // the first controller made, until a flow uses it
	single    course                // see course
	idle      []*course             // unused courses, which keep their controllers
	courses   slab[course]
	senders   slab[Sender]
	receivers slab[Receiver] // by slot, as senders
	free      []int32        // slots without references
	rounds    []Round        // by port; used at hosts
	upcoming  Flow           // next flow of the source
	more      bool           // upcoming holds a flow
	forth     []route.Port
	back      []route.Port
	ways      [2]stages // stages of the flow in forth and back
}

// coming lists what starts at a place.
type coming struct {
	ports   []netsim.PortID // of the hosts of the place
	starts  []start         // flows with a slot, and delays, in the order of time
	started int             // number of starts that have happened
	asked   []Flow          // flows that the place has launched, without a slot yet
}

// ended is a record that is reported at the end of the window.
type ended struct {
	at unit.Time
	Record
}

// turn is the position of a record in the order of reports.
type turn struct {
	at     unit.Time
	number int32
	record *Record
}

// New makes the transport of a network and attaches it to its engine. source yields the flows. done
// is called with the record of each flow that ends, and must not keep it. With ties in the order of
// scheduling it is called at once. Otherwise it is called after the window in which the flow ends,
// in the order of time and then of flow numbers.
func New(e *netsim.Engine, routes *route.Table, cfg Config, seed uint64, factory Factory, source Source, done func(*Record)) (*Stack, error) {
	s, err := newShared(e.Network(), routes, cfg, seed, factory, source, done)
	if err != nil {
		return nil, err
	}
	// A waiting flow schedules no event at its start. With ties in the order of scheduling that
	// would change results.
	workers := e.Workers()
	s.waits = len(workers) == 1 && !e.Ordered() && cfg.Follower == nil && s.timers == s.alarms && cfg.Discipline == nil && !cfg.Strict && !cfg.Inspected && s.driven == nil
	for _, w := range workers {
		t := &Stack{shared: s, e: w, tracer: Tracer{Call: s.cfg.Trace}}
		s.stacks = append(s.stacks, t)
		w.Attach(t)
		if s.shares != nil {
			w.Arbitrate(t)
		}
	}
	s.coming = make([]coming, e.Places())
	for p := range netsim.PortID(s.net.Ports()) {
		if from, _ := s.net.PortEnds(p); s.net.Home(from) >= 0 {
			c := &s.coming[e.Place(from)]
			c.ports = append(c.ports, p)
		}
	}
	if s.more && e.Ordered() {
		e.StartAt(s.upcoming.Start, e.Order(0, 0))
	} else if s.more {
		e.BeginAt(s.upcoming.Start)
	}
	return s.stacks[0], nil
}

func newShared(n *netsim.Network, routes *route.Table, cfg Config, seed uint64, factory Factory, source Source, done func(*Record)) (*shared, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if most := max(cfg.PacketSize(cfg.Segment), cfg.LargestAck()); most > n.MaxPacket() {
		return nil, fmt.Errorf("transport: packets and ACKs of up to %d bytes, but the network carries %d at most", most, n.MaxPacket())
	}
	s := &shared{
		cfg: cfg, seed: seed, net: n, routes: routes, factory: factory, source: source, done: done,
		rounds: make([]Round, n.Ports()),
	}
	s.single = course{Window: 1, Recover: -2, RTT: newRTT(&s.cfg)} // the window suffices for the only packet
	s.stopper, _ = source.(Stopper)
	s.permutes, _ = cfg.Balancer.(route.PathBalancer)
	s.entropic, _ = cfg.Balancer.(route.EntropyBalancer)
	if s.cfg.Pace == nil {
		s.cfg.Pace = func(r unit.Rate, n unit.Bytes) unit.Time {
			return unit.Time(float64(n*8) * float64(unit.Second) / float64(r))
		}
	}
	for i := range s.rounds {
		s.rounds[i] = Round{Port: netsim.PortID(i), Last: -1, senders: &s.senders}
	}
	_, room := cfg.Recovery.Options()
	s.tells = room > 0
	s.strategy = cfg.Recovery.Strategy(&s.cfg, n)
	s.sends, _ = s.strategy.(SenderDriven)
	s.driven, _ = s.strategy.(ReceiverDriven)
	s.pulling, _ = s.strategy.(Pulling)
	if s.shares, _ = s.strategy.(Arbitrated); s.shares != nil {
		for i := range s.rounds {
			s.rounds[i].queue = &queue{}
		}
	}
	if a, ok := cfg.Recovery.(Avoider); ok {
		s.penalty = a.Penalty()
	}
	s.alarms = 1
	if s.cfg.DelayedAck > 0 || s.driven != nil {
		s.alarms++
	}
	s.timers = s.alarms
	if s.fetch(); s.more || cfg.Follower != nil {
		s.spare = factory()
		if c, ok := s.spare.(Timed); ok {
			s.timers += int32(c.Alarms())
		}
	}
	return s, nil
}

// Active returns the number of flows that have started and not ended.
func (s *shared) Active() int {
	n := 0
	for _, t := range s.stacks {
		n += t.active
	}
	return n
}

// Acked returns the number of acknowledged bytes of all flows together.
func (s *shared) Acked() int64 {
	var n int64
	for _, t := range s.stacks {
		n += t.acked
	}
	return n
}

// stopped reports whether the run must end. It calls the Stopper once every StopEvery flows.
func (s *shared) stopped(n int) bool {
	return n%StopEvery == 0 && s.stopper != nil && s.stopper.Stopped()
}

// fetch reads the next flow from the source.
func (s *shared) fetch() { s.more = s.source.Next(&s.upcoming) }

// Start implements netsim.Stack. It starts the flows of a place whose start time has come. If the
// run must end, the other flows start when it continues.
func (t *Stack) Start() {
	now := t.e.Now()
	if t.e.Ordered() {
		if !t.prepare(now) || !t.startPrepared(now) {
			t.e.StartAt(now, 0)
			t.e.Halt()
		} else if t.more { // so that an event is pending when it is due
			t.e.StartAt(t.upcoming.Start, t.e.Order(0, 0))
		}
		return
	}
	var ok bool
	if t.waits {
		ok = t.startWaiting(now)
	} else {
		ok = t.startPrepared(now)
	}
	if !ok {
		t.e.StartPlace(now)
		t.e.Halt()
	}
}

// startWaiting begins the waiting flows of the place whose start time has come. It returns false if
// the run must end now.
func (t *Stack) startWaiting(now unit.Time) bool {
	next, n := unit.Never, 1
	for _, p := range t.coming[t.e.Here()].ports {
		room := &t.rounds[p].waiting
		for ; room.next() <= now; n++ {
			if t.stopped(n) {
				return false
			}
			room.begin()
			t.active++
			t.e.Kick(p)
		}
		next = min(next, room.next())
	}
	t.e.StartPlace(next)
	return true
}

// startPrepared starts the flows of the place that prepare has prepared and whose start time has
// come. It returns false if the run must end now.
func (t *Stack) startPrepared(now unit.Time) bool {
	c := &t.coming[t.e.Here()]
	for n := 1; c.started < len(c.starts); n++ {
		x := c.starts[c.started]
		if x.at > now {
			t.e.StartPlace(x.at)
			return true
		}
		if t.stopped(n) {
			return false
		}
		c.started++
		if x.slot < 0 {
			t.cfg.Follower.Due(t, ^x.slot)
		} else {
			t.begin(x.slot)
		}
	}
	return true
}

// prepare handles each flow that starts up to the given time. The flow joins the queue of its port,
// or gets a slot, a path and an entry in the list of its place. No engine may run, unless it is the
// only one. It returns false if the run must end now.
func (s *shared) prepare(until unit.Time) bool {
	e := s.stacks[0].e
	s.admitAsked()
	for n := 1; s.more && s.upcoming.Start <= until; n++ {
		if s.stopped(n) {
			return false
		}
		f := s.upcoming
		s.fetch()
		if !e.Ordered() { // even if there is no path
			e.StartHost(f.Src, f.Start)
		}
		if s.waits {
			s.admit(&f)
			continue
		}
		s.enlist(&f)
	}
	return true
}

// enlist gives a flow a slot, a path and an entry in the list of its place. It returns false if
// there is no path.
func (s *shared) enlist(f *Flow) bool {
	if s.findPaths(f); len(s.forth) == 0 || len(s.back) == 0 {
		s.unreachable(f)
		return false
	}
	slot := s.slot()
	s.open(slot, f)
	if x := s.senders.at(slot); x.ctrl == nil {
		x.ctrl = s.controller(s.forth)
	}
	s.coming[s.stacks[0].e.Place(f.Src)].add(start{f.Start, slot})
	return true
}

func (s *shared) Before(until unit.Time) bool {
	if !s.prepare(until) {
		return false
	}
	next := unit.Never
	if s.more {
		next = s.upcoming.Start
	}
	s.stacks[0].e.BeginAt(next)
	return true
}

// Settle implements netsim.Windowed. It reports the flows that ended in the last window.
func (s *shared) Settle() {
	turns := s.turns[:0]
	for _, t := range s.stacks {
		for i := range t.ended.n {
			x := t.ended.at(i)
			turns = append(turns, turn{x.at, x.Number, &x.Record})
		}
		t.ended.clear()
	}
	s.turns = turns
	slices.SortFunc(turns, func(a, b turn) int {
		if a.at != b.at {
			return cmp.Compare(a.at, b.at)
		}
		return cmp.Compare(a.number, b.number)
	})
	for _, x := range turns {
		s.done(x.record)
	}
}

// unreachable reports a flow that has no path when it starts.
func (s *shared) unreachable(f *Flow) {
	r := Record{Flow: *f, Outcome: Unreachable, FCT: unit.Never, Ended: unit.Never, Ideal: unit.Never}
	if t := s.stacks[0]; t.e.Divided() {
		*t.ended.at(t.ended.add()) = ended{f.Start, r}
		return
	}
	s.done(&r)
}

// findPaths finds the ports that the packets of a flow cross, forth and back. If the receiver of a
// ReceiverDriven has several links it answers on the one on which data arrives, because it requests
// data at the rate of that link.
func (s *shared) findPaths(f *Flow) {
	key := f.Key()
	s.forth = s.routes.Path(s.forth[:0], f.Src, f.Dst, key)
	s.back = s.routes.Path(s.back[:0], f.Dst, f.Src, key.Reverse())
	if s.driven == nil || len(s.forth) == 0 || len(s.back) == 0 {
		return
	}
	if in := s.forth[len(s.forth)-1].Reverse(); in != s.back[0] {
		s.back = s.routes.Path(append(s.back[:0], in), in.To(s.routes.Graph()), f.Src, key.Reverse())
	}
}

// open initialises a slot for a flow whose paths are in forth and back.
func (s *shared) open(slot int32, f *Flow) {
	key := FlowKey(s.seed, f.Number)
	s.net.SetFlow(slot, key, s.forth, s.back)
	s.net.NameFlow(slot, netsim.FlowName{Src: f.Src, Dst: f.Dst, SrcPort: f.SrcPort, DstPort: f.DstPort})
	if s.alarms > 1 {
		s.stacks[0].e.CancelTimer(s.timers*slot + 1) // a delayed ACK of an earlier flow that has failed
	}
	r, x := s.receivers.at(slot), s.senders.at(slot)
	if r.disorder != nil {
		*r.disorder = disorder{gaps: r.gaps[:0]}
	}
	*r = Receiver{Port: s.back[0], disorder: r.disorder, delayed: r.delayed, Order: r.Order}
	c := x.course
	*x = Sender{
		Flow: *f, Slot: slot, Port: s.forth[0], course: &s.single, used: true, ended: true, hops: uint8(len(s.forth) - 1),
		Deadline: unit.Never, Alarm: unit.Never, timerAt: unit.Never, ideal: s.ideal(f.Size, f.Src, f.Dst),
	}
	if c != nil && c != &s.single {
		x.course = c
		s.reset(c, key)
	} else if !s.waits || s.permutes != nil || s.entropic != nil {
		s.own(x)
	}
	s.strategy.Open(x, r)
	if s.permutes != nil {
		s.beginOrders(x, r)
	}
	if s.entropic != nil {
		if x.Entropy == nil {
			x.Entropy = &route.Entropy{}
		}
		s.entropic.Begin(x.Entropy, key)
	}
}

// ideal returns the ideal completion time of size bytes on the paths in forth and back, or on all
// paths that a balancer may choose.
func (s *shared) ideal(size unit.Bytes, src, dst netsim.NodeID) unit.Time {
	if s.cfg.IdealFCT != nil {
		return s.cfg.IdealFCT(size, s.forth, s.back)
	}
	return Ideal(s.net, &s.cfg, size, s.stagesOf(&s.ways[0], s.forth, dst), s.stagesOf(&s.ways[1], s.back, src))
}

// stagesOf returns the stages of the paths to a host. Without a balancer they are the ports of
// path.
func (s *shared) stagesOf(x *stages, path []netsim.PortID, dst netsim.NodeID) []stage {
	if s.cfg.Balancer != nil && len(path) > 0 {
		return x.find(s.net, s.routes, path[0], dst)
	}
	x.found = x.found[:0]
	for _, p := range path {
		x.found = append(x.found, stage{fastest: p, delay: s.net.PortDelay(p)})
	}
	return x.found
}

// controller returns a controller for a new flow that takes a path.
func (s *shared) controller(forth []netsim.PortID) Controller {
	if len(s.cfg.ByHost) > 0 {
		if f := s.cfg.ByHost[min(s.net.PortRate(forth[0]), s.net.PortRate(forth[len(forth)-1]))]; f != nil {
			return f()
		}
	}
	if c := s.spare; c != nil {
		s.spare = nil
		return c
	}
	return s.factory()
}

// begin starts a flow that prepare has prepared.
func (t *Stack) begin(slot int32) {
	s := t.senders.at(slot)
	s.ended = false
	t.active++
	t.direct(s)
	t.join(s)
	if t.driven != nil {
		t.driven.Begin(t, s)
		t.Refresh(s)
	}
	t.e.Kick(s.Port)
}

// direct starts the controller of a flow, as at the start of the flow. It makes the controller if
// there is none.
func (t *Stack) direct(s *Sender) {
	t.own(s)
	forth, back := t.net.FlowPaths(s.Slot)
	if s.ctrl == nil {
		s.ctrl = t.controller(forth)
	}
	info := t.info(&t.way, &s.Flow, s.key, forth, back)
	info.Alarms = t.alarmsOf(s)
	s.ctrl.Start(s.Flow.Start, info)
	s.Window, s.rate = max(1, int64(s.ctrl.Window())), s.ctrl.Rate()
}

// needControl makes sure that a flow has a controller. A flow of a single packet needs none until
// an event other than its end happens, and is not paced until then.
func (t *Stack) needControl(s *Sender) {
	if s.ctrl != nil {
		return
	}
	t.direct(s)
	if s.wire > 0 {
		s.paid = t.pace(s)
		t.rounds[s.Port].Entries[s.entry].Avail += s.paid
	}
}

// info returns the FlowInfo of a flow that takes the given paths.
func (s *shared) info(way *stages, f *Flow, key uint64, forth, back []netsim.PortID) FlowInfo {
	c := &s.cfg
	rate := PathRate(s.net, forth)
	if c.Spread {
		rate = rateOf(way.find(s.net, s.routes, forth[0], f.Dst))
	}
	info := FlowInfo{
		Number: f.Number, Key: key, Size: f.Size,
		Segment: c.Segment, Packet: c.PacketSize(c.Segment),
		LineRate: s.net.PortRate(forth[0]), PathRate: rate, BaseRTT: BaseRTT(s.net, c, forth, back), Hops: len(forth) - 1,
	}
	if c.Tell != nil {
		c.Tell(&info)
	}
	return info
}

// Foresee returns the paths of a flow that has not started, and its ideal completion time. The
// paths are valid until the next call. They are empty if there is no path.
func (s *shared) Foresee(f *Flow) (forth, back []netsim.PortID, ideal unit.Time) {
	s.findPaths(f)
	if len(s.forth) == 0 || len(s.back) == 0 {
		return nil, nil, unit.Never
	}
	return s.forth, s.back, s.ideal(f.Size, f.Src, f.Dst)
}

// slot returns a free slot or a new one. A slot is free once the delayed ACK of its failed flow has
// been sent. Otherwise the number of slots would decide whether that ACK is sent.
func (s *shared) slot() int32 {
	if len(s.free) == 0 {
		for _, t := range s.stacks {
			t.retired = slices.DeleteFunc(t.retired, func(slot int32) bool {
				if s.live(slot) > 0 || s.receivers.at(slot).waiting {
					return false
				}
				s.free = append(s.free, slot)
				return true
			})
		}
	}
	if n := len(s.free); n > 0 {
		slot := s.free[n-1]
		s.free = s.free[:n-1]
		return slot
	}
	slot := s.senders.add()
	s.receivers.add()
	for _, t := range s.stacks {
		t.e.GrowFlows(slot+1, s.timers)
	}
	return slot
}

// live returns the number of packets in flight of the flow in a slot.
func (s *shared) live(slot int32) int32 {
	var n int32
	for _, t := range s.stacks {
		n += t.e.Live(slot)
	}
	return n
}

// SetRoutes moves every active flow to its path on the new routes. A flow that has no path any more
// keeps the old one and runs into timeouts.
func (s *shared) SetRoutes(routes *route.Table) {
	if s.waits { // they keep what they learn from the paths at their start
		s.stacks[0].seatAll()
	}
	s.routes = routes
	// Flows that move to another port join its round in the order of flow numbers, because slots
	// depend on the number of workers.
	var slots []int32
	for slot := range s.senders.n {
		if s.senders.at(slot).used {
			slots = append(slots, slot)
		}
	}
	slices.SortFunc(slots, func(a, b int32) int {
		return cmp.Compare(s.senders.at(a).Flow.Number, s.senders.at(b).Flow.Number)
	})
	for _, slot := range slots {
		x := s.senders.at(slot)
		if s.findPaths(&x.Flow); len(s.forth) > 0 && len(s.back) > 0 {
			s.net.SetFlow(slot, s.net.FlowKey(slot), s.forth, s.back)
			r := s.receivers.at(slot)
			was := r.Port
			if r.Port = s.back[0]; s.driven != nil && r.Port != was {
				s.driven.Move(s.stacks[0], r, slot)
			}
			s.stacks[0].rehome(x, s.forth[0])
			if s.permutes != nil {
				s.beginOrders(x, r)
			}
		}
	}
}

// rehome moves a flow to another port of its host.
func (t *Stack) rehome(s *Sender, port netsim.PortID) {
	if port == s.Port {
		return
	}
	if !s.ended {
		t.leave(s)
	}
	s.Port = port
	if !s.ended {
		t.join(s)
		t.e.Kick(port)
	}
}

// Reroute implements netsim.Stack. It chooses the next port on the current routes with the hash of
// the flow's path, or with the balancer.
func (t *Stack) Reroute(at netsim.NodeID, p *netsim.Packet) (out netsim.PortID, ok bool) {
	if t.cfg.Balancer == nil {
		f := &t.senders.at(p.Flow).Flow
		key, dst := f.Key(), f.Dst
		if p.Kind != netsim.Data {
			key, dst = key.Reverse(), f.Src
		}
		return t.routes.Pick(at, dst, key)
	}
	way, dst := t.net.FlowWay(p) // in one cache line; the flow is in another
	if t.permutes != nil {
		if out, ok := t.along(at, p, dst); ok {
			return out, true
		}
	}
	next := t.routes.NextHops(at, dst)
	i := 0
	switch {
	case len(next) == 0:
		return netsim.NoPort, false
	case len(next) > 1:
		packet := uint64(p.ID)
		if t.entropic != nil {
			packet = uint64(p.Path)
		}
		i = t.cfg.Balancer.Choose(at, t.e.Now(), next, way, packet)
	}
	return next[i], true
}

func (t *Stack) Deliver(_ netsim.NodeID, id netsim.PacketID) {
	p := t.e.Packet(id)
	switch {
	case p.Kind == netsim.Data && t.driven != nil:
		t.driven.TakeData(t, id, p)
	case p.Kind == netsim.Data:
		t.takeData(t.receivers.at(p.Flow), id, p)
	case t.driven != nil:
		t.takeAnswer(t.senders.at(p.Flow), id, p)
	default:
		t.takeAck(t.senders.at(p.Flow), id, p)
	}
}

// takeAnswer handles an answer of a receiver, unless its flow has ended. Then the port sends what
// it can.
func (t *Stack) takeAnswer(s *Sender, id netsim.PacketID, p *netsim.Packet) {
	if s.ended {
		t.e.Free(id)
		return
	}
	t.driven.TakeAnswer(t, s, id, p)
	t.e.Free(id)
	t.Refresh(s)
	t.e.Kick(s.Port)
}

func (t *Stack) Fetch(p *netsim.Packet) {
	if p.Kind == netsim.Data {
		prefetch.Write(unsafe.Pointer(t.receivers.at(p.Flow)))
		return
	}
	prefetch.WriteLines(unsafe.Pointer(t.senders.at(p.Flow)), 2)
}

func (t *Stack) FetchMore(id netsim.PacketID) {
	p := t.e.Packet(id)
	if p.Kind == netsim.Data {
		if t.driven != nil && t.tells {
			prefetch.Write(unsafe.Pointer(&t.e.Options(id)[0]))
		}
		return
	}
	s := t.senders.at(p.Flow)
	if entries := t.rounds[s.Port].Entries; int(s.entry) < len(entries) {
		prefetch.Write(unsafe.Pointer(&entries[s.entry]))
	}
	t.e.FetchTimer(t.timers * p.Flow)
	prefetch.WriteLines(unsafe.Pointer(s.course), 2)
	if hops := t.e.Telemetry(id); len(hops) > 0 { // two or three cache lines
		prefetch.Read(unsafe.Pointer(&hops[0]))
		prefetch.Read(unsafe.Pointer(&hops[len(hops)/2]))
		prefetch.Read(unsafe.Pointer(&hops[len(hops)-1]))
	}
}

// Timer implements netsim.Stack. The first timer of a flow belongs to the sender, the second to the
// receiver if it has one, and the others to its controller.
func (t *Stack) Timer(id int32) {
	slot := id / t.timers
	switch i := id - slot*t.timers; {
	case i == 0:
		t.senderTimer(slot)
	case i < t.alarms && t.driven != nil:
		t.driven.Timer(t, slot)
	case i < t.alarms:
		t.receiverTimer(slot)
	default:
		t.alarm(slot, int(i-t.alarms))
	}
}

// End closes a flow. Its slot is free when its last packet has left the network.
func (t *Stack) End(s *Sender, o Outcome) {
	s.ended = true
	t.active--
	t.leave(s)
	t.e.CancelTimer(t.timers * s.Slot)
	for i := t.alarms; i < t.timers; i++ {
		t.e.CancelTimer(t.timers*s.Slot + i)
	}
	s.timerAt = unit.Never
	t.retired = append(t.retired, s.Slot)
	t.report(s.record(o, t.e.Now()))
	if t.waits && s.course != &t.single {
		t.idle = append(t.idle, s.course)
		s.course = &t.single
	}
	if t.cfg.Follower != nil && o == Finished {
		t.cfg.Follower.Sent(t, s.Flow.Number)
	}
}

// report passes a record to done: at once if all events run in the order of time, otherwise after
// the window.
func (t *Stack) report(r Record) {
	if !t.e.Divided() {
		t.record = r // a local variable would escape to the heap
		t.done(&t.record)
		return
	}
	*t.ended.at(t.ended.add()) = ended{t.e.Now(), r}
}

// record returns the record of a flow that ends at the given time.
func (s *Sender) record(o Outcome, now unit.Time) Record {
	r := Record{
		Flow: s.Flow, Outcome: o, FCT: unit.Never, Ended: unit.Never, Ideal: s.ideal, Acked: unit.Bytes(s.Una),
		Packets: s.sent, Retx: s.retx, Timeouts: s.Timeouts, Hops: s.hops,
	}
	switch o {
	case Finished:
		r.FCT, r.Ended = now-s.Flow.Start, now
	case Failed:
		r.Ended = now
	}
	return r
}

// Close calls done with the given outcome for every flow that has started and not ended, in the
// order of flow numbers.
func (s *shared) Close(o Outcome) {
	s.Settle()
	for _, x := range s.underway() {
		r := s.look(&x, o)
		if x.slot >= 0 {
			s.senders.at(x.slot).ended = true
		}
		s.done(&r)
	}
}

// Underway calls f with the current record of every flow that has started and not ended, in the
// order of flow numbers. No engine may run.
func (s *shared) Underway(f func(*Record)) {
	for _, x := range s.underway() {
		r := s.look(&x, Unfinished)
		f(&r)
	}
}

// look returns the record of an active flow.
func (s *shared) look(x *openFlow, o Outcome) Record {
	if x.slot >= 0 {
		return s.senders.at(x.slot).record(o, 0)
	}
	f := x.waiting.flow(x.src)
	s.findPaths(&f)
	return Record{Flow: f, Outcome: o, FCT: unit.Never, Ended: unit.Never, Ideal: s.ideal(f.Size, f.Src, f.Dst), Hops: uint8(len(s.forth) - 1)}
}

// Oldest returns the active flow that started first, and the number of its acknowledged bytes.
func (s *shared) Oldest() (f Flow, acked unit.Bytes, ok bool) {
	open := s.underway()
	if len(open) == 0 {
		return Flow{}, 0, false
	}
	x := open[0]
	if x.slot < 0 {
		return x.waiting.flow(x.src), 0, true
	}
	first := s.senders.at(x.slot)
	return first.Flow, unit.Bytes(first.Una), true
}

// FlowState is the state of an active flow.
type FlowState struct {
	Flow
	Acked  unit.Bytes
	Flight unit.Bytes // sent and unacknowledged
	Window unit.Bytes
	Rate   unit.Rate // pacing
	Load   float64   // the controller's estimate of the path's utilisation; NaN if there is none
}

// Inspect calls f for each active flow. No engine may run.
func (s *shared) Inspect(f func(FlowState)) {
	for _, o := range s.underway() {
		var st FlowState
		var ctrl Controller
		if o.slot >= 0 {
			x := s.senders.at(o.slot)
			ctrl = x.ctrl
			st = FlowState{
				Flow: x.Flow, Acked: unit.Bytes(x.Una), Flight: unit.Bytes(x.Nxt - x.Una),
				Window: unit.Bytes(x.Window), Rate: x.rate,
			}
		} else {
			st.Flow = o.waiting.flow(o.src)
		}
		if ctrl == nil { // use what a new controller returns
			s.findPaths(&st.Flow)
			c := s.unused()
			if c.ctrl == nil || len(s.cfg.ByHost) > 0 {
				c.ctrl = s.controller(s.forth)
			}
			ctrl = c.ctrl
			ctrl.Start(st.Start, s.info(&s.ways[0], &st.Flow, FlowKey(s.seed, st.Number), s.forth, s.back))
			st.Window, st.Rate = max(1, ctrl.Window()), ctrl.Rate()
		}
		st.Load = math.NaN()
		if c, ok := ctrl.(Loaded); ok {
			st.Load = c.Load()
		}
		f(st)
	}
}

// openFlow is a flow that has started and not ended.
type openFlow struct {
	number  int32
	slot    int32 // -1: it is a waiting flow
	src     netsim.NodeID
	waiting *waitingFlow
}

// underway returns the flows that have started and not ended, in the order of their numbers.
func (s *shared) underway() []openFlow {
	var list []openFlow
	for slot := range s.senders.n {
		if x := s.senders.at(slot); x.used && !x.ended {
			list = append(list, openFlow{number: x.Flow.Number, slot: slot})
		}
	}
	for p := range s.rounds {
		n := &s.rounds[p]
		src, _ := s.net.PortEnds(n.Port)
		n.waiting.each(func(w *waitingFlow) {
			list = append(list, openFlow{w.number, -1, src, w})
		})
	}
	slices.SortFunc(list, func(a, b openFlow) int { return cmp.Compare(a.number, b.number) })
	return list
}
