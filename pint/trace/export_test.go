package trace

import (
	"pintlab/netsim/topo"
	"pintlab/pint/global"
)

// Functions that only tests use.

// Path returns the switches from source to sink, once Done.
func (d *AMS2) Path() ([]topo.NodeID, bool) {
	if !d.Done() {
		return nil, false
	}
	path := make([]topo.NodeID, d.hops)
	for i, sw := range d.path {
		path[i] = d.m.switches[sw]
	}
	return path, true
}

// Hop returns a packet's mark after a switch.
func (d *AMS2) Hop(packet uint64, hop int, value, digest uint64) uint64 {
	return d.hop(packet, hop, value, digest)
}

// Hop returns a packet's mark after a switch; values have 32 bits.
func (d *PPM) Hop(packet uint64, hop int, value, digest uint64) uint64 {
	return d.hop(packet, hop, value, digest)
}

// hop returns the mark after a switch.
func (m *marking) hop(packet uint64, hop int, value, digest uint64) uint64 {
	f := unpackMark(digest)
	switch {
	case global.Reservoir(m.act.Word(m.act.Key(packet), uint64(hop)), hop):
		f.number = uint8(global.Choose(m.number.Word(m.number.Key(packet), 0), m.numbers))
		f.distance, f.content = 0, m.start(f.number, value)
	case f.distance == 0:
		f.distance, f.content = 1, f.content^m.end(f.number, value)
	default:
		f.distance = min(f.distance+1, 31)
	}
	return f.pack()
}

// Paths returns the number of remaining paths once they are listed, and 0 before.
func (d *Decoder) Paths() int { return len(d.paths) / d.hops }

// Walks returns the binary logarithm of an upper bound on the number of remaining paths, from the last count.
func (d *Decoder) Walks() float64 {
	if d.paths != nil {
		return log2(float64(max(1, d.Paths())))
	}
	return d.walks
}

// Candidates returns the number of possible switches at a hop; see Switches.
func (d *Decoder) Candidates(hop int) int { return len(d.Switches(hop)) }
