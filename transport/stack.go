package transport

import (
	"cmp"
	"slices"

	"pintlab/internal/hash"
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/unit"
)

// Stack is the transport of all hosts. It implements netsim.Stack.
type Stack struct {
	cfg     Config
	seed    uint64
	e       *netsim.Engine
	net     *netsim.Network
	routes  *route.Table
	factory Factory
	source  Source
	done    func(*Record)

	senders   []sender   // by slot
	receivers []receiver // by slot
	retired   []retired  // slots of finished flows, oldest first
	firstUsed int        // in retired
	nics      []nic      // by port; used at hosts

	upcoming  Flow // the next to start
	more      bool // upcoming holds one
	stage     int  // of starting flows in the order of the published simulator
	nextOrder uint64
	active    int
	acked     int64

	ack   Ack
	forth []route.Port
	back  []route.Port
	stale int64
}

type retired struct {
	slot int32
	at   unit.Time
}

// New makes the transport of an engine and attaches it. Flows come from source;
// done is called with the record of each when it ends, and must not keep it.
func New(e *netsim.Engine, routes *route.Table, cfg Config, seed uint64, factory Factory, source Source, done func(*Record)) (*Stack, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	t := &Stack{
		cfg: cfg, seed: seed, e: e, net: e.Network(), routes: routes,
		factory: factory, source: source, done: done,
		nics: make([]nic, e.Network().Ports()),
	}
	if t.cfg.Pace == nil {
		t.cfg.Pace = func(r unit.Rate, n unit.Bytes) unit.Time {
			return unit.Time(float64(n*8) * float64(unit.Second) / float64(r))
		}
	}
	for i := range t.nics {
		t.nics[i].last = -1
		if t.cfg.LazyRounds {
			t.nics[i].last = 0
		}
	}
	e.Attach(t)
	t.fetch()
	if t.more {
		e.StartAt(t.upcoming.Start, t.startOrder())
	}
	return t, nil
}

// Active is the number of flows that have started and not ended.
func (t *Stack) Active() int { return t.active }

// Stale is the number of packets that arrived after their flow had ended and its
// place had been given to another.
func (t *Stack) Stale() int64 { return t.stale }

// startOrder is the tie of a start. With seeded ties starts go before everything
// else of their time.
func (t *Stack) startOrder() uint64 {
	if t.e.Ordered() {
		return t.e.Order(0, 0)
	}
	return 0
}

// fetch reads the next flow from the source.
func (t *Stack) fetch() {
	t.more = t.source.Next(&t.upcoming)
	if t.more && t.cfg.FloorStart != nil {
		t.upcoming.Start = t.cfg.FloorStart(t.upcoming.Start)
	}
}

// Start is part of netsim.Stack. With ties in scheduling order a flow begins two
// events after its start time has come, as in the published simulator, where the
// start schedules an application and the application schedules the flow, both
// without delay.
func (t *Stack) Start() {
	now := t.e.Now()
	if t.e.Ordered() {
		switch t.stage {
		case 0:
			t.stage = 1
			order := t.e.Order(0, 0)
			t.nextOrder = t.e.Order(0, 0) // of the next start time
			t.e.StartAt(now, order)
			return
		case 1:
			t.stage = 2
			t.e.StartAt(now, t.e.Order(0, 0))
			return
		}
		t.stage = 0
	}
	for t.more && t.upcoming.Start <= now {
		t.open()
		t.fetch()
	}
	if t.more {
		t.e.StartAt(t.upcoming.Start, t.nextOrder)
	}
}

// open starts the upcoming flow.
func (t *Stack) open() {
	f := t.upcoming
	slot := t.slot()
	s, r := &t.senders[slot], &t.receivers[slot]
	key := f.key()
	t.forth = t.routes.Path(t.forth[:0], f.Src, f.Dst, key)
	t.back = t.routes.Path(t.back[:0], f.Dst, f.Src, key.Reverse())
	if len(t.forth) == 0 || len(t.back) == 0 {
		t.done(&Record{Flow: f, Outcome: Unreachable, FCT: unit.Never, Ideal: unit.Never})
		t.retired = append(t.retired, retired{slot, t.e.Now()})
		return
	}
	flowKey := hash.Combine(hash.Combine(hash.String("flow"), t.seed), uint64(f.Number))
	t.net.SetFlow(slot, flowKey, t.forth, t.back)

	*r = receiver{gen: r.gen + 1, port: t.back[0], gaps: r.gaps[:0]}
	*s = sender{
		flow: f, gen: r.gen, key: flowKey, port: t.forth[0], ctrl: s.ctrl,
		line: t.net.PortRate(t.forth[0]), hops: uint8(len(t.forth) - 1),
		deadline: unit.Never, timerAt: unit.Never, started: t.e.Now(), recover: -2,
	}
	s.rtt.rto = t.cfg.RTOInitial
	if t.cfg.IdealFCT != nil {
		s.ideal = t.cfg.IdealFCT(f.Size, t.forth, t.back)
	} else {
		s.ideal = Ideal(t.net, &t.cfg, f.Size, t.forth, t.back)
	}
	if s.ctrl == nil {
		s.ctrl = t.factory()
	}
	s.ctrl.Start(t.e.Now(), t.info(s))
	t.join(s, slot)
	t.active++
	t.readController(s)
	t.e.Kick(s.port)
}

// info is what the controller of a flow is told at its start.
func (t *Stack) info(s *sender) FlowInfo {
	c := &t.cfg
	f := FlowInfo{
		Number: s.flow.Number, Key: s.key, Size: s.flow.Size,
		Segment: c.Segment, Packet: c.PacketSize(c.Segment),
		LineRate: s.line, PathRate: s.line,
	}
	for _, p := range t.forth {
		f.PathRate = min(f.PathRate, t.net.PortRate(p))
	}
	f.BaseRTT = BaseRTT(t.net, c.Segment, t.forth, t.back)
	return f
}

// slot is a free place for a flow: the longest retired, if that is long enough
// ago, or a new one.
func (t *Stack) slot() int32 {
	if t.firstUsed < len(t.retired) && t.retired[t.firstUsed].at+t.cfg.Settle <= t.e.Now() {
		slot := t.retired[t.firstUsed].slot
		t.firstUsed++
		if t.firstUsed > len(t.retired)/2 && t.firstUsed > 1024 {
			t.retired = t.retired[:copy(t.retired, t.retired[t.firstUsed:])]
			t.firstUsed = 0
		}
		return slot
	}
	slot := int32(len(t.senders))
	t.senders = append(t.senders, sender{})
	t.receivers = append(t.receivers, receiver{})
	t.e.GrowTimers(2 * (slot + 1))
	return slot
}

// SetRoutes makes new routes count: every active flow takes its path by them. A
// flow that has none any more keeps its path and runs into its timeouts.
func (t *Stack) SetRoutes(routes *route.Table) {
	t.routes = routes
	for slot := range t.senders {
		s := &t.senders[slot]
		if s.gen == 0 || s.ended {
			continue
		}
		key := s.flow.key()
		t.forth = routes.Path(t.forth[:0], s.flow.Src, s.flow.Dst, key)
		t.back = routes.Path(t.back[:0], s.flow.Dst, s.flow.Src, key.Reverse())
		if len(t.forth) > 0 && len(t.back) > 0 {
			t.net.SetFlow(int32(slot), s.key, t.forth, t.back)
		}
	}
}

// Reroute is part of netsim.Stack: the way on by the present routes, chosen by the
// same hash as the flow's path.
func (t *Stack) Reroute(at netsim.NodeID, p *netsim.Packet) (out netsim.PortID, ok bool) {
	f := &t.senders[p.Flow].flow
	key, dst := f.key(), f.Dst
	if p.Kind != netsim.Data {
		key, dst = key.Reverse(), f.Src
	}
	next := t.routes.NextHops(at, dst)
	if len(next) == 0 {
		return netsim.NoPort, false
	}
	return next[t.routes.Index(at, key, len(next))], true
}

// Deliver is part of netsim.Stack.
func (t *Stack) Deliver(_ netsim.NodeID, id netsim.PacketID) {
	p := t.e.Packet(id)
	if p.Kind == netsim.Data {
		if r := &t.receivers[p.Flow]; r.gen == p.Gen {
			t.takeData(r, id, p)
			return
		}
	} else if s := &t.senders[p.Flow]; s.gen == p.Gen {
		t.takeAck(s, id, p)
		return
	}
	t.stale++
	t.e.Free(id)
}

// Timer is part of netsim.Stack: even timers are senders', odd ones receivers'.
func (t *Stack) Timer(id int32) {
	if id&1 == 0 {
		t.senderTimer(id / 2)
	} else {
		t.receiverTimer(id / 2)
	}
}

// end closes a flow and gives its slot back.
func (t *Stack) end(s *sender, slot int32, o Outcome) {
	s.ended = true
	t.active--
	t.leave(s)
	t.e.CancelTimer(2 * slot)
	t.e.CancelTimer(2*slot + 1)
	t.retired = append(t.retired, retired{slot, t.e.Now()})
	r := t.record(s, o)
	t.done(&r)
}

func (t *Stack) record(s *sender, o Outcome) Record {
	r := Record{
		Flow: s.flow, Outcome: o, FCT: unit.Never, Ideal: s.ideal, Acked: unit.Bytes(s.una),
		Packets: s.sent, Retx: s.retx, Timeouts: s.timeouts, Hops: s.hops,
	}
	if o == Finished {
		r.FCT = t.e.Now() - s.started
	}
	r.Flow.Start = s.started
	return r
}

// Close calls done with the given outcome for every flow that has started and not
// ended, in the order of flow numbers.
func (t *Stack) Close(o Outcome) {
	var open []*sender
	for slot := range t.senders {
		if s := &t.senders[slot]; s.gen > 0 && !s.ended {
			open = append(open, s)
		}
	}
	slices.SortFunc(open, func(a, b *sender) int { return cmp.Compare(a.flow.Number, b.flow.Number) })
	for _, s := range open {
		s.ended = true
		t.active--
		r := t.record(s, o)
		t.done(&r)
	}
}

// Oldest is the active flow that started first, and how much of it has been
// acknowledged.
func (t *Stack) Oldest() (f Flow, acked unit.Bytes, ok bool) {
	for slot := range t.senders {
		s := &t.senders[slot]
		if s.gen > 0 && !s.ended && (!ok || s.flow.Number < f.Number) {
			f, acked, ok = s.flow, unit.Bytes(s.una), true
		}
	}
	return f, acked, ok
}

// Acked is the number of bytes that all flows together have had acknowledged.
func (t *Stack) Acked() int64 { return t.acked }
