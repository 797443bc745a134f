package netsim

import (
	"math"
	"unsafe"

	"pintlab/internal/mem"
	"pintlab/netsim/unit"
)

// How many arrivals ahead an engine prefetches the packet (fetchPacket), the memory to which the packet refers
// (fetchPath), and the memory to which this memory refers (fetchMore).
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
	n, taken, done := s.upTo(s.end, all), 0, true
	e.fetchFirst(all[:min(fetchPacket, n)])
	ports := slot(len(e.ports))
	for {
		taken = e.pass(p, n, taken)
		if taken == n {
			e.ends(p, s.end+1)
		}
		at, tie, late := p.head()
		if late && s.cancelled(p, &p.late[0]) {
			p.pop()
			continue
		}
		if at != p.first { // an earlier event was cancelled: an arrival may be next
			p.first = at
			continue
		}
		if taken == n && at > s.end {
			break
		}
		if e.stops() {
			done = false
			break
		}
		e.count.Events++
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
		case x.slot < ports:
			e.arrive(PortID(x.slot), PacketID(x.turn), e.Packet(PacketID(x.turn)))
		case x.slot < 2*ports:
			e.readyPort(PortID(x.slot - ports))
		case x.slot < 3*ports:
			s.wakes[x.slot-2*ports].at = unit.Never
			e.Kick(PortID(x.slot - 2*ports))
		case x.slot == 3*ports:
			p.start.at = unit.Never
			if p.hosted {
				e.count.Events-- // StartHost has counted it
			}
			e.stack.Start()
		default:
			i := int32(x.slot - 3*ports - 1)
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

// head returns the time and the tie of the first event of a domain, and whether it is in late.
func (p *domain) head() (at unit.Time, tie uint64, late bool) {
	at, tie = unit.Never, math.MaxUint64
	if !p.soon.empty() {
		at, tie = p.soon.first().at, p.soon.first().tie
	}
	if len(p.late) > 0 && (p.late[0].at < at || p.late[0].at == at && p.late[0].tie < tie) {
		return p.late[0].at, p.late[0].tie, true
	}
	return at, tie, false
}

// pass runs the arrivals from index taken to n, and the ends of transmissions before them, until another
// event of the domain comes first. It returns the index of the next arrival.
func (e *Engine) pass(p *domain, n, taken int) int {
	start, low := e.s.start, e.s.low&63
	bare := !p.hosts && e.net.room == 0
	plain := bare && e.net.followed > 0
	for taken < n && !e.stops() {
		x := mem.At(e.sorted, taken)
		at := start + unit.Time(x.key>>low)
		if at >= p.first { // not &&, which would cost every arrival four instructions
			if !e.clear(p, x, at) {
				break
			}
		}
		e.now = at
		if plain {
			e.fetchOnward(mem.At(e.sorted, taken+fetchPacket).id, mem.At(e.sorted, taken+fetchPath).id)
		} else if bare { // switches choose the next port packet by packet
			mem.PrefetchWrite(unsafe.Pointer(e.Packet(mem.At(e.sorted, taken+fetchPacket).id)))
		} else {
			e.fetch(e.sorted[taken:])
		}
		taken++
		k, port := e.Packet(x.id), e.port(x.port)
		e.count.Events++
		e.tie = k.tie
		if port.toHost || port.special&faulty != 0 || k.Kind >= Pause {
			e.arrive(x.port, x.id, k)
		} else if out := e.net.onward(k); e.leads(port, out) {
			e.forward(x.port, port, x.id, k, out)
		} else {
			e.detour(x.port, port, x.id, k)
		}
	}
	return taken
}

// clear runs the ends of transmissions before an arrival. It reports whether the arrival then comes before
// all other events of the domain.
func (e *Engine) clear(p *domain, x *arrival, at unit.Time) bool {
	if at > p.first {
		e.ends(p, at)
	}
	if at == p.first {
		_, tie, _ := p.head()
		return e.ahead(x, tie) && !e.stops()
	}
	return at < p.first && !e.stops()
}

// ends runs the ends of transmissions that come before a time and before all other events of the domain.
func (e *Engine) ends(p *domain, before unit.Time) {
	n := slot(len(e.ports))
	for !p.soon.empty() {
		x := p.soon.first()
		if x.at >= before || x.slot >= 2*n || len(p.late) > 0 && p.late[0].at <= x.at || e.stops() {
			break
		}
		pi := PortID(x.slot - n)
		e.now, e.tie = x.at, x.tie
		e.count.Events++
		p.soon.from++
		e.readyPort(pi)
	}
	p.update()
}

// fetchFirst prefetches the packets of the first arrivals.
func (e *Engine) fetchFirst(list []arrival) {
	for _, x := range list {
		mem.PrefetchWrite(unsafe.Pointer(e.Packet(x.id)))
	}
}

// fetch prefetches the memory that later arrivals of the list need, just before the first arrival of the list runs.
func (e *Engine) fetch(list []arrival) {
	far, x := list[fetchPacket].id, &list[fetchPath]
	k := e.Packet(x.id)
	if !e.port(x.port).toHost {
		e.fetchOnward(far, x.id)
	} else {
		mem.PrefetchWrite(unsafe.Pointer(e.Packet(far)))
		if e.fetcher != nil && k.Kind < Pause {
			e.fetcher.Fetch(k)
		}
	}
	if e.net.room > 0 && k.Kind == Data {
		e.fetchAside(x.id)
	}
	if x := &list[fetchMore]; e.fetcher != nil && e.port(x.port).toHost && e.Packet(x.id).Kind < Pause {
		e.fetcher.FetchMore(x.id)
	}
}

// fetchOnward prefetches the packet far. For the packet id, which is at a switch, it prefetches the next port and the
// place of the next stack entry. Packets of some kinds need neither, but prefetching these addresses does no harm.
func (e *Engine) fetchOnward(far, id PacketID) {
	k := e.Packet(id)
	path := mem.Address(e.net.paths, k.ahead())
	entry := path
	if e.depth > 0 {
		entry = mem.Address(e.stacks, int(id)*e.depth+int(k.Hops))
		if k.Kind != Data { // without a branch, which the processor could not predict
			entry = path
		}
	}
	mem.PrefetchThree(mem.Address(e.pkts, far), entry, path)
}
