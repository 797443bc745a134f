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

	senders *[]sender
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
			(*r.senders)[x.slot].turn = int32(to)
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
	due := unit.Never
	for i := range n.Turns {
		if r := &n.Turns[i]; r.State == Ready && r.Avail < due {
			due = r.Avail
		}
	}
	return due
}

// Next is part of netsim.Stack: the first flow after the one served last that has
// something to send, is due and is not paused. If all that could send are not due
// yet, the port is woken when the first of them is.
func (t *Stack) Next(p netsim.PortID) netsim.PacketID {
	n := &t.rounds[p]
	if len(n.Turns) == 0 {
		return netsim.NoPacket
	}
	if t.cfg.Discipline != nil {
		i := t.cfg.Discipline.Next(t.e, n)
		if i < 0 {
			return netsim.NoPacket
		}
		n.Last = i
		return t.emit(n.Turns[i].slot)
	}
	now := t.e.Now()
	due := unit.Never
	i := n.Last
	for range n.Turns {
		if i++; i >= len(n.Turns) {
			i = 0
		}
		r := &n.Turns[i]
		if r.State != Ready || t.e.Paused(p, r.Class) {
			continue
		}
		if r.Avail > now {
			due = min(due, r.Avail)
			continue
		}
		n.Last = i
		return t.emit(r.slot)
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
}

// leave ends a flow's turns.
func (t *Stack) leave(s *sender) {
	n, at := &t.rounds[s.port], int(s.turn)
	n.Turns[at].State = Ended
	if t.cfg.Discipline != nil {
		t.cfg.Discipline.End(n, at)
		return
	}
	n.Sweep(at, at)
	if n.Last >= at {
		n.Last-- // -1 is fine: the scan begins after it
	}
}
