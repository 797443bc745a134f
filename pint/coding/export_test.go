package coding

import "math/bits"

// Functions that only tests use.

// Fragments returns F, the number of pieces into which a value is divided. F is 1 in all modes except Fragments.
func (c *Code) Fragments() int { return c.fragments }

// Validate reports everything that is wrong with c.
func (c Config) Validate() error {
	_, err := New(c)
	return err
}

// Candidates returns how many values of a hop (from 1) satisfy the equations for at least one choice of the other hops'
// values. It costs as much as Known.
func (d *eliminator) Candidates(hop int) int {
	if d.solution != nil {
		return 1
	}
	d.express()
	column := make([]uint64, len(d.free))
	constant := d.hopForm(hop, column)
	// basis spans the vectors that the free bits can add. Each vector of the basis has its own leading bit.
	var basis [64]uint64
	for _, x := range column {
		for x != 0 {
			lead := 63 - bits.LeadingZeros64(x)
			if basis[lead] == 0 {
				basis[lead] = x
				break
			}
			x ^= basis[lead]
		}
	}
	n := 0
	for _, v := range d.values {
		x := v ^ constant
		for lead := 63; lead >= 0; lead-- {
			if x>>lead&1 != 0 {
				x ^= basis[lead]
			}
		}
		if x == 0 {
			n++
		}
	}
	return n
}

// Candidates returns how many values are left for a hop (from 1).
func (d *Filter) Candidates(hop int) int {
	if !d.touched.Has(hop) {
		return len(d.values)
	}
	return len(d.left[hop-1])
}
