package netsim

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"pintlab/internal/hugepage"
	"pintlab/netsim/unit"
)

// slab is the memory of packets and telemetry stacks that engines share. Each engine has a free list
// of its own. The slab grows only while no engine runs.
type slab struct {
	batch   int // entries that an engine gets at a time
	running bool
	short   int // how often an engine ran out of entries within a window
}

// stock gives an engine a batch of free entries: from the engine with the longest free
// list if that is long, otherwise new ones. No engine may run.
func (s *schedule) stock(e *Engine) {
	if s.slab.running {
		panic("netsim: an event has made more packets than there is room for")
	}
	rich := slices.MaxFunc(s.engines, func(a, b *Engine) int { return cmp.Compare(a.spare, b.spare) })
	if rich != e && rich.spare > 4*(s.slab.batch+rich.least) {
		last := rich.free
		for range s.slab.batch - 1 {
			last = e.pkts[last].next
		}
		rich.free, e.pkts[last].next, e.free = e.pkts[last].next, e.free, rich.free
		rich.spare, e.spare = rich.spare-s.slab.batch, e.spare+s.slab.batch
		return
	}
	first := len(e.pkts)
	pkts := append(e.pkts, make([]Packet, s.slab.batch)...)
	stacks := e.stacks
	if need := cap(pkts) * e.depth; len(stacks) < need {
		stacks = make([]PortSample, need)
		copy(stacks, e.stacks)
	}
	cargos := e.cargos
	if need := cap(pkts) * e.net.aside; len(cargos) < need {
		cargos = hugepage.Make[byte](need, need)
		copy(cargos, e.cargos)
	}
	for _, x := range s.engines {
		x.pkts, x.stacks, x.cargos = pkts, stacks, cargos
	}
	for id := len(pkts) - 1; id >= first; id-- {
		e.release(PacketID(id))
	}
}

// restock gives every engine enough entries for most windows. An engine that runs out stops.
func (s *schedule) restock() {
	for _, e := range s.engines {
		for e.spare < 2*e.least {
			s.stock(e)
		}
	}
}

// Parallel runs a network on several engines, one for each worker. In a window each worker takes one
// place after the other until none is left. Who runs a place changes no result, because the order of the
// events at a place depends only on their times and ties.
type Parallel struct {
	engines []*Engine
	s       *schedule
}

// NewParallel makes an engine for each of several workers, as if Config.Divide was set. It needs seeded
// ties and delays on links between switches.
func NewParallel(n *Network, workers int, taps []Tap, sinks []Sink) (*Parallel, error) {
	if n.cfg.Ties != Seeded {
		return nil, errors.New("netsim: the order of scheduling is not known in advance on several engines: want seeded ties")
	}
	s := newSchedule(n, false)
	for i := range n.ports {
		p := &n.ports[i]
		if len(s.places) == 1 && !p.atHost && !p.toHost && n.lines[p.line].delay <= 0 {
			return nil, fmt.Errorf("netsim: the link between nodes %d and %d has no delay, so that the parts that it joins cannot run side by side", p.node, p.peer)
		}
	}
	r := &Parallel{s: s}
	s.slab.batch = 4096
	for range min(workers, len(s.places)) {
		e := newEngine(s, taps, sinks)
		e.shared = true
		// The event that starts flows makes at most one packet for each link of each host;
		// the rest is for pause frames.
		e.least = 64
		for i := range n.ports {
			if n.ports[i].atHost {
				e.least++
			}
		}
	}
	r.engines = s.engines
	return r, nil
}

// Engines returns the engines, one for each worker.
func (r *Parallel) Engines() []*Engine { return r.engines }

// Peek returns the time of the next event of any engine.
func (r *Parallel) Peek() unit.Time { return r.s.peek() }

// worthSharing is how many events a window must have had for the next one to use more than
// one worker: below that, waking workers costs more than they save.
const worthSharing = 500

// Run runs events until none is left or the next is later than until.
func (r *Parallel) Run(until unit.Time) { r.RunSome(until, math.MaxInt64) }

// RunSome runs as Run does, but stops when an engine has run so many events, or was halted, and goes on
// where it was when it is called again. It says whether it has run everything that Run would.
func (r *Parallel) RunSome(until unit.Time, events int64) bool {
	r.s.pool = newPool(len(r.engines), len(r.s.places), r.s.do)
	defer r.s.pool.close()
	return r.s.run(until, events)
}

// Now returns the time of the last event.
func (r *Parallel) Now() unit.Time { return r.engines[0].now }

// Counters returns what all engines together have done.
func (r *Parallel) Counters() Counters {
	var c Counters
	for _, e := range r.engines {
		c.add(&e.count)
	}
	return c
}

// Advance calls Engine.Advance.
func (r *Parallel) Advance(to unit.Time) { r.s.advance(to) }

// SetLink calls Engine.SetLink. It must follow Advance.
func (r *Parallel) SetLink(link int, down bool) { r.outside().SetLink(link, down) }

// HaltHost calls Engine.HaltHost. It must follow Advance.
func (r *Parallel) HaltHost(host NodeID, halted bool) { r.outside().HaltHost(host, halted) }

// FailLink calls Engine.FailLink. It must follow Advance.
func (r *Parallel) FailLink(link int, f LinkFault) { r.outside().FailLink(link, f) }

// Misforward calls Engine.Misforward. It must follow Advance.
func (r *Parallel) Misforward(at NodeID, entries []Misforwarding) {
	r.outside().Misforward(at, entries)
}

// KillHost calls Engine.KillHost. It must follow Advance.
func (r *Parallel) KillHost(host NodeID, dead bool) { r.outside().KillHost(host, dead) }

// outside returns the engine for what happens while none runs.
func (r *Parallel) outside() *Engine { return r.engines[0] }
