package netsim

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"pintlab/internal/hugepage"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// mailbox holds what one engine sends to another in one window.
type mailbox []mail

// mail is a packet on a link between two engines. The packet stays where it is in the
// slab; the slab entry has no owner until collect.
type mail struct {
	port PortID
	id   PacketID
}

// export puts a packet into the mailbox of the engine at the other end of its link.
func (e *Engine) export(pi PortID, to int, id PacketID, k *Packet) {
	m := &e.out[e.side][to]
	*m = append(*m, mail{pi, id})
	e.sent = min(e.sent, k.At)
	if k.Kind < Pause {
		e.gone[e.side] = append(e.gone[e.side], k.Flow)
	}
	e.own--
}

// forget subtracts the packets that this engine sent in the windows of one side from its count of
// live packets. It runs in the window in which the other engines collect them. So a packet in a
// mailbox is still counted between windows, and no other flow takes its slot.
func (e *Engine) forget(side int) {
	for _, slot := range e.gone[side] {
		e.live[slot]--
	}
	e.gone[side] = e.gone[side][:0]
}

// collect moves the packets that other engines sent into one side of their mailboxes into
// this engine.
func (e *Engine) collect(engines []*Engine, side int) {
	for _, from := range engines {
		m := &from.out[side][e.self]
		for _, x := range *m {
			k := &e.pkts[x.id]
			if k.Kind < Pause {
				e.live[k.Flow]++
			}
			e.own++
			e.launch(x.port, &e.ports[x.port], x.id, k)
		}
		*m = (*m)[:0]
	}
}

// slab is the memory of packets and telemetry stacks that engines share. An engine or a
// mailbox owns each entry. Entries change owners, and the slab grows, only while no engine
// runs.
type slab struct {
	engines []*Engine
	batch   int // entries that an engine gets at a time
	running bool
	short   int // how often an engine ran out of entries within a window
}

// stock gives an engine a batch of free entries: from the engine with the longest free
// list if that is long, otherwise new ones. No engine may run.
func (s *slab) stock(e *Engine) {
	if s.running {
		panic("netsim: an event has made more packets than there is room for")
	}
	rich := slices.MaxFunc(s.engines, func(a, b *Engine) int { return cmp.Compare(a.spare, b.spare) })
	if rich != e && rich.spare > 4*(s.batch+rich.least) {
		last := rich.free
		for range s.batch - 1 {
			last = e.pkts[last].next
		}
		rich.free, e.pkts[last].next, e.free = e.pkts[last].next, e.free, rich.free
		rich.spare, e.spare = rich.spare-s.batch, e.spare+s.batch
		rich.own, e.own = rich.own-s.batch, e.own+s.batch
		return
	}
	first := len(e.pkts)
	pkts := append(e.pkts, make([]Packet, s.batch)...)
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
	e.own += s.batch
}

// Parallel runs a network on several engines, one for each part of its nodes. The
// lookahead is the shortest delay of a link between two parts: no packet crosses in less.
// So the engines run windows of that length in parallel and exchange packets through
// mailboxes between windows. Which engine runs a node changes no result, because the order
// of the events at a node depends only on their times and ties.
//
// Parts are not equally busy in a window. Use several parts for each worker: a worker that
// has finished one part takes the next, in the order of their work in the last window.
type Parallel struct {
	engines []*Engine
	order   []int // the engines by their events in the last window, most first
	slab    slab
	workers int
	window  unit.Time
	end     unit.Time // of the present window
	open    bool      // that has not been run to its end
	fresh   bool      // that no engine has run yet
	side    int       // of the mailboxes that the window fills
	before  func(until unit.Time) bool
}

// NewParallel makes an engine for each part of a network; owner is the part of each node.
// workers goroutines, at least one, run them. All links between parts must have a delay,
// and ties must be seeded.
func NewParallel(n *Network, owner []uint8, parts, workers int, taps []Tap, sinks []Sink) (*Parallel, error) {
	if n.cfg.Ties != Seeded {
		return nil, errors.New("netsim: the order of scheduling is not known in advance on several engines: want seeded ties")
	}
	n.copies = nil // of engines that ran the network before
	r := &Parallel{window: unit.Never, workers: min(workers, parts)}
	for i := range n.ports {
		p := &n.ports[i]
		if owner[p.node] == owner[p.peer] {
			continue
		}
		delay := n.lines[p.line].delay
		if delay <= 0 {
			return nil, fmt.Errorf("netsim: the link between nodes %d and %d has no delay, so that the parts that it joins cannot run side by side", p.node, p.peer)
		}
		r.window = min(r.window, delay)
	}
	for i := range parts {
		e := newEngine(n, owner, i, taps, sinks)
		e.sent = unit.Never
		e.out = [2][]mailbox{make([]mailbox, parts), make([]mailbox, parts)}
		e.slab = &r.slab
		// The event that starts flows makes at most one packet for each link of each host;
		// the rest is for pause frames.
		e.least = 64
		for i := range n.ports {
			if n.ports[i].atHost {
				e.least++
			}
		}
		r.engines = append(r.engines, e)
		r.order = append(r.order, i)
	}
	r.slab.engines, r.slab.batch = r.engines, 4096
	return r, nil
}

// Engines returns the engines, one for each part.
func (r *Parallel) Engines() []*Engine { return r.engines }

// Owner returns the index of the engine that runs a node.
func (r *Parallel) Owner(n NodeID) int { return int(r.engines[0].owner[n]) }

// Before sets what is called before each window, with the window's last time. No engine
// runs during the call. If it returns false RunSome stops, and its next call begins the window
// anew.
func (r *Parallel) Before(f func(until unit.Time) bool) { r.before = f }

// Peek returns the time of the next event of any engine.
func (r *Parallel) Peek() unit.Time {
	at := unit.Never
	for _, e := range r.engines {
		at = min(at, e.Peek(), e.sent)
	}
	return at
}

// worthSharing is how many events a window must have had for the next one to use more than
// one worker: below that, waking workers costs more than they save.
const worthSharing = 500

// Run runs events until none is left or the next is later than until.
func (r *Parallel) Run(until unit.Time) { r.RunSome(until, math.MaxInt64) }

// pieceEvents is how many events of a window an engine runs before the limits are
// checked.
const pieceEvents = 1 << 16

// RunSome runs as Run does, but stops when it has reached this number of events, or when an engine
// was halted, and goes on where it was when it is called again. No engine runs more than this
// number at a time, however many events a window has. It says whether it has run everything
// that Run would.
func (r *Parallel) RunSome(until unit.Time, events int64) bool {
	var piece int64 // of a window, that each engine runs
	c := newPool(r.workers, len(r.engines), func(i int) {
		e := r.engines[i]
		if r.fresh {
			e.side, e.sent = r.side, unit.Never
			e.collect(r.engines, r.side^1)
			e.forget(r.side ^ 1)
		}
		before := e.count.Events
		e.rest = !e.RunSome(r.end, piece)
		e.did = e.count.Events - before
	})
	defer c.close()
	var did int64 // events in the last part of a window
	for {
		if !r.open {
			at := r.Peek()
			if at > until {
				return true
			}
			r.end = until
			if r.window < until-at {
				r.end = at + r.window - 1
			}
		}
		if events <= 0 {
			return false
		}
		if r.fresh = !r.open; r.fresh {
			if !r.before(r.end) {
				return false
			}
			r.side ^= 1
		}
		piece = min(pieceEvents, events)
		r.stock()
		r.slab.running = true
		workers := r.workers
		if did < worthSharing {
			workers = 1
		}
		c.run(workers, r.order)
		r.slab.running = false
		did, r.open = 0, false
		halted := false
		for _, e := range r.engines { // engines that ran out of entries go on
			for e.spare < e.least && !e.halted {
				r.slab.short++
				r.stock()
				before := e.count.Events
				e.rest = !e.RunSome(r.end, piece)
				e.did += e.count.Events - before
			}
			did += e.did
			r.open = r.open || e.rest || e.halted
			halted = halted || e.halted
		}
		events -= did
		if halted {
			return false
		}
		slices.SortStableFunc(r.order, func(a, b int) int { return cmp.Compare(r.engines[b].did, r.engines[a].did) })
	}
}

// stock gives every engine enough entries for most windows. An engine that runs out stops,
// and goes on after stock has been called again.
func (r *Parallel) stock() {
	for _, e := range r.engines {
		for e.spare < 2*e.least {
			r.slab.stock(e)
		}
	}
}

// Now returns the time of the last event.
func (r *Parallel) Now() unit.Time {
	var t unit.Time
	for _, e := range r.engines {
		t = max(t, e.now)
	}
	return t
}

// Counters returns what all engines together have done.
func (r *Parallel) Counters() Counters {
	var c Counters
	for _, e := range r.engines {
		c.PacketHops += e.count.PacketHops
		c.Events += e.count.Events
		c.Injected += e.count.Injected
		c.Delivered += e.count.Delivered
		c.Dropped += e.count.Dropped
		c.Lost += e.count.Lost
		c.Pauses += e.count.Pauses
		c.Trimmed += e.count.Trimmed
		c.TrimmedBytes += e.count.TrimmedBytes
		c.Returned += e.count.Returned
		c.Reports += e.count.Reports
		c.ReportsLost += e.count.ReportsLost
		for by, t := range e.count.Tolls {
			c.Tolls[by].Packets += t.Packets
			c.Tolls[by].Bytes += t.Bytes
		}
	}
	return c
}

// Advance moves the clocks to a time before which nothing is pending, and empties the
// mailboxes.
func (r *Parallel) Advance(to unit.Time) {
	for _, e := range r.engines {
		e.collect(r.engines, r.side)
		e.forget(r.side)
		e.sent = unit.Never
	}
	for _, e := range r.engines {
		e.Advance(to)
	}
}

// SetLink calls Engine.SetLink. It must follow Advance.
func (r *Parallel) SetLink(link int, down bool) {
	for _, pi := range []PortID{PortID(2 * link), PortID(2*link + 1)} {
		from, to := r.engines[0].net.PortEnds(pi)
		r.of(to).breakFlight(pi)
		r.of(from).setPort(pi, down)
	}
	if !down {
		for _, pi := range []PortID{PortID(2 * link), PortID(2*link + 1)} {
			_, to := r.engines[0].net.PortEnds(pi)
			r.of(to).pauseAgain(pi)
		}
	}
}

// HaltHost calls Engine.HaltHost. It must follow Advance.
func (r *Parallel) HaltHost(host NodeID, halted bool) { r.of(host).HaltHost(host, halted) }

// FailLink calls Engine.FailLink. It must follow Advance.
func (r *Parallel) FailLink(link int, f LinkFault) {
	for _, e := range r.engines {
		e.FailLink(link, f)
	}
}

// Misforward calls Engine.Misforward. It must follow Advance.
func (r *Parallel) Misforward(at NodeID, entries []Misforwarding) { r.of(at).Misforward(at, entries) }

// KillHost calls Engine.KillHost. It must follow Advance.
func (r *Parallel) KillHost(host NodeID, dead bool) { r.of(host).KillHost(host, dead) }

func (r *Parallel) of(n NodeID) *Engine { return r.engines[r.Owner(n)] }

// Parts divides the nodes of a graph among n engines so that each has about the same number
// of hosts. Switches with hosts are assigned in the order of their numbers, together with
// their hosts; every other switch goes to the part of most of its neighbours, and among
// equals to the part with the fewest such switches. A graph with fewer than n switches with
// hosts has fewer parts.
func Parts(g *topo.Graph, n int) (owner []uint8, parts int) {
	adj := g.Adjacency()
	hosts := make([]int, len(g.Nodes)) // of a switch
	total, edges := 0, 0
	for id := range g.Nodes {
		if g.Nodes[id].Kind == topo.Host {
			continue
		}
		for _, a := range adj.Of(NodeID(id)) {
			if g.Nodes[a.Peer].Kind == topo.Host {
				hosts[id]++
			}
		}
		total += hosts[id]
		if hosts[id] > 0 {
			edges++
		}
	}
	parts = max(1, min(n, edges, 256))
	const nobody = 255
	owner = make([]uint8, len(g.Nodes))
	for i := range owner {
		owner[i] = nobody
	}
	if parts == 1 {
		clear(owner)
		return owner, 1
	}
	parts = min(parts, nobody)
	seen := 0
	size := make([]int, parts)
	for id := range g.Nodes {
		if hosts[id] == 0 {
			continue
		}
		part := min(parts-1, seen*parts/total)
		seen += hosts[id]
		owner[id] = uint8(part)
		for _, a := range adj.Of(NodeID(id)) {
			if g.Nodes[a.Peer].Kind == topo.Host && owner[a.Peer] == nobody {
				owner[a.Peer] = uint8(part)
			}
		}
	}
	// Switches without hosts, nearest to the hosts first.
	for left := true; left; {
		left = false
		for id := range g.Nodes {
			if owner[id] != nobody {
				continue
			}
			votes := make([]int, parts)
			any := false
			for _, a := range adj.Of(NodeID(id)) {
				if o := owner[a.Peer]; o != nobody {
					votes[o]++
					any = true
				}
			}
			if !any {
				left = true
				continue
			}
			best := 0
			for p := range votes {
				if votes[p] > votes[best] || votes[p] == votes[best] && size[p] < size[best] {
					best = p
				}
			}
			owner[id] = uint8(best)
			size[best]++
		}
	}
	return owner, parts
}
