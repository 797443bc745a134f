package coding

import (
	"fmt"
	"slices"

	"pintlab/internal/number"
	"pintlab/pint/global"
)

// Filter decodes mode Hash (and Linear) with a known set of possible values. For each hop, Filter
// keeps the values that agree with all digests to which only this hop contributes. An XOR digest
// becomes such a digest when all of its other hops are known. Packets may come in any order.
//
// Several hops may have the same value, because Filter makes no assumption about the path.
type Filter struct {
	code    *Code
	hops    int
	values  []uint64
	left    [][]int32 // by hop-1: indices into values; valid only for hops in touched
	touched global.HopSet
	known   global.HopSet // hops with exactly one value left
	waiting []filterDigest
	queue   []filterDigest
	failed  error
}

// filterDigest is a digest without the contributions of known hops.
type filterDigest struct {
	unknown global.HopSet
	hasher  Hasher
	rest    uint64
}

// NewFilter returns a decoder for a path of this many hops. values are the possible values, which
// must be distinct.
func NewFilter(c *Code, hops int, values []uint64) (*Filter, error) {
	if c.cfg.Mode != Hash && c.cfg.Mode != Linear {
		return nil, fmt.Errorf("decoding by filtering candidates: mode is %v, want hash or linear", c.cfg.Mode)
	}
	if err := checkHops(hops); err != nil {
		return nil, err
	}
	if err := c.CheckValues(values); err != nil {
		return nil, err
	}
	d := &Filter{code: c, hops: hops, values: slices.Clone(values), left: make([][]int32, hops)}
	d.Reset()
	return d, nil
}

// CheckValues returns an error if values is empty, contains a value twice, or contains a value that
// is too wide for the code.
func (c *Code) CheckValues(values []uint64) error {
	if len(values) == 0 {
		return fmt.Errorf("empty value set")
	}
	seen := make(map[uint64]bool, len(values))
	for _, v := range values {
		if seen[v] {
			return fmt.Errorf("value %d occurs twice in the value set", v)
		}
		if c.cfg.Mode != Hash && c.cfg.ValueBits < 64 && v>>c.cfg.ValueBits != 0 {
			return fmt.Errorf("value %d has more than %s", v, number.Count(c.cfg.ValueBits, "bit"))
		}
		seen[v] = true
	}
	return nil
}

// Reset removes all packets.
func (d *Filter) Reset() {
	d.touched, d.known = global.HopSet{}, global.HopSet{}
	d.waiting, d.failed = d.waiting[:0], nil
	if len(d.values) == 1 {
		d.known = global.FirstHops(d.hops)
		d.touched = d.known
		for i := range d.left {
			d.left[i] = append(d.left[i][:0], 0)
		}
	}
}

// Add records the digest of a packet. After ErrInconsistent, Add returns the same error until Reset.
func (d *Filter) Add(packet, digest uint64) error {
	if d.failed != nil {
		return d.failed
	}
	if err := d.code.Check(packet, digest); err != nil {
		return err
	}
	for i := range d.code.instances {
		set, _ := d.code.Actors(i, packet, d.hops)
		g := filterDigest{set, d.code.Hasher(i, packet), d.code.Part(i, digest)}
		if !d.add(g) {
			d.failed = fmt.Errorf("packet %d: %w", packet, ErrInconsistent)
			return d.failed
		}
	}
	return nil
}

// add applies a digest, and then the waiting digests that have only one unknown hop left. It returns false on a
// contradiction.
func (d *Filter) add(g filterDigest) bool {
	d.queue = append(d.queue[:0], g)
	for len(d.queue) > 0 {
		g := d.queue[len(d.queue)-1]
		d.queue = d.queue[:len(d.queue)-1]
		for hop := range g.unknown.And(d.known).All() {
			g.rest ^= g.hasher.Digest(hop, d.value(hop))
		}
		g.unknown = g.unknown.AndNot(d.known)
		switch g.unknown.Len() {
		case 0:
			if g.rest != 0 {
				return false
			}
		case 1:
			if !d.narrow(g.unknown.First(), &g) {
				return false
			}
		default:
			if len(d.waiting) < maxWaiting {
				d.waiting = append(d.waiting, g)
			}
		}
	}
	return true
}

// narrow removes the candidates of a hop that disagree with a digest. If one candidate is left, it
// queues the waiting digests that now have only one unknown hop. It returns false if no candidate
// is left.
func (d *Filter) narrow(hop int, g *filterDigest) bool {
	l := d.left[hop-1]
	if !d.touched.Has(hop) {
		d.touched.Add(hop)
		l = l[:0]
		for i, v := range d.values {
			if g.hasher.Digest(hop, v) == g.rest {
				l = append(l, int32(i))
			}
		}
	} else {
		n := 0
		for _, i := range l {
			if g.hasher.Digest(hop, d.values[i]) == g.rest {
				l[n] = i
				n++
			}
		}
		l = l[:n]
	}
	d.left[hop-1] = l
	switch len(l) {
	case 0:
		return false
	case 1:
		d.known.Add(hop)
	default:
		return true
	}
	for i := 0; i < len(d.waiting); {
		w := &d.waiting[i]
		if w.unknown.Has(hop) {
			w.unknown.Remove(hop)
			w.rest ^= w.hasher.Digest(hop, d.value(hop))
			if w.unknown.Len() == 1 {
				d.queue = append(d.queue, *w)
				last := len(d.waiting) - 1
				d.waiting[i] = d.waiting[last]
				d.waiting = d.waiting[:last]
				continue
			}
		}
		i++
	}
	return true
}

func (d *Filter) value(hop int) uint64 { return d.values[d.left[hop-1][0]] }

// Done reports whether every hop is known.
func (d *Filter) Done() bool { return d.known == global.FirstHops(d.hops) && d.failed == nil }

// Known returns the number of hops with one candidate left.
func (d *Filter) Known() int { return d.known.Len() }

// Value returns the value of a hop (from 1), if it is known.
func (d *Filter) Value(hop int) (uint64, bool) {
	if !d.known.Has(hop) {
		return 0, false
	}
	return d.value(hop), true
}
