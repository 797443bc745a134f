package global

import (
	"hash/crc32"
	"math/bits"
)

// slices[j][b] is what byte b does to the CRC register when j more bytes follow it
// (slicing-by-16). It is written once, here, and only read afterwards.
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

// crcPacket is what the packet's eight bytes, with the argument's eight to follow, add to
// the register. CRC is linear, so every function of the packet adds the same.
func crcPacket(packet uint64) uint32 {
	return slices[15][packet>>56] ^ slices[14][packet>>48&0xff] ^ slices[13][packet>>40&0xff] ^ slices[12][packet>>32&0xff] ^
		slices[11][packet>>24&0xff] ^ slices[10][packet>>16&0xff] ^ slices[9][packet>>8&0xff] ^ slices[8][packet&0xff]
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
	y = scramble(^y)
	return ^(slices[3][y>>24^0xff] ^ slices[2][y>>16&0xff^0xff] ^ slices[1][y>>8&0xff^0xff] ^ slices[0][y&0xff^0xff])
}

// scramble is the invertible, non-linear step between the two CRCs.
func scramble(y uint32) uint32 {
	hi, lo := uint16(y>>16), uint16(y)
	hi += lo
	lo += bits.RotateLeft16(hi, 5)
	hi += bits.RotateLeft16(lo, 3)
	lo += bits.RotateLeft16(hi, 7)
	return uint32(hi)<<16 | uint32(lo)
}
