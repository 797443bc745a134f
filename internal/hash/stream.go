package hash

import "math/rand/v2"

// Stream returns a source of random numbers for the run's seed, a name and indices, such as a host number. The numbers
// depend on nothing else. Each user has a different name, so a new stream never changes the draws of another.
func Stream(seed uint64, name string, index ...uint64) *rand.Rand {
	h := Combine(String(name), seed)
	for _, i := range index {
		h = Combine(h, i)
	}
	return rand.New(rand.NewPCG(h, Mix64(h+1)))
}
