package netsim

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"unsafe"

	"pintlab/internal/hash"
	"pintlab/internal/hugepage"
	"pintlab/internal/invariants"
	"pintlab/internal/prefetch"
	"pintlab/netsim/unit"
)

// Stack is the transport of the hosts, as the network sees it.
type Stack interface {
	// Deliver hands over a data, ACK or NACK packet that has reached its host.
	// The stack owns the packet from then on: it frees it or sends it back.
	Deliver(host NodeID, id PacketID)
	// Next is asked for the packet that a free port of a host sends now. If there
	// is none it returns NoPacket, and asks for a wake-up if one will be due.
	Next(p PortID) PacketID
	// Due returns the earliest time at which a host's port may have a data packet to
	// send, as things stand: Never if only a call of Kick can change that.
	Due(p PortID) unit.Time
	// Reroute is asked for the port by which a switch sends a packet on that is not,
	// or no longer, on the path of its flow; ok is false if there is none.
	Reroute(at NodeID, p *Packet) (out PortID, ok bool)
	// Timer is called when a timer set with SetTimer is due.
	Timer(id int32)
	// Start is called when the time set with StartAt has come.
	Start()
}

// A Fetcher is a Stack that prefetches memory. It is told of a packet that Deliver will soon
// hand over. Fetch loads what the packet refers to, FetchMore what that refers to. Neither
// changes a result.
type Fetcher interface {
	Fetch(p *Packet)
	FetchMore(id PacketID)
}

// Counters are what an engine has done so far.
type Counters struct {
	PacketHops int64 // transmissions begun, of data, ACK and control packets, by every port
	Events     int64
	Injected   int64 // packets made by hosts and switches
	Delivered  int64 // packets that reached the host or, for PFC frames, the node they were for
	Dropped    int64 // packets that found no room
	Lost       int64 // packets lost on a link
	Pauses     int64 // PFC pause frames sent

	Trimmed      int64      // data packets whose payload a switch has cut off
	TrimmedBytes unit.Bytes // of payload
	Returned     int64      // of these, sent back to their sources

	Reports     int64 // of monitors, sent
	ReportsLost int64 // of these, that found no room or no path, or met a silent fault

	Tolls [Causes]Toll // what silent faults have ended, part of Dropped and Lost
}

// add adds what another engine has done.
func (c *Counters) add(x *Counters) {
	c.PacketHops += x.PacketHops
	c.Events += x.Events
	c.Injected += x.Injected
	c.Delivered += x.Delivered
	c.Dropped += x.Dropped
	c.Lost += x.Lost
	c.Pauses += x.Pauses
	c.Trimmed += x.Trimmed
	c.TrimmedBytes += x.TrimmedBytes
	c.Returned += x.Returned
	c.Reports += x.Reports
	c.ReportsLost += x.ReportsLost
	for by, t := range x.Tolls {
		c.Tolls[by].Packets += t.Packets
		c.Tolls[by].Bytes += t.Bytes
	}
}

// Engine runs a network: the clock, the packets in flight and what happens to them. If several workers
// run it side by side each has an Engine, for what happens at the places that it takes. In a window each takes one
// place after the other until none is left. Who runs a place changes no result, because the order of the
// events at a place depends only on their times and ties. The Engine of the first worker stands for all:
// what is asked of it between two calls of RunSome is asked of the network.
type Engine struct {
	net     *Network
	s       *schedule
	ports   []port
	pkts    []Packet
	stacks  []PortSample // depth entries for each packet
	depth   int
	free    PacketID
	spare   int // places on the free list
	now     unit.Time
	tie     uint64
	seq     uint64 // scheduling order, for Ties FIFO
	last    int64  // Counters.Events at which the engine stops
	least   int    // it also stops if fewer entries of the slab than this are free; see Pause
	fifo    bool
	stack   Stack
	fetcher Fetcher // stack, if it is one
	arbiter Arbiter // of hosts' ports; nil: what waits goes first
	taps    []Tap
	sinks   []Sink
	hop     Hop

	boxes   []box    // by place and window
	marks   []uint64 // by window, a bit for each place with arrivals in boxes
	words   int      // of marks for a window
	blocks  blocks
	used    int         // blocks put into boxes minus those taken out of any engine's
	distant []distant   // arrivals that boxes have no window for
	runs    [][]arrival // arrivals at the present place, in blocks
	sorted  []arrival   // they in order
	bins    []int32     // where each bin of it begins in sorted
	here    int32       // the present place
	latest  unit.Time   // event so far

	observer Observer
	watchers []Watcher
	arrival  Arrival
	told     told
	reported []PortID // where reports of taps wait, which come after the packet they are about
	cargos   []byte   // Config.Cargo and then Config.Options bytes for each packet
	count    Counters
	live     []int32 // by flow slot: packets that this engine has made minus those it has ended
}

// NewEngine makes the engine of a network, for this many workers; no more are used than there are places. Taps
// and sinks are called in order. Several workers divide the network as if Config.Divide was set. They
// need seeded ties and delays on links between switches.
func NewEngine(n *Network, workers int, taps []Tap, sinks []Sink) (*Engine, error) {
	if workers > 1 && n.cfg.Ties != Seeded {
		return nil, errors.New("netsim: the order of scheduling is not known in advance on several engines: want seeded ties")
	}
	s := newSchedule(n, workers, workers == 1 && (!n.cfg.Divide || n.cfg.Ties == FIFO))
	for i := range n.ports {
		p := &n.ports[i]
		if workers > 1 && len(s.places) == 1 && !p.atHost && !p.toHost && n.lines[p.line].delay <= 0 {
			return nil, fmt.Errorf("netsim: the link between nodes %d and %d has no delay, so that the parts that it joins cannot run side by side", p.node, p.peer)
		}
	}
	workers = min(workers, len(s.places))
	for range workers {
		s.addEngine(taps, sinks)
	}
	if workers > 1 {
		// The event that starts flows makes at most one packet for each link of each host; the rest
		// is for pause frames.
		least := 64
		for i := range n.ports {
			if n.ports[i].atHost {
				least++
			}
		}
		s.least = least
		s.slab.batch = 4096
		s.pool = newPool(workers, s.do)
		s.homes = s.assign(workers)
	}
	return s.engines[0], nil
}

// addEngine adds the engine of a worker.
func (s *schedule) addEngine(taps []Tap, sinks []Sink) {
	n := s.net
	e := &Engine{
		net:   n,
		s:     s,
		ports: n.ports,
		depth: n.cfg.StackDepth,
		free:  NoPacket,
		fifo:  n.cfg.Ties == FIFO,
		taps:  taps,
		sinks: sinks,
		boxes: make([]box, len(s.places)*s.windows),
		words: (len(s.places) + 63) / 64,
	}
	e.marks = make([]uint64, e.words*s.windows)
	e.hop.engine, e.arrival.engine = e, e
	s.engines = append(s.engines, e)
}

// Workers returns the engines of all workers.
func (e *Engine) Workers() []*Engine { return e.s.engines }

// GrowFlows makes the flow slots 0 … n-1 usable, with the given number of timers each.
func (e *Engine) GrowFlows(n, timers int32) {
	was := len(e.s.alarms)
	if want := int(timers * n); was < want {
		e.s.alarms = extended(e.s.alarms, want, int(timers)*e.net.cfg.Crowd)
		for i := was; i < want; i++ {
			e.s.alarms[i].at = unit.Never
		}
	}
	if len(e.live) < int(n) {
		e.live = extended(e.live, int(n), e.net.cfg.Crowd)
	}
}

// Live returns the number of packets of the flow in a slot that this engine has made, minus those
// that it has ended. The sum over all workers is the number that exist.
func (e *Engine) Live(slot int32) int32 { return e.live[slot] }

// Attach sets the transport. It must be called before Run.
func (e *Engine) Attach(s Stack) {
	if _, ok := s.(Windowed); !ok {
		e.s.begins = unit.Never
	}
	e.stack = s
	e.fetcher, _ = s.(Fetcher)
}

// Network returns what the engine runs.
func (e *Engine) Network() *Network { return e.net }

// Now returns the simulated time.
func (e *Engine) Now() unit.Time { return e.now }

// Counters returns what all workers have done so far.
func (e *Engine) Counters() (c Counters) {
	for _, x := range e.s.engines {
		c.add(&x.count)
	}
	return c
}

// InFlight returns the number of packets that exist.
func (e *Engine) InFlight() int64 {
	c := e.Counters()
	return c.Injected - c.Delivered - c.Dropped - c.Lost
}

// Packet returns the packet with the given id. The pointer is good until the next
// packet is made.
func (e *Engine) Packet(id PacketID) *Packet { return &e.pkts[id] }

// Telemetry returns the stack of the packet, oldest hop first. It is good until the
// next packet is made.
func (e *Engine) Telemetry(id PacketID) []PortSample {
	hops := int(e.pkts[id].Hops)
	if hops == 0 || hops == unread {
		return nil
	}
	return e.stacks[int(id)*e.depth:][:hops]
}

// unread is the length of the telemetry stack of a packet that has none, because nobody will read it.
const unread = 255

// Unread says that the transport will not read the telemetry of a packet that it has made. If nobody else does, it is not kept. The
// packet stays as long as with it.
func (e *Engine) Unread(id PacketID) {
	if len(e.sinks)+len(e.watchers) == 0 && e.observer == nil {
		e.pkts[id].Hops = unread
	}
}

// Options returns the packet's room for the transport (Config.Options), which holds what the
// last user of its place has left. It is good until the next packet is made.
func (e *Engine) Options(id PacketID) []byte {
	c := &e.net.cfg
	at := int(id)*e.net.aside + c.Cargo
	end := at + c.Options
	return e.cargos[at:end:end]
}

// Make makes a packet of the flow in a slot. It sets Flow, and sets Digest, Hop, Hops, Flags and
// Path to zero. The other fields keep the values of the packet that used the slab entry before,
// which depend on the number of engines.
func (e *Engine) Make(slot int32) PacketID {
	id := e.place()
	p := &e.pkts[id]
	p.Flow, p.Digest, p.Hop, p.Hops, p.Flags, p.Path = slot, 0, 0, 0, 0, 0
	e.live[slot]++
	e.count.Injected++
	return id
}

// place takes an entry from the free list, or grows the slab.
func (e *Engine) place() PacketID {
	if e.free == NoPacket && e.s.pool != nil {
		e.s.stock(e)
	}
	id := e.free
	if id == NoPacket {
		id = PacketID(len(e.pkts))
		e.pkts = extended(e.pkts, int(id)+1, e.net.cfg.Crowd)
		if need := cap(e.pkts) * e.net.aside; len(e.cargos) < need {
			s := hugepage.Make[byte](need, need)
			copy(s, e.cargos)
			e.cargos = s
		}
	} else {
		e.free = e.pkts[id].next
		e.spare--
		if invariants.Enabled {
			e.reuse(id)
		}
	}
	return id
}

// Free ends a packet that has been delivered.
func (e *Engine) Free(id PacketID) {
	e.count.Delivered++
	e.end(id)
}

// end ends a packet and returns its slab entry to the free list.
func (e *Engine) end(id PacketID) {
	if invariants.Enabled {
		e.s.audit.goodbye(&e.pkts[id])
	}
	if k := &e.pkts[id]; k.Kind < Pause {
		e.live[k.Flow]--
	}
	e.release(id)
}

func (e *Engine) release(id PacketID) {
	if invariants.Enabled {
		e.poison(id)
	}
	e.pkts[id].next = e.free
	e.free = id
	e.spare++
}

// Reflect makes a delivered packet into a new one in the same place, with its
// telemetry: how a receiver echoes what it got.
func (e *Engine) Reflect(id PacketID) {
	if invariants.Enabled {
		e.s.audit.goodbye(&e.pkts[id])
	}
	e.count.Delivered++
	e.count.Injected++
	e.pkts[id].Hop = 0
}

// busy reports whether the port is still sending. At the very time of the end of a
// transmission the order of simultaneous events decides.
func (e *Engine) busy(p *port) bool {
	return e.now < p.busyUntil || e.now == p.busyUntil && e.tie < p.readyTie
}

// Run runs events until none is left or the next is later than until.
func (e *Engine) Run(until unit.Time) { e.RunSome(until, math.MaxInt64) }

// RunSome runs as Run does, but stops when a worker has run this many events, or was halted, and goes on where
// it was when it is called again. It reports whether it has run everything that Run would.
func (e *Engine) RunSome(until unit.Time, events int64) bool {
	return e.s.run(until, events)
}

// Halt makes RunSome stop after the present event. The next call of RunSome continues
// there.
func (e *Engine) Halt() { e.last = e.count.Events }

// Advance moves the clock to a time before which nothing is pending. The caller can then
// act at this time, before the events of that time run.
func (e *Engine) Advance(to unit.Time) { e.s.advance(to) }

// transmit puts a packet on the wire.
func (e *Engine) transmit(pi PortID, p *port, id PacketID, k *Packet) {
	e.count.PacketHops++
	p.count++
	p.sent += unit.Bytes(k.Size)
	l := &e.net.lines[p.line]
	if invariants.Enabled {
		invariants.Check(!e.busy(p), "port %d begins to send before it has ended", pi)
		e.s.audit.welcome(p, k)
	}
	p.busyUntil = e.now + l.tx[k.Size]
	if e.fifo {
		p.readyTie = e.seq + 1
		k.tie = e.seq + 2
		e.seq += 2
	} else {
		m := hash.Mix64(e.net.salt + uint64(pi)<<40 + uint64(p.count))
		p.readyTie = m
		k.tie = m * 0x9e3779b97f4a7c15
	}
	at, order := p.busyUntil+l.delay, k.tie
	if e.net.cfg.HopCost != nil {
		at, order = e.costly(pi, p, k, at)
	}
	if p.faulty {
		if e.net.infos[pi].observed {
			e.observe(pi, id, Sent)
		}
		at, order = e.slowed(pi, p, k, at, order)
	}
	k.At = at
	e.launch(pi, p, id, k, order)
	p.readySet = p.waiting&^p.paused != 0
	if p.readySet {
		e.setReady(pi, p)
	}
}

// setReady makes the end of a port's transmission an event.
func (e *Engine) setReady(pi PortID, p *port) {
	e.s.add(p.place, due{p.busyUntil, p.readyTie, e.net.ready(pi), 0})
}

// costly returns the arrival time plus the time that telemetry bits take at the switch
// interfaces of the link, and the place of the packet among those that arrive at the same time. No
// packet overtakes another.
func (e *Engine) costly(pi PortID, p *port, k *Packet, at unit.Time) (arrives unit.Time, order uint64) {
	info := &e.net.infos[pi]
	cost := e.net.cfg.HopCost(info.rate, k)
	if !p.atHost {
		at += cost
	}
	if !p.toHost {
		at += cost
	}
	order = k.tie
	if at <= info.last { // it arrives right behind the one before
		at, order = info.last, e.s.after(order, info.lastOrder)
	}
	info.last, info.lastOrder = at, order
	return at, order
}

// arrive hands a packet to the node at the end of its link.
func (e *Engine) arrive(pi PortID, id PacketID, k *Packet) {
	p := &e.ports[pi]
	out := NoPort
	if p.faulty {
		var ended bool
		if out, ended = e.failed(pi, p, id, k); ended {
			return
		}
	}
	switch {
	case k.Kind >= Pause:
		if k.Kind == Mirrored {
			e.reportArrives(pi, p, id, k, out)
		} else {
			e.pauseFrame(pi, id, k)
		}
	case p.toHost:
		if k.Kind == Data {
			for _, s := range e.sinks {
				s.Deliver(e.now, p.peer, k, e.Telemetry(id))
			}
			if len(e.watchers) > 0 {
				e.arrived(p.peer, id)
			}
		}
		e.stack.Deliver(p.peer, id)
	default:
		e.forward(pi, p, id, k, out)
	}
}

// fetchAside prefetches the memory that a packet has beside its slab entry.
func (e *Engine) fetchAside(id PacketID) {
	prefetch.WriteLines(unsafe.Pointer(&e.cargos[int(id)*e.net.aside]), e.net.room)
}

// forward sends on a packet that has come in to a switch by port pi. wrong is the port
// by which a wrong forwarding entry sends it on, NoPort if there is none.
func (e *Engine) forward(pi PortID, p *port, id PacketID, k *Packet, wrong PortID) {
	n := e.net
	out := wrong
	if hop := int(k.Hop) + 1; hop < n.followed && out == NoPort {
		out = n.paths[(2*int(k.Flow)+k.way())*n.stride+hop]
	}
	var o *port
	if out != NoPort {
		o = &e.ports[out]
	}
	if o == nil || o.node != p.peer || o.faulty && n.infos[out].down {
		var ok bool
		if out, ok = e.stack.Reroute(p.peer, k); !ok {
			e.count.Dropped++
			n.losses[pi].Unrouted++
			e.end(id)
			return
		}
		o = &e.ports[out]
	}
	b := n.buffers[p.peer]
	size := unit.Bytes(k.Size)
	class := int(k.Class)
	if o.waiting|o.paused == 0 && !e.busy(o) && b.Pass(int(p.ingress), class, size) {
		o.served = k.Class
		e.dispatch(out, o, id, k)
		return
	}
	if n.cfg.Trim != nil {
		var ok bool
		if out, ok = e.fit(p.peer, out, id, k); !ok {
			return
		}
		k = &e.pkts[id] // the slab may have grown
		o, class, size = &e.ports[out], int(k.Class), unit.Bytes(k.Size)
	}
	if !b.Admit(int(p.ingress), class, size, unit.Bytes(o.queued)) {
		e.refuse(out, id)
		return
	}
	k.in, k.ingress = int32(pi), p.ingress
	if b.Arrive(int(p.ingress), class, size) {
		e.sendPause(pi, k.Class, Pause)
		k = &e.pkts[id]
	}
	if o.waiting|o.paused == 0 && !e.busy(o) {
		o.served = k.Class
		e.depart(out, o, id, k)
		return
	}
	e.enqueue(out, o, id, k)
	e.prompt(out, o)
}

// refuse ends a packet for which a port has no room.
func (e *Engine) refuse(out PortID, id PacketID) {
	info := &e.net.infos[out]
	if info.observed {
		e.observe(out, id, Refused)
	}
	info.drops++
	e.count.Dropped++
	e.end(id)
}

// way returns 0 for data and 1 for packets in the other direction. It has no branch,
// because the processor could not predict one.
func (k *Packet) way() int { return int(k.Kind+7) >> 3 }

// enqueue puts a packet behind those of its class at a port.
func (e *Engine) enqueue(pi PortID, p *port, id PacketID, k *Packet) {
	f := e.net.queue(pi, k.Class)
	k.next = NoPacket
	if f.head == NoPacket {
		f.head = id
		p.waiting |= 1 << k.Class
	} else {
		e.pkts[f.tail].next = id
	}
	f.tail = id
	p.queued += int32(k.Size)
	if e.net.lengths != nil {
		*e.net.length(pi, k.Class) += int32(k.Size)
	}
}

// prompt makes a switch port that has a packet to send start now, or when its present
// transmission ends.
func (e *Engine) prompt(pi PortID, p *port) {
	if p.readySet || p.waiting&^p.paused == 0 {
		return
	}
	if e.busy(p) {
		p.readySet = true
		e.setReady(pi, p)
		return
	}
	id := e.take(pi, p)
	e.depart(pi, p, id, &e.pkts[id])
}

// readyPort ends a transmission at a port where something may wait.
func (e *Engine) readyPort(pi PortID) {
	p := &e.ports[pi]
	p.readySet = false
	if p.atHost {
		e.Kick(pi)
	} else if p.waiting&^p.paused != 0 {
		id := e.take(pi, p)
		e.depart(pi, p, id, &e.pkts[id])
	}
}

// take takes the first packet of the class that is served next out of a port's queue.
func (e *Engine) take(pi PortID, p *port) PacketID {
	ready := p.waiting &^ p.paused
	class := pick(ready, p.served)
	if e.net.cfg.Scheduling != RoundRobin {
		class = e.choose(pi, p, ready)
	}
	if class != 0 {
		p.served = class
	}
	f := e.net.queue(pi, class)
	id := f.head
	k := &e.pkts[id]
	f.head = k.next
	if f.head == NoPacket {
		p.waiting &^= 1 << class
		e.net.emptied(pi, class)
	} else {
		prefetch.Write(unsafe.Pointer(&e.pkts[f.head]))
		if e.net.room > 0 {
			e.fetchAside(f.head)
		}
	}
	p.queued -= int32(k.Size)
	if e.net.lengths != nil {
		*e.net.length(pi, class) -= int32(k.Size)
	}
	return id
}

// depart takes a packet out of a switch's memory and sends it.
func (e *Engine) depart(pi PortID, p *port, id PacketID, k *Packet) {
	if k.Flags&flagOrigin != 0 {
		e.leaveOrigin(pi, k)
	} else if k.Kind < Pause || k.Kind == Mirrored {
		in := PortID(k.in)
		resume := e.net.buffers[p.node].Leave(int(k.ingress), int(k.Class), unit.Bytes(k.Size))
		if e.net.cfg.ECN != nil {
			e.mark(pi, p, k)
		}
		if resume && in^1 == pi {
			// On a detour the packet goes back where it came from. The frame takes the same
			// port, which is the packet's now.
			class := k.Class
			e.dispatch(pi, p, id, k)
			e.sendPause(in, class, Resume)
			return
		}
		if resume {
			e.sendPause(in, k.Class, Resume)
			k = &e.pkts[id]
		}
	}
	e.dispatch(pi, p, id, k)
}

// dispatch takes a packet out of a switch's queue: telemetry looks at it,
// and transmission begins.
func (e *Engine) dispatch(pi PortID, p *port, id PacketID, k *Packet) {
	if e.net.sending != nil {
		e.net.sending[pi] = int32(k.Size)<<4 | int32(k.Class)
	}
	if len(e.taps) > 0 {
		h := &e.hop
		h.Now, h.Switch, h.Port = e.now, p.node, pi
		h.Number, h.Queue, h.Sent = int(k.Hop), unit.Bytes(p.queued), p.sent
		h.Packet, h.id, h.keyed = k, id, false
		if e.net.room > 0 {
			h.cargo = e.cargo(id)
		}
		for _, t := range e.taps {
			t.Dequeue(h)
		}
		if len(e.reported) > 0 {
			e.afterReports(pi, p, id)
			return
		}
	}
	k.Hop++
	e.transmit(pi, p, id, k)
}

// mark sets CE by the rule of Config.ECN. The draw is a hash, so that it does not
// depend on what other ports do.
func (e *Engine) mark(pi PortID, p *port, k *Packet) {
	info := &e.net.infos[pi]
	queued := unit.Bytes(p.queued)
	if t := e.net.cfg.Trim; t != nil { // each class has a queue of its own
		if k.Class == t.Class {
			return
		}
		queued = unit.Bytes(*e.net.length(pi, k.Class))
	}
	if queued <= info.ecnMin {
		return
	}
	if d := e.net.cfg.Draws; queued <= info.ecnMax && d != nil {
		if !d.Mark(queued, info.ecnMin, info.ecnMax, e.net.cfg.ECN.PMax) {
			return
		}
	} else if queued <= info.ecnMax {
		share := float64(queued-info.ecnMin) / float64(info.ecnMax-info.ecnMin)
		draw := hash.Combine(e.net.salt^uint64(pi), uint64(p.sent))
		if hash.Unit(draw) >= share*e.net.cfg.ECN.PMax {
			return
		}
	}
	info.marks++
	k.Flags |= FlagCE
}

// lost reports whether a link loses the packet, and ends it if so. Without Config.Draws
// PFC frames are not lost to bit errors, only to a link that is down.
func (e *Engine) lost(pi PortID, id PacketID, k *Packet) bool {
	info := &e.net.infos[pi]
	if info.down || k.Flags&flagBroken != 0 {
		e.net.losses[pi].Broken++
	} else {
		switch d := e.net.cfg.Draws; {
		case info.loss == 0:
			return false
		case d != nil:
			if !d.Lose(pi) {
				return false
			}
		case k.Kind == Pause || k.Kind == Resume || hash.Combine(e.net.salt^uint64(pi), k.tie) >= info.loss:
			return false
		}
		e.net.losses[pi].Errors++
	}
	e.count.Lost++
	e.end(id)
	return true
}

// pick chooses among the classes that are ready: class 0 has strict priority, the others
// go round robin, beginning after the class served last.
func pick(ready, served uint8) uint8 {
	if ready&1 != 0 {
		return 0
	}
	if after := ready >> (served + 1) << (served + 1); after != 0 {
		return uint8(bits.TrailingZeros8(after))
	}
	return uint8(bits.TrailingZeros8(ready))
}
