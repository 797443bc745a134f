package coding

import (
	"fmt"

	"pintlab/pint/global"
)

// whole implements the common part of Peeler and Solver. It has one block of unknowns per fragment,
// with one unknown per hop.
type whole struct {
	code   *Code
	hops   int
	blocks []block
	left   int // unknown (hop, fragment) pairs
	failed error
}

// block solves for the values of one fragment.
type block interface {
	reset()
	// add records the XOR of the values of some hops. It returns the number of hops that became known. ok is false on a
	// contradiction.
	add(set global.HopSet, xor uint64) (news int, ok bool)
	known() global.HopSet
	value(hop int) uint64 // value of a known hop
}

func newWhole(c *Code, hops int, newBlock func() block) (whole, error) {
	if c.cfg.Mode != Full && c.cfg.Mode != Fragments {
		return whole{}, fmt.Errorf("decoding whole values: mode is %v, want full or fragments", c.cfg.Mode)
	}
	if err := checkHops(hops); err != nil {
		return whole{}, err
	}
	d := whole{code: c, hops: hops}
	for range c.fragments {
		d.blocks = append(d.blocks, newBlock())
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

// Reset removes all packets.
func (d *whole) Reset() {
	for _, b := range d.blocks {
		b.reset()
	}
	d.left, d.failed = d.hops*len(d.blocks), nil
}

// Add records the digest of a packet. After ErrInconsistent, Add returns the same error until Reset.
func (d *whole) Add(packet, digest uint64) error {
	if d.failed != nil {
		return d.failed
	}
	if err := d.code.Check(packet, digest); err != nil {
		return err
	}
	for i := range d.code.instances {
		set, _ := d.code.Actors(i, packet, d.hops)
		h := d.code.Hasher(i, packet)
		news, ok := d.blocks[h.Fragment()].add(set, d.code.Part(i, digest))
		d.left -= news
		if !ok {
			d.failed = fmt.Errorf("packet %d: %w", packet, ErrInconsistent)
			return d.failed
		}
	}
	return nil
}

// Done reports whether every hop is known.
func (d *whole) Done() bool { return d.left == 0 && d.failed == nil }

// Known returns the number of hops whose whole value is known.
func (d *whole) Known() int {
	all := global.FirstHops(d.hops)
	for _, b := range d.blocks {
		all = all.And(b.known())
	}
	return all.Len()
}

// Value returns the value of a hop (from 1), if it is known.
func (d *whole) Value(hop int) (uint64, bool) {
	v := uint64(0)
	for f, b := range d.blocks {
		set := b.known()
		if !set.Has(hop) {
			return 0, false
		}
		v |= b.value(hop) << (f * d.code.cfg.Bits)
	}
	return v, true
}
