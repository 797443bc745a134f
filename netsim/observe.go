package netsim

import "pintlab/netsim/unit"

// Observer sees the packets of some ports and changes nothing. Several workers call the observer at the same time, for
// ports of different nodes. The calls for one port come in the order of time and do not depend on the number of
// workers.
type Observer interface {
	Observe(s *Sight)
}

// Fate is what happens to a packet at a port.
type Fate uint8

// The fates.
const (
	Sent    Fate = iota // its transmission begins
	Refused             // it ends, because the port has no room for it or its link is broken
	Trimmed             // its payload will be cut off; Sight shows it before that
)

// Sight describes a packet at a port for an Observer. It is valid during the call only.
type Sight struct {
	Now    unit.Time
	Port   PortID
	Fate   Fate
	Marked bool // if the fate is Sent: the port has set CE
	Packet *Packet
	Stack  []PortSample // telemetry, oldest hop first
	Cargo  []byte       // part for monitors (Config.Cargo)
	Room   []byte       // part for the transport (Engine.Options)
}

// Observe calls an observer for the packets at some ports from now on. Other ports cost no more
// than before.
func (e *Engine) Observe(ports []PortID, o Observer) {
	for _, x := range e.s.engines {
		x.observer = o
	}
	for _, pi := range ports {
		e.port(pi).special |= faulty
		e.net.infos[pi].observed = true
	}
}

// observe shows a packet to the observer.
func (e *Engine) observe(pi PortID, id PacketID, f Fate) {
	info := &e.net.infos[pi]
	s := Sight{Now: e.now, Port: pi, Fate: f, Packet: e.Packet(id), Stack: e.Telemetry(id)}
	if e.net.cfg.Cargo > 0 {
		s.Cargo = e.cargo(id)
	}
	if e.net.cfg.Options > 0 {
		s.Room = e.Options(id)
	}
	if f == Sent {
		s.Marked, info.reportedMarks = info.marks != info.reportedMarks, info.marks
	}
	e.observer.Observe(&s)
}
