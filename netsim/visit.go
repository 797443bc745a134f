package netsim

import (
	"math"
	"unsafe"

	"pintlab/internal/mem"
	"pintlab/netsim/unit"
)

// How many arrivals ahead the packet, the memory that it refers to, and the memory that this refers
// to are prefetched.
const fetchPacket, fetchPath, fetchMore = 14, 10, 6

// visit runs the events of a domain in the current window, until the engine must stop. It reports
// whether it has run all of them.
func (e *Engine) visit(dom int32) bool {
	s := e.s
	p := &s.domains[dom]
	e.here, e.limit = dom, e.last
	if e.spare < s.least {
		e.limit = 0
	}
	if e.stops() { // before sorting, whose result would be lost
		return false
	}
	all := e.gather(dom)
	sorted := all[:s.upTo(s.end, all)]
	for i := range min(fetchPacket, len(sorted)) {
		mem.PrefetchWrite(unsafe.Pointer(e.Packet(sorted[i].id)))
	}
	n := slot(len(e.net.ports))
	taken, done := 0, true
	low := s.low & 63
	for {
		taken = e.pass(p, sorted, taken)
		comes := s.end + 1 // the next arrival, or when the visit ends
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
			done = false
			break
		}
		e.count.Events++
		if arrives {
			x := &sorted[taken]
			k := e.Packet(x.id)
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
			e.arrive(PortID(x.slot), PacketID(x.turn), e.Packet(PacketID(x.turn)))
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
	for _, x := range all[taken:] {
		e.put(dom, s.window, x)
	}
	p.update()
	e.latest = max(e.latest, e.now)
	return done
}

// stops reports whether the engine has reached its limit of events, or may run out of packets in
// the next one.
func (e *Engine) stops() bool { return e.count.Events >= e.limit }

// upTo returns how many of the arrivals come up to a time.
func (s *schedule) upTo(end unit.Time, sorted []arrival) int {
	n := len(sorted)
	for n > 0 && s.start+unit.Time(sorted[n-1].key>>(s.low&63)) > end {
		n--
	}
	return n
}

// pass runs the arrivals from index taken on that come before all other events of the domain. It
// returns the index of the next arrival.
func (e *Engine) pass(p *domain, sorted []arrival, taken int) int {
	if taken == len(sorted) {
		return taken
	}
	s, padded := e.s, sorted[:len(sorted)+fetchPacket]
	for taken < len(sorted) && !e.stops() {
		x := mem.At(padded, taken)
		at := s.start + unit.Time(x.key>>(s.low&63))
		if at >= p.first {
			break
		}
		if p.hosts {
			e.fetch(padded[taken:])
		} else {
			e.fetchOnward(mem.At(padded, taken+fetchPacket).id, mem.At(padded, taken+fetchPath).id)
		}
		taken++
		k, port := e.Packet(x.id), e.port(x.port)
		e.count.Events++
		e.now, e.tie = at, k.tie
		if port.toHost || port.special&faulty != 0 || k.Kind >= Pause {
			e.arrive(x.port, x.id, k)
		} else {
			e.forward(x.port, port, x.id, k, e.net.onward(k))
		}
	}
	return taken
}

// ends runs the ends of transmissions that come before the next arrival and all other events of the
// domain. It reports whether there were any.
func (e *Engine) ends(p *domain, comes unit.Time) (any bool) {
	n := slot(len(e.ports))
	for !p.soon.empty() {
		x := p.soon.first()
		if x.at >= comes || x.slot >= 2*n || len(p.late) > 0 && p.late[0].at <= x.at || e.stops() {
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

// fetch prefetches what later arrivals need, when the first of these is next.
func (e *Engine) fetch(list []arrival) {
	far, x := list[fetchPacket].id, &list[fetchPath]
	if !e.port(x.port).toHost {
		e.fetchOnward(far, x.id)
	} else {
		mem.PrefetchWrite(unsafe.Pointer(e.Packet(far)))
		k := e.Packet(x.id)
		if e.fetcher != nil && k.Kind < Pause {
			e.fetcher.Fetch(k)
		}
		if e.net.room > 0 && k.Kind == Data {
			e.fetchAside(x.id)
		}
	}
	if x := &list[fetchMore]; e.fetcher != nil && e.port(x.port).toHost && e.Packet(x.id).Kind < Pause {
		e.fetcher.FetchMore(x.id)
	}
}

// fetchOnward prefetches a packet, and for another one at a switch its next port and the place of its next
// stack entry. Packets of kinds without these have addresses there that do no harm.
func (e *Engine) fetchOnward(far, id PacketID) {
	k := e.Packet(id)
	path := mem.Address(e.net.paths, e.net.ahead(k))
	entry := mem.Address(e.stacks, int(id)*e.depth+int(k.Hops))
	if e.depth == 0 {
		entry = path
	}
	if k.Kind != Data { // without a branch, which the processor could not predict
		entry = path
	}
	mem.PrefetchThree(mem.Address(e.pkts, far), entry, path)
	if e.net.room > 0 && k.Kind == Data {
		e.fetchAside(id)
	}
}
