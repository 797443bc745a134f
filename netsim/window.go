package netsim

import (
	"math"
	"math/bits"
	"slices"

	"pintlab/internal/invariants"
	"pintlab/netsim/unit"
)

// worthSharing is the number of arrivals from which a window uses several workers. Below it, waking
// workers costs more time than they save.
const worthSharing = 250

// peek returns the time of the next event, Never if there is none.
func (s *schedule) peek() unit.Time {
	at := s.begins
	for i := range s.domains {
		p := &s.domains[i]
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
					dom := 64*w + bits.TrailingZeros64(marked)
					e.mailbox(dom, window).each(func(x *arrival) { least = min(least, x.key) })
				}
			}
		}
		if least != math.MaxUint64 {
			return min(at, s.start+unit.Time(ahead)*s.span+unit.Time(least>>(s.low&63)))
		}
	}
	return at
}

// find lists the domains that have events up to a time in this window, and clears their marks.
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
		for i := range s.domains[64*w : min(64*w+64, len(s.domains))] {
			if marked>>i&1 != 0 || s.domains[64*w+i].first <= end {
				s.list = append(s.list, 64*w+i)
			}
		}
	}
}

// move starts the window that contains a time.
func (s *schedule) move(to unit.Time) {
	s.window = int(to/s.span) & (s.windows - 1)
	s.start = to / s.span * s.span
	s.next = s.start + s.span
	following := (s.window + 1) & (s.windows - 1)
	for _, e := range s.engines {
		e.following = e.mailboxes[following*len(s.domains):][:len(s.domains)]
	}
}

// settle moves distant arrivals into the heaps of their domains.
func (s *schedule) settle() {
	for _, e := range s.engines {
		for _, x := range e.distant {
			s.push(x.domain, x.due)
		}
		e.distant = e.distant[:0]
	}
}

// mailed reports whether the mailboxes hold any arrival.
func (s *schedule) mailed() bool {
	used := 0
	for _, e := range s.engines {
		used += e.used
	}
	return used > 0
}

// run runs events until none is left or the next is later than until. It stops early if an engine has run the given
// number of events or was halted. It reports whether it has run everything up to until.
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
		end := s.next - 1
		if !s.mailed() {
			at := s.begins
			for i := range s.domains {
				at = min(at, s.domains[i].first)
			}
			if at == unit.Never || at > until {
				break
			}
			if at > end {
				s.move(at)
				end = s.next - 1
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
		s.move(s.next)
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

// visit runs the listed domains to the end of the window. It reports whether no event is left.
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

// arrange sorts the list by the number of arrivals, largest number first. Numbers of the same length in bits count as
// equal. It returns the total number of arrivals.
func (s *schedule) arrange() (all int) {
	var ends [33]int // by bit length of the number of arrivals
	for _, dom := range s.list {
		n := 0
		for _, e := range s.engines {
			n += e.mailbox(dom, s.window).len()
		}
		all += n
		class := bits.Len32(uint32(n))
		s.classes[dom] = uint8(class)
		ends[class]++
	}
	end := 0
	for class, n := range slices.Backward(ends[:]) {
		end += n
		ends[class] = end
	}
	s.before = append(s.before[:0], s.list...)
	for _, dom := range slices.Backward(s.before) {
		at := &ends[s.classes[dom]]
		*at--
		s.list[*at] = dom
	}
	return all
}

// remark marks the listed domains that still have arrivals in the window. It returns false.
func (s *schedule) remark() bool {
	for _, e := range s.engines {
		for _, i := range s.list {
			if e.mailbox(i, s.window).block != nil {
				e.marks[s.window*e.words+i/64] |= 1 << (i & 63)
			}
		}
	}
	return false
}

// do runs a domain on a worker. The pool calls it.
func (s *schedule) do(worker, dom int) {
	e := s.engines[worker]
	before := e.count.Events
	if !e.visit(int32(dom)) {
		s.all.Store(false)
	}
	if s.bounds != nil {
		s.bounds.work[dom] += e.count.Events - before
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
	if to >= s.next {
		s.move(to)
	}
	for _, e := range s.engines {
		e.now, e.latest, e.tie = to, to, 0
	}
}

// arrivals calls f for each packet on a link, with the scheduled time of its arrival.
func (s *schedule) arrivals(f func(PortID, PacketID, unit.Time)) {
	for _, e := range s.engines {
		for i := range e.mailboxes {
			ahead := (i/len(s.domains) - s.window) & (s.windows - 1)
			e.mailboxes[i].each(func(x *arrival) {
				f(x.port, x.id, s.start+unit.Time(ahead)*s.span+unit.Time(x.key>>(s.low&63)))
			})
		}
		for _, x := range e.distant {
			f(PortID(x.slot), PacketID(x.turn), x.at)
		}
	}
	for i := range s.domains {
		for _, x := range s.domains[i].late {
			if x.slot < slot(len(s.net.ports)) {
				f(PortID(x.slot), PacketID(x.turn), x.at)
			}
		}
	}
}
