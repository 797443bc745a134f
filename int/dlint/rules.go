package dlint

import (
	"pintlab/internal/hash"
	"pintlab/netsim/unit"
)

// cell is the state of a switch for one direction of a flow.
type cell uint8

// The states. The initial state of a cell is await in DLINT and setUp in CLINT.
const (
	await    cell = iota // waits for INIT; at the first switch, for the next cycle
	ready                // adds its ID to the next packet with room
	inserted             // has added its ID in this cycle
	setUp                // CLINT: other switches may have no entry yet
)

// value is one value of a header: a code, or the ID of a switch, which is its node number plus 1.
type value uint32

// The codes. On the wire INIT, RESET and BLANK are 0, 255 and 238 in DLINT. In CLINT they are 0xCC, 0xFF and 0xDD, and
// PREPARE is 0xEE. The constants here are larger than all IDs.
const (
	first   value = 1<<32 - 1 - iota // INIT: a cycle begins
	reset                            // RESET: the cycle of the other direction is over
	blank                            // BLANK: no value yet
	prepare                          // PREPARE: does every switch of the path have an entry?
)

// id reports whether v is the ID of a switch.
func (v value) id() bool { return v < prepare }

// slot is a value with the latency of the switch that added it.
type slot struct {
	value
	hop     uint8 // PLINT
	latency uint32
}

// header travels in a packet. Without slots it is empty.
type header []slot

func (h header) has(v value) bool {
	for _, s := range h {
		if s.value == v {
			return true
		}
	}
	return false
}

// foreign reports whether h contains the ID of a switch other than own.
func (h header) foreign(own value) bool {
	for _, s := range h {
		if s.id() && s.value != own {
			return true
		}
	}
	return false
}

// passing describes a packet at a switch for the rules.
type passing struct {
	header
	values           int   // N: number of values in a header
	own              value // ID of the switch
	latency          uint32
	fromHost, toHost bool // whether the switch is the first of the path, or the last one
	syn              bool
}

// add puts a value into the next free place. It returns false if no place is free.
func (p *passing) add(v value) bool {
	if len(p.header) == 0 {
		for range p.values {
			p.header = append(p.header, slot{value: blank})
		}
	}
	for i := range p.header {
		if s := &p.header[i]; s.value == blank {
			*s = slot{value: v}
			if v == p.own {
				s.latency = p.latency
			}
			return true
		}
	}
	return false
}

// apply applies the rules of DLINT to the packet and to two cells: f for the packet's direction, and r for the other
// direction. With one value on a packet, only the first rule that applies is used. f and r may be the same cell.
func (p *passing) apply(f, r *cell) {
	one := p.values == 1
	if p.toHost && p.has(reset) { // rule 1: the source may start again
		*r = await
		if one {
			return
		}
	}
	ending := p.fromHost && *r == inserted
	if ending { // rule 2: the sink of the other direction requests the next cycle
		if *r = await; one {
			p.add(reset)
			return
		}
	}
	starting := p.fromHost && (*f == await || p.syn && *f == inserted)
	if ending && !starting {
		p.add(reset)
	}
	switch {
	case !p.fromHost && p.has(first): // 3
		if *f = ready; !one {
			p.insert(f)
		}
	case *f == ready && p.insert(f): // 4
	case starting: // 5
		p.add(first)
		if ending {
			p.add(reset)
		}
		if *f = ready; !one {
			p.insert(f)
		}
	case *f != ready && p.foreign(p.own): // 6: repair
		if *f = ready; p.toHost {
			*f = inserted
		}
	}
}

// insert adds the ID of the switch, if there is room.
func (p *passing) insert(f *cell) bool {
	if !p.add(p.own) {
		return false
	}
	*f = inserted
	return true
}

// prepared applies the rules that CLINT adds. done is true if no rule of DLINT applies to the packet. known is false at
// a switch without an entry for the flow. Such a switch has no cells for it.
func (p *passing) prepared(known bool, f, r *cell) (done bool) {
	asks := p.has(prepare)
	switch {
	case !known:
		if asks {
			p.header = nil
		}
		return true
	case p.fromHost && *f == setUp && *r != inserted:
		if p.add(prepare); p.toHost {
			*f = inserted
		}
		return true
	case asks:
		if p.toHost {
			*f = inserted // so that the next packet of the other direction receives a RESET
		}
		return true
	}
	return false
}

// draw returns a uniform random number for a pair: 1…100 or, if exact is set, 0…2^32-1.
type draw func(slot int) uint64

// drawFrom returns the random numbers of a seed, which belongs to one packet at one hop.
func drawFrom(seed uint64, exact bool) draw {
	return func(slot int) uint64 {
		x := uint64(uint32(hash.Combine(seed, uint64(slot))))
		if exact {
			return x
		}
		return 1 + x%100
	}
}

// replace applies PLINT's rule: the first switch writes all pairs, and hop i replaces each pair with a certain
// probability. This is 1/i if exact is set, and otherwise ⌊100/i⌋/100, as in the program.
func (p *passing) replace(hop uint8, exact bool, number draw) {
	if hop == 1 {
		p.header = p.header[:0]
		for range p.values {
			p.header = append(p.header, slot{p.own, hop, p.latency})
		}
		return
	}
	for i := range p.header {
		x := number(i)
		if exact && x*uint64(hop) < 1<<32 || !exact && x*uint64(hop) <= 100 {
			p.header[i] = slot{p.own, hop, p.latency}
		}
	}
}

// latencyBytes is the size of a latency on the wire.
const latencyBytes = unit.Bytes(4)
