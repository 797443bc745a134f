package exec

import "math/bits"

// The functions below compute with numbers of any width in little-endian words. All operands of a
// function have the same number of words; unused high bits are zero on entry and on return.

// mask returns w one bits, w <= 64.
func mask(w int) uint64 {
	if w >= 64 {
		return ^uint64(0)
	}
	return 1<<w - 1
}

// trim clears the bits above w.
func trim(a []uint64, w int) {
	if w == 0 {
		a[0] = 0
	} else if r := w & 63; r != 0 {
		a[len(a)-1] &= mask(r)
	}
}

func wideAdd(dst, a, b []uint64) {
	carry := uint64(0)
	for i := range dst {
		dst[i], carry = bits.Add64(a[i], b[i], carry)
	}
}

func wideSub(dst, a, b []uint64) {
	borrow := uint64(0)
	for i := range dst {
		dst[i], borrow = bits.Sub64(a[i], b[i], borrow)
	}
}

func isZero(a []uint64) bool {
	for _, x := range a {
		if x != 0 {
			return false
		}
	}
	return true
}

func wideCmp(a, b []uint64) int {
	for i := len(a) - 1; i >= 0; i-- {
		switch {
		case a[i] < b[i]:
			return -1
		case a[i] > b[i]:
			return 1
		}
	}
	return 0
}

// negative reports whether the sign bit of int<w> is set.
func negative(a []uint64, w int) bool {
	return w > 0 && a[(w-1)>>6]>>((w-1)&63)&1 == 1
}

// wideCmpSigned compares two values of int<w>.
func wideCmpSigned(a, b []uint64, w int) int {
	switch na, nb := negative(a, w), negative(b, w); {
	case na && !nb:
		return -1
	case nb && !na:
		return 1
	}
	return wideCmp(a, b)
}

// wideShl shifts left by n >= 0. dst may be a.
func wideShl(dst, a []uint64, n, w int) {
	if n >= w {
		clear(dst)
		return
	}
	words, r := n>>6, uint(n&63)
	for i := len(dst) - 1; i >= 0; i-- {
		var v uint64
		if j := i - words; j >= 0 {
			v = a[j] << r
			if r > 0 && j > 0 {
				v |= a[j-1] >> (64 - r)
			}
		}
		dst[i] = v
	}
	trim(dst, w)
}

// wideShr shifts right by n >= 0 and fills with the sign bit if signed. dst may be a.
func wideShr(dst, a []uint64, n, w int, signed bool) {
	fill := signed && negative(a, w)
	if n > w {
		n = w
	}
	shiftDown(dst, a, n)
	if fill {
		for b := w - n; b < w; b++ {
			dst[b>>6] |= 1 << (b & 63)
		}
	}
}

// wideSlice extracts bits hi..lo. dst has as many words as the result.
func wideSlice(dst, a []uint64, hi, lo int) {
	shiftDown(dst, a, lo)
	trim(dst, hi-lo+1)
}

// shiftDown shifts the number in `a` right by n >= 0 bits and stores as many words as dst has. dst may be the same
// slice as `a`.
func shiftDown(dst, a []uint64, n int) {
	words, r := n>>6, uint(n&63)
	for i := range dst {
		var v uint64
		if j := i + words; j < len(a) {
			v = a[j] >> r
			if r > 0 && j+1 < len(a) {
				v |= a[j+1] << (64 - r)
			}
		}
		dst[i] = v
	}
}

// wideInsert puts the bits of v into bits hi..lo of dst.
func wideInsert(dst, v []uint64, hi, lo int) {
	for b := lo; b <= hi; {
		n := min(64-b&63, hi-b+1) // bits that fit this word
		k := b - lo
		x := v[k>>6] >> (k & 63)
		if k&63 != 0 && k>>6+1 < len(v) {
			x |= v[k>>6+1] << (64 - k&63)
		}
		m := mask(n) << (b & 63)
		dst[b>>6] = dst[b>>6]&^m | x<<(b&63)&m
		b += n
	}
}

// wideExtend converts from width w (signed or not) to the words and width of dst.
func wideExtend(dst, a []uint64, w int, signed bool, to int) {
	n := copy(dst, a)
	fill := uint64(0)
	if signed && negative(a, w) {
		fill = ^uint64(0)
		if r := w & 63; r != 0 && (w-1)>>6 < len(dst) {
			dst[(w-1)>>6] |= fill << r
		}
	}
	for i := n; i < len(dst); i++ {
		dst[i] = fill
	}
	trim(dst, to)
}
