package tasks

import (
	"cmp"
	"slices"

	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// Network is the network and its clock, as a Run uses them.
type Network interface {
	Now() unit.Time
	// Send begins a message at its source host.
	Send(task int32)
	// Later calls Run.Due at a host at a time.
	Later(host topo.NodeID, at unit.Time, task int32)
}

// State holds the times of a task's events. The time of an event that has not happened is unit.Never.
type State struct {
	Ready   unit.Time // all events that it waits for have happened
	Begun   unit.Time
	Done    unit.Time
	Arrived unit.Time // arrival time of a message at its destination
	Others  unit.Time // time of the second last event that it waits for; Start if it waits for fewer than two events
	By      int32     // task of the last event that it waits for; -1 if it waits for nothing
	left    int32     // number of events that it still waits for
}

// Run carries out a graph. Callers call its methods at the host of the event. If the graph is Local, calls
// at different hosts may be concurrent.
type Run struct {
	*Graph
	State []State
	after []int32 // waiting tasks, sorted by event; see next
	first []int32 // index in after of the first task that waits for each event of each task
	cores []unit.Time
	turns map[int32]*int32 // number of tasks that each turnstile has let pass
	match []matching       // by rank; nil if the graph has no receives
}

// matching holds the unmatched receives (posted) and messages (early) of a rank, the oldest first.
type matching struct{ posted, early []int32 }

// events is the number of kinds of event.
const events = 4

// NewRun returns a run before its first event.
func NewRun(g *Graph) *Run {
	r := &Run{Graph: g, State: make([]State, len(g.Tasks)), cores: make([]unit.Time, g.cores+1),
		first: make([]int32, events*len(g.Tasks)+1), after: make([]int32, len(g.waits)), turns: map[int32]*int32{}}
	for i := range r.State {
		t := &g.Tasks[i]
		r.State[i] = State{Ready: unit.Never, Begun: unit.Never, Done: unit.Never, Arrived: unit.Never, Others: g.Start,
			By: -1, left: t.waits}
		switch t.Kind {
		case Gate:
			r.State[i].left = cmp.Or(t.Count, t.waits)
		case Turnstile:
			r.turns[int32(i)] = new(int32)
		}
		if r.match == nil && (t.Kind == Receive || t.Matched) {
			r.match = make([]matching, len(g.Hosts))
		}
	}
	for _, w := range g.waits {
		r.first[events*w.from+int32(w.event)+1]++
	}
	for i := 1; i < len(r.first); i++ {
		r.first[i] += r.first[i-1]
	}
	at := slices.Clone(r.first)
	for _, w := range g.waits {
		k := events*w.from + int32(w.event)
		r.after[at[k]] = w.to
		at[k]++
	}
	return r
}

// next returns the tasks that wait for an event of a task, in the order of the calls of Wait.
func (r *Run) next(task int32, event Event) []int32 {
	k := events*task + int32(event)
	return r.after[r.first[k]:r.first[k+1]]
}

// Begin releases the tasks that wait for nothing. It must be called first, at the time Start.
func (r *Run) Begin(n Network) {
	for i := range r.Tasks {
		if r.State[i].left == 0 && r.Tasks[i].Kind != Turnstile {
			r.release(n, int32(i))
		}
	}
}

// release starts a task that has no more events to wait for.
func (r *Run) release(n Network, task int32) {
	t, s, now := &r.Tasks[task], &r.State[task], n.Now()
	s.Ready = now
	begin := now
	if t.Core > 0 {
		begin = max(begin, r.cores[t.Core])
	}
	switch t.Kind {
	case Compute:
		s.Begun = begin
		end := min(begin+t.Time, unit.Never/2) // Ideal reports an error for such times
		if t.Core > 0 {
			r.cores[t.Core] = end
		}
		n.Later(r.Hosts[t.Rank], end, task)
	case Send:
		n.Later(r.Hosts[t.Rank], begin+t.Time, task)
	case Receive:
		s.Begun = now
		r.post(n, task)
	default: // not at once, so that a chain of gates does not deepen the stack
		s.Begun = now
		n.Later(r.Hosts[t.Rank], now, task)
	}
	r.tell(n, task, Ready)
}

// Due is the callback of Network.Later.
func (r *Run) Due(n Network, task int32) {
	t, s := &r.Tasks[task], &r.State[task]
	if t.Kind != Send {
		r.done(n, task)
		return
	}
	s.Begun = n.Now()
	n.Send(task)
	if t.Eager {
		r.done(n, task)
	}
}

// Left must be called at the source of a message when its last packet leaves.
func (r *Run) Left(n Network, task int32) { r.tell(n, task, Left) }

// Sent must be called at the source of a message when the ACK of its last byte has arrived.
func (r *Run) Sent(n Network, task int32) {
	if !r.Tasks[task].Eager {
		r.done(n, task)
	}
}

// Arrived must be called at the destination of a message when its last byte has arrived.
func (r *Run) Arrived(n Network, task int32) {
	t := &r.Tasks[task]
	r.State[task].Arrived = n.Now()
	if t.Matched {
		m := &r.match[t.Peer]
		i := slices.IndexFunc(m.posted, func(x int32) bool { return r.fits(x, task) })
		if i < 0 {
			m.early = append(m.early, task)
		} else {
			x := m.posted[i]
			m.posted = slices.Delete(m.posted, i, i+1)
			r.matched(n, x, task)
		}
	}
	r.tell(n, task, Arrived)
}

// post matches a receive with an early message or adds it to the posted receives.
func (r *Run) post(n Network, task int32) {
	m := &r.match[r.Tasks[task].Rank]
	i := slices.IndexFunc(m.early, func(x int32) bool { return r.fits(task, x) })
	if i < 0 {
		m.posted = append(m.posted, task)
		return
	}
	x := m.early[i]
	m.early = slices.Delete(m.early, i, i+1)
	r.matched(n, task, x)
}

// matched completes a receive with a message.
func (r *Run) matched(n Network, receive, message int32) {
	if s := &r.State[receive]; r.State[message].Arrived > s.Ready {
		s.Others, s.By = s.Ready, message
	}
	n.Later(r.Hosts[r.Tasks[receive].Rank], n.Now(), receive)
}

// fits reports whether a receive accepts a message.
func (r *Run) fits(receive, message int32) bool {
	x, m := &r.Tasks[receive], &r.Tasks[message]
	return (x.Peer == Any || x.Peer == m.Rank) && (x.Tag == Any || m.Tag == Any || x.Tag == m.Tag) &&
		(x.Size == 0 || x.Size == m.Size)
}

func (r *Run) done(n Network, task int32) {
	r.State[task].Done = n.Now()
	r.tell(n, task, Done)
}

// tell notifies the tasks that wait for an event.
func (r *Run) tell(n Network, task int32, event Event) {
	for _, x := range r.next(task, event) {
		s, t := &r.State[x], &r.Tasks[x]
		if t.Kind == Turnstile {
			turn := r.turns[x]
			if all := r.next(x, Done); int(*turn) < len(all) {
				*turn++
				s.Ready, s.Begun, s.Done = n.Now(), n.Now(), n.Now()
				r.less(n, all[*turn-1], task)
			}
			continue
		}
		if t.Kind == Gate && s.left == 0 {
			continue // other events have completed it
		}
		r.less(n, x, task)
	}
}

// less decrements the number of events that a task waits for. by is the task of the event.
func (r *Run) less(n Network, task, by int32) {
	s := &r.State[task]
	if s.left--; s.left > 0 {
		s.Others = n.Now()
		return
	}
	s.By = by
	r.release(n, task)
}
