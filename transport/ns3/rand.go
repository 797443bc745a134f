package ns3

// Rand is the C library's rand() as the published simulator calls it: never seeded, so with seed 1,
// and shared by all its users in the order of events. It is the additive feedback generator r(i) =
// r(i-3) + r(i-31) of Knuth's Art of Computer Programming, volume 2, §3.2.2, without the lowest
// bit.
type Rand struct {
	r     [31]uint32
	front int
}

// NewRand makes the generator with seed 1.
func NewRand() *Rand {
	g := &Rand{}
	x := int64(1)
	for i := range g.r {
		g.r[i] = uint32(x)
		x = 16807 * x % 2147483647 // Lehmer's generator fills the table
	}
	for range 3 { // the first three feedbacks only copy
		g.front = (g.front + 1) % 31
	}
	for range 310 { // ten rounds are discarded
		g.Int()
	}
	return g
}

// Int returns the next number, in [0, 2^31).
func (g *Rand) Int() uint32 {
	back := g.front - 3
	if back < 0 {
		back += 31
	}
	g.r[g.front] += g.r[back]
	v := g.r[g.front] >> 1
	if g.front++; g.front == 31 {
		g.front = 0
	}
	return v
}

// Below draws a number and returns true with probability share, in steps of 2^-16.
func (g *Rand) Below(share float64) bool { return float64(g.Int()%65536) < share*65536 }
