// Package hash holds the hash functions that several packages share: a 64-bit mixer for seeded choices, random streams
// seeded by this mixer, and MurmurHash3 (32 bit) for ECMP.
package hash

import "math/bits"

// Mix64 returns a bijection on 64-bit words in which every input bit flips about half
// of the output bits. It is the finaliser of SplitMix64 (Steele, Lea, Flood,
// "Fast splittable pseudorandom number generators", OOPSLA 2014).
func Mix64(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// Combine hashes a word into a running hash. Combine(Combine(seed, a), b) and
// Combine(Combine(seed, b), a) differ.
func Combine(h, word uint64) uint64 {
	return Mix64((h ^ word) + 0x9e3779b97f4a7c15)
}

// Words hashes two words into one. It multiplies the inputs, each XORed with a constant,
// and folds the two halves of the 128-bit product, so that every output bit depends on
// every input bit (the step of wyhash: Wang, 2019,
// https://github.com/wangyi-fudan/wyhash).
func Words(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xd6e8feb86659fd93)
	return hi ^ lo
}

// String hashes a name, byte by byte (FNV-1a, then mixed).
func String(s string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return Mix64(h)
}

// Unit maps a hash to [0, 1) with 53 bits.
func Unit(h uint64) float64 { return float64(h>>11) * (1.0 / (1 << 53)) }

// Murmur3 returns MurmurHash3_x86_32 (Appleby, 2011) of the words in little-endian
// byte order.
func Murmur3(seed uint32, words ...uint32) uint32 {
	h := seed
	for _, k := range words {
		k *= 0xcc9e2d51
		k = bits.RotateLeft32(k, 15)
		k *= 0x1b873593
		h ^= k
		h = bits.RotateLeft32(h, 13)
		h = h*5 + 0xe6546b64
	}
	h ^= uint32(4 * len(words))
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return h ^ h>>16
}
