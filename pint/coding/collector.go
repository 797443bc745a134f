package coding

import (
	"errors"
	"fmt"
	"math/bits"

	"pintlab/internal/number"
	"pintlab/pint/global"
)

// ErrInconsistent is the error of decoders if no path agrees with all digests: a digest was
// corrupted, the route changed, or two packets had the same identifier.
var ErrInconsistent = errors.New("digests are inconsistent")

// Actors returns the set of hops whose values a packet's digest of one instance contains, on a path of this many hops
// (1 … global.MaxHops). For a Baseline packet, the set contains one hop; for an XOR packet, any number of hops.
// baseline reports the kind of packet.
func (c *Code) Actors(inst int, packet uint64, hops int) (set global.HopSet, baseline bool) {
	in := &c.instances[inst]
	l := in.layer(packet)
	switch {
	case l == nil:
		set.Add(in.fns[actFn].Writer(in.fns[actFn].Key(packet), hops))
		return set, true
	case l.always:
		return global.FirstHops(hops), false
	case l.vectors:
		return in.vector.VectorActors(in.vector.Key(packet), l.dyadic, hops), false
	}
	return in.fns[actFn].Actors(in.fns[actFn].Key(packet), l.threshold, hops), false
}

// Part returns the digest bits of one instance.
func (c *Code) Part(inst int, digest uint64) uint64 {
	return digest >> c.instances[inst].shift & c.mask
}

// Check returns an error if a digest has more bits than the code.
func (c *Code) Check(packet, digest uint64) error {
	if w := c.Width(); w < 64 && digest>>w != 0 {
		return fmt.Errorf("packet %d: digest %#x has more than %s", packet, digest, number.Count(w, "bit"))
	}
	return nil
}

// Hasher computes the digests of values for one instance and one packet.
type Hasher struct {
	part     global.Function
	key      global.Key
	mask     uint64
	mode     Mode
	bits     uint8
	fragment uint8 // shift of the fragment
}

// Hasher returns the hasher for an instance and a packet.
func (c *Code) Hasher(inst int, packet uint64) Hasher {
	return c.hasher(&c.instances[inst], packet)
}

func (c *Code) hasher(in *instance, packet uint64) Hasher {
	h := Hasher{part: in.fns[partFn], mask: c.mask, mode: c.cfg.Mode, bits: uint8(c.cfg.Bits)}
	switch c.cfg.Mode {
	case Hash, Linear:
		h.key = in.fns[partFn].Key(packet)
	case Fragments:
		h.fragment = uint8(c.cfg.Bits * global.Choose(in.fns[partFn].Word(in.fns[partFn].Key(packet), 0), c.fragments))
	}
	return h
}

// Fragment returns the number of the fragment, from 0, that the packet carries.
func (h *Hasher) Fragment() int { return int(h.fragment) / int(h.bits) }

// Digest returns the bits that a value contributes at a hop.
func (h Hasher) Digest(hop int, value uint64) uint64 {
	switch h.mode {
	case Hash:
		return uint64(global.Digest(h.part.Word(h.key, value), int(h.bits)))
	case Linear:
		return toeplitz(h.part.Word(h.key, uint64(hop)), value) & h.mask
	}
	return value >> h.fragment & h.mask
}

// toeplitz returns the product of a Toeplitz matrix with the value's bits: bit j is the parity of
// value AND (seed >> j). For a switch, whose value is constant, it costs one shift and one XOR per
// set bit of the value.
func toeplitz(seed uint32, value uint64) uint64 {
	acc := uint32(0)
	for ; value != 0; value &= value - 1 {
		acc ^= seed >> bits.TrailingZeros64(value)
	}
	return uint64(acc)
}
