// Package rng makes the random streams of a run. A stream is named after its
// user, so that adding one never shifts another, and depends on nothing but the
// seed, the name and the indices.
package rng

import (
	"math/rand/v2"

	"pintlab/internal/hash"
)

// New returns the stream called name, with indices such as a host number, of the run
// with the given seed.
func New(seed uint64, name string, index ...uint64) *rand.Rand {
	h := hash.Combine(hash.String(name), seed)
	for _, i := range index {
		h = hash.Combine(h, i)
	}
	return rand.New(rand.NewPCG(h, hash.Mix64(h+1)))
}
