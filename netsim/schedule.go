package netsim

import (
	"math/bits"
	"sync/atomic"

	"pintlab/internal/invariants"
	"pintlab/netsim/unit"
)

// schedule holds the pending events. It divides the network into domains: a switch, or the hosts of one switch. A
// packet needs at least the shortest delay between two domains to go from one domain to another. So within a window of
// that length, each domain can run all its events in the order of (time, tie). Domains can run one after another or in
// parallel. While a domain runs, its ports, queues and counters stay in the first-level cache, and all its arrivals of
// the window are known.
type schedule struct {
	net      *Network
	engines  []*Engine
	domains  []domain
	divided  bool        // there are several domains
	domainOf []int32     // by node
	start    unit.Time   // start of the current window, a multiple of span
	span     unit.Time   // length of a window
	next     unit.Time   // start of the next window
	shift    uint        // bits of a time within the window
	low      uint        // 64 - shift
	window   int         // number of the current window modulo windows
	windows  int         // number of windows for which mailboxes hold arrivals, a power of two
	wakes    []alarm     // by port
	alarms   []alarm     // by timer
	begins   unit.Time   // Windowed.Before is called before the window of this time
	started  unit.Time   // latest time of a StartHost call
	list     []int       // domains that have events in this window
	pool     *pool       // nil with one engine
	homes    []int32     // by domain: the worker that owns it if all workers take part; nil with one engine
	classes  []uint8     // by domain: scratch of arrange
	before   []int       // scratch of arrange
	all      atomic.Bool // no listed domain has events left in the window
	end      unit.Time   // until which domains run
	least    int         // free slab entries below which an engine stops
	paused   atomic.Bool // an engine has called Pause
	slab     slab        // used by several engines
	share    int         // largest expected number of timers in a domain with hosts
	audit    *audit      // nil without the tag invariants
	bounds   *bounds     // nil unless they are measured
}

// Windowed is a Stack whose hosts do not depend on the order of events in different domains. With
// any other Stack the network is one domain.
type Windowed interface {
	Stack
	// Before is called between two windows, at the latest before the window that contains the time given to BeginAt. It
	// is also called within a window after Engine.Pause. The next or current window ends at until. If Before returns
	// false, the run stops.
	Before(until unit.Time) bool
	// Settle is called after a window.
	Settle()
}

// mostWindows limits the number of windows for which mailboxes hold arrivals. Later arrivals wait in
// the heap of their domain.
const mostWindows = 512

// longEnough is the longest useful window per worker. In a longer window a domain has more arrivals
// than the caches hold; in a shorter one several workers have too little to do.
const longEnough = 2 * unit.Microsecond

// longestWindow is the window of a network without delays.
const longestWindow = unit.Millisecond

// newSchedule divides a network into domains, or makes all of it one domain.
func newSchedule(n *Network, workers int, whole bool) *schedule {
	s := &schedule{net: n, divided: !whole, begins: unit.Never, started: -1, span: longestWindow}
	s.divide(whole)
	longest := unit.Time(0)
	ports := make([]int, len(s.domains))
	for i := range n.ports {
		p := &n.ports[i]
		l := &n.lines[p.line]
		p.domain, p.onward = s.domainOf[p.node], s.domainOf[p.peer]
		ports[p.domain]++
		s.domains[p.onward].hosts = s.domains[p.onward].hosts || p.toHost
		longest = max(longest, l.delay+l.tx[n.cfg.MaxPacket])
		if p.domain != p.onward || len(s.domains) == 1 && l.delay > 0 {
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
	for i := range s.domains {
		p := &s.domains[i]
		p.first, p.start.at, p.crowd, p.room = unit.Never, unit.Never, ports[i] >= manyPorts, 64
	}
	hosted := map[int32]bool{}
	for i, host := range n.host {
		if host {
			hosted[s.domainOf[i]] = true
		}
	}
	s.share = n.cfg.Crowd / max(1, len(hosted)) * 5 / 4
	s.classes = make([]uint8, len(s.domains))
	s.wakes = make([]alarm, len(n.ports))
	for i := range s.wakes {
		s.wakes[i].at = unit.Never
	}
	if invariants.Enabled {
		s.audit = &audit{}
	}
	return s
}

// BeginAt sets the time for Windowed.Before, which is called before the window that contains this time.
func (e *Engine) BeginAt(at unit.Time) { e.s.begins = at }

// StartHost schedules a call of Stack.Start at a host at the given time, before all other events of
// that time. It replaces a pending call for a later time. If an earlier call is pending, nothing
// changes.
func (e *Engine) StartHost(host NodeID, at unit.Time) {
	if at > e.s.started { // simultaneous starts count as one event, at any host
		e.s.started = at
		e.count.Events++
	}
	e.startDomain(e.s.domainOf[host], at)
}

// WakeHost schedules a call of Stack.Start like StartHost, but counts no event. The host must be in the current domain,
// or no engine may run.
func (e *Engine) WakeHost(host NodeID, at unit.Time) { e.startDomain(e.s.domainOf[host], at) }

// Pause ends the visit of the current domain after this event. Windowed.Before is called before the
// domain continues, so that it can prepare flows that start in this window.
func (e *Engine) Pause() {
	e.limit = 0
	e.s.paused.Store(true)
}

// StartDomain schedules a call of Stack.Start in the current domain, like StartHost.
func (e *Engine) StartDomain(at unit.Time) { e.startDomain(e.here, at) }

func (e *Engine) startDomain(dom int32, at unit.Time) {
	if a := &e.s.domains[dom].start; a.at > at {
		a.clear()
		e.s.domains[dom].hosted = true
		e.s.push(dom, a.set(e.net.starter(), at, 0))
	}
}

// Domain returns the number of the domain of a host. Events at hosts of different domains do not run
// in the order of time.
func (e *Engine) Domain(host NodeID) int { return int(e.s.domainOf[host]) }

// Domains returns the number of domains.
func (e *Engine) Domains() int { return len(e.s.domains) }

// Here returns the domain that is running.
func (e *Engine) Here() int { return int(e.here) }
