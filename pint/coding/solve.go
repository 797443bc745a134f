package coding

import "pintlab/pint/global"

// Solver decodes modes Full and Fragments by Gaussian elimination over GF(2), with one unknown per
// hop and fragment. Under any scheme, Solver finds the value of a hop as soon as the digests
// determine this value. So it decodes linear network coding in about k + 2 packets. A packet costs
// O(k) set operations.
type Solver struct{ whole }

// NewSolver returns a decoder for a path of this many hops.
func NewSolver(c *Code, hops int) (*Solver, error) {
	w, err := newWhole(c, hops, func() block { return &solveBlock{rows: make([]solveRow, hops)} })
	if err != nil {
		return nil, err
	}
	return &Solver{w}, nil
}

// solveBlock is a system in reduced row echelon form.
type solveBlock struct {
	pivots global.HopSet
	rows   []solveRow // by hop-1; valid only for hops in pivots
	solved global.HopSet
}

type solveRow struct {
	set  global.HopSet
	rest uint64
}

func (b *solveBlock) reset()               { b.pivots, b.solved = global.HopSet{}, global.HopSet{} }
func (b *solveBlock) known() global.HopSet { return b.solved }
func (b *solveBlock) value(hop int) uint64 { return b.rows[hop-1].rest }

func (b *solveBlock) add(set global.HopSet, rest uint64) (news int, ok bool) {
	r := solveRow{set, rest}
	for hop := range set.And(b.pivots).All() {
		p := &b.rows[hop-1]
		r.set, r.rest = r.set.Xor(p.set), r.rest^p.rest
	}
	pivot := r.set.First()
	if pivot == 0 {
		return 0, r.rest == 0
	}
	before := b.solved.Len()
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
	return b.solved.Len() - before, true
}
