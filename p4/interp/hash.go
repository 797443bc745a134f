package interp

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"

	"pintlab/internal/hash"
)

// The members of HashAlgorithm, in the order of include/v1model.p4.
const (
	algoCRC32 = iota
	algoCRC32Custom
	algoCRC16
	algoCRC16Custom
	algoRandom
	algoIdentity
	algoCsum16
	algoXor16
)

// crcParams are the parameters of a CRC of width 16 or 32 in the usual notation
// (Williams, "A painless guide to CRC error detection algorithms", 1993).
type crcParams struct {
	width                 int
	poly, init, xorOut    uint32
	reflectIn, reflectOut bool
	table                 [256]uint32
	tableFor              uint32
	tabled                bool
}

// crc16Params and crc32Params return the defaults of the custom algorithms: the standard CRC-16 and CRC-32.
func crc16Params() *crcParams {
	return &crcParams{width: 16, poly: 0x8005, reflectIn: true, reflectOut: true}
}

func crc32Params() *crcParams {
	return &crcParams{width: 32, poly: 0x04c11db7, init: 0xffffffff, xorOut: 0xffffffff, reflectIn: true,
		reflectOut: true}
}

// prepare fills the table. An entry is the remainder of a byte followed by zeros.
func (c *crcParams) prepare() {
	if c.tabled && c.tableFor == c.poly {
		return
	}
	top := uint32(1) << (c.width - 1)
	ones := ^uint32(0) >> (32 - c.width)
	for i := range c.table {
		r := uint32(i) << (c.width - 8)
		for range 8 {
			if r&top != 0 {
				r = r<<1 ^ c.poly
			} else {
				r <<= 1
			}
		}
		c.table[i] = r & ones
	}
	c.tabled, c.tableFor = true, c.poly
}

func (c *crcParams) sum(data []byte) uint64 {
	c.prepare()
	ones := ^uint32(0) >> (32 - c.width)
	r := c.init & ones
	for _, b := range data {
		if c.reflectIn {
			b = bits.Reverse8(b)
		}
		r = (r<<8 ^ c.table[uint32(b)^r>>(c.width-8)&0xff]) & ones
	}
	if c.reflectOut {
		r = bits.Reverse32(r) >> (32 - c.width)
	}
	return uint64((r ^ c.xorOut) & ones)
}

// csum16 returns the Internet checksum (RFC 1071), which is the complement of the ones' complement sum of 16-bit
// words. A zero byte is appended to data of odd length.
func csum16(data []byte) uint64 {
	var sum uint64
	for ; len(data) >= 2; data = data[2:] {
		sum += uint64(binary.BigEndian.Uint16(data))
	}
	if len(data) == 1 {
		sum += uint64(data[0]) << 8
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return ^sum & 0xffff
}

// xor16 returns the exclusive or of the 16-bit words. A zero byte is appended to data of odd length.
func xor16(data []byte) uint64 {
	var x uint64
	for i, b := range data {
		x ^= uint64(b) << (8 * (1 - i&1))
	}
	return x
}

// identity returns the first eight bytes as a number.
func identity(data []byte) uint64 {
	var x uint64
	for _, b := range data[:min(8, len(data))] {
		x = x<<8 | uint64(b)
	}
	return x
}

// mixed returns a seeded hash of good quality for HashAlgorithm.random.
func mixed(seed uint64, data []byte) uint64 {
	h := hash.Combine(seed, uint64(len(data)))
	for ; len(data) >= 8; data = data[8:] {
		h = hash.Combine(h, binary.BigEndian.Uint64(data))
	}
	var last uint64
	for _, b := range data {
		last = last<<8 | uint64(b)
	}
	return hash.Combine(h, last)
}

// algorithm returns the function of a member of HashAlgorithm, or nil if there is no such member.
func (s *Switch) algorithm(algo int64) func([]byte) uint64 {
	switch algo {
	case algoCRC32:
		return func(d []byte) uint64 { return uint64(crc32.ChecksumIEEE(d)) }
	case algoCRC32Custom:
		return s.crc32.sum
	case algoCRC16:
		return crc16Params().sum
	case algoCRC16Custom:
		return s.crc16.sum
	case algoRandom:
		return func(d []byte) uint64 { return mixed(s.seed, d) }
	case algoIdentity:
		return identity
	case algoCsum16:
		return csum16
	case algoXor16:
		return xor16
	}
	return nil
}
