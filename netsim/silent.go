package netsim

import (
	"slices"

	"math"

	"pintlab/internal/hash"
	"pintlab/netsim/unit"
)

// Cause is the silent fault that ended a packet. Routing does not notice a silent fault: the packets that the fault
// affects are lost until the fault is over.
type Cause uint8

// The causes.
const (
	Blackholed Cause = iota // a link or a forwarding entry of a switch swallows packets
	Expired                 // a misforwarded packet has passed Misforwarding.TTL switches
	Discarded               // a link loses packets at random, beyond its bit errors
	Dead                    // the host or switch that the packet has reached does not work
	Causes
)

// Toll counts the packets that silent faults of one cause have lost.
type Toll struct {
	Packets int64
	Bytes   unit.Bytes // on the wire
}

// LinkFault describes the fault of a link, in both directions. The zero LinkFault means a sound
// link. PFC frames always get through: a silent fault affects forwarding, and both ends still agree
// about the paused classes.
type LinkFault struct {
	Hole bool  // every packet is lost
	By   Cause // what Hole counts as
	// Drop is the probability, in [0, 1], that a packet is lost.
	Drop float64
	// Share of the packets, in [0, 1], take a slower parallel link. Its rate is Rate > 0, and its
	// delay is ExtraDelay >= 0 longer. A packet for the slow link waits at the head of the port's
	// queue until the slow link is free. Packets of the two links can overtake each other.
	Share      float64
	Rate       unit.Rate
	ExtraDelay unit.Time
}

// Misforwarding is a wrong forwarding entry of a switch. It applies to data packets,
// acknowledgements and reports.
type Misforwarding struct {
	To   NodeID // destination of the packets; AnyNode for all
	From PortID // port by which the packets came in; NoPort for all
	// Out is the port on which the packets leave. With NoPort they are lost. A packet that came in
	// by the reverse of Out is forwarded correctly, unless Back is set.
	Out  PortID
	Back bool
	By   Cause   // the cause to count if Out is NoPort
	Key  uint64  // key of the draw for Part
	Part float64 // share of the flows that the entry hits, in (0, 1]
	// TTL is the number of switches after which a packet is dropped, at most 192: Packet.Hop counts only to 255, and a
	// packet may pass more switches before it meets a wrong entry again.
	TTL uint8
}

// hits reports whether the entry applies to the flow with this key.
func (w *Misforwarding) hits(flow uint64) bool {
	return w.Part >= 1 || hash.Combine(w.Key, flow) < threshold(w.Part)
}

// Applies reports whether the entry applies to packets of a flow with this key that go to a host and
// came in by a port.
func (w *Misforwarding) Applies(to NodeID, in PortID, flow uint64) bool {
	return (w.To == AnyNode || w.To == to) && (w.From == NoPort || w.From == in) &&
		(w.Out == NoPort || w.Back || w.Out != in^1) && w.hits(flow)
}

// AnyNode as Misforwarding.To stands for every destination.
const AnyNode NodeID = -1

// failures are the silent faults of a port.
type failures struct {
	hole  bool
	by    Cause
	drop  uint64 // a packet is lost if its draw is below this
	slow  uint64 // a packet takes the slow link if its draw is below this
	rate  unit.Rate
	extra unit.Time
	free  unit.Time // when the slow link has sent its last packet
	begun unit.Time // when the last packet for the slow link stopped waiting and the port began to send it
	late  []late    // packets on the slow link; some may have arrived
}

// late is the arrival of a packet on the slow link: its time, and its order among simultaneous
// arrivals.
type late struct {
	at    unit.Time
	order uint64
}

// threshold returns the value below which this share of the draws lies.
func threshold(share float64) uint64 {
	if share >= 1 {
		return math.MaxUint64
	}
	return uint64(share * (1 << 63) * 2)
}

// FailLink sets the fault of a link, replacing the previous one.
func (e *Engine) FailLink(link int, f LinkFault) {
	for _, pi := range []PortID{PortID(2 * link), PortID(2*link + 1)} {
		e.port(pi).special |= faulty
		x := &e.net.infos[pi].failures
		*x = failures{
			hole: f.Hole, by: f.By, drop: threshold(f.Drop), slow: threshold(f.Share),
			rate: f.Rate, extra: f.ExtraDelay, free: x.free, begun: x.begun, late: x.late,
		}
	}
}

// Misforward sets the wrong forwarding entries of a switch, replacing the previous ones. If several
// apply to a packet, the first is used.
func (e *Engine) Misforward(at NodeID, entries []Misforwarding) {
	if e.net.wrong == nil {
		e.net.wrong = make([][]Misforwarding, len(e.net.graph.Nodes))
	}
	e.net.wrong[at] = entries
	e.suspect(at)
}

// suspect marks the ports that lead to a node, so that arrive calls failed for every packet that reaches the node.
func (e *Engine) suspect(at NodeID) {
	for pi := range e.ports {
		if e.port(PortID(pi)).peer == at {
			e.port(PortID(pi)).special |= faulty
		}
	}
}

// KillHost makes a host lose all packets that reach it, or receive packets again. To stop the host from sending, call
// HaltHost.
func (e *Engine) KillHost(host NodeID, dead bool) {
	if e.net.dead == nil {
		e.net.dead = make([]bool, len(e.net.graph.Nodes))
	}
	e.net.dead[host] = dead
	e.suspect(host)
}

// failed applies silent faults to a packet that arrives on a suspect port or at a suspect node. It
// returns whether the packet has ended, or else the port on which it leaves the switch. NoPort
// stands for the correct port.
func (e *Engine) failed(pi PortID, p *port, id PacketID, k *Packet) (out PortID, ended bool) {
	if e.lost(pi, id, k) {
		return NoPort, true
	}
	if k.Kind == Pause || k.Kind == Resume {
		return NoPort, false
	}
	if x := &e.net.infos[pi].failures; x.hole {
		e.perish(pi, id, k, x.by, &e.count.Lost)
		return NoPort, true
	} else if x.drop > 0 && hash.Combine(e.net.salt^uint64(pi)^dropSalt, k.tie) < x.drop {
		e.perish(pi, id, k, Discarded, &e.count.Lost)
		return NoPort, true
	}
	if e.net.dead != nil && e.net.dead[p.peer] {
		e.perish(pi, id, k, Dead, &e.count.Lost)
		return NoPort, true
	}
	if e.net.wrong != nil && !p.toHost {
		return e.misled(pi, p, id, k)
	}
	return NoPort, false
}

const (
	dropSalt = 0x5bd1_e995_1b87_3593
	slowSalt = 0x2545_f491_4f6c_dd1d
)

// misled applies the wrong forwarding entries of a switch to a packet.
func (e *Engine) misled(pi PortID, p *port, id PacketID, k *Packet) (out PortID, ended bool) {
	entries := e.net.wrong[p.peer]
	if len(entries) == 0 {
		return NoPort, false
	}
	to, key := e.net.destination(k)
	for i := range entries {
		w := &entries[i]
		if !w.Applies(to, pi, key) {
			continue
		}
		by := w.By
		switch {
		case w.Out == NoPort:
		case k.Hop >= w.TTL:
			by = Expired
		default:
			return w.Out, false
		}
		e.discard(p.peer, NoPort, id)
		e.perish(pi, id, k, by, &e.count.Dropped)
		return NoPort, true
	}
	return NoPort, false
}

// destination returns the host to which a packet goes, and the key of its flow.
func (n *Network) destination(k *Packet) (to NodeID, key uint64) {
	if k.Kind == Mirrored {
		return NodeID(k.Flow), k.Digest
	}
	path := n.paths[n.begin(k):][:n.stride]
	last := path[0]
	for _, pi := range path[1:] {
		if pi == NoPort {
			break
		}
		last = pi
	}
	return n.ports[last].peer, n.flows[k.Flow].key
}

// perish ends a packet that came in by port pi and was hit by a silent fault.
func (e *Engine) perish(pi PortID, id PacketID, k *Packet, by Cause, sum *int64) {
	*sum++
	e.net.losses[pi].Tolls[by]++
	t := &e.count.Tolls[by]
	t.Packets++
	t.Bytes += unit.Bytes(k.Size)
	if k.Kind == Mirrored {
		e.count.ReportsLost++
	}
	e.end(id)
}

// forget removes the packets of the slow link that arrive before a time.
func (x *failures) forget(before unit.Time) {
	x.late = slices.DeleteFunc(x.late, func(l late) bool { return l.at < before })
}

// slowed returns the arrival time and order of a packet that a port begins to send now, if some
// packets take a slow parallel link. at is the arrival time on the normal link. Simultaneous
// arrivals keep the order in which they were sent.
func (e *Engine) slowed(pi PortID, p *port, k *Packet, at unit.Time, order uint64) (unit.Time, uint64) {
	x := &e.net.infos[pi].failures
	if x.slow == 0 {
		return at, order
	}
	if k.Kind == Pause || k.Kind == Resume || hash.Combine(e.net.salt^uint64(pi)^slowSalt, uint64(p.count)) >= x.slow {
		for _, l := range x.late {
			if l.at == at {
				order = e.s.after(order, l.order)
			}
		}
		return at, order
	}
	wait := max(0, x.free-e.now)
	took := e.net.cfg.TxTime(x.rate, unit.Bytes(k.Size))
	x.free = e.now + wait + took
	x.begun = e.now + wait
	at += x.free - p.busyUntil + x.extra
	p.busyUntil += wait
	x.forget(e.now)
	x.late = append(x.late, late{at, order})
	return at, order
}
