package global

import "pintlab/internal/hash"

// Purpose separates the hash functions from each other. The numbers are part of the wire format
// shared with the P4 programs and must not change.
type Purpose uint8

// The purposes. Each has its own hash function.
const (
	QuerySet  Purpose = 1  // q: which query set a packet carries
	Layer     Purpose = 2  // H: which coding layer a packet belongs to
	Act       Purpose = 3  // g: whether a hop acts, by threshold
	Vector    Purpose = 4  // g as bit vectors: whether a hop acts, by AND and OR
	Value     Purpose = 5  // h: digest of a value
	Fragment  Purpose = 6  // which fragment of the values a packet carries
	Matrix    Purpose = 7  // rows of the linear value hash
	Rounding  Purpose = 8  // randomised rounding and counting
	Report    Purpose = 9  // which packets carry or report data
	Checksum  Purpose = 10 // checksum of a whole path
	FlowTable Purpose = 11 // position of a flow in the collector's table
)

// RunSeed returns the seed for all of PINT's random draws in a run. own is PINT's own seed.
func RunSeed(run, own uint64) uint64 {
	return hash.Combine(hash.Combine(hash.String("pint"), run), own)
}

// Family is a set of global hash functions with one seed. It is a small value and can be copied.
// The zero Family is Fast(0).
type Family struct {
	seed uint64
	crc  bool
}

// Fast returns the 64-bit family for simulations.
func Fast(seed uint64) Family { return Family{seed: seed} }

// CRC returns the family that a P4 program can compute. The package comment describes its byte
// layout.
func CRC(seed uint32) Family { return Family{seed: uint64(seed), crc: true} }

// String returns the name of the family, for labels and manifests.
func (f Family) String() string {
	if f.crc {
		return "crc32"
	}
	return "fast64"
}

const golden = 0x9e3779b97f4a7c15

// Hash returns one word: 32 uniform bits. To compute many words, make a Function.
func (f Family) Hash(p Purpose, instance uint8, packet, argument uint64) uint32 {
	return f.Function(p, instance).At(packet, argument)
}

// Digest returns the b most significant bits of a word, 1 <= b <= 32.
func Digest(word uint32, b int) uint32 { return word >> (32 - b) }

// Choose maps a word to one of n equally likely numbers 0 … n-1, n >= 1. The
// probabilities differ from 1/n by less than 2^-32.
func Choose(word uint32, n int) int { return int(uint64(word) * uint64(n) >> 32) }
