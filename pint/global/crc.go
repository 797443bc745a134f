package global

import (
	"hash/crc32"
	"math/bits"
)

// slices contains, at [j][b], the change of the CRC register that byte b causes if j more bytes follow it
// (slicing-by-16). It never changes.
var slices = makeSlices()

func makeSlices() (t [16][256]uint32) {
	t[0] = *crc32.MakeTable(crc32.IEEE)
	for b := range 256 {
		for j := 1; j < len(t); j++ {
			prev := t[j-1][b]
			t[j][b] = prev>>8 ^ t[0][prev&0xff]
		}
	}
	return t
}

// feed runs the CRC register over the eight bytes of w, most significant first.
func feed(register uint32, w uint64) uint32 {
	w ^= uint64(bits.ReverseBytes32(register)) << 32
	return slices[7][w>>56] ^ slices[6][w>>48&0xff] ^ slices[5][w>>40&0xff] ^ slices[4][w>>32&0xff] ^
		slices[3][w>>24&0xff] ^ slices[2][w>>16&0xff] ^ slices[1][w>>8&0xff] ^ slices[0][w&0xff]
}

// crcPacket returns the change of the register by the packet's eight bytes if the argument's eight
// bytes follow. CRC is linear, so the change is the same for every function.
func crcPacket(packet uint64) uint32 {
	high := slices[15][packet>>56] ^ slices[14][packet>>48&0xff] ^ slices[13][packet>>40&0xff] ^
		slices[12][packet>>32&0xff]
	return high ^ slices[11][packet>>24&0xff] ^ slices[10][packet>>16&0xff] ^ slices[9][packet>>8&0xff] ^
		slices[8][packet&0xff]
}

func crcWord(k Key, argument uint64) uint32 {
	y := uint32(k) ^ slices[0][argument&0xff]
	if argument >= 1<<8 {
		y ^= slices[1][argument>>8&0xff] ^ slices[2][argument>>16&0xff] ^ slices[3][argument>>24&0xff]
		if argument >= 1<<32 {
			y ^= slices[4][argument>>32&0xff] ^ slices[5][argument>>40&0xff] ^
				slices[6][argument>>48&0xff] ^ slices[7][argument>>56]
		}
	}
	return last[3][y>>24] ^ last[2][y>>16&0xff] ^ last[1][y>>8&0xff] ^ last[0][y&0xff]
}

// last contains, at [j][b], the contribution of byte b of the first CRC's register to the word. The byte is inverted,
// substituted, and fed to the second CRC with j bytes to follow. last[0] includes the final inversion of the second
// CRC.
var last = makeLast()

func makeLast() (t [4][256]uint32) {
	for b := range 256 {
		s := Substitute(uint8(b) ^ 0xff)
		for j := range t {
			t[j][b] = slices[j][s^0xff]
		}
		t[0][b] = ^t[0][b]
	}
	return t
}

// Substitute implements the non-linear step between the two CRCs for a byte: the S-box of AES (FIPS
// 197, section 5.1.1), the inverse in GF(2^8) followed by an affine map. It is a bijection, and x
// -> Substitute(x) ^ Substitute(x ^ d) takes each value at most four times for every d (Nyberg,
// "Differentially Uniform Mappings for Cryptography", EUROCRYPT 1993). A P4 program implements it
// as a table.
func Substitute(x uint8) uint8 {
	inverse := uint8(1) // x^254, which is x^2 · x^4 · … · x^128
	for range 7 {
		x = times(x, x)
		inverse = times(inverse, x)
	}
	r := bits.RotateLeft8
	return inverse ^ r(inverse, 1) ^ r(inverse, 2) ^ r(inverse, 3) ^ r(inverse, 4) ^ 0x63
}

// times returns the product in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1.
func times(a, b uint8) (p uint8) {
	for ; b > 0; b >>= 1 {
		p ^= a * (b & 1)
		a = a<<1 ^ 0x1b*(a>>7)
	}
	return p
}
