package transport

import (
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// nic is the round of flows that share a host's port.
type nic struct {
	round []turn
	last  int // index of the flow served last
}

// turn is the part of a flow's state that a scan of the round looks at.
type turn struct {
	avail unit.Time // pacing: not before this
	slot  int32
	state turnState
	class uint8
}

type turnState uint8

const (
	ready   turnState = iota // has something to send
	blocked                  // bound by its window
	idle                     // has sent all it has
	done                     // finished or failed
)

// Due is part of netsim.Stack.
func (t *Stack) Due(p netsim.PortID) unit.Time {
	n := &t.nics[p]
	if t.cfg.LazyRounds && len(n.round) > 0 {
		return 0
	}
	due := unit.Never
	for i := range n.round {
		if r := &n.round[i]; r.state == ready && r.avail < due {
			due = r.avail
		}
	}
	return due
}

// Next is part of netsim.Stack: the first flow after the one served last that has
// something to send, is due and is not paused. If all that could send are not due
// yet, the port is woken when the first of them is.
func (t *Stack) Next(p netsim.PortID) netsim.PacketID {
	n := &t.nics[p]
	if len(n.round) == 0 {
		return netsim.NoPacket
	}
	if t.cfg.LazyRounds {
		return t.nextLazy(p, n)
	}
	now := t.e.Now()
	due := unit.Never
	i := n.last
	for range n.round {
		if i++; i >= len(n.round) {
			i = 0
		}
		r := &n.round[i]
		if r.state != ready || t.e.Paused(p, r.class) {
			continue
		}
		if r.avail > now {
			due = min(due, r.avail)
			continue
		}
		n.last = i
		return t.emit(r.slot)
	}
	if due != unit.Never {
		if at, ok := t.e.Wake(p); !ok || due < at {
			t.e.WakeAt(p, due)
		}
	}
	return netsim.NoPacket
}

// nextLazy is Next in the manner of Config.LazyRounds. Finished flows that the
// scan passes are removed with all others behind the first of them, and the place
// of the flow served last is not corrected for it.
func (t *Stack) nextLazy(p netsim.PortID, n *nic) netsim.PacketID {
	now := t.e.Now()
	found, finished := -1, -1
	for k := range n.round {
		i := (k + 1 + n.last) % len(n.round)
		r := &n.round[i]
		if r.state == ready {
			if r.avail > now || t.e.Paused(p, r.class) {
				continue
			}
			found = i
			break
		}
		if r.state == done && (finished < 0 || i < finished) {
			finished = i
		}
	}
	if finished >= 0 {
		to := finished
		for i := finished + 1; i < len(n.round); i++ {
			if n.round[i].state == done {
				continue
			}
			if i == found {
				found = to
			}
			t.move(n, i, to)
			to++
		}
		n.round = n.round[:to]
	}
	if found >= 0 {
		n.last = found
		return t.emit(n.round[found].slot)
	}
	due := unit.Never
	for i := range n.round {
		if r := &n.round[i]; r.state <= blocked {
			due = min(due, r.avail)
		}
	}
	if due != unit.Never && due > now {
		if _, ok := t.e.Wake(p); !ok {
			t.e.WakeAt(p, due)
		}
	}
	return netsim.NoPacket
}

// move puts the turn at one index in the place of another.
func (t *Stack) move(n *nic, from, to int) {
	n.round[to] = n.round[from]
	if n.round[to].state != done {
		t.senders[n.round[to].slot].turn = int32(to)
	}
}

// join gives a flow a turn at the end of the round.
func (t *Stack) join(s *sender, slot int32) {
	n := &t.nics[s.port]
	s.turn = int32(len(n.round))
	n.round = append(n.round, turn{avail: t.e.Now(), slot: slot, class: s.flow.Class})
}

// leave ends a flow's turns.
func (t *Stack) leave(s *sender) {
	n := &t.nics[s.port]
	n.round[s.turn].state = done
	if t.cfg.LazyRounds {
		return
	}
	at := int(s.turn)
	for i := at + 1; i < len(n.round); i++ {
		t.move(n, i, i-1)
	}
	n.round = n.round[:len(n.round)-1]
	if n.last >= at {
		n.last-- // -1 is fine: the scan begins after it
	}
}
