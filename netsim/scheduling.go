package netsim

import (
	"math/bits"

	"pintlab/internal/mem"
	"pintlab/netsim/buffer"
)

// scheduling is the rule by which a port chooses among the classes of its waiting packets (Scheduling). Ports
// always serve class 0, the class of PFC frames, first.
type scheduling uint8

const (
	roundRobin scheduling = iota
	strict
	// deficit lets a class send its quantum of bytes in each round. If the next packet is larger than the remaining
	// bytes, these bytes are carried over to the next round. They are lost when the queue becomes empty.
	deficit
	weighted
)

// choose returns the ready class that a port serves next. The rule is strict, deficit or weighted.
func (e *Engine) choose(pi PortID, p *port, ready uint8) uint8 {
	if ready&1 != 0 {
		return 0
	}
	if e.net.scheduling == strict {
		return uint8(bits.Len8(ready) - 1)
	}
	class := p.served
	for {
		if ready>>class&1 != 0 {
			d, cost := e.net.deficit(pi, class), int32(1)
			if e.net.scheduling == deficit {
				cost = int32(e.Packet(e.net.queue(pi, class).head).Size)
			}
			if *d >= cost {
				*d -= cost
				return class
			}
		}
		class = pick(ready, class)
		*e.net.deficit(pi, class) += e.net.quanta[class]
	}
}

// deficit returns how much a class may still send in this round of a port: a number of packets under the rule weighted,
// otherwise a number of bytes.
func (n *Network) deficit(p PortID, class uint8) *int32 {
	return mem.At(n.deficits, int(class)*len(n.ports)+int(p))
}

// emptied updates the state of a class whose queue has become empty.
func (n *Network) emptied(p PortID, class uint8) {
	if n.deficits != nil {
		*n.deficit(p, class) = 0
	}
}

// schedule sets the scheduling of a network. The quantum of deficit round robin is the smallest one that
// lets the class of the least weight send a packet of any size in a round.
func (n *Network) schedule() {
	c := &n.cfg
	kinds := map[string]scheduling{Turns: roundRobin, Strict: strict, Deficit: deficit, Weighted: weighted}
	n.scheduling = kinds[c.Scheduling.Kind]
	if n.scheduling < deficit {
		return
	}
	n.deficits = make([]int32, len(n.ports)*buffer.Classes)
	weights, _ := c.Scheduling.ClassWeights() // Validate has checked the error
	for class, w := range weights {
		n.quanta[class] = int32(w)
		if n.scheduling == deficit {
			n.quanta[class] *= int32(c.MaxPacket)
		}
	}
}
