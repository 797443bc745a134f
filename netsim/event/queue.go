// Package event has the clock of a simulation: the queue of what happens next.
//
// Every possible event has a slot, a small integer that its owner picks once: a
// link's next arrival, a port's end of transmission, a flow's timer. A slot holds
// at most one pending event, so an event is a time and a tie-breaker written into
// a fixed place. Nothing is allocated, and cancelling is unlinking.
//
// Events run in the order of (time, tie, slot), which is total. What the tie means is the
// caller's choice: a counter gives first-scheduled-first-run, a hash gives an order that
// favours no slot.
//
// Near events live in a calendar: an array of buckets, each a short list, with a three-level
// bitmap of the buckets in use. A bucket is sorted only when its time comes. Then it becomes the
// agenda, from which events are taken. The agenda is a list, or an array if it is long; events
// set later for the same bucket go to a list beside the array. A bucket with many events is kept
// as an array from the start, because following a long list costs a cache miss for each node.
// Events past the calendar's horizon wait in a 4-ary heap, as do those whose place in a long
// agenda is too far down to search for. Taking an event compares the top of the heap with the
// agenda, so events never move from the heap. A cancelled event stays in the heap until it comes
// to the top, or until most of the heap is cancelled.
//
// Setting and taking are fast however many events there are at one time. Cancelling a
// near event walks the list of its bucket.
package event

import (
	"math/bits"
	"slices"
	"unsafe"

	"pintlab/internal/hugepage"
	"pintlab/internal/prefetch"
	"pintlab/netsim/unit"
)

// Slot names a place for one pending event.
type Slot int32

const none Slot = -1

// where a slot's event is kept.
const (
	idle  int32 = -1 // nothing pending
	near  int32 = -2 // in the calendar or the list of the agenda
	drawn int32 = -4 // in the array of the agenda
	late  int32 = -3 // in the heap
)

type node struct {
	at    unit.Time
	tie   uint64
	next  Slot   // in the list of its bucket, or in the agenda
	in    int32  // idle, near, drawn or late
	turn  uint32 // how often it has been put into the heap
	below int32  // how many events follow it in the list of its bucket; may be wrong if postpone has made the list
}

func (a *node) before(b *node) bool { return a.at < b.at || a.at == b.at && a.tie < b.tie }

// distant is an event in the heap, with the keys by which it is compared. It has been
// cancelled if its slot is not in the heap, or has been put there again since.
type distant struct {
	at   unit.Time
	tie  uint64
	slot Slot
	turn uint32
}

func (a *distant) before(b *distant) bool {
	return a.at < b.at || a.at == b.at && (a.tie < b.tie || a.tie == b.tie && a.slot < b.slot)
}

// Queue holds the pending events of one simulation. Make one with New.
type Queue struct {
	now    unit.Time // of the last event taken
	tie    uint64    // of the last event taken
	agenda Slot      // sorted events of bucket due, beside those of sorted
	due    int64     // number of a bucket, counted from time 0; those before it are empty
	shift  uint      // log2 of the bucket width in picoseconds
	mask   int64     // number of buckets - 1
	heads  []Slot    // of the list of a bucket; none, or below none for an array: see crowd
	used   []uint64  // a bit per bucket
	sum    []uint64  // a bit per word of used
	top    []uint64  // a bit per word of sum
	nodes  []node
	far    []distant // 4-ary heap, cancelled events among them
	valid  int       // of the heap, that have not been cancelled
	farAt  unit.Time // of its first event, cancelled or not; Never if it is empty
	count  int
	crowds [][]keyed // the arrays of buckets that hold many events
	unused []Slot    // of these, as in heads
	many   []keyed   // a long list that is being sorted
	sorted []keyed   // a long list in its order: events of bucket due that are drawn, or cancelled
	taken  int       // of sorted; the next of it, if there is one, is not cancelled
	bins   []int32   // where each bin of it begins in sorted
}

// New makes a queue with the given number of slots (Grow adds more). Events up to
// horizon ahead of the clock are kept in the calendar, in buckets of about
// spacing; both only affect speed, never the order.
func New(slots int, horizon, spacing unit.Time) *Queue {
	shift := uint(0)
	if spacing > 1 {
		shift = uint(bits.Len64(uint64(spacing)) - 1)
	}
	n := int64(64)
	for n < 1<<18 && n<<shift < int64(horizon) {
		n <<= 1
	}
	q := &Queue{shift: shift, mask: n - 1, agenda: none, farAt: unit.Never}
	q.heads = make([]Slot, n)
	for i := range q.heads {
		q.heads[i] = none
	}
	q.used = make([]uint64, n/64)
	q.sum = make([]uint64, (n/64+63)/64)
	q.top = make([]uint64, (len(q.sum)+63)/64)
	q.Grow(slots, 0)
	return q
}

// Grow makes at least slots slots usable. most is the expected final number, 0 if unknown.
func (q *Queue) Grow(slots, most int) {
	if slots > cap(q.nodes) { // by doubling: fresh memory costs nothing until it is used
		q.nodes = append(hugepage.Make[node](0, max(slots, 2*cap(q.nodes), most)), q.nodes...)
	}
	for len(q.nodes) < slots {
		q.nodes = append(q.nodes, node{next: none, in: idle})
	}
}

// bucket returns the number of the bucket of a time, counted from time 0.
func (q *Queue) bucket(t unit.Time) int64 { return int64(t) >> (q.shift & 63) }

// Now returns the time of the last event taken.
func (q *Queue) Now() unit.Time { return q.now }

// Advance moves the clock to a time before which nothing is pending. It panics if
// something is, or if the time has passed.
func (q *Queue) Advance(to unit.Time) {
	if to < q.now || q.Peek() < to {
		panic("event: the clock cannot be moved there")
	}
	q.now, q.tie = to, 0
}

// Tie returns the tie-breaker of the last event taken.
func (q *Queue) Tie() uint64 { return q.tie }

// Len returns the number of pending events.
func (q *Queue) Len() int { return q.count }

// Pending reports whether slot s holds an event.
func (q *Queue) Pending(s Slot) bool { return q.nodes[s].in != idle }

// At returns the time of the event in slot s, which must be pending.
func (q *Queue) At(s Slot) unit.Time { return q.nodes[s].at }

// Set schedules slot s at the given time, which must not lie before Now. The
// slot must not be pending.
func (q *Queue) Set(s Slot, at unit.Time, tie uint64) {
	n := &q.nodes[s]
	if n.in != idle {
		panic("event: slot is already pending")
	}
	if at < q.now {
		panic("event: time goes back")
	}
	n.at, n.tie = at, tie
	q.count++
	b := q.bucket(at)
	if b-q.bucket(q.now) > q.mask {
		q.setFar(s)
		return
	}
	n.in = near
	if b <= q.due {
		if b == q.due {
			if !q.insert(s) {
				q.setFar(s)
			}
			return
		}
		q.postpone()
		q.due = b
		n.next, q.agenda = none, s
		return
	}
	i := b & q.mask
	h := q.heads[i]
	if h < none {
		q.addTo(h, s)
		return
	}
	n.next, n.below = h, 0
	q.heads[i] = s
	if h == none {
		q.mark(i)
	} else if n.below = q.nodes[h].below + 1; n.below >= crowded {
		q.gather(i)
	}
}

// crowd returns the array of a bucket whose head is below none.
func (q *Queue) crowd(h Slot) *[]keyed { return &q.crowds[none-1-h] }

// addTo puts slot s into the array of a bucket.
func (q *Queue) addTo(h, s Slot) {
	c := q.crowd(h)
	*c = append(*c, keyed{q.key(&q.nodes[s]), s})
}

// gather makes an array of the list of bucket i of the ring.
func (q *Queue) gather(i int64) {
	last := len(q.unused) - 1
	if last < 0 {
		q.crowds = append(q.crowds, nil)
		q.unused = append(q.unused, none-Slot(len(q.crowds)))
		last = 0
	}
	h := q.unused[last]
	q.unused = q.unused[:last]
	for s := q.heads[i]; s != none; s = q.nodes[s].next {
		q.addTo(h, s)
	}
	q.heads[i] = h
}

// scatter ends the array of a bucket.
func (q *Queue) scatter(h Slot) {
	c := q.crowd(h)
	*c = (*c)[:0]
	q.unused = append(q.unused, h)
}

// number returns the number of bucket i of the ring, counted from time 0. Buckets in use are that of the
// clock and those after it, less than once round the ring.
func (q *Queue) number(i int64) int64 {
	now := q.bucket(q.now)
	return now + (i-now)&q.mask
}

// searchLimit is how many events of the agenda a new one is compared with to find its
// place. An event whose place is further down goes to the heap. Otherwise, if each of
// thousands of simultaneous events sets another one for the same time, each would take
// thousands of steps.
const searchLimit = 64

// insert puts slot s into the list of the agenda, unless its place is too far down.
func (q *Queue) insert(s Slot) bool {
	n := &q.nodes[s]
	if q.agenda == none || q.less(s, q.agenda) {
		n.next, q.agenda = q.agenda, s
		return true
	}
	h := &q.nodes[q.agenda]
	for steps := 1; h.next != none && q.less(h.next, s); steps++ {
		if steps == searchLimit {
			return false
		}
		h = &q.nodes[h.next]
	}
	n.next = h.next
	h.next = s
	return true
}

// postpone puts the agenda back into the calendar, because something comes before it.
func (q *Queue) postpone() {
	for _, x := range q.sorted[q.taken:] {
		if n := &q.nodes[x.slot]; n.in == drawn {
			n.in, n.next, q.agenda = near, q.agenda, x.slot
		}
	}
	q.sorted, q.taken = q.sorted[:0], 0
	if q.agenda == none {
		return
	}
	i := q.due & q.mask
	q.heads[i], q.agenda = q.agenda, none
	q.mark(i)
}

// few is the length up to which a list is sorted by insertion.
const few = 12

// crowded is the length from which on the list of a bucket becomes an array.
const crowded = 32

// arrange makes bucket i of the ring the agenda.
func (q *Queue) arrange(i int64) {
	head := q.heads[i]
	q.due = q.number(i)
	q.heads[i] = none
	q.unmark(i)
	if head < none {
		q.arrangeCrowd(head)
		return
	}
	q.agenda = head
	s := q.nodes[head].next
	if s == none {
		return
	}
	q.nodes[head].next = none
	for k := 1; s != none; k++ {
		if k == few {
			q.arrangeMany(s)
			return
		}
		next := q.nodes[s].next
		q.insert(s) // few events are within the limit
		s = next
	}
}

// arrangeMany merges the list that begins with s into the agenda.
func (q *Queue) arrangeMany(s Slot) {
	list := q.many[:0]
	for _, s := range [2]Slot{q.agenda, s} {
		for ; s != none; s = q.nodes[s].next {
			list = append(list, keyed{q.key(&q.nodes[s]), s})
		}
	}
	q.many, q.agenda = list, none
	q.sort(list)
}

// arrangeCrowd makes the array of a bucket the agenda.
func (q *Queue) arrangeCrowd(h Slot) {
	q.sort(*q.crowd(h))
	q.scatter(h)
}

// keyed is an event of a long list that is being sorted. Keys are in the order of the
// events, but for some low bits of the tie.
type keyed struct {
	key  uint64
	slot Slot
}

// fullBin is how many of the events that are being sorted one bin may hold.
const fullBin = 16

// key returns the key of an event in its bucket.
func (q *Queue) key(n *node) uint64 {
	shift := q.shift & 63
	return uint64(n.at)<<(64-shift) | n.tie>>shift
}

// sort makes the agenda of a list of at least one event, which stays as it is. Ties are mostly
// hashes, spread evenly, so that about one event falls into each of as many bins as there are
// events, and little is left to compare.
func (q *Queue) sort(list []keyed) {
	least, most := ^uint64(0), uint64(0)
	for _, x := range list {
		q.nodes[x.slot].in = drawn
		least, most = min(least, x.key), max(most, x.key)
	}
	digits := bits.Len(uint(len(list) - 1)) // of the number of a bin
	left := bits.LeadingZeros64(most - least)
	bin := func(key uint64) uint64 { return (key - least) << left >> (64 - digits) }
	if cap(q.sorted) < len(list) {
		q.bins = make([]int32, 1<<digits)
		q.sorted = make([]keyed, 1<<digits)
	}
	bins, sorted := q.bins[:1<<digits], q.sorted[:len(list)]
	q.sorted, q.taken = sorted, 0
	clear(bins)
	fullest := int32(0)
	for i := range list {
		b := &bins[bin(list[i].key)]
		*b++
		fullest = max(fullest, *b)
	}
	end := int32(0)
	for i, n := range bins {
		bins[i] = end
		end += n
	}
	for i := range list {
		b := &bins[bin(list[i].key)]
		sorted[*b] = list[i]
		*b++
	}
	if fullest > fullBin {
		slices.SortFunc(sorted, func(a, b keyed) int {
			if q.ahead(a, b) {
				return -1
			}
			return 1
		})
	} else {
		for i := range sorted {
			x, j := sorted[i], i
			for ; j > 0 && q.ahead(x, sorted[j-1]); j-- {
				sorted[j] = sorted[j-1]
			}
			sorted[j] = x
		}
	}
}

// ahead reports whether a comes before b.
func (q *Queue) ahead(a, b keyed) bool {
	return a.key < b.key || a.key == b.key && q.less(a.slot, b.slot)
}

// Cancel removes the event in slot s, if there is one.
func (q *Queue) Cancel(s Slot) {
	n := &q.nodes[s]
	switch n.in {
	case idle:
		return
	case drawn:
		n.in = idle
		q.skip()
	case near:
		b := q.bucket(n.at)
		list := &q.agenda
		if b != q.due {
			list = &q.heads[b&q.mask]
		}
		if h := *list; h < none {
			c := q.crowd(h)
			*c = slices.DeleteFunc(*c, func(x keyed) bool { return x.slot == s })
			if len(*c) == 0 {
				q.scatter(h)
				*list = none
			}
		} else {
			for *list != s {
				list = &q.nodes[*list].next
			}
			*list = n.next
		}
		if b != q.due && q.heads[b&q.mask] == none {
			q.unmark(b & q.mask)
		}
	default:
		n.in = idle
		q.valid--
		q.compact()
	}
	n.in = idle
	q.count--
}

// Next takes the first event if it is not later than limit, moves the clock to
// it and returns its slot.
func (q *Queue) Next(limit unit.Time) (Slot, bool) {
	s, long := q.upcoming()
	if s == none {
		i := q.first()
		if i < 0 || q.bucket(q.farAt) < q.number(i) {
			if q.trim(); i < 0 || q.bucket(q.farAt) < q.number(i) {
				return q.nextFar(limit)
			}
		}
		q.arrange(i)
		s, long = q.upcoming()
	}
	n := &q.nodes[s]
	if q.farAt <= n.at {
		if q.trim(); q.farAt <= n.at && q.far[0].before(&distant{at: n.at, tie: n.tie, slot: s}) {
			return q.nextFar(limit)
		}
	}
	if n.at > limit {
		return none, false
	}
	n.in = idle
	q.count--
	q.now, q.tie = n.at, n.tie
	if !long {
		q.agenda = n.next
		return s, true
	}
	if x, ok := q.Ahead(fetchAhead); ok {
		prefetch.Write(unsafe.Pointer(&q.nodes[x]))
	}
	q.skip()
	return s, true
}

// upcoming returns the first event of the agenda, or none if it is empty. long reports whether the
// event is in the array.
func (q *Queue) upcoming() (s Slot, long bool) {
	if s = q.agenda; q.taken == len(q.sorted) {
		return s, false
	}
	if x := q.sorted[q.taken].slot; s == none || q.less(x, s) {
		return x, true
	}
	return s, false
}

// skip passes over cancelled events that come next in the array.
func (q *Queue) skip() {
	for q.taken < len(q.sorted) && q.nodes[q.sorted[q.taken].slot].in != drawn {
		q.taken++
	}
}

// fetchAhead is how many events ahead an event of a long list is prefetched.
const fetchAhead = 12

// Fetch prefetches the event of a slot that is to be set or cancelled soon. The slot need not exist
// yet.
func (q *Queue) Fetch(s Slot) {
	if int(s) < cap(q.nodes) {
		prefetch.Write(unsafe.Pointer(&q.nodes[:cap(q.nodes)][s]))
	}
}

// Ahead returns the slot of an event that is likely to be taken after n others, if that many
// are pending at one time. It changes nothing: the caller prefetches what the event will need.
func (q *Queue) Ahead(n int) (Slot, bool) {
	if i := q.taken + n; i < len(q.sorted) {
		return q.sorted[i].slot, true
	}
	return none, false
}

// Peek returns the time of the first event, or Never.
func (q *Queue) Peek() unit.Time {
	q.trim()
	at := q.farAt
	if s, _ := q.upcoming(); s != none {
		return min(at, q.nodes[s].at)
	}
	if i := q.first(); i >= 0 {
		if h := q.heads[i]; h < none {
			for _, x := range *q.crowd(h) {
				at = min(at, q.nodes[x.slot].at)
			}
			return at
		}
		for s := q.heads[i]; s != none; s = q.nodes[s].next {
			at = min(at, q.nodes[s].at)
		}
	}
	return at
}

func (q *Queue) nextFar(limit unit.Time) (Slot, bool) {
	if len(q.far) == 0 {
		return none, false
	}
	x := q.far[0]
	if x.at > limit {
		return none, false
	}
	q.nodes[x.slot].in = idle
	q.valid--
	q.trim()
	q.count--
	q.now, q.tie = x.at, x.tie
	return x.slot, true
}

// first returns the bucket of the calendar's first event, or -1. The bucket of the
// clock itself is where the search begins; the array is a ring.
func (q *Queue) first() int64 {
	start := q.bucket(q.now) & q.mask
	w := start >> 6
	if m := q.used[w] >> uint(start&63) << uint(start&63); m != 0 {
		return w<<6 | int64(bits.TrailingZeros64(m))
	}
	if i := q.from(w + 1); i >= 0 {
		return i
	}
	return q.from(0) // wrapped; the rest of the starting word comes round last
}

// from returns the first used bucket in words w, w+1, …, or -1.
func (q *Queue) from(w int64) int64 {
	if w >= int64(len(q.used)) {
		return -1
	}
	v := w >> 6
	m := q.sum[v] >> uint(w&63) << uint(w&63)
	if m == 0 {
		v++
		t := v >> 6
		if t >= int64(len(q.top)) {
			return -1
		}
		mt := q.top[t] >> uint(v&63) << uint(v&63)
		for mt == 0 {
			t++
			if t >= int64(len(q.top)) {
				return -1
			}
			mt = q.top[t]
		}
		v = t<<6 | int64(bits.TrailingZeros64(mt))
		m = q.sum[v]
	}
	w = v<<6 | int64(bits.TrailingZeros64(m))
	return w<<6 | int64(bits.TrailingZeros64(q.used[w]))
}

func (q *Queue) mark(i int64) {
	w := &q.used[i>>6]
	if *w |= 1 << uint(i&63); *w&(*w-1) != 0 {
		return // the word was in use already
	}
	q.sum[i>>12] |= 1 << uint(i>>6&63)
	q.top[i>>18] |= 1 << uint(i>>12&63)
}

func (q *Queue) unmark(i int64) {
	w := i >> 6
	if q.used[w] &^= 1 << uint(i&63); q.used[w] != 0 {
		return
	}
	if q.sum[w>>6] &^= 1 << uint(w&63); q.sum[w>>6] != 0 {
		return
	}
	q.top[w>>12] &^= 1 << uint(w>>6&63)
}

func (q *Queue) less(a, b Slot) bool {
	x, y := &q.nodes[a], &q.nodes[b]
	return x.before(y) || x.at == y.at && x.tie == y.tie && a < b
}

// long is the length from which on the heap grows at once for as many events as there are slots.
const long = 1 << 14

// setFar puts slot s, whose time and tie are set, into the heap.
func (q *Queue) setFar(s Slot) {
	n := &q.nodes[s]
	n.in = late
	n.turn++
	q.valid++
	if len(q.far) == cap(q.far) && len(q.far) >= long { // at most all timers of a run wait here
		q.far = append(hugepage.Make[distant](0, max(2*len(q.far), cap(q.nodes))), q.far...)
	}
	q.far = append(q.far, distant{n.at, n.tie, s, n.turn})
	q.up(len(q.far) - 1)
	q.farAt = q.far[0].at
}

// cancelled reports whether an event in the heap has been cancelled.
func (q *Queue) cancelled(x *distant) bool {
	n := &q.nodes[x.slot]
	return n.in != late || n.turn != x.turn
}

// compact removes cancelled events from the heap when they are the majority.
func (q *Queue) compact() {
	if len(q.far) <= 2*q.valid+64 {
		return
	}
	q.far = slices.DeleteFunc(q.far, func(x distant) bool { return q.cancelled(&x) })
	for i := (len(q.far) - 2) / 4; i >= 0; i-- {
		q.down(i)
	}
	q.trim()
}

// trim removes cancelled events from the top of the heap.
func (q *Queue) trim() {
	for len(q.far) > 0 && q.cancelled(&q.far[0]) {
		last := len(q.far) - 1
		q.far[0] = q.far[last]
		q.far = q.far[:last]
		q.down(0)
	}
	q.farAt = unit.Never
	if len(q.far) > 0 {
		q.farAt = q.far[0].at
	}
}

// up moves the event at i towards the root until its parent is not later. Invariant: a parent
// (i-1)/4 is never later than its child i.
func (q *Queue) up(i int) {
	x := q.far[i]
	for i > 0 {
		p := (i - 1) / 4
		if !x.before(&q.far[p]) {
			break
		}
		q.far[i] = q.far[p]
		i = p
	}
	q.far[i] = x
}

// down moves the event at i away from the root until no child is earlier.
func (q *Queue) down(i int) {
	if i >= len(q.far) {
		return
	}
	x := q.far[i]
	for {
		c := 4*i + 1
		if c >= len(q.far) {
			break
		}
		best := c
		for k := c + 1; k < min(c+4, len(q.far)); k++ {
			if q.far[k].before(&q.far[best]) {
				best = k
			}
		}
		if !q.far[best].before(&x) {
			break
		}
		q.far[i] = q.far[best]
		i = best
	}
	q.far[i] = x
}
