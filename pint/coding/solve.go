package coding

import (
	"fmt"

	"pintlab/pint/global"
)

// Solver decodes modes Full and Fragments by Gaussian elimination over GF(2), with one
// unknown per hop and fragment: it knows a hop as soon as the digests determine it,
// whatever the scheme, and so decodes linear network coding in about k + log2 k
// packets. A packet costs O(k) set operations.
type Solver struct {
	code   *Code
	hops   int
	blocks []solveBlock
	left   int
	failed error
}

// solveBlock is a system in reduced row echelon form.
type solveBlock struct {
	pivots global.HopSet
	rows   []solveRow // by hop-1; meaningful where pivots has the hop
	solved global.HopSet
}

type solveRow struct {
	set  global.HopSet
	rest uint64
}

// NewSolver is a decoder for a path of the given number of hops.
func NewSolver(c *Code, hops int) (*Solver, error) {
	if c.cfg.Mode != Full && c.cfg.Mode != Fragments {
		return nil, fmt.Errorf("solving for whole values: mode is %v, want full or fragments", c.cfg.Mode)
	}
	if err := checkHops(hops); err != nil {
		return nil, err
	}
	d := &Solver{code: c, hops: hops, blocks: make([]solveBlock, c.fragments)}
	for f := range d.blocks {
		d.blocks[f].rows = make([]solveRow, hops)
	}
	d.Reset()
	return d, nil
}

// Reset forgets all packets.
func (d *Solver) Reset() {
	for f := range d.blocks {
		b := &d.blocks[f]
		b.pivots, b.solved = global.HopSet{}, global.HopSet{}
	}
	d.left, d.failed = d.hops*len(d.blocks), nil
}

// Add takes in one packet's digest. After ErrInconsistent the decoder keeps
// returning it until Reset.
func (d *Solver) Add(packet, digest uint64) error {
	if d.failed != nil {
		return d.failed
	}
	if err := d.code.Check(packet, digest); err != nil {
		return err
	}
	for i := range d.code.instances {
		set, _ := d.code.Actors(i, packet, d.hops)
		h := d.code.Hasher(i, packet)
		b := &d.blocks[h.Fragment()]
		before := b.solved.Len()
		if !b.add(solveRow{set, d.code.Part(i, digest)}) {
			d.failed = fmt.Errorf("packet %d: %w", packet, ErrInconsistent)
			return d.failed
		}
		d.left -= b.solved.Len() - before
	}
	return nil
}

func (b *solveBlock) add(r solveRow) bool {
	for hop := range r.set.And(b.pivots).All() {
		p := &b.rows[hop-1]
		r.set, r.rest = r.set.Xor(p.set), r.rest^p.rest
	}
	pivot := r.set.First()
	if pivot == 0 {
		return r.rest == 0
	}
	for hop := range b.pivots.All() {
		p := &b.rows[hop-1]
		if p.set.Has(pivot) {
			p.set, p.rest = p.set.Xor(r.set), p.rest^r.rest
			if p.set.Len() == 1 {
				b.solved.Add(hop)
			}
		}
	}
	b.pivots.Add(pivot)
	b.rows[pivot-1] = r
	if r.set.Len() == 1 {
		b.solved.Add(pivot)
	}
	return true
}

// Done says whether every hop is known.
func (d *Solver) Done() bool { return d.left == 0 }

// Known is the number of hops whose whole value is determined.
func (d *Solver) Known() int {
	all := global.FirstHops(d.hops)
	for f := range d.blocks {
		all = all.And(d.blocks[f].solved)
	}
	return all.Len()
}

// Value is the value of a hop (from 1), if it is determined.
func (d *Solver) Value(hop int) (uint64, bool) {
	v := uint64(0)
	for f := range d.blocks {
		b := &d.blocks[f]
		if !b.solved.Has(hop) {
			return 0, false
		}
		v |= b.rows[hop-1].rest << (f * d.code.cfg.Bits)
	}
	return v, true
}
