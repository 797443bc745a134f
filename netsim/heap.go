package netsim

import (
	"slices"
	"sync/atomic"

	"pintlab/internal/mem"
	"pintlab/netsim/unit"
)

// slot identifies an event of which at most one is pending: an arrival, the end of a transmission,
// a wake-up, a timer. See Network.
type slot int32

// due is an event of a domain.
type due struct {
	at   unit.Time
	tie  uint64
	slot slot
	turn uint32 // turn of the alarm; for an arrival, the packet
}

func (a *due) before(b *due) bool { return a.at < b.at || a.at == b.at && a.tie < b.tie }

// alarm is an event that can be cancelled. Each setting of an alarm has its own turn, so an event with an older turn is
// known to be cancelled.
type alarm struct {
	at   unit.Time // Never if it is not set
	turn uint32
}

// set sets the alarm of a slot and returns its event. The alarm must not be set.
func (a *alarm) set(x slot, at unit.Time, tie uint64) due {
	if a.at != unit.Never {
		panic("netsim: the alarm is set already")
	}
	a.at = at
	return due{at, tie, x, atomic.AddUint32(&a.turn, 1)}
}

// clear cancels an alarm if it is set.
func (a *alarm) clear() {
	if a.at != unit.Never {
		a.at = unit.Never
		atomic.AddUint32(&a.turn, 1)
	}
}

// push puts an event into the heap of its domain.
func (s *schedule) push(dom int32, x due) {
	p := mem.At(s.domains, dom)
	p.first = min(p.first, x.at)
	if len(p.late) == p.room {
		s.compact(p)
	}
	p.late = append(p.late, x)
	p.up(len(p.late) - 1)
}

// pushSoon puts the end of a transmission or a wake-up into its domain.
func (s *schedule) pushSoon(dom int32, x due) {
	p := mem.At(s.domains, dom)
	if p.crowd {
		s.push(dom, x)
		return
	}
	p.first = min(p.first, x.at)
	p.soon.insert(x)
}

// cancelWake cancels the wake-up of a port, if it has one.
func (s *schedule) cancelWake(dom int32, pi PortID) {
	if s.wakes[pi].at == unit.Never {
		return
	}
	s.wakes[pi].clear()
	s.domains[dom].soon.remove(s.net.wake(pi))
}

// alarm returns the alarm of an event, or nil if the event cannot be cancelled.
func (s *schedule) alarm(p *domain, x slot) *alarm {
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

// cancelled reports whether an event of a domain has been cancelled. It reads only the turn, because the flow of a
// timer may have ended and the timer's slot may belong to another domain now.
func (s *schedule) cancelled(p *domain, x *due) bool {
	a := s.alarm(p, x.slot)
	return a != nil && atomic.LoadUint32(&a.turn) != x.turn
}

// manyTimers is the length from which the heap of a domain grows to its expected length at once.
const manyTimers = 1024

// compact removes cancelled events from the heap of a domain.
func (s *schedule) compact(p *domain) {
	p.late = slices.DeleteFunc(p.late, func(x due) bool { return s.cancelled(p, &x) })
	for i := (len(p.late) - 2) / 4; i >= 0; i-- {
		p.down(i)
	}
	if p.room = 2*len(p.late) + 64; p.room > manyTimers {
		p.room = max(p.room, s.share)
	}
	if cap(p.late) < p.room {
		p.late = append(mem.Make[due](0, p.room), p.late...)
	}
}

// trim removes cancelled events from the top of the heap of a domain.
func (s *schedule) trim(p *domain) {
	for len(p.late) > 0 && s.cancelled(p, &p.late[0]) {
		p.pop()
	}
}

// pop removes the first event of the heap.
func (p *domain) pop() {
	last := len(p.late) - 1
	p.late[0] = p.late[last]
	p.late = p.late[:last]
	p.down(0)
}

// up moves the event at i towards the root until its parent is not later. Invariant: a parent
// (i-1)/4 is never later than its child i.
func (p *domain) up(i int) {
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
func (p *domain) down(i int) {
	h := p.late
	if i >= len(h) {
		return
	}
	x := h[i]
	for c := 4*i + 1; c < len(h); c = 4*i + 1 {
		best, least := c, mem.At(h, c)
		for k, end := c+1, min(c+4, len(h)); k < end; k++ {
			if y := mem.At(h, k); y.before(least) {
				best, least = k, y
			}
		}
		if !least.before(&x) {
			break
		}
		h[i] = *least
		i = best
	}
	h[i] = x
}

// update sets p.first, the time of the first event of a domain.
func (p *domain) update() {
	p.first = unit.Never
	if !p.soon.empty() {
		p.first = p.soon.first().at
	}
	if len(p.late) > 0 {
		p.first = min(p.first, p.late[0].at)
	}
}
