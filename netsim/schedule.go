package netsim

import (
	"math"
	"math/bits"
	"sync/atomic"

	"pintlab/internal/invariants"
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

// mostWindows limits the number of windows for which boxes hold arrivals. Later arrivals wait in
// the heap of their place.
const mostWindows = 512

// longEnough is the longest useful window per worker. In a longer window a place has more arrivals
// than the caches hold; in a shorter one several workers have too little to do.
const longEnough = 2 * unit.Microsecond

// longestWindow is the window of a network without delays.
const longestWindow = unit.Millisecond

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
