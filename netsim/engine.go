package netsim

import (
	"errors"
	"fmt"
	"math"

	"pintlab/netsim/unit"
)

// Stack is the transport of all hosts.
type Stack interface {
	// Deliver hands over a data, ACK or NACK packet that has reached its host. The stack then owns the packet and must
	// free it or send it back.
	Deliver(host NodeID, id PacketID)
	// Next returns the packet that a free port of a host sends now, or NoPacket if there is none. If there is none now
	// but a packet will be due later, Next requests a wake-up.
	Next(p PortID) PacketID
	// Due returns the earliest time at which a host's port may have a data packet to send. It
	// returns Never if only a call of Kick can change that.
	Due(p PortID) unit.Time
	// Reroute returns the port on which a switch sends a packet that is not on the path of its flow. ok is false if
	// there is no such port.
	Reroute(at NodeID, p *Packet) (out PortID, ok bool)
	// Timer is called when a timer set with SetTimer is due.
	Timer(id int32)
	// Start is called when the time set with StartAt has come.
	Start()
}

// Fetcher is a Stack that prefetches the memory for packets that Deliver will soon hand over. Fetch loads the memory to
// which the packet refers, and FetchMore the memory to which that memory refers. Neither changes a result.
type Fetcher interface {
	Fetch(p *Packet)
	FetchMore(id PacketID)
}

// Counters count what an engine has done so far.
type Counters struct {
	PacketHops int64 // transmissions begun, of data, ACK and control packets, by every port
	Events     int64
	Injected   int64 // packets made by hosts and switches
	Delivered  int64 // packets that reached their host or, for PFC frames, their node
	Dropped    int64 // packets that found no room
	Lost       int64 // packets lost on a link
	Pauses     int64 // PFC pause frames sent

	Trimmed      int64      // data packets whose payload a switch has cut off
	TrimmedBytes unit.Bytes // payload bytes that were cut off
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

// Engine runs a network: the clock and the packets in flight. With several workers each worker has an Engine and takes
// one domain after another in a window until none is left. Which worker runs a domain does not change a result, because
// the order of the events in a domain depends only on their times and ties. The Engine of the first worker represents
// all: its methods answer for the whole network between two calls of RunSome.
type Engine struct {
	net      *Network
	s        *schedule
	ports    []port
	pkts     []Packet
	stacks   []PortSample // the telemetry stacks, depth entries for each packet
	depth    int
	free     PacketID
	spare    int // entries on the free list
	now      unit.Time
	tie      uint64
	seq      uint64 // scheduling order, for Ties FIFO
	last     int64  // Counters.Events at which the engine stops
	limit    int64  // value of last in this visit; 0 to stop: packets may run out, or Pause or Halt was called
	fifo     bool
	stack    Stack
	fetcher  Fetcher    // the stack, if it is a Fetcher
	arbiter  Arbiter    // arbiter of hosts' ports; nil: queued packets go first
	tap      Tap        // nil if there is none
	discards []Discards // the taps that are Discards
	shown    bool       // dispatch shows packets: there is a tap, or Network.sending
	stamps   bool       // the only tap is an exact Stamp
	sinks    []Sink
	hop      Hop

	mailboxes []mailbox // arrivals by window and domain
	following []mailbox // mailboxes of the next window
	marks     []uint64  // by window: a bit for each domain with arrivals in mailboxes
	words     int       // words of marks per window
	blocks    blocks
	// number of blocks that this engine put into mailboxes minus number of blocks that it took out of all mailboxes
	used    int
	distant []distant   // arrivals too late for any window that has mailboxes
	runs    [][]arrival // arrivals in the current domain, in blocks
	sorted  []arrival   // the same arrivals in order
	bins    []int32     // the start of each bin in sorted
	here    int32       // the current domain
	latest  unit.Time   // time of the latest event

	observer Observer
	watchers []Watcher
	arrival  Arrival
	local    localReport
	reported []PortID // ports where reports of taps wait; a report follows the packet that caused it
	cargos   []byte   // for each packet: Config.Cargo bytes, then Config.Options bytes
	count    Counters
	live     []int32 // by flow slot: packets that this engine made minus those that it ended
}

// NewEngine makes the engine of a network for this many workers, at most one per domain. Taps and sinks are called in
// order. With several workers the network is divided as with Config.Divide. Several workers need seeded ties, and
// delays on the links between switches.
func NewEngine(n *Network, workers int, taps []Tap, sinks []Sink) (*Engine, error) {
	if workers > 1 && n.cfg.Ties != Seeded {
		return nil, errors.New("netsim: several workers do not know the order of scheduling in advance: want seeded " +
			"ties")
	}
	s := newSchedule(n, workers, workers == 1 && (!n.cfg.Divide || n.cfg.Ties == FIFO))
	for i := range n.ports {
		p := &n.ports[i]
		if workers > 1 && len(s.domains) == 1 && !p.atHost && !p.toHost && n.lines[p.line].delay <= 0 {
			return nil, fmt.Errorf("netsim: the link between nodes %d and %d has no delay, so the parts that it "+
				"joins cannot run in parallel", p.node, p.peer)
		}
	}
	workers = min(workers, len(s.domains))
	for range workers {
		s.addEngine(taps, sinks)
	}
	s.move(0)
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
		net:       n,
		s:         s,
		ports:     n.ports,
		depth:     n.cfg.StackDepth,
		free:      NoPacket,
		fifo:      n.cfg.Ties == FIFO,
		sinks:     sinks,
		mailboxes: make([]mailbox, len(s.domains)*s.windows),
		words:     (len(s.domains) + 63) / 64,
	}
	e.marks = make([]uint64, e.words*s.windows)
	if len(taps) == 1 {
		e.tap = taps[0]
		x, ok := e.tap.(Stamp)
		e.stamps = ok && x.Exact() && n.sending == nil
	} else if len(taps) > 1 {
		e.tap = tapList(taps)
	}
	for _, t := range taps {
		if d, ok := t.(Discards); ok {
			e.discards = append(e.discards, d)
		}
	}
	e.shown = e.tap != nil || n.sending != nil
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

// Live returns the number of packets of a flow slot that this engine made, minus the number that it ended. The sum over
// all workers is the number of packets in flight.
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

// Run runs events until none is left or the next is later than until.
func (e *Engine) Run(until unit.Time) { e.RunSome(until, math.MaxInt64) }

// RunSome runs events as Run does, but stops early when a worker has run this many events or was halted. The next call
// continues from there. It reports whether it has run everything that Run would.
func (e *Engine) RunSome(until unit.Time, events int64) bool {
	return e.s.run(until, events)
}

// Halt makes RunSome stop after the current event. The next call of RunSome continues there.
func (e *Engine) Halt() { e.last, e.limit = e.count.Events, 0 }

// Advance moves the clock forward to a time before which no event is pending. The caller can then act at this time
// before the events of that time run.
func (e *Engine) Advance(to unit.Time) { e.s.advance(to) }
