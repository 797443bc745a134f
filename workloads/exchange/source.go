package exchange

import "pintlab/netsim/unit"

// Event is a request or a response.
type Event struct {
	Time unit.Time
	// ID is the same for a request and its response.
	ID       uint64
	Response bool
}

// Source returns the events of a trace. Generated events are in order of time; captured events are in the order of the
// capture.
type Source interface {
	// Next writes the next event to e. At the end, or after an error, it reports false.
	Next(e *Event) bool
	// Err returns the error that ended the trace early, or nil if all events have come out.
	Err() error
}

// recent remembers requests by their identifiers, for a window after they were sent.
type recent struct {
	window unit.Time
	sent   map[uint64]sending
	queue  []Event // requests in order of arrival, the oldest first
	head   int
}

// sending is the last time of a request, and whether it was sent before within the window.
type sending struct {
	last  unit.Time
	again bool
}

func newRecent(window unit.Time) recent {
	return recent{window: window, sent: map[uint64]sending{}}
}

// add remembers a request. It reports whether the request was remembered already.
func (r *recent) add(e *Event) (again bool) {
	_, again = r.sent[e.ID]
	r.sent[e.ID] = sending{e.Time, again}
	r.queue = append(r.queue, *e)
	return again
}

// forget removes requests older than the window.
func (r *recent) forget(now unit.Time) {
	for r.head < len(r.queue) && now-r.queue[r.head].Time > r.window {
		old := r.queue[r.head]
		if s, ok := r.sent[old.ID]; ok && s.last == old.Time {
			delete(r.sent, old.ID)
		}
		r.head++
	}
	if r.head > len(r.queue)/2 {
		r.queue = r.queue[:copy(r.queue, r.queue[r.head:])]
		r.head = 0
	}
}

// Truth matches requests and responses exactly. It remembers each request until its
// response comes, or for a window.
type Truth struct{ waiting recent }

// NewTruth makes an exact matcher that forgets requests after the window.
func NewTruth(window unit.Time) *Truth { return &Truth{newRecent(window)} }

// Take returns the delay of the pair if e is a response to a waiting request. A repeated request counts from its last
// time, as in package fridge. If the response is earlier than its request, Take returns no delay and removes the
// request.
func (t *Truth) Take(e *Event) (delay unit.Time, ok bool) {
	t.waiting.forget(e.Time)
	if !e.Response {
		t.waiting.add(e)
		return 0, false
	}
	s, ok := t.waiting.sent[e.ID]
	if !ok {
		return 0, false
	}
	delete(t.waiting.sent, e.ID)
	return e.Time - s.last, e.Time >= s.last
}

// Once is a source that measures only requests that were sent once (Karn and Partridge, "Improving Round-Trip Time
// Estimates in Reliable Transport Protocols", SIGCOMM 1987). If a request was sent several times, it is unknown which
// transmission a response answers. So Once omits retransmitted requests, and all responses to them that come after the
// second transmission. The first transmission has already passed by then, so it stays without a response. Once
// remembers every request for a window, so a switch cannot implement it.
type Once struct {
	in                  Source
	sent                recent
	Requests, Responses int64 // number of omitted events
}

// NewOnce makes a Once of the events of in.
func NewOnce(in Source, window unit.Time) *Once { return &Once{in: in, sent: newRecent(window)} }

// Next writes the next event that is not omitted to e.
func (o *Once) Next(e *Event) bool {
	for o.in.Next(e) {
		o.sent.forget(e.Time)
		switch {
		case !e.Response:
			if !o.sent.add(e) {
				return true
			}
			o.Requests++
		case !o.sent.sent[e.ID].again:
			return true
		default:
			o.Responses++
		}
	}
	return false
}

// Err returns the error that ended the events early.
func (o *Once) Err() error { return o.in.Err() }
