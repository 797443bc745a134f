package transport

import (
	"unsafe"

	"pintlab/internal/mem"
	"pintlab/netsim"
)

func (t *Stack) Deliver(_ netsim.NodeID, id netsim.PacketID) {
	p := t.e.Packet(id)
	switch {
	case p.Kind == netsim.Data && t.driven != nil:
		t.driven.TakeData(t, id, p)
	case p.Kind == netsim.Data:
		t.takeData(t.receivers.at(p.Flow), id, p)
	case t.driven != nil:
		t.takeAnswer(t.senders.at(p.Flow), id, p)
	case p.Kind == netsim.Control:
		t.takeProbe(t.senders.at(p.Flow), id, p)
	default:
		t.takeAck(t.senders.at(p.Flow), id, p)
	}
}

// takeAnswer handles an answer of a receiver, unless the flow has ended. Afterwards the port sends
// what it can.
func (t *Stack) takeAnswer(s *Sender, id netsim.PacketID, p *netsim.Packet) {
	if s.ended {
		t.e.Free(id)
		return
	}
	t.driven.TakeAnswer(t, s, id, p)
	t.e.Free(id)
	t.Refresh(s)
	t.e.Kick(s.Port)
}

func (t *Stack) Fetch(p *netsim.Packet) {
	if p.Kind == netsim.Data {
		mem.PrefetchWrite(unsafe.Pointer(t.receivers.at(p.Flow)))
		return
	}
	mem.PrefetchLines(unsafe.Pointer(t.senders.at(p.Flow)), 2)
}

func (t *Stack) FetchMore(id netsim.PacketID) {
	p := t.e.Packet(id)
	if p.Kind == netsim.Data {
		if t.driven != nil && t.tells {
			mem.PrefetchWrite(unsafe.Pointer(&t.e.Options(id)[0]))
		}
		return
	}
	s := t.senders.at(p.Flow)
	if entries := t.round(s.Port).Entries; int(s.entry) < len(entries) {
		mem.PrefetchWrite(unsafe.Pointer(&entries[s.entry]))
	}
	t.e.FetchTimer(t.timers * p.Flow)
	mem.PrefetchLines(unsafe.Pointer(s.course), 2)
	if hops := t.e.Telemetry(id); len(hops) > 0 { // two or three cache lines
		mem.Prefetch(unsafe.Pointer(&hops[0]))
		mem.Prefetch(unsafe.Pointer(&hops[len(hops)/2]))
		mem.Prefetch(unsafe.Pointer(&hops[len(hops)-1]))
	}
}

// Timer implements netsim.Stack. The first timer of a flow belongs to the sender, the second to the
// receiver if the receiver has one, and the others to the controller of the flow.
func (t *Stack) Timer(id int32) {
	slot := id / t.timers
	switch i := id - slot*t.timers; {
	case i == 0:
		t.senderTimer(slot)
	case i < t.alarms && t.driven != nil:
		t.driven.Timer(t, slot)
	case i < t.alarms:
		t.receiverTimer(slot)
	default:
		t.alarm(slot, int(i-t.alarms))
	}
}
