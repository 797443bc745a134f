package coding

import (
	"fmt"

	"pintlab/pint/global"
)

// Peeler decodes modes Full and Fragments: an XOR digest of which all hops but one are
// known yields that one. It takes packets one at a time, in any order.
type Peeler struct {
	code   *Code
	hops   int
	blocks []peelBlock // one per fragment
	left   int         // unknown (hop, fragment) pairs
	failed error
	stack  []learned
}

type peelBlock struct {
	known   global.HopSet
	value   []uint64 // by hop-1
	waiting []peelDigest
}

// maxWaiting bounds the digests of two or more unknown hops that a decoder keeps; more
// are ignored, which costs nothing but time.
const maxWaiting = 1 << 14

// peelDigest is a digest of which two or more hops are unknown.
type peelDigest struct {
	unknown global.HopSet
	rest    uint64 // XOR of the unknown ones
}

type learned struct {
	hop   int
	value uint64
}

// NewPeeler is a decoder for a path of the given number of hops, which the collector
// knows from the TTL.
func NewPeeler(c *Code, hops int) (*Peeler, error) {
	if c.cfg.Mode != Full && c.cfg.Mode != Fragments {
		return nil, fmt.Errorf("peeling whole values: mode is %v, want full or fragments", c.cfg.Mode)
	}
	if err := checkHops(hops); err != nil {
		return nil, err
	}
	d := &Peeler{code: c, hops: hops, blocks: make([]peelBlock, c.fragments)}
	for f := range d.blocks {
		d.blocks[f].value = make([]uint64, hops)
	}
	d.Reset()
	return d, nil
}

func checkHops(hops int) error {
	if hops < 1 || hops > global.MaxHops {
		return fmt.Errorf("path of %d hops: want 1 to %d", hops, global.MaxHops)
	}
	return nil
}

// Reset forgets all packets.
func (d *Peeler) Reset() {
	for f := range d.blocks {
		b := &d.blocks[f]
		b.known, b.waiting = global.HopSet{}, b.waiting[:0]
	}
	d.left, d.failed = d.hops*len(d.blocks), nil
}

// Add takes in one packet's digest. After ErrInconsistent the decoder keeps
// returning it until Reset.
func (d *Peeler) Add(packet, digest uint64) error {
	if d.failed != nil {
		return d.failed
	}
	if err := d.code.Check(packet, digest); err != nil {
		return err
	}
	for i := range d.code.instances {
		set, _ := d.code.Actors(i, packet, d.hops)
		h := d.code.Hasher(i, packet)
		if !d.blocks[h.Fragment()].add(d, set, d.code.Part(i, digest)) {
			d.failed = fmt.Errorf("packet %d: %w", packet, ErrInconsistent)
			return d.failed
		}
	}
	return nil
}

// add returns false on a contradiction.
func (b *peelBlock) add(d *Peeler, set global.HopSet, rest uint64) bool {
	for hop := range set.And(b.known).All() {
		rest ^= b.value[hop-1]
	}
	unknown := set.AndNot(b.known)
	switch unknown.Len() {
	case 0:
		return rest == 0
	case 1:
		return b.learn(d, learned{unknown.First(), rest})
	}
	if len(b.waiting) < maxWaiting {
		b.waiting = append(b.waiting, peelDigest{unknown, rest})
	}
	return true
}

// learn records a value and all that follow from it.
func (b *peelBlock) learn(d *Peeler, first learned) bool {
	d.stack = append(d.stack[:0], first)
	for len(d.stack) > 0 {
		l := d.stack[len(d.stack)-1]
		d.stack = d.stack[:len(d.stack)-1]
		if b.known.Has(l.hop) { // two digests yielded it
			if b.value[l.hop-1] != l.value {
				return false
			}
			continue
		}
		b.known.Add(l.hop)
		b.value[l.hop-1] = l.value
		d.left--
		for i := 0; i < len(b.waiting); {
			w := &b.waiting[i]
			if w.unknown.Has(l.hop) {
				w.unknown.Remove(l.hop)
				w.rest ^= l.value
				if w.unknown.Len() == 1 {
					d.stack = append(d.stack, learned{w.unknown.First(), w.rest})
					last := len(b.waiting) - 1
					b.waiting[i] = b.waiting[last]
					b.waiting = b.waiting[:last]
					continue
				}
			}
			i++
		}
	}
	return true
}

// Done says whether every hop is known.
func (d *Peeler) Done() bool { return d.left == 0 }

// Known is the number of hops whose whole value is known.
func (d *Peeler) Known() int {
	all := global.FirstHops(d.hops)
	for f := range d.blocks {
		all = all.And(d.blocks[f].known)
	}
	return all.Len()
}

// Value is the value of a hop (from 1), if it is known.
func (d *Peeler) Value(hop int) (uint64, bool) {
	v := uint64(0)
	for f := range d.blocks {
		if !d.blocks[f].known.Has(hop) {
			return 0, false
		}
		v |= d.blocks[f].value[hop-1] << (f * d.code.cfg.Bits)
	}
	return v, true
}
