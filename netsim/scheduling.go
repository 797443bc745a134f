package netsim

import (
	"math/bits"

	"pintlab/netsim/buffer"
	"pintlab/netsim/unit"
)

// Scheduling is the rule by which a port chooses among the classes of its waiting packets. Within a
// class packets leave in the order of arrival. Class 0, the class of PFC frames, goes before all
// others.
type Scheduling uint8

// The kinds of scheduling.
const (
	// RoundRobin serves the classes in turn, packet by packet.
	RoundRobin Scheduling = iota
	// Strict serves the highest class that has a packet (IEEE 802.1Q, strict priority).
	Strict
	// Deficit is deficit round robin (Shreedhar and Varghese, SIGCOMM 1995): in each round a class
	// may send Config.Quanta bytes. If its next packet is larger than the remaining bytes, they are
	// carried over to the next round. They are lost when the queue becomes empty.
	Deficit
	// Weighted is round robin by packets: in each round a class may send Config.Quanta packets of
	// any size.
	Weighted
)

// choose returns the ready class that a port serves next, by Strict, Deficit or Weighted.
func (e *Engine) choose(pi PortID, p *port, ready uint8) uint8 {
	if ready&1 != 0 {
		return 0
	}
	if e.net.cfg.Scheduling == Strict {
		return uint8(bits.Len8(ready) - 1)
	}
	class := p.served
	for {
		if ready>>class&1 != 0 {
			d, cost := e.net.deficit(pi, class), int32(1)
			if e.net.cfg.Scheduling == Deficit {
				cost = int32(e.pkts[e.net.queue(pi, class).head].Size)
			}
			if *d >= cost {
				*d -= cost
				return class
			}
		}
		class = pick(ready, class)
		*e.net.deficit(pi, class) += int32(e.net.cfg.Quanta[class])
	}
}

// deficit returns how much a class may still send in this round of a port, in bytes, or in packets
// with Weighted.
func (n *Network) deficit(p PortID, class uint8) *int32 {
	return &n.deficits[int(class)*len(n.ports)+int(p)]
}

// emptied updates the state of a class whose queue has become empty.
func (n *Network) emptied(p PortID, class uint8) {
	if n.deficits != nil {
		*n.deficit(p, class) = 0
	}
}

// newDeficits makes the deficits of each port and class, which Deficit and Weighted need.
func newDeficits(c *Config, ports int) []int32 {
	if c.Scheduling < Deficit {
		return nil
	}
	return make([]int32, ports*buffer.Classes)
}

// validQuanta reports whether each class can send its largest packet in a round. Otherwise rounds
// could be empty.
func (c *Config) validQuanta() bool {
	least := map[Scheduling]unit.Bytes{Deficit: c.MaxPacket, Weighted: 1}[c.Scheduling]
	for _, q := range c.Quanta[1:] {
		if c.Scheduling >= Deficit && (q < least || q > unit.GB) {
			return false
		}
	}
	return c.Scheduling <= Weighted
}
