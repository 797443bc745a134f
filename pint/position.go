package pint

import (
	"pintlab/internal/hash"
	"pintlab/netsim"
)

// position describes where in a digest switches write a code, and on which packets.
type position struct {
	carries func(key uint64) bool // nil: all
	shift   uint
	mask    uint64
	salt    uint64
}

// word returns the random word for rounding a packet's code at a hop; ok is false if the packet
// does not carry the code.
func (w *position) word(h *netsim.Hop) (word uint64, ok bool) {
	key := h.Key()
	if w.carries != nil && !w.carries(key) {
		return 0, false
	}
	return hash.Combine(w.salt^key, uint64(h.Number)), true
}

// raise writes a code into a packet if it is larger than the packet's code.
func (w *position) raise(k *netsim.Packet, code uint32) {
	shift := w.shift & 63
	if c := uint64(code) & w.mask; c > k.Digest>>shift&w.mask {
		k.Digest = k.Digest&^(w.mask<<shift) | c<<shift
	}
}
