package fridge

import (
	"math"

	"pintlab/internal/numeric"
)

// powers contains (1 - evicts)^-x for every x of 32 bits, as a product of four powers, one for each byte of x.
type powers [4][256]float64

// newPowers makes the table for the probability, in (0, 1), with which an insertion evicts.
func newPowers(evicts float64) *powers {
	p := new(powers)
	rate := -lnOnePlus(-evicts)
	for k := range p {
		for i := range p[k] {
			p[k][i] = math.Inf(1)
			if y := rate * math.Ldexp(float64(i), 8*k); y <= 700 {
				p[k][i] = numeric.Exp(y)
			}
		}
	}
	return p
}

// at returns (1 - evicts)^-x. It is infinite above e^709.
func (p *powers) at(x uint32) float64 {
	return p[0][x&255] * p[1][x>>8&255] * p[2][x>>16&255] * p[3][x>>24]
}

// lnOnePlus returns ln(1 + y) for y above -1. The quotient restores the digits of y that 1 +
// y loses (Kahan).
func lnOnePlus(y float64) float64 {
	sum := 1 + y
	if sum == 1 {
		return y
	}
	return numeric.Ln(sum) * (y / (sum - 1))
}
