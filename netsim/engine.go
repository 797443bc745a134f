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

// Stack is the transport of all hosts.
type Stack interface {
	// Deliver hands over a data, ACK or NACK packet that has reached its host. The stack then owns
	// the packet: it frees it or sends it back.
	Deliver(host NodeID, id PacketID)
	// Next returns the packet that a free port of a host sends now, or NoPacket if there is none.
	// In that case it asks for a wake-up if a packet will be due.
	Next(p PortID) PacketID
	// Due returns the earliest time at which a host's port may have a data packet to send. It
	// returns Never if only a call of Kick can change that.
	Due(p PortID) unit.Time
	// Reroute returns the port on which a switch sends a packet that is not on the path of its
	// flow. ok is false if there is none.
	Reroute(at NodeID, p *Packet) (out PortID, ok bool)
	// Timer is called when a timer set with SetTimer is due.
	Timer(id int32)
	// Start is called when the time set with StartAt has come.
	Start()
}

// Fetcher is a Stack that prefetches the memory for packets that Deliver will soon hand over. Fetch
// loads what the packet refers to; FetchMore loads what that memory refers to. Neither changes a
// result.
type Fetcher interface {
	Fetch(p *Packet)
	FetchMore(id PacketID)
}

// Counters count what an engine has done so far.
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
	Returned     int64      // packets whose headers a switch sent back to their sources

	Reports     int64 // sent by monitors
	ReportsLost int64 // reports that found no room or no path, or met a silent fault

	Tolls [Causes]Toll // packets ended by silent faults, part of Dropped and Lost
}

// add adds the counters of another engine.
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

// Engine runs a network: the clock and the packets in flight. With several workers each worker has
// an Engine and takes one place after another in a window until none is left. The worker that runs
// a place does not change a result, because the order of the events at a place depends only on
// their times and ties. The Engine of the first worker represents all: its methods answer for the
// whole network between two calls of RunSome.
type Engine struct {
	net     *Network
	s       *schedule
	ports   []port
	pkts    []Packet
	stacks  []PortSample // the telemetry stacks, depth entries for each packet
	depth   int
	free    PacketID
	spare   int // entries on the free list
	now     unit.Time
	tie     uint64
	seq     uint64 // scheduling order, for Ties FIFO
	last    int64  // Counters.Events at which the engine stops
	least   int    // it also stops if the free list has fewer entries than this; see Pause
	fifo    bool
	stack   Stack
	fetcher Fetcher // the stack, if it is a Fetcher
	arbiter Arbiter // of hosts' ports; nil: queued packets go first
	taps    []Tap
	sinks   []Sink
	hop     Hop

	boxes   []box    // arrivals by place and window
	marks   []uint64 // by window: a bit for each place with arrivals in boxes
	words   int      // words of marks per window
	blocks  blocks
	used    int         // blocks that this engine put into boxes minus those that it took out of any engine's boxes
	distant []distant   // arrivals too late for the windows of boxes
	runs    [][]arrival // arrivals at the current place, in blocks
	sorted  []arrival   // the same arrivals in order
	bins    []int32     // the start of each bin in sorted
	here    int32       // the current place
	latest  unit.Time   // time of the latest event

	observer Observer
	watchers []Watcher
	arrival  Arrival
	told     told
	reported []PortID // ports where reports of taps wait; they follow the packet that caused them
	cargos   []byte   // for each packet: Config.Cargo bytes, then Config.Options bytes
	count    Counters
	live     []int32 // by flow slot: packets that this engine made minus those that it ended
}

// NewEngine makes the engine of a network for this many workers, at most one per place. Taps and
// sinks are called in order. With several workers the network is divided as with Config.Divide.
// They need seeded ties, and delays on the links between switches.
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
		// The event that starts flows makes at most one packet for each link of each host. The
		// other entries are for pause frames.
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

// Live returns the number of packets of a flow slot that this engine made, minus those that it
// ended. The sum over all workers is the number of packets in flight.
func (e *Engine) Live(slot int32) int32 { return e.live[slot] }

// Attach sets the transport. It must be called before Run.
func (e *Engine) Attach(s Stack) {
	if _, ok := s.(Windowed); !ok {
		e.s.begins = unit.Never
	}
	e.stack = s
	e.fetcher, _ = s.(Fetcher)
}

// Network returns the network that the engine runs.
func (e *Engine) Network() *Network { return e.net }

// Now returns the simulated time.
func (e *Engine) Now() unit.Time { return e.now }

// Counters returns the counters of all workers together.
func (e *Engine) Counters() (c Counters) {
	for _, x := range e.s.engines {
		c.add(&x.count)
	}
	return c
}

// InFlight returns the number of packets in flight.
func (e *Engine) InFlight() int64 {
	c := e.Counters()
	return c.Injected - c.Delivered - c.Dropped - c.Lost
}

// Packet returns the packet with the given id. The pointer is valid until the next packet is made.
func (e *Engine) Packet(id PacketID) *Packet { return &e.pkts[id] }

// Telemetry returns the telemetry stack of the packet, oldest hop first. It is valid until the next
// packet is made.
func (e *Engine) Telemetry(id PacketID) []PortSample {
	hops := int(e.pkts[id].Hops)
	if hops == 0 || hops == unread {
		return nil
	}
	return e.stacks[int(id)*e.depth:][:hops]
}

// unread is the value of Packet.Hops for a packet whose telemetry is not stored because it will not
// be read.
const unread = 255

// Unread reports to the engine that the transport will not read the telemetry of a packet that it
// has made. If no sink, watcher or observer reads it either, it is not stored. The size of the
// packet on the wire does not change.
func (e *Engine) Unread(id PacketID) {
	if len(e.sinks)+len(e.watchers) == 0 && e.observer == nil {
		e.pkts[id].Hops = unread
	}
}

// Options returns the transport's part of a packet (Config.Options). In a new packet it holds the
// bytes of the previous packet in this slab entry. It is valid until the next packet is made.
func (e *Engine) Options(id PacketID) []byte {
	c := &e.net.cfg
	at := int(id)*e.net.aside + c.Cargo
	end := at + c.Options
	return e.cargos[at:end:end]
}

// Make makes a packet of the flow in a slot. It sets Flow and clears Digest, Hop, Hops, Flags and
// Path. The other fields keep the values of the previous packet in this slab entry, which depend on
// the number of engines.
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

// Reflect turns a delivered packet into a new one in the same slab entry, with the same telemetry.
// Receivers use it to echo a packet.
func (e *Engine) Reflect(id PacketID) {
	if invariants.Enabled {
		e.s.audit.goodbye(&e.pkts[id])
	}
	e.count.Delivered++
	e.count.Injected++
	e.pkts[id].Hop = 0
}

// busy reports whether the port is still sending. At the exact end of a transmission the order of
// simultaneous events decides.
func (e *Engine) busy(p *port) bool {
	return e.now < p.busyUntil || e.now == p.busyUntil && e.tie < p.readyTie
}

// Run runs events until none is left or the next is later than until.
func (e *Engine) Run(until unit.Time) { e.RunSome(until, math.MaxInt64) }

// RunSome runs events as Run does, but stops early when a worker has run this many or was halted.
// The next call continues there. It reports whether it has run everything that Run would.
func (e *Engine) RunSome(until unit.Time, events int64) bool {
	return e.s.run(until, events)
}

// Halt makes RunSome stop after the current event. The next call of RunSome continues there.
func (e *Engine) Halt() { e.last = e.count.Events }

// Advance moves the clock to a time before which no event is pending. The caller can then act at
// this time before the events of that time run.
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

// costly adds the time that telemetry bits take at the switch interfaces of the link to the arrival
// time. It also returns the order of the packet among simultaneous arrivals. No packet overtakes
// another.
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
	if at <= info.last { // it arrives directly behind the previous packet
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

// fetchAside prefetches the memory that a packet has in addition to its slab entry.
func (e *Engine) fetchAside(id PacketID) {
	prefetch.WriteLines(unsafe.Pointer(&e.cargos[int(id)*e.net.aside]), e.net.room)
}

// forward sends a packet that has come in to a switch by port pi. wrong is the port chosen by a
// wrong forwarding entry, or NoPort.
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

// refuse drops a packet for which a port has no room.
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

// enqueue appends a packet to the queue of its class at a port.
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

// prompt makes a switch port that has a packet to send start now, or when its current transmission
// ends.
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

// readyPort handles the end of a transmission at a port where a packet may wait.
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

// take removes the first packet of the class that is served next from a port's queue.
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

// depart releases the switch memory of a packet and sends it.
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
			// On a detour a packet can leave on the link that it came in by. The PFC frame takes
			// the same port, so the packet goes first.
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

// dispatch shows a packet that has left a switch's queue to the taps and begins its transmission.
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

// mark sets CE by the rule of Config.ECN. The draw is a hash, so that it does not depend on other
// ports.
func (e *Engine) mark(pi PortID, p *port, k *Packet) {
	info := &e.net.infos[pi]
	queued := unit.Bytes(p.queued)
	if t := e.net.cfg.Trim; t != nil { // a class has its own queue
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

// pick chooses among the ready classes: class 0 has strict priority; the others are served round
// robin, starting after the class served last.
func pick(ready, served uint8) uint8 {
	if ready&1 != 0 {
		return 0
	}
	if after := ready >> (served + 1) << (served + 1); after != 0 {
		return uint8(bits.TrailingZeros8(after))
	}
	return uint8(bits.TrailingZeros8(ready))
}
