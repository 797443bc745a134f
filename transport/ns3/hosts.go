package ns3

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// HostConfig holds the parameters of Hosts.
type HostConfig struct {
	Segment      unit.Bytes // largest payload of a packet
	Header       unit.Bytes // size of a data packet on the wire, with telemetry
	Ack          unit.Bytes // size of an ACK or NACK
	NackInterval unit.Time  // shortest time between NACKs for the same gap
	// Pace returns how long a packet takes at a rate.
	Pace func(unit.Rate, unit.Bytes) unit.Time
	// Repace makes a new rate change the time at which the next packet is due, as if the last
	// packet had been sent at the new rate. If Repace is false, the new rate applies from the next
	// packet on.
	Repace bool
	// AtLine paces at the rate of the port instead of the rate of the flow.
	AtLine bool
	// Ideal returns the completion time of a flow that is alone in the network. baseRTT is the base
	// RTT of the flow's path, and rate is the rate of the slowest link on this path.
	Ideal func(size unit.Bytes, baseRTT unit.Time, rate unit.Rate) unit.Time
	// Reroutes reports that SetRoutes will be called, so that flows must be stored.
	Reroutes bool
	// Trace is transport.Config.Trace.
	Trace func(now unit.Time, s *transport.Step)
}

// Hosts is the transport of the published simulator's hosts: go-back-N without retransmission
// timers, a NACK for out-of-order data, and the round robin described at Rounds. It implements
// netsim.Stack and runs on one engine. It differs from package transport after a loss or a route
// change:
//
//   - Any NACK, even an old one, makes the sender go back. The congestion control treats it as an
//     ACK.
//   - If ACKs of an earlier copy move past the next byte to send, the number of bytes in flight
//     wraps around. A flow with a window then waits for a NACK, possibly for ever. A flow without a
//     window sends acknowledged data again, even if it has finished.
//   - When routes change, every host clears its round and fills it with all flows that the host
//     ever had, in the order of its hash table (table).
//   - A flow ends again with every ACK that comes after its end (Record.Again).
//   - A paused host sends no data but still schedules its wake-up.
type Hosts struct {
	e       *netsim.Engine
	net     *netsim.Network
	cfg     HostConfig
	seed    uint64
	routes  *route.Table
	first   *route.Table // routes before any link broke
	factory transport.Factory
	source  transport.Source
	done    func(*transport.Record)

	pairs  []*pair // by slot
	free   []int32 // unused slots
	old    []int32 // slots of finished flows that may still have packets in the network
	rounds []round // by port
	tables []table // by host, if Reroutes

	upcoming transport.Flow
	more     bool
	active   int
	acked    int64
	ack      transport.Ack
	tracer   transport.Tracer
	outbound []route.Port
	inbound  []route.Port
}

var _ netsim.Stack = (*Hosts)(nil)

// round holds the flows of a host's port.
type round struct {
	slots []int32
	last  int
}

// pair is the state of both ends of a flow. The published simulator calls it a queue pair.
type pair struct {
	size     int64
	una, nxt int64
	top      int64 // first byte never sent
	window   int64
	rate     unit.Rate
	line     unit.Rate
	avail    unit.Time
	wire     unit.Bytes // size of the last packet
	ctrl     transport.Controller
	port     netsim.PortID
	slot     int32
	listed   bool // in the round of its host
	reported bool
	used     bool

	flow transport.Flow
	key  uint64
	base unit.Time
	sent uint32
	retx uint32
	hops uint8

	// State of the receiver.
	expected int64
	reply    netsim.PortID
	nackAt   unit.Time // earliest time of the next NACK
	nacked   int64

	alarms alarms
}

// timers is the number of timers of a pair of sender and receiver.
const timers = 3

// alarms are the timers of a pair's controller.
type alarms struct {
	h    *Hosts
	slot int32
	key  uint64
}

func (a *alarms) Set(i int, at unit.Time) {
	if a.h.pairs[a.slot].reported {
		return
	}
	id := timers*a.slot + int32(i)
	a.h.e.CancelTimer(id)
	a.h.e.SetTimer(0, id, at, a.key+uint64(i))
}

func (a *alarms) Cancel(i int) { a.h.e.CancelTimer(timers*a.slot + int32(i)) }

// NewHosts makes the transport of an engine and attaches it, as transport.New does.
func NewHosts(
	e *netsim.Engine, routes *route.Table, cfg HostConfig, seed uint64, factory transport.Factory,
	source transport.Source, done func(*transport.Record),
) (*Hosts, error) {
	if !e.Ordered() {
		return nil, errors.New("ns3: the hosts of the published simulator need events in the order of scheduling")
	}
	n := e.Network()
	h := &Hosts{
		e: e, net: n, cfg: cfg, seed: seed, routes: routes, first: routes, factory: factory, source: source, done: done,
		tracer: transport.Tracer{Call: cfg.Trace},
		rounds: make([]round, n.Ports()),
	}
	if cfg.Reroutes {
		h.tables = make([]table, len(n.Graph().Nodes))
	}
	e.Attach(&starts{Stack: h, e: e})
	if h.more = source.Next(&h.upcoming); h.more {
		e.StartAt(h.upcoming.Start, e.Order(0, 0))
	}
	return h, nil
}

// Start implements netsim.Stack. It starts the flows whose time has come.
func (h *Hosts) Start() {
	for n := 1; h.more && h.upcoming.Start <= h.e.Now(); n++ {
		if s, ok := h.source.(transport.Stopper); ok && n%transport.StopEvery == 0 && s.Stopped() {
			h.e.StartAt(h.e.Now(), 0)
			h.e.Halt()
			return
		}
		h.begin(&h.upcoming)
		h.more = h.source.Next(&h.upcoming)
	}
	if h.more {
		h.e.StartAt(h.upcoming.Start, h.e.Order(0, 0))
	}
}

// paths fills outbound and inbound with the paths of a flow.
func (h *Hosts) paths(routes *route.Table, f *transport.Flow) bool {
	h.outbound = routes.Path(h.outbound[:0], f.Src, f.Dst, f.FiveTuple())
	h.inbound = routes.Path(h.inbound[:0], f.Dst, f.Src, f.FiveTuple().Reverse())
	return len(h.outbound) > 0 && len(h.inbound) > 0
}

func (h *Hosts) begin(f *transport.Flow) {
	if !h.paths(h.first, f) {
		h.done(&transport.Record{Flow: *f, Outcome: transport.Unreachable, FCT: unit.Never, Ended: unit.Never,
			Ideal: unit.Never})
		return
	}
	p := h.pair()
	base, slowest := PairOf(h.net, h.first, h.cfg.Segment, f.Src, f.Dst)
	if h.cfg.Reroutes && !h.paths(h.routes, f) {
		h.paths(h.first, f) // the routes through the broken link
	}
	key := transport.FlowKey(h.seed, f.Number)
	h.net.SetFlow(p.slot, key, h.outbound, h.inbound)
	h.net.SetFiveTuple(p.slot, f.FiveTuple())
	line := h.net.PortRate(h.outbound[0])
	*p = pair{
		size: int64(f.Size), rate: line, line: line, avail: h.e.Now(), ctrl: p.ctrl,
		port: h.outbound[0], slot: p.slot, listed: true, used: true, flow: *f, key: key, base: base,
		hops: uint8(len(h.outbound) - 1), reply: h.inbound[0], alarms: alarms{h, p.slot, key},
	}
	h.active++
	p.ctrl.Start(h.e.Now(), transport.FlowInfo{
		Number: f.Number, Key: key, Size: f.Size, Segment: h.cfg.Segment, Packet: h.cfg.Segment + h.cfg.Header,
		LineRate: line, PathRate: slowest, BaseRTT: base, Hops: int(p.hops), Alarms: &p.alarms,
	})
	p.window, p.rate = int64(p.ctrl.Window()), p.ctrl.Rate()
	r := &h.rounds[p.port]
	r.slots = append(r.slots, p.slot)
	if h.cfg.Reroutes {
		h.tables[f.Src].add(uint64(route.HostIP(f.Dst))<<32|uint64(f.SrcPort)<<16|uint64(f.Class), p.slot)
	}
	h.e.Kick(p.port)
}

// pair returns a pair for a new flow. It reuses the pair of a finished flow if no packets of that flow are left in the
// network.
func (h *Hosts) pair() *pair {
	if len(h.free) == 0 && !h.cfg.Reroutes {
		h.old = slices.DeleteFunc(h.old, func(slot int32) bool {
			if h.pairs[slot].listed || h.e.Live(slot) > 0 {
				return false
			}
			h.free = append(h.free, slot)
			return true
		})
	}
	if n := len(h.free); n > 0 {
		p := h.pairs[h.free[n-1]]
		h.free = h.free[:n-1]
		return p
	}
	p := &pair{slot: int32(len(h.pairs)), ctrl: h.factory()}
	h.pairs = append(h.pairs, p)
	h.e.GrowFlows(p.slot+1, timers)
	return p
}

// bound reports whether the window, if there is one, prevents a flow from sending. The number of
// bytes in flight wraps around.
func (p *pair) bound() bool {
	return p.window < int64(transport.NoWindow) && uint64(p.nxt-p.una) >= uint64(p.window)
}

// Due implements netsim.Stack. The port asks for a packet at the end of every transmission.
func (h *Hosts) Due(pi netsim.PortID) unit.Time {
	if len(h.rounds[pi].slots) == 0 {
		return unit.Never
	}
	return 0
}

// Next implements netsim.Stack. See Rounds.Next.
func (h *Hosts) Next(pi netsim.PortID) netsim.PacketID {
	r := &h.rounds[pi]
	n := len(r.slots)
	if n == 0 {
		return netsim.NoPacket
	}
	now := h.e.Now()
	found, finished := -1, -1
	i := r.last % n
	for range n {
		if i++; i == n {
			i = 0
		}
		p := h.pairs[r.slots[i]]
		if p.size > p.nxt && !p.bound() && !h.e.Paused(pi, p.flow.Class) {
			if p.avail > now {
				continue
			}
			found = i
			break
		}
		if p.una >= p.size && (finished < 0 || i < finished) {
			finished = i
		}
	}
	if finished >= 0 {
		found = h.sweep(r, finished, found)
	}
	if found >= 0 && found < len(r.slots) {
		r.last = found
		return h.emit(h.pairs[r.slots[found]])
	}
	due := unit.Never
	for _, slot := range r.slots {
		if p := h.pairs[slot]; p.size > p.nxt {
			due = min(due, p.avail)
		}
	}
	if due != unit.Never && due > now {
		if _, ok := h.e.Wake(pi); !ok {
			h.e.WakeAt(pi, due)
		}
	}
	return netsim.NoPacket
}

// sweep removes the finished flows, beginning at index at. It returns the new index of the flow that was at index keep.
func (h *Hosts) sweep(r *round, at, keep int) int {
	to, kept := at, keep
	for i := at; i < len(r.slots); i++ {
		p := h.pairs[r.slots[i]]
		if p.una >= p.size {
			p.listed = false
			continue
		}
		if i == keep {
			kept = to
		}
		r.slots[to] = r.slots[i]
		to++
	}
	r.slots = r.slots[:to]
	return kept
}

// emit makes the next packet of a flow.
func (h *Hosts) emit(p *pair) netsim.PacketID {
	id := h.e.Make(p.slot)
	k := h.e.Packet(id)
	now := h.e.Now()
	n := min(int64(h.cfg.Segment), p.size-p.nxt)
	k.Kind, k.Class = netsim.Data, p.flow.Class
	k.Seq, k.ID, k.Payload = p.nxt, p.sent, uint16(n)
	k.Size = uint16(unit.Bytes(n) + h.cfg.Header)
	k.Sent = uint32(now / unit.Nanosecond)
	if p.nxt < p.top {
		k.Flags |= netsim.FlagRetx
		p.retx++
	}
	p.sent++
	p.nxt += n
	p.top = max(p.top, p.nxt)
	p.wire = unit.Bytes(k.Size)
	rate := p.rate
	if h.cfg.AtLine {
		rate = p.line
	}
	p.avail = now + h.cfg.Pace(rate, p.wire)
	return id
}

func (h *Hosts) Deliver(_ netsim.NodeID, id netsim.PacketID) {
	k := h.e.Packet(id)
	p := h.pairs[k.Flow]
	if k.Kind == netsim.Data {
		h.takeData(p, id, k)
	} else {
		h.takeAck(p, id, k)
	}
}

func (h *Hosts) takeData(p *pair, id netsim.PacketID, k *netsim.Packet) {
	kind := netsim.Ack
	switch now := h.e.Now(); {
	case k.Seq == p.expected:
		p.expected += int64(k.Payload)
	case k.Seq > p.expected && (now >= p.nackAt || p.expected != p.nacked):
		p.nackAt, p.nacked = now+h.cfg.NackInterval, p.expected
		kind = netsim.Nack
	default:
		h.e.Free(id)
		return
	}
	h.e.Reflect(id)
	k.Kind, k.Seq, k.Payload, k.Size = kind, p.expected, 0, uint16(h.cfg.Ack)
	marked := k.Flags&netsim.FlagCE != 0
	if k.Flags = 0; marked {
		k.Flags = netsim.FlagEcho
	}
	h.e.Reply(p.reply, id)
	h.e.Kick(p.reply)
}

// takeAck handles an ACK or NACK.
func (h *Hosts) takeAck(p *pair, id netsim.PacketID, k *netsim.Packet) {
	now := h.e.Now()
	a := &h.ack
	*a = transport.Ack{
		Seq: k.Seq, Nack: k.Kind == netsim.Nack, Marked: k.Flags&netsim.FlagEcho != 0,
		HasRTT: true, RTT: unit.Time(uint32(now/unit.Nanosecond)-k.Sent) * unit.Nanosecond,
		Hops: h.e.Telemetry(id), Digest: k.Digest, ID: k.ID, FlowKey: p.key,
	}
	if k.Seq > p.una {
		a.Acked = unit.Bytes(k.Seq - p.una)
		h.acked += int64(a.Acked)
		p.una = k.Seq
	}
	finished := p.una >= p.size
	if a.Nack {
		p.nxt = p.una
	}
	a.Next, a.Flight = p.nxt, unit.Bytes(p.nxt-p.una)
	set := p.ctrl.OnAck(now, a)
	if h.cfg.Trace != nil {
		h.tracer.Ack(now, p.ctrl, &p.flow, a, set)
	}
	if set {
		h.read(p)
	}
	if finished {
		h.end(p, now)
	}
	h.e.Free(id)
	h.e.Kick(p.port)
}

// read reads window and rate from a flow's controller.
func (h *Hosts) read(p *pair) {
	rate := p.ctrl.Rate()
	if h.cfg.Repace {
		p.avail += h.cfg.Pace(rate, p.wire) - h.cfg.Pace(p.rate, p.wire)
		if at, ok := h.e.Wake(p.port); ok && p.avail < at {
			h.e.WakeAt(p.port, max(p.avail, h.e.Now()))
		}
	}
	p.rate, p.window = rate, int64(p.ctrl.Window())
}

// end reports a flow that has finished. It reports the flow again for each later ACK.
func (h *Hosts) end(p *pair, now unit.Time) {
	r := p.record(transport.Finished)
	if r.Again = p.reported; !r.Again {
		p.reported = true
		h.active--
		for i := range timers {
			p.alarms.Cancel(i)
		}
		h.old = append(h.old, p.slot)
	}
	r.FCT, r.Ended = now-p.flow.Start, now
	r.Ideal = h.ideal(p)
	h.done(&r)
}

// ideal returns the completion time of a flow alone, at the rate of its current path.
func (h *Hosts) ideal(p *pair) unit.Time {
	if !h.cfg.Reroutes || !h.paths(h.routes, &p.flow) {
		h.paths(h.first, &p.flow)
	}
	return h.cfg.Ideal(p.flow.Size, p.base, transport.PathRate(h.net, h.outbound))
}

func (p *pair) record(o transport.Outcome) transport.Record {
	return transport.Record{
		Flow: p.flow, Outcome: o, FCT: unit.Never, Ended: unit.Never, Acked: unit.Bytes(min(p.una, p.size)),
		Packets: p.sent, Retx: p.retx, Hops: p.hops,
	}
}

// Timer implements netsim.Stack. It runs an alarm of a controller. The alarm does not make the host
// send.
func (h *Hosts) Timer(id int32) {
	p := h.pairs[id/timers]
	c, ok := p.ctrl.(transport.Timed)
	if !ok {
		return
	}
	now, alarm := h.e.Now(), int(id%timers)
	set := c.OnAlarm(now, alarm)
	if h.cfg.Trace != nil {
		h.tracer.Alarm(now, c, &p.flow, alarm, set)
	}
	if set {
		h.read(p)
	}
}

func (h *Hosts) Reroute(at netsim.NodeID, k *netsim.Packet) (out netsim.PortID, ok bool) {
	f := &h.pairs[k.Flow].flow
	tuple, dst := f.FiveTuple(), f.Dst
	if k.Kind != netsim.Data {
		tuple, dst = tuple.Reverse(), f.Src
	}
	return h.routes.Pick(at, dst, tuple)
}

// SetRoutes installs new routes. Every host fills its round again and tries to send after each
// added flow.
func (h *Hosts) SetRoutes(routes *route.Table) {
	h.routes = routes
	for _, p := range h.pairs {
		if p.used && h.paths(routes, &p.flow) {
			h.net.SetFlow(p.slot, p.key, h.outbound, h.inbound)
		}
	}
	for _, host := range h.net.Graph().Hosts() {
		port := h.net.Home(host)
		if port < 0 {
			continue
		}
		r := &h.rounds[port]
		r.slots = r.slots[:0]
		for _, slot := range h.tables[host].order() {
			r.slots = append(r.slots, slot)
			h.e.Kick(port)
		}
	}
}

// Active returns the number of flows that have started and not ended.
func (h *Hosts) Active() int { return h.active }

// Acked returns the number of acknowledged bytes of all flows together.
func (h *Hosts) Acked() int64 { return h.acked }

// underway returns the flows that have started and not ended, in the order of their numbers.
func (h *Hosts) underway() []*pair {
	var list []*pair
	for _, p := range h.pairs {
		if p.used && !p.reported {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b *pair) int { return cmp.Compare(a.flow.Number, b.flow.Number) })
	return list
}

// Oldest returns the active flow that started first, and the number of its acknowledged bytes.
func (h *Hosts) Oldest() (f transport.Flow, acked unit.Bytes, ok bool) {
	open := h.underway()
	if len(open) == 0 {
		return f, 0, false
	}
	return open[0].flow, unit.Bytes(open[0].una), true
}

// Inspect calls f for each active flow.
func (h *Hosts) Inspect(f func(transport.FlowState)) {
	for _, p := range h.underway() {
		st := transport.FlowState{
			Flow: p.flow, Delivered: unit.Bytes(min(p.expected, p.size)), Acked: unit.Bytes(p.una),
			Flight: unit.Bytes(max(0, p.nxt-p.una)), Window: unit.Bytes(p.window), Rate: p.rate, Load: math.NaN(),
		}
		if c, ok := p.ctrl.(transport.Loaded); ok {
			st.Load = c.Load()
		}
		f(st)
	}
}

// Underway calls f with the current record of every flow that has started and not ended, in the
// order of flow numbers.
func (h *Hosts) Underway(f func(*transport.Record)) {
	for _, p := range h.underway() {
		r := p.record(transport.Unfinished)
		f(&r)
	}
}

// Settle does nothing: flows are reported when they end.
func (h *Hosts) Settle() {}

// Close calls done with the given outcome for every flow that has started and not
// ended, in the order of flow numbers.
func (h *Hosts) Close(o transport.Outcome) {
	for _, p := range h.underway() {
		p.reported = true
		r := p.record(o)
		r.Ideal = h.ideal(p)
		h.done(&r)
	}
	h.active = 0
}
