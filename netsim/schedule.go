package netsim

import (
	"math"
	"math/bits"
	"slices"
	"sync/atomic"
	"unsafe"

	"pintlab/internal/hugepage"
	"pintlab/internal/invariants"
	"pintlab/internal/prefetch"
	"pintlab/netsim/unit"
)

// schedule holds the pending events. It divides the network into places: a switch, or the hosts of
// one switch. A packet takes at least the shortest delay between two places to go from one place to
// another. So within a window of that length each place can run all its events in the order of
// (time, tie), and places can run one after another or in parallel. While a place runs, its ports,
// queues and counters stay in the first-level cache, and all its arrivals of the window are known.
type schedule struct {
	net     *Network
	engines []*Engine
	places  []place
	divided bool        // there are several places
	placeOf []int32     // by node
	start   unit.Time   // of the current window, a multiple of span
	span    unit.Time   // length of a window
	shift   uint        // bits of a time within the window
	low     uint        // 64 - shift
	window  int         // number of the current window modulo windows
	windows int         // number of windows for which boxes hold arrivals, a power of two
	wakes   []alarm     // by port
	alarms  []alarm     // by timer
	begins  unit.Time   // Windowed.Before is called before the window of this time
	started unit.Time   // latest time of a StartHost call
	list    []int       // places that have events in this window
	pool    *pool       // nil with one engine
	homes   []int32     // by place: its worker if all take part; nil with one engine
	classes []uint8     // by place: scratch of arrange
	before  []int       // scratch of arrange
	all     atomic.Bool // no listed place has events left in the window
	end     unit.Time   // until which places run
	least   int         // free slab entries below which an engine stops
	paused  atomic.Bool // an engine has called Pause
	slab    slab        // used by several engines
	share   int         // largest expected number of timers at a place with hosts
	audit   *audit      // nil without the tag invariants
	bounds  *bounds     // nil unless they are measured
}

// Windowed is a Stack whose hosts do not depend on the order of events at different places. With
// any other Stack the network is one place.
type Windowed interface {
	Stack
	// Before is called between two windows, no later than before the window that contains the time
	// given to BeginAt. It is also called within a window after Engine.Pause. The next or current
	// window ends at until. If Before returns false the run stops.
	Before(until unit.Time) bool
	// Settle is called after a window.
	Settle()
}

// place is a part of the network that runs as one. Its events may include cancelled ones.
type place struct {
	soon   ring      // ends of transmissions and wake-ups, if the place has few ports
	late   []due     // all other events, a 4-ary heap
	room   int       // length of late at which cancelled events are removed
	first  unit.Time // time of the first event in soon or late, cancelled or not
	start  alarm
	hosted bool // StartHost has set start
	crowd  bool // it has many ports
	hosts  bool // packets arrive at hosts
}

// slot identifies an event of which at most one is pending: an arrival, the end of a transmission,
// a wake-up, a timer. See Network.
type slot int32

// due is an event of a place.
type due struct {
	at   unit.Time
	tie  uint64
	slot slot
	turn uint32 // turn of the alarm; for an arrival, the packet
}

func (a *due) before(b *due) bool { return a.at < b.at || a.at == b.at && a.tie < b.tie }

// alarm is an event that can be cancelled. An event whose turn differs from that of its alarm is
// cancelled.
type alarm struct {
	at   unit.Time // Never if it is not set
	turn uint32
}

// arrival is a packet that arrives at a place within a window. Keys are in the order of (time,
// tie), but lack some low bits of the tie.
type arrival struct {
	key  uint64
	port PortID
	id   PacketID
}

// box holds the arrivals at a place in a window, newest first.
type box struct {
	block *block
	left  uint32 // unused entries of the first block
	all   uint32 // number of blocks
}

// len returns the number of arrivals in a box.
func (b *box) len() int { return int(b.all)*blockSize - int(b.left) }

// block is a part of a box.
type block struct {
	next *block
	_    uint64
	list [blockSize]arrival // filled from the end
}

// blockSize is a power of two. Reading a block costs a cache miss, because only the block before it
// holds its address. Larger blocks stay emptier, because there is one for each worker, place and
// window.
const blockSize = 128

// each calls f for each arrival in a box.
func (b *box) each(f func(*arrival)) {
	from := b.left
	for x := b.block; x != nil; x = x.next {
		for i := range x.list[from:] {
			f(&x.list[int(from)+i])
		}
		from = 0
	}
}

// manyPorts is the number of ports from which a place keeps all its events in the heap.
const manyPorts = 128

// mostWindows limits the number of windows for which boxes hold arrivals. Later arrivals wait in
// the heap of their place.
const mostWindows = 512

// longEnough is the longest useful window per worker. In a longer window a place has more arrivals
// than the caches hold; in a shorter one several workers have too little to do.
const longEnough = 2 * unit.Microsecond

// longestWindow is the window of a network without delays.
const longestWindow = unit.Millisecond

// worthSharing is the number of arrivals from which a window uses several workers. Below it, waking
// workers costs more time than they save.
const worthSharing = 250

// near decides which nodes form one place: those joined by a link whose delay is at most 1/near of
// the longest delay.
const near = 64

// newSchedule divides a network into places, or makes all of it one place.
func newSchedule(n *Network, workers int, whole bool) *schedule {
	s := &schedule{net: n, divided: !whole, begins: unit.Never, started: -1, span: longestWindow}
	s.divide(whole)
	longest := unit.Time(0)
	ports := make([]int, len(s.places))
	for i := range n.ports {
		p := &n.ports[i]
		l := &n.lines[p.line]
		p.place, p.onward = s.placeOf[p.node], s.placeOf[p.peer]
		ports[p.place]++
		s.places[p.onward].hosts = s.places[p.onward].hosts || p.toHost
		longest = max(longest, l.delay+l.tx[n.cfg.MaxPacket])
		if p.place != p.onward || len(s.places) == 1 && l.delay > 0 {
			s.span = min(s.span, l.delay)
		}
	}
	s.span = max(2, min(s.span, max(longEnough*unit.Time(workers), longest/(mostWindows/2))))
	s.shift = uint(bits.Len64(uint64(s.span - 1)))
	s.low = 64 - s.shift
	s.windows = 4
	for s.windows < mostWindows && unit.Time(s.windows-2)*s.span < longest {
		s.windows *= 2
	}
	for i := range s.places {
		p := &s.places[i]
		p.first, p.start.at, p.crowd, p.room = unit.Never, unit.Never, ports[i] >= manyPorts, 64
	}
	hosted := map[int32]bool{}
	for i, host := range n.host {
		if host {
			hosted[s.placeOf[i]] = true
		}
	}
	s.share = n.cfg.Crowd / max(1, len(hosted)) * 5 / 4
	s.classes = make([]uint8, len(s.places))
	s.wakes = make([]alarm, len(n.ports))
	for i := range s.wakes {
		s.wakes[i].at = unit.Never
	}
	if invariants.Enabled {
		s.audit = &audit{}
	}
	return s
}

// divide finds the places. Nodes that are much closer to each other than to others form one place,
// because a window must not be longer than the shortest delay between places.
func (s *schedule) divide(whole bool) {
	n := s.net
	longest := unit.Time(0)
	for i := range n.lines {
		longest = max(longest, n.lines[i].delay)
	}
	parent := make([]int32, len(n.graph.Nodes))
	for i := range parent {
		parent[i] = int32(i)
	}
	root := func(i int32) int32 {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	join := func(a, b NodeID) { parent[root(int32(b))] = root(int32(a)) }
	host := make([]NodeID, len(parent)) // a host of each switch
	for i := range host {
		host[i] = -1
	}
	for i := range n.ports {
		p := &n.ports[i]
		if n.lines[p.line].delay <= longest/near {
			join(p.node, p.peer)
		}
		if !p.toHost || n.home[p.peer] != PortID(i)^1 {
			continue
		}
		if h := host[p.node]; h < 0 {
			host[p.node] = p.peer
		} else {
			join(h, p.peer)
		}
	}
	s.placeOf = make([]int32, len(parent))
	number := make([]int32, len(parent))
	count := int32(0)
	for i := range parent {
		if r := root(int32(i)); !whole {
			if number[r] == 0 {
				count++
				number[r] = count
			}
			s.placeOf[i] = number[r] - 1
		}
	}
	s.places = make([]place, max(1, count))
}

// assign assigns each place to a worker. Hosts are assigned in the order of their numbers, so that
// neighbours share a worker. A switch goes to the worker that has most of its links, so that few
// packets change workers.
func (s *schedule) assign(workers int) (homes []int32) {
	n := s.net
	homes = make([]int32, len(s.places))
	beside := make([][]int32, len(s.places)) // places at the other ends of the links, by place
	links := make([][]int, len(s.places))    // number of links to each worker, by place
	load := make([]int, workers)             // links of each worker
	for i := range homes {
		homes[i], links[i] = -1, make([]int, workers)
	}
	for i := range n.ports {
		p := &n.ports[i]
		beside[p.place] = append(beside[p.place], p.onward)
	}
	give := func(pl int32, w int) {
		homes[pl] = int32(w)
		load[w] += len(beside[pl])
		for _, other := range beside[pl] {
			links[other][w]++
		}
	}
	var hosts []int32
	for i, host := range n.host {
		if host {
			hosts = append(hosts, s.placeOf[i])
		}
	}
	for i, pl := range hosts {
		if homes[pl] < 0 {
			give(pl, i*workers/len(hosts))
		}
	}
	for more := true; more; {
		more = false
		for pl := range homes {
			best := 0
			for w, n := range links[pl] {
				if m := links[pl][best]; n > m || n == m && load[w] < load[best] {
					best = w
				}
			}
			if homes[pl] < 0 && links[pl][best] > 0 {
				give(int32(pl), best)
				more = true
			}
		}
	}
	for pl := range homes { // of a network without hosts
		homes[pl] = max(0, homes[pl])
	}
	return homes
}

// set sets the alarm of a slot at a place. The alarm must not be set.
func (s *schedule) set(pl int32, x slot, a *alarm, at unit.Time, tie uint64) {
	if a.at != unit.Never {
		panic("netsim: the alarm is set already")
	}
	a.at = at
	s.add(pl, due{at, tie, x, atomic.AddUint32(&a.turn, 1)})
}

// clear cancels an alarm if it is set.
func (a *alarm) clear() {
	if a.at != unit.Never {
		a.at = unit.Never
		atomic.AddUint32(&a.turn, 1)
	}
}

// add puts an event into its place.
func (s *schedule) add(pl int32, x due) {
	p := &s.places[pl]
	p.first = min(p.first, x.at)
	if n := slot(len(s.net.ports)); p.crowd || x.slot < n || x.slot >= 3*n {
		if len(p.late) == p.room {
			s.compact(p)
		}
		p.late = append(p.late, x)
		p.up(len(p.late) - 1)
		return
	}
	p.soon.add(x)
}

// cancelWake cancels the wake-up of a port, if it has one.
func (s *schedule) cancelWake(pl int32, pi PortID) {
	if s.wakes[pi].at == unit.Never {
		return
	}
	s.wakes[pi].clear()
	s.places[pl].soon.remove(s.net.wake(pi))
}

// alarm returns the alarm of an event, or nil if the event cannot be cancelled.
func (s *schedule) alarm(p *place, x slot) *alarm {
	n := slot(len(s.net.ports))
	switch {
	case x < 2*n:
		return nil
	case x < 3*n:
		return &s.wakes[x-2*n]
	case x == 3*n:
		return &p.start
	}
	return &s.alarms[x-3*n-1]
}

// cancelled reports whether an event of a place has been cancelled. It reads only the turn, because
// the flow of the timer may have ended and another place may own its slot now.
func (s *schedule) cancelled(p *place, x *due) bool {
	a := s.alarm(p, x.slot)
	return a != nil && atomic.LoadUint32(&a.turn) != x.turn
}

// manyTimers is the length from which the heap of a place grows to its expected length at once.
const manyTimers = 1024

// compact removes cancelled events from the heap of a place.
func (s *schedule) compact(p *place) {
	p.late = slices.DeleteFunc(p.late, func(x due) bool { return s.cancelled(p, &x) })
	for i := (len(p.late) - 2) / 4; i >= 0; i-- {
		p.down(i)
	}
	if p.room = 2*len(p.late) + 64; p.room > manyTimers {
		p.room = max(p.room, s.share)
	}
	if cap(p.late) < p.room {
		p.late = append(hugepage.Make[due](0, p.room), p.late...)
	}
}

// trim removes cancelled events from the top of the heap of a place.
func (s *schedule) trim(p *place) {
	for len(p.late) > 0 && s.cancelled(p, &p.late[0]) {
		p.pop()
	}
}

// pop removes the first event of the heap.
func (p *place) pop() {
	last := len(p.late) - 1
	p.late[0] = p.late[last]
	p.late = p.late[:last]
	p.down(0)
}

// up moves the event at i towards the root until its parent is not later. Invariant: a parent
// (i-1)/4 is never later than its child i.
func (p *place) up(i int) {
	h := p.late
	x := h[i]
	for i > 0 {
		above := (i - 1) / 4
		if !x.before(&h[above]) {
			break
		}
		h[i] = h[above]
		i = above
	}
	h[i] = x
}

// down moves the event at i away from the root until no child is earlier.
func (p *place) down(i int) {
	h := p.late
	if i >= len(h) {
		return
	}
	x := h[i]
	for {
		c := 4*i + 1
		if c >= len(h) {
			break
		}
		best := c
		for k := c + 1; k < min(c+4, len(h)); k++ {
			if h[k].before(&h[best]) {
				best = k
			}
		}
		if !h[best].before(&x) {
			break
		}
		h[i] = h[best]
		i = best
	}
	h[i] = x
}

// update sets p.first, the time of the first event of a place.
func (p *place) update() {
	p.first = unit.Never
	if !p.soon.empty() {
		p.first = p.soon.first().at
	}
	if len(p.late) > 0 {
		p.first = min(p.first, p.late[0].at)
	}
}

// put puts an arrival into the box of a place and a window.
func (e *Engine) put(pl int32, window int, x arrival) {
	b := &e.boxes[int(pl)*e.s.windows+window]
	if b.left == 0 {
		e.enlarge(b, pl, window)
	}
	b.left--
	b.block.list[b.left%blockSize] = x
}

// enlarge adds a block to a box whose blocks are full.
func (e *Engine) enlarge(b *box, pl int32, window int) {
	if e.blocks.free == nil {
		n := min(e.blocks.made/8+16, 1<<12)
		made := hugepage.Make[block](n, n)
		e.blocks.made += n
		for i := range made {
			e.blocks.give(&made[i])
		}
	}
	x := e.blocks.free
	e.blocks.free, x.next = x.next, b.block
	e.blocks.spare--
	e.used++
	b.block, b.left = x, blockSize
	b.all++
	e.marks[window*e.words+int(pl)/64] |= 1 << (pl & 63)
}

// blocks is the free list of an engine.
type blocks struct {
	free  *block
	spare int
	made  int
}

func (s *blocks) give(x *block) {
	x.next, s.free = s.free, x
	s.spare++
}

// after returns an order for a packet that arrives at the same time as another one of its link, so
// that it comes behind it. Orders are compared without their last bits.
func (s *schedule) after(order, other uint64) uint64 {
	step := uint64(1) << (s.shift & 63)
	return max(order, min(other, math.MaxUint64-step)+step)
}

// launch schedules the arrival of a packet at the place at the other end of its link. Simultaneous
// arrivals are sorted by order, which is the tie unless packets of a link must not overtake each
// other.
func (e *Engine) launch(pi PortID, p *port, id PacketID, k *Packet, order uint64) {
	s := e.s
	off, window := k.At-s.start-s.span, s.window+1
	if off >= s.span {
		off -= s.span
		window++
		if off >= s.span { // rare, so that the division costs little
			n := off / s.span
			if n >= unit.Time(s.windows)-2 {
				e.distant = append(e.distant, distant{due{k.At, order, e.net.arrival(pi), uint32(id)}, p.onward})
				return
			}
			off -= n * s.span
			window += int(n)
		}
	} else if off < 0 {
		if invariants.Enabled {
			invariants.Check(p.place == p.onward, "the packet on link %d arrives in the window in which it is sent", pi)
		}
		s.add(p.place, due{k.At, order, e.net.arrival(pi), uint32(id)})
		return
	}
	window &= s.windows - 1
	b := &e.boxes[int(p.onward)*s.windows+window]
	if b.left == 0 {
		e.enlarge(b, p.onward, window)
	}
	b.left--
	b.block.list[b.left%blockSize] = arrival{uint64(off)<<(s.low&63) | order>>(s.shift&63), pi, id}
}

// distant is an arrival that is too many windows ahead for the boxes.
type distant struct {
	due
	place int32
}

// precedes reports whether a comes before b.
func (e *Engine) precedes(a, b *arrival) bool {
	return a.key < b.key || a.key == b.key && e.pkts[a.id].tie < e.pkts[b.id].tie
}

// ahead reports whether an arrival comes before another event of the same time.
func (e *Engine) ahead(a *arrival, tie uint64) bool {
	shift := e.s.shift & 63
	if order := a.key << shift >> shift; order != tie>>shift {
		return order < tie>>shift
	}
	return e.pkts[a.id].tie < tie
}

// fullBin is the largest bin that is sorted by insertion.
const fullBin = 16

// gather returns the arrivals at a place in this window, in order, and empties the boxes. It
// distributes the arrivals over as many bins. Times and ties are mostly spread evenly, so a bin has
// about one arrival, and few comparisons remain.
func (e *Engine) gather(pl int32) []arrival {
	s := e.s
	n := 0
	e.runs = e.runs[:0]
	for _, from := range s.engines {
		b := &from.boxes[int(pl)*s.windows+s.window]
		left := b.left
		for x := b.block; x != nil; x = x.next {
			prefetch.WriteLines(unsafe.Pointer(&x.list[left]), (blockSize-int(left)+3)/4)
			e.runs = append(e.runs, x.list[left:])
			n += blockSize - int(left)
			left = 0
		}
	}
	if n == 0 {
		return nil
	}
	if len(e.sorted) < n {
		e.sorted = make([]arrival, 2*n)
		e.bins = make([]int32, 1<<bits.Len(uint(2*n)))
	}
	sorted, full := e.sorted[:n], int32(0)
	if n <= 8 {
		at := n
		for _, run := range e.runs {
			for _, x := range run {
				at--
				sorted[at] = x
			}
		}
	} else {
		full = e.distribute(sorted)
	}
	for _, from := range s.engines {
		b := &from.boxes[int(pl)*s.windows+s.window]
		if b.block == nil {
			continue // so that the cache line stays with its engine
		}
		for x := b.block; x != nil; {
			next := x.next
			e.blocks.give(x)
			e.used--
			x = next
		}
		*b = box{}
	}
	if full > fullBin {
		slices.SortStableFunc(sorted, func(a, b arrival) int {
			if e.precedes(&a, &b) {
				return -1
			} else if e.precedes(&b, &a) {
				return 1
			}
			return 0
		})
		return sorted
	}
	for i := 1; i < n; i++ {
		if !e.precedes(&sorted[i], &sorted[i-1]) {
			continue
		}
		x, j := sorted[i], i
		for ; j > 0 && e.precedes(&x, &sorted[j-1]); j-- {
			sorted[j] = sorted[j-1]
		}
		sorted[j] = x
	}
	return sorted
}

// distribute sorts the arrivals of the runs by bin. It returns the size of the fullest bin.
func (e *Engine) distribute(sorted []arrival) (fullest int32) {
	digits := uint(bits.Len(uint(len(sorted) - 1))) // of the number of a bin
	right := (64 - digits) & 63
	bins := e.bins[:1<<digits]
	least, left := uint64(0), uint(0)
	if fullest = tally(bins, e.runs, least, left, right); fullest > fullBin {
		// All arrivals are at about the same time.
		most := uint64(0)
		least = math.MaxUint64
		for _, run := range e.runs {
			for i := range run {
				least, most = min(least, run[i].key), max(most, run[i].key)
			}
		}
		left = uint(bits.LeadingZeros64(most-least)) & 63
		fullest = tally(bins, e.runs, least, left, right)
	}
	end := int32(0)
	for i, n := range bins {
		end += n
		bins[i] = end
	}
	for _, run := range e.runs { // backwards, so that equal keys keep their order
		for i := range run {
			b := &bins[(run[i].key-least)<<(left&63)>>(right&63)]
			*b--
			sorted[*b] = run[i]
		}
	}
	return fullest
}

// tally counts the arrivals in each bin. It returns the size of the fullest bin.
func tally(bins []int32, runs [][]arrival, least uint64, left, right uint) (fullest int32) {
	clear(bins)
	for _, run := range runs {
		for i := range run {
			b := &bins[(run[i].key-least)<<(left&63)>>(right&63)]
			*b++
			fullest = max(fullest, *b)
		}
	}
	return fullest
}

// How many arrivals ahead the packet, the memory that it refers to, and the memory that this refers
// to are prefetched, for fetchStep arrivals at once.
const fetchPacket, fetchPath, fetchMore, fetchStep = 13, 8, 4, 4

// visit runs the events of a place in the current window, until the engine must stop. It reports
// whether it has run all of them.
func (e *Engine) visit(pl int32) bool {
	s := e.s
	p := &s.places[pl]
	e.here, e.least = pl, s.least
	if e.stops() { // before sorting, whose result would be lost
		return false
	}
	sorted := e.gather(pl)
	for i := range min(fetchPacket, len(sorted)) {
		prefetch.Write(unsafe.Pointer(&e.pkts[sorted[i].id]))
	}
	n := slot(len(e.net.ports))
	taken, all := 0, true
	low := s.low & 63
	for {
		taken = e.pass(p, sorted, taken)
		comes := unit.Never // the next arrival
		if taken < len(sorted) {
			comes = s.start + unit.Time(sorted[taken].key>>low)
		}
		if e.ends(p, comes) {
			continue
		}
		at, tie, late := unit.Never, uint64(math.MaxUint64), false
		if !p.soon.empty() {
			at, tie = p.soon.first().at, p.soon.first().tie
		}
		if len(p.late) > 0 && (p.late[0].at < at || p.late[0].at == at && p.late[0].tie < tie) {
			if s.cancelled(p, &p.late[0]) {
				p.pop()
				continue
			}
			at, tie, late = p.late[0].at, p.late[0].tie, true
		}
		p.first = at
		arrives := comes < at || comes == at && taken < len(sorted) && e.ahead(&sorted[taken], tie)
		if min(comes, at) > s.end {
			break
		}
		if e.stops() {
			all = false
			break
		}
		e.count.Events++
		if arrives {
			x := &sorted[taken]
			k := &e.pkts[x.id]
			taken++
			e.now, e.tie = comes, k.tie
			e.arrive(x.port, x.id, k)
			continue
		}
		e.now, e.tie = at, tie
		var x due
		if late {
			x = p.late[0]
			p.pop()
		} else {
			x = p.soon.pop()
		}
		p.update()
		switch {
		case x.slot < n:
			e.arrive(PortID(x.slot), PacketID(x.turn), &e.pkts[x.turn])
		case x.slot < 2*n:
			e.readyPort(PortID(x.slot - n))
		case x.slot < 3*n:
			s.wakes[x.slot-2*n].at = unit.Never
			e.Kick(PortID(x.slot - 2*n))
		case x.slot == 3*n:
			p.start.at = unit.Never
			if p.hosted {
				e.count.Events-- // StartHost has counted it
			}
			e.stack.Start()
		default:
			i := int32(x.slot - 3*n - 1)
			s.alarms[i].at = unit.Never
			e.stack.Timer(i)
		}
	}
	for _, x := range sorted[taken:] {
		e.put(pl, s.window, x)
	}
	p.update()
	e.latest = max(e.latest, e.now)
	return all
}

// stops reports whether the engine has reached its limit of events, or may run out of packets in
// the next one.
func (e *Engine) stops() bool { return e.count.Events >= e.last || e.spare < e.least }

// pass runs the arrivals from index taken on that come before all other events of the place. It
// returns the index of the next arrival.
func (e *Engine) pass(p *place, sorted []arrival, taken int) int {
	s := e.s
	for taken < len(sorted) {
		x := &sorted[taken]
		at := s.start + unit.Time(x.key>>(s.low&63))
		if at >= p.first || at > s.end || e.stops() {
			break
		}
		k, port := &e.pkts[x.id], &e.ports[x.port]
		e.count.Events++
		e.now, e.tie = at, k.tie
		if taken%fetchStep == 0 {
			e.fetch(sorted[taken:], p.hosts)
		}
		taken++
		if port.faulty || port.toHost || k.Kind >= Pause {
			e.arrive(x.port, x.id, k)
		} else {
			e.forward(x.port, port, x.id, k, NoPort)
		}
	}
	return taken
}

// ends runs the ends of transmissions that come before the next arrival and all other events of the
// place. It reports whether there were any.
func (e *Engine) ends(p *place, comes unit.Time) (any bool) {
	n := slot(len(e.ports))
	for !p.soon.empty() {
		x := p.soon.first()
		if x.at >= comes || x.slot >= 2*n || len(p.late) > 0 && p.late[0].at <= x.at || x.at > e.s.end || e.stops() {
			break
		}
		pi := PortID(x.slot - n)
		e.now, e.tie = x.at, x.tie
		e.count.Events++
		p.soon.from++
		p.update()
		e.readyPort(pi)
		any = true
	}
	return any
}

// fetch prefetches the memory that the later of these arrivals need. hosts reports whether some may
// be at hosts.
func (e *Engine) fetch(list []arrival, hosts bool) {
	for i := fetchPacket; i < min(fetchPacket+fetchStep, len(list)); i++ {
		prefetch.Write(unsafe.Pointer(&e.pkts[list[i].id]))
	}
	for i := fetchPath; i < min(fetchPath+fetchStep, len(list)); i++ {
		x := &list[i]
		if k := &e.pkts[x.id]; k.Kind < Pause {
			if hosts && e.ports[x.port].toHost {
				if e.fetcher != nil {
					e.fetcher.Fetch(k)
				}
			} else {
				if hop := int(k.Hop) + 1; hop < e.net.followed {
					prefetch.Read(unsafe.Pointer(&e.net.paths[(2*int(k.Flow)+k.way())*e.net.stride+hop]))
				}
				if at := int(x.id)*e.depth + int(k.Hops); at < len(e.stacks) && k.Kind == Data {
					prefetch.Write(unsafe.Pointer(&e.stacks[at]))
				}
			}
			if e.net.room > 0 && k.Kind == Data {
				e.fetchAside(x.id)
			}
		}
	}
	if hosts && e.fetcher != nil {
		for i := fetchMore; i < min(fetchMore+fetchStep, len(list)); i++ {
			x := &list[i]
			if e.ports[x.port].toHost && e.pkts[x.id].Kind < Pause {
				e.fetcher.FetchMore(x.id)
			}
		}
	}
}

// BeginAt sets the time for Windowed.Before: it is called before the window that contains this
// time.
func (e *Engine) BeginAt(at unit.Time) { e.s.begins = at }

// StartHost schedules a call of Stack.Start at a host at the given time, before all other events of
// that time. It replaces a pending call for a later time. If an earlier call is pending, nothing
// changes.
func (e *Engine) StartHost(host NodeID, at unit.Time) {
	if at > e.s.started { // simultaneous starts count as one event, at any host
		e.s.started = at
		e.count.Events++
	}
	e.startPlace(e.s.placeOf[host], at)
}

// WakeHost schedules a call of Stack.Start like StartHost, but counts no event. The host must be at
// the current place, or no engine may run.
func (e *Engine) WakeHost(host NodeID, at unit.Time) { e.startPlace(e.s.placeOf[host], at) }

// Pause ends the visit of the current place after this event. Windowed.Before is called before the
// place continues, so that it can prepare flows that start in this window.
func (e *Engine) Pause() {
	e.least = math.MaxInt
	e.s.paused.Store(true)
}

// StartPlace schedules a call of Stack.Start at the current place, like StartHost.
func (e *Engine) StartPlace(at unit.Time) { e.startPlace(e.here, at) }

func (e *Engine) startPlace(pl int32, at unit.Time) {
	if a := &e.s.places[pl].start; a.at > at {
		a.clear()
		e.s.places[pl].hosted = true
		e.s.set(pl, e.net.starter(), a, at, 0)
	}
}

// Place returns the number of the place of a host. Events at hosts of different places do not run
// in the order of time.
func (e *Engine) Place(host NodeID) int { return int(e.s.placeOf[host]) }

// Places returns the number of places.
func (e *Engine) Places() int { return len(e.s.places) }

// Here returns the place that is running.
func (e *Engine) Here() int { return int(e.here) }

// peek returns the time of the next event, Never if there is none.
func (s *schedule) peek() unit.Time {
	at := s.begins
	for i := range s.places {
		p := &s.places[i]
		s.trim(p)
		p.update()
		at = min(at, p.first)
	}
	for _, e := range s.engines {
		for i := range e.distant {
			at = min(at, e.distant[i].at)
		}
	}
	for ahead := range s.windows { // arrivals of one window come before all of the next
		least := uint64(math.MaxUint64)
		window := (s.window + ahead) & (s.windows - 1)
		for _, e := range s.engines {
			for w, marked := range e.marks[window*e.words:][:e.words] {
				for ; marked != 0; marked &= marked - 1 {
					pl := 64*w + bits.TrailingZeros64(marked)
					e.boxes[pl*s.windows+window].each(func(x *arrival) { least = min(least, x.key) })
				}
			}
		}
		if least != math.MaxUint64 {
			return min(at, s.start+unit.Time(ahead)*s.span+unit.Time(least>>(s.low&63)))
		}
	}
	return at
}

// find lists the places that have events up to a time in this window, and clears their marks.
func (s *schedule) find(end unit.Time) {
	s.list = s.list[:0]
	words := s.engines[0].words
	for w := range words {
		var marked uint64
		for _, e := range s.engines {
			m := &e.marks[s.window*words+w]
			marked |= *m
			*m = 0
		}
		for i := range s.places[64*w : min(64*w+64, len(s.places))] {
			if marked>>i&1 != 0 || s.places[64*w+i].first <= end {
				s.list = append(s.list, 64*w+i)
			}
		}
	}
}

// move starts the window that contains a time.
func (s *schedule) move(to unit.Time) {
	s.window = int(to/s.span) & (s.windows - 1)
	s.start = to / s.span * s.span
}

// settle moves distant arrivals into the heaps of their places.
func (s *schedule) settle() {
	for _, e := range s.engines {
		for _, x := range e.distant {
			s.add(x.place, x.due)
		}
		e.distant = e.distant[:0]
	}
}

// mailed reports whether the boxes hold any arrival.
func (s *schedule) mailed() bool {
	used := 0
	for _, e := range s.engines {
		used += e.used
	}
	return used > 0
}

// run runs events until none is left or the next is later than until. It stops early if an engine
// has run that many events or was halted. It reports whether it has run everything up to until.
func (s *schedule) run(until unit.Time, events int64) bool {
	if until < s.start {
		return true
	}
	for _, e := range s.engines {
		e.last = e.count.Events + min(events, math.MaxInt64-e.count.Events)
	}
	hook, _ := s.engines[0].stack.(Windowed)
	s.settle()
	if !s.resume(hook) {
		return false
	}
	for {
		end := s.start + s.span - 1
		if !s.mailed() {
			at := s.begins
			for i := range s.places {
				at = min(at, s.places[i].first)
			}
			if at == unit.Never || at > until {
				break
			}
			if at > end {
				s.move(at)
				end = s.start + s.span - 1
			}
		}
		s.end = min(until, end)
		if s.begins <= s.end && !hook.Before(s.end) {
			s.rest()
			return false
		}
		s.find(s.end)
		if all := s.visit(); !all || s.paused.Load() { // Settle comes after the whole window
			if !s.resume(hook) || s.stopped() {
				s.rest()
				return false
			}
			continue
		}
		if s.bounds != nil {
			s.bounds.close(s)
		}
		s.settle()
		if hook != nil {
			hook.Settle()
		}
		if invariants.Enabled {
			s.audit.tick(s)
		}
		if until < end {
			break
		}
		s.start += s.span
		s.window = (s.window + 1) & (s.windows - 1)
	}
	s.rest()
	return true
}

// resume calls Before if an engine has called Pause. It returns false if the run must stop.
func (s *schedule) resume(hook Windowed) bool {
	if s.paused.Load() {
		if !hook.Before(s.end) {
			return false
		}
		s.paused.Store(false)
	}
	return true
}

// stopped reports whether an engine has reached its limit of events.
func (s *schedule) stopped() bool {
	for _, e := range s.engines {
		if e.count.Events >= e.last {
			return true
		}
	}
	return false
}

// rest sets the clocks of all engines to the time of the last event.
func (s *schedule) rest() {
	now := s.engines[0].latest
	for _, e := range s.engines {
		now = max(now, e.latest)
	}
	for _, e := range s.engines {
		e.now, e.latest = now, now
	}
}

// visit runs the listed places to the end of the window. It reports whether it has run all their events.
func (s *schedule) visit() bool {
	s.all.Store(true)
	shared := false
	if s.pool != nil || s.bounds != nil {
		shared = shares(s.arrange())
	}
	if s.bounds != nil {
		s.bounds.visit(s.list, shared)
	}
	if s.pool != nil {
		s.restock()
	}
	s.slab.running = true
	if shared && s.pool != nil {
		for _, i := range s.list {
			s.pool.give(int(s.homes[i]), i)
		}
		s.pool.run()
	} else {
		for _, i := range s.list {
			s.do(0, i)
		}
	}
	s.slab.running = false
	if !s.all.Load() && !s.stopped() && !s.paused.Load() {
		s.slab.short++
	}
	return s.all.Load() || s.remark()
}

// arrange sorts the list by the number of arrivals, most first, to a factor of two. It returns the
// number of arrivals.
func (s *schedule) arrange() (all int) {
	var ends [33]int // by bit length of the number of arrivals
	for _, pl := range s.list {
		n := 0
		for _, e := range s.engines {
			n += e.boxes[pl*s.windows+s.window].len()
		}
		all += n
		class := bits.Len32(uint32(n))
		s.classes[pl] = uint8(class)
		ends[class]++
	}
	end := 0
	for class, n := range slices.Backward(ends[:]) {
		end += n
		ends[class] = end
	}
	s.before = append(s.before[:0], s.list...)
	for _, pl := range slices.Backward(s.before) {
		at := &ends[s.classes[pl]]
		*at--
		s.list[*at] = pl
	}
	return all
}

// remark marks the listed places that still have arrivals in the window. It returns false.
func (s *schedule) remark() bool {
	for _, e := range s.engines {
		for _, i := range s.list {
			if e.boxes[i*s.windows+s.window].block != nil {
				e.marks[s.window*e.words+i/64] |= 1 << (i & 63)
			}
		}
	}
	return false
}

// do runs a place on a worker. The pool calls it.
func (s *schedule) do(worker, pl int) {
	e := s.engines[worker]
	before := e.count.Events
	if !e.visit(int32(pl)) {
		s.all.Store(false)
	}
	if s.bounds != nil {
		s.bounds.work[pl] += e.count.Events - before
	}
}

// events returns the number of events so far.
func (s *schedule) events() (n int64) {
	for _, e := range s.engines {
		n += e.count.Events
	}
	return n
}

// advance moves the clocks to a time before which no event is pending.
func (s *schedule) advance(to unit.Time) {
	if to < s.engines[0].now || s.peek() < to {
		panic("netsim: the clock cannot be moved there")
	}
	if to >= s.start+s.span {
		s.move(to)
	}
	for _, e := range s.engines {
		e.now, e.latest, e.tie = to, to, 0
	}
}

// arrivals calls f for each packet on a link, with the scheduled time of its arrival.
func (s *schedule) arrivals(f func(PortID, PacketID, unit.Time)) {
	for _, e := range s.engines {
		for i := range e.boxes {
			ahead := (i%s.windows - s.window) & (s.windows - 1)
			e.boxes[i].each(func(x *arrival) {
				f(x.port, x.id, s.start+unit.Time(ahead)*s.span+unit.Time(x.key>>(s.low&63)))
			})
		}
		for _, x := range e.distant {
			f(PortID(x.slot), PacketID(x.turn), x.at)
		}
	}
	for i := range s.places {
		for _, x := range s.places[i].late {
			if x.slot < slot(len(s.net.ports)) {
				f(PortID(x.slot), PacketID(x.turn), x.at)
			}
		}
	}
}
