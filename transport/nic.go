package transport

import (
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// Round is the flows that share a host's port.
type Round struct {
	Port  netsim.PortID
	Turns []Turn
	Last  int // index of the turn served last, -1 if none has been or it is gone

	ready   int // turns that are Ready
	ended   int // turns that are Ended and not swept yet
	waiting waitingRoom
	senders *slab[sender]
}

// mark sets the state of a turn.
func (r *Round) mark(at int32, s TurnState) {
	x := &r.Turns[at]
	if x.State == s {
		return
	}
	if x.State == Ready {
		r.ready--
	}
	if s == Ready {
		r.ready++
	}
	x.State = s
}

// Turn is what a scan of a round looks at.
type Turn struct {
	Avail unit.Time // pacing: not before this
	State TurnState
	Class uint8
	slot  int32
}

// TurnState says whether a flow has something to send.
type TurnState uint8

// The states of a turn.
const (
	Ready   TurnState = iota // has something to send
	Blocked                  // has, but is bound by its window
	Idle                     // has sent all it has
	Ended                    // finished or failed
)

// Discipline serves rounds in another way than the one after the other. It keeps no
// state but that of the rounds, because several engines call it side by side.
type Discipline interface {
	// Next is the index of the turn that a free port serves now, -1 if there is none.
	// Then it has asked the engine for a wake-up if one will be due.
	Next(e *netsim.Engine, r *Round) int
	// Due is the earliest time at which Next may find a turn, as netsim.Stack.Due.
	Due(r *Round) unit.Time
	// Paced says that the controller of the flow at index i has spoken, by which the
	// turn's Avail may have moved.
	Paced(e *netsim.Engine, r *Round, i int)
	// End says that the flow at index i has ended. The turn stays until Sweep.
	End(r *Round, i int)
}

// Sweep removes the turns of ended flows from index at on. It returns where the turn at
// index keep is then. Last stays.
func (r *Round) Sweep(at, keep int) int {
	to, kept := at, keep
	for i := at; i < len(r.Turns); i++ {
		x := r.Turns[i]
		if x.State == Ended {
			continue
		}
		if i == keep {
			kept = to
		}
		if i != to {
			r.Turns[to] = x
			r.senders.at(x.slot).turn = int32(to)
		}
		to++
	}
	r.Turns = r.Turns[:to]
	return kept
}

// Due is part of netsim.Stack.
func (t *Stack) Due(p netsim.PortID) unit.Time {
	n := &t.rounds[p]
	if t.cfg.Discipline != nil {
		return t.cfg.Discipline.Due(n)
	}
	if !n.waiting.empty() {
		return t.e.Now()
	}
	due := unit.Never
	if t.pulls != nil {
		due = t.pulls[p].next()
	}
	// Of what is due by now one is as good as another: a round of a thousand flows is not
	// looked through for each packet. The next turn is the likeliest.
	now := t.e.Now()
	i := n.Last
	for left := n.ready; left > 0; {
		if i++; i >= len(n.Turns) {
			i = 0
		}
		r := &n.Turns[i]
		if r.State != Ready {
			continue
		}
		if r.Avail <= now {
			return r.Avail
		}
		due = min(due, r.Avail)
		left--
	}
	return due
}

// Next is part of netsim.Stack: the first flow after the one served last that has
// something to send, is due and is not paused. If all that could send are not due
// yet, the port is woken when the first of them is.
func (t *Stack) Next(p netsim.PortID) netsim.PacketID {
	n := &t.rounds[p]
	if t.pulls != nil {
		if id := t.pull(p); id != netsim.NoPacket {
			return id
		}
	}
	if t.cfg.Discipline != nil {
		if len(n.Turns) == 0 {
			return netsim.NoPacket
		}
		i := t.cfg.Discipline.Next(t.e, n)
		if i < 0 {
			return netsim.NoPacket
		}
		n.Last = i
		return t.emit(n.Turns[i].slot)
	}
	now := t.e.Now()
	due := unit.Never
	best, class := -1, uint8(0) // with Config.Strict
	i, left, wait := n.Last, n.ready, !n.waiting.empty()
	for left > 0 || wait {
		if i++; i >= len(n.Turns) || left == 0 {
			if wait { // those that wait stand here
				if slot, ok := t.callUp(p); ok {
					n.Last = len(n.Turns) - 1
					return t.emit(slot)
				}
				wait = false
			}
			if i = -1; left == 0 {
				break
			}
			continue
		}
		r := &n.Turns[i]
		if r.State != Ready {
			continue
		}
		left--
		if t.e.Paused(p, r.Class) {
			continue
		}
		if r.Avail > now {
			due = min(due, r.Avail)
			continue
		}
		if t.cfg.Strict {
			if best < 0 || r.Class > class {
				best, class = i, r.Class
			}
			continue
		}
		n.Last = i
		return t.emit(r.slot)
	}
	if best >= 0 {
		n.Last = best
		return t.emit(n.Turns[best].slot)
	}
	if due != unit.Never {
		if at, ok := t.e.Wake(p); !ok || due < at {
			t.e.WakeAt(p, due)
		}
	}
	return netsim.NoPacket
}

// join gives a flow a turn at the end of the round.
func (t *Stack) join(s *sender, slot int32) {
	n := &t.rounds[s.port]
	s.turn = int32(len(n.Turns))
	n.Turns = append(n.Turns, Turn{Avail: t.e.Now(), slot: slot, Class: s.flow.Class})
	n.ready++
	t.refresh(s)
}

// leave ends a flow's turns.
func (t *Stack) leave(s *sender) {
	n, at := &t.rounds[s.port], int(s.turn)
	n.mark(s.turn, Ended)
	if t.cfg.Discipline != nil {
		t.cfg.Discipline.End(n, at)
		return
	}
	n.ended++
	if 2*n.ended > len(n.Turns) {
		n.tidy()
	}
}

// tidy removes the turns of ended flows, once they are so many that this costs little for
// each. The scan goes on behind the turn that was served last, whether or not that is gone.
func (r *Round) tidy() {
	last := -1 // fine: the scan begins after it
	for i := 0; i <= r.Last; i++ {
		if r.Turns[i].State != Ended {
			last++
		}
	}
	r.Sweep(0, 0)
	r.Last, r.ended = last, 0
}
