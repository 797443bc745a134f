package fixedpoint

import "math/big"

// precision is the number of fractional bits of the long integers. A logarithm squares at most 62 times, and each
// square doubles the truncation error. About 2^-190 is left.
const precision = 256

// log2Floor returns the largest integer that is not above log2(r)·2^frac; r is positive.
func log2Floor(r *big.Rat, frac int) int64 {
	whole := int64(r.Num().BitLen() - r.Denom().BitLen())
	y := new(big.Int)
	scale := func() { // y = r·2^-whole, with precision fractional bits
		y.Lsh(r.Num(), uint(precision+max(-whole, 0)))
		y.Quo(y, new(big.Int).Lsh(r.Denom(), uint(max(whole, 0))))
	}
	if scale(); y.BitLen() <= precision { // below 1
		whole--
		scale()
	}
	result := whole
	for range frac {
		y.Mul(y, y).Rsh(y, precision)
		result <<= 1
		if y.BitLen() > precision+1 { // at least 2
			y.Rsh(y, 1)
			result++
		}
	}
	return result
}

// log2Nearest returns log2(r)·2^frac to the nearest integer.
func log2Nearest(r *big.Rat, frac int) int64 { return (log2Floor(r, frac+1) + 1) >> 1 }

// log2Ceil returns the smallest integer that is not below log2(r)·2^frac.
func log2Ceil(r *big.Rat, frac int) int64 {
	return -log2Floor(new(big.Rat).Inv(r), frac)
}

// powersOfTwo returns floor(2^(i/2^q)·2^frac) for i = 0 … 2^q-1.
func powersOfTwo(q, frac int) []uint32 {
	roots := make([]*big.Int, q) // 2^(1/2), 2^(1/4), …
	last := new(big.Int).Lsh(big.NewInt(2), precision)
	for k := range roots {
		last = new(big.Int).Sqrt(new(big.Int).Lsh(last, precision))
		roots[k] = last
	}
	table := make([]uint32, 1<<q)
	for i := range table {
		y := new(big.Int).Lsh(big.NewInt(1), precision)
		for k, root := range roots {
			if i>>(q-1-k)&1 != 0 {
				y.Mul(y, root).Rsh(y, precision)
			}
		}
		table[i] = uint32(y.Rsh(y, uint(precision-frac)).Uint64())
	}
	return table
}
