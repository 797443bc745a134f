// Package rng makes the random streams of a run. A stream depends only on the seed, its
// name and its indices. Each user has a name of its own, so a new stream never changes
// the draws of another.
package rng

import (
	"math/rand/v2"

	"pintlab/internal/hash"
)

// New returns the stream of a name and indices, such as a host number, for the run's
// seed.
func New(seed uint64, name string, index ...uint64) *rand.Rand {
	h := hash.Combine(hash.String(name), seed)
	for _, i := range index {
		h = hash.Combine(h, i)
	}
	return rand.New(rand.NewPCG(h, hash.Mix64(h+1)))
}
