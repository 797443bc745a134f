package coding

import (
	"fmt"
	"math/bits"
	"slices"
)

// maxFree is the largest number of undetermined bits that eliminator enumerates to find the one
// solution in which every hop has a possible value. One packet of 16 bits determines 16 bits, so
// the enumeration saves about one packet. An enumeration costs up to 2^16 steps, and a decoder
// needs one or two of them.
const maxFree = 16

// eliminator decodes mode Linear. Every digest bit is a linear equation over GF(2) in the bits of
// all hops' values, so network coding works with b-bit digests. Packets may come in any order.
//
// The decoder knows the possible values among the 2^q values of a hop. This redundancy ends the
// decoding early: with 754 switches and 10 bits, 59 hops have 26 bits of redundancy.
type eliminator struct {
	code    *Code
	hops    int
	q       int // bits of a value
	n       int // number of unknown bits, hops·q; bit q(i-1)+j is bit j of hop i's value
	words   int // words of a row: n bits, then the right-hand side
	values  []uint64
	allowed []uint64 // bit set of values, if q is small

	rank  int
	pivot columnSet // columns that have a row
	rows  []uint64  // by pivot column, in echelon form
	fresh []uint64  // the rows of one packet

	free     []int    // columns without a row, after express
	forms    []uint64 // by column: the bit as an affine function of the free bits
	formLen  int
	solution []uint64 // by hop-1; nil until it is unique
	failed   error
}

// columnSet is a bit set of columns.
type columnSet []uint64

func (s columnSet) has(c int) bool { return s[c>>6]>>(c&63)&1 != 0 }
func (s columnSet) add(c int)      { s[c>>6] |= 1 << (c & 63) }

// newEliminator returns a decoder for a path of this many hops. values are the possible values,
// which must be distinct and fit the code's ValueBits.
func newEliminator(c *Code, hops int, values []uint64) (*eliminator, error) {
	if c.cfg.Mode != Linear {
		return nil, fmt.Errorf("elimination: mode is %v, want linear", c.cfg.Mode)
	}
	if err := checkHops(hops); err != nil {
		return nil, err
	}
	if err := c.CheckValues(values); err != nil {
		return nil, err
	}
	q := c.cfg.ValueBits
	d := &eliminator{code: c, hops: hops, q: q, n: hops * q, words: hops*q/64 + 1, values: slices.Clone(values)}
	slices.Sort(d.values)
	if q <= 16 {
		d.allowed = make([]uint64, 1<<q/64+1)
		for _, v := range values {
			d.allowed[v>>6] |= 1 << (v & 63)
		}
	}
	d.pivot = make(columnSet, d.words)
	d.rows = make([]uint64, d.n*d.words)
	d.fresh = make([]uint64, c.cfg.Bits*d.words)
	d.Reset()
	return d, nil
}

// Reset removes all packets.
func (d *eliminator) Reset() {
	clear(d.pivot)
	d.rank, d.solution, d.failed = 0, nil, nil
}

// Add records the digest of a packet. After ErrInconsistent, Add returns the same error until Reset.
func (d *eliminator) Add(packet, digest uint64) error {
	if d.failed != nil {
		return d.failed
	}
	if err := d.code.Check(packet, digest); err != nil {
		return err
	}
	ok := true
	if d.solution != nil {
		ok = d.code.Encode(packet, d.solution) == digest
	} else {
		for i := range d.code.instances {
			ok = ok && d.equations(i, packet, d.code.Part(i, digest))
		}
		if ok && d.n-d.rank <= maxFree {
			ok = d.finish()
		}
	}
	if !ok {
		d.failed = fmt.Errorf("packet %d: %w", packet, ErrInconsistent)
	}
	return d.failed
}

// equations adds the b equations of one instance. It returns false on a contradiction.
func (d *eliminator) equations(inst int, packet, part uint64) bool {
	set, _ := d.code.Actors(inst, packet, d.hops)
	h := d.code.Hasher(inst, packet)
	clear(d.fresh)
	mask := uint64(1)<<d.q - 1
	b := d.code.cfg.Bits
	for hop := range set.All() {
		seed := uint64(h.part.Word(h.key, uint64(hop)))
		w, s := (hop-1)*d.q>>6, (hop-1)*d.q&63
		for j := range b {
			row := d.fresh[j*d.words:]
			bitsOf := seed >> j & mask
			row[w] |= bitsOf << s
			if s+d.q > 64 {
				row[w+1] |= bitsOf >> (64 - s)
			}
		}
	}
	for j := range b {
		row := d.fresh[j*d.words : (j+1)*d.words]
		row[d.n>>6] |= part >> j & 1 << (d.n & 63)
		if !d.insert(row) {
			return false
		}
	}
	return true
}

// insert reduces a row by the existing rows, and stores the remainder if it is not zero. It returns
// false on a contradiction.
func (d *eliminator) insert(row []uint64) bool {
	for w := range row {
		for row[w] != 0 {
			c := w<<6 + bits.TrailingZeros64(row[w])
			if c == d.n {
				return false // 0 = 1
			}
			if !d.pivot.has(c) {
				copy(d.rows[c*d.words:(c+1)*d.words], row)
				d.pivot.add(c)
				d.rank++
				return true
			}
			with := d.rows[c*d.words+w : (c+1)*d.words] // zero before word w
			rest := row[w:][:len(with)]
			for x, y := range with {
				rest[x] ^= y
			}
		}
	}
	return true
}

// express writes every bit as an affine function of the free bits. Bit l of the form of a column is
// the coefficient of free column l; the bit after the last coefficient is the constant.
func (d *eliminator) express() {
	d.free = d.free[:0]
	for c := range d.n {
		if !d.pivot.has(c) {
			d.free = append(d.free, c)
		}
	}
	r := len(d.free)
	d.formLen = r/64 + 1
	d.forms = slices.Grow(d.forms[:0], d.n*d.formLen)[:d.n*d.formLen]
	clear(d.forms)
	for c, l := d.n-1, r; c >= 0; c-- {
		form := d.forms[c*d.formLen : (c+1)*d.formLen]
		if !d.pivot.has(c) {
			l--
			form[l>>6] |= 1 << (l & 63)
			continue
		}
		row := d.rows[c*d.words : (c+1)*d.words]
		for w := c >> 6; w < d.words; w++ {
			x := row[w]
			if w == c>>6 {
				x &= ^uint64(0) << (c & 63) << 1 // beyond the pivot
			}
			for ; x != 0; x &= x - 1 {
				if o := w<<6 + bits.TrailingZeros64(x); o == d.n {
					form[r>>6] ^= 1 << (r & 63)
				} else {
					for k := range form {
						form[k] ^= d.forms[o*d.formLen+k]
					}
				}
			}
		}
	}
}

// hopForm returns a hop's value as an affine function of the free bits: the constant, and in
// column[l] the bits that free bit l flips.
func (d *eliminator) hopForm(hop int, column []uint64) (constant uint64) {
	r := len(d.free)
	clear(column)
	for j := range d.q {
		form := d.forms[((hop-1)*d.q+j)*d.formLen:][:d.formLen]
		constant |= form[r>>6] >> (r & 63) & 1 << j
		for l := range column {
			column[l] |= form[l>>6] >> (l & 63) & 1 << j
		}
	}
	return constant
}

func (d *eliminator) possible(v uint64) bool {
	if d.allowed != nil {
		return d.allowed[v>>6]>>(v&63)&1 != 0
	}
	_, ok := slices.BinarySearch(d.values, v)
	return ok
}

// finish searches the solutions in which every hop has a possible value. It enumerates the free
// bits in the order of a Gray code, so that a step changes one bit. It returns false if there is no
// solution. If there is exactly one solution, finish stores it. If there are several, the next
// packet decides.
func (d *eliminator) finish() bool {
	d.express()
	r := len(d.free)
	columns := make([]uint64, d.hops*r)
	value := make([]uint64, d.hops)
	open := make([]int, 0, d.hops) // hops that depend on a free bit
	for i := range value {
		column := columns[i*r : (i+1)*r]
		value[i] = d.hopForm(i+1, column)
		if slices.Max(append(column[:len(column):len(column)], 0)) > 0 {
			open = append(open, i)
		} else if !d.possible(value[i]) {
			return false
		}
	}
	// Most candidates fail within the first few hops. So the values of as many hops as fit in one
	// word are updated together, and the others are computed when needed.
	near := open[:min(len(open), 64/d.q)]
	packed, change := uint64(0), make([]uint64, r)
	for k, i := range near {
		packed |= value[i] << (k * d.q)
		for l := range change {
			change[l] |= columns[i*r+l] << (k * d.q)
		}
	}
	start := slices.Clone(value)
	found := 0
	for step, gray := uint32(0), uint32(0); ; {
		if d.allPossible(packed, len(near)) && d.complete(value, start, columns, open, gray) {
			if found++; found > 1 {
				d.solution = nil
				return true
			}
			d.solution = slices.Clone(value)
		}
		if step++; step == 1<<r {
			return found == 1
		}
		l := bits.TrailingZeros32(step)
		gray ^= 1 << l
		packed ^= change[l]
	}
}

// allPossible reports whether the n values in a word are all possible.
func (d *eliminator) allPossible(packed uint64, n int) bool {
	mask := uint64(1)<<d.q - 1
	for range n {
		if !d.possible(packed & mask) {
			return false
		}
		packed >>= d.q
	}
	return true
}

// complete computes the values of the given hops for one choice of the free bits. It reports
// whether all of these values are possible.
func (d *eliminator) complete(value, start, columns []uint64, hops []int, gray uint32) bool {
	r := len(d.free)
	for _, i := range hops {
		v := start[i]
		for g := gray; g != 0; g &= g - 1 {
			v ^= columns[i*r+bits.TrailingZeros32(g)]
		}
		if !d.possible(v) {
			return false
		}
		value[i] = v
	}
	return true
}

// Done reports whether exactly one assignment of possible values agrees with all digests.
func (d *eliminator) Done() bool { return d.solution != nil && d.failed == nil }

// Known returns the number of hops whose value follows from the equations alone. It takes up to a
// millisecond.
func (d *eliminator) Known() int {
	if d.solution != nil {
		return d.hops
	}
	d.express()
	column := make([]uint64, len(d.free))
	known := 0
	for hop := 1; hop <= d.hops; hop++ {
		d.hopForm(hop, column)
		if slices.IndexFunc(column, func(x uint64) bool { return x != 0 }) < 0 {
			known++
		}
	}
	return known
}

// Value returns the value of a hop (from 1), once the whole path is known.
func (d *eliminator) Value(hop int) (uint64, bool) {
	if d.solution == nil {
		return 0, false
	}
	return d.solution[hop-1], true
}
