package exchange

import "pintlab/netsim/unit"

// Event is a request or a response.
type Event struct {
	Time unit.Time
	// ID is the same for a request and its response.
	ID       uint64
	Response bool
}

// Source returns the events of a trace. Generated events are in order of time; captured ones are in the
// order of the capture.
type Source interface {
	// Next writes the next event to e. At the end, or after an error, it reports false.
	Next(e *Event) bool
	// Err returns the error that ended the trace early, nil after all events have come out.
	Err() error
}

// Truth matches requests and responses exactly. It remembers each request until its
// response comes, or for Window.
type Truth struct {
	window  unit.Time
	waiting map[uint64]unit.Time
	queue   []Event // requests in order of arrival, the oldest first
	head    int
}

// NewTruth makes an exact matcher that forgets requests after the window.
func NewTruth(window unit.Time) *Truth {
	return &Truth{window: window, waiting: map[uint64]unit.Time{}}
}

// Take returns the delay of the pair if e is a response to a waiting request. A repeated request counts
// from its last time, as in package fridge. For a response with a time before its request it returns no
// delay and removes the request.
func (t *Truth) Take(e *Event) (delay unit.Time, ok bool) {
	t.forget(e.Time)
	if !e.Response {
		t.waiting[e.ID] = e.Time
		t.queue = append(t.queue, *e)
		return 0, false
	}
	since, ok := t.waiting[e.ID]
	if !ok {
		return 0, false
	}
	delete(t.waiting, e.ID)
	return e.Time - since, e.Time >= since
}

// forget removes requests older than the window.
func (t *Truth) forget(now unit.Time) {
	for t.head < len(t.queue) && now-t.queue[t.head].Time > t.window {
		old := t.queue[t.head]
		if since, ok := t.waiting[old.ID]; ok && since == old.Time {
			delete(t.waiting, old.ID)
		}
		t.head++
	}
	if t.head > len(t.queue)/2 {
		t.queue = t.queue[:copy(t.queue, t.queue[t.head:])]
		t.head = 0
	}
}
