package deploy

import (
	"math"
	"math/bits"

	"pintlab/netsim/unit"
)

// published computes U and its code like the switch of the published simulator. It adds logarithms
// in units of 2^-15, from a table of 2^16 entries; larger operands are rounded at random to 16
// significant bits. U is rounded up to a multiple of 1/512 before it is encoded. It implements
// pint.Arithmetic for ports of one rate.
//
// It uses package math, so the last bit of a result may differ on another processor architecture.
type published struct {
	rand  *publishedRand
	logs  []int32 // trunc(log2(x)·2^15) of x < 2^16; all ports share it
	t     int64   // T in ns
	logT  float64
	logB  float64 // logarithm of the bytes per second
	logNs float64 // logarithm of 1e9
	base  float64
	invLn float64 // 1 / ln base
	power []float64
}

const logScale = 32768.0

// newPublished makes the arithmetic of ports of every rate, with this T and base of the code.
func newPublished(rand *publishedRand, t unit.Time, base float64) *published {
	a := &published{
		rand: rand, logs: make([]int32, 1<<16), t: t.Nanoseconds(),
		logT:  math.Log2(float64(t.Nanoseconds())) * logScale,
		logNs: math.Log2(1e9) * logScale,
		base:  base, invLn: 1 / math.Log(base),
	}
	for x := 1; x < len(a.logs); x++ {
		a.logs[x] = int32(math.Log2(float64(x)) * logScale)
	}
	for p := range 600 {
		a.power = append(a.power, math.Pow(base, float64(p)))
	}
	return a
}

// at returns the arithmetic of ports with a rate.
func (a published) at(rate unit.Rate) *published {
	a.logB = math.Log2(float64(rate/8)) * logScale
	return &a
}

// log returns trunc(log2(x)·2^15) of x rounded to 16 significant bits.
func (a *published) log(x int64) float64 {
	if x <= 0 {
		return math.MinInt32
	}
	drop := bits.Len64(uint64(x)) - 16
	if drop <= 0 {
		return float64(a.logs[x])
	}
	mask := int64(1)<<drop - 1
	y := x &^ mask
	if x&mask > int64(a.rand.next())&mask {
		y += mask + 1
	}
	return math.Trunc(math.Log2(float64(y)) * logScale)
}

// Update returns the next U. size is the size of the packet at the beginning of tau.
func (a *published) Update(u float64, tau unit.Time, qlen, size unit.Bytes) float64 {
	dt := min(tau.Nanoseconds(), a.t)
	var queue, sent, old float64
	if q := int64(qlen >> 8); q > 0 {
		x := a.log(dt)
		y := a.log(q)
		queue = math.Exp2((x+y+a.logNs-a.logB-2*a.logT)/logScale) * 256
	}
	if size > 0 {
		sent = math.Exp2((a.log(int64(size)) + a.logNs - a.logB - a.logT) / logScale)
	}
	if a.t > dt && u > 0 {
		x := a.log(a.t - dt)
		y := a.log(int64(math.Floor(u*8192 + 0.5)))
		old = math.Exp2((x+y-a.logT)/logScale) / 8192
	}
	return queue + sent + old
}

// Encode draws between the two codes next to 512·U, so that the value is unbiased. It ignores the
// word.
func (a *published) Encode(u float64, _ uint64) uint32 {
	n := max(1, math.Ceil(u*512))
	p := math.Log(n) * a.invLn
	low, high := int(math.Floor(p)), int(math.Ceil(p))
	below, above := a.power[low], a.power[high]
	if low == high {
		above *= a.base
	}
	if float64(a.rand.next()%65536) < (n-below)/(above-below)*65536 {
		return uint32(min(high, 255))
	}
	return uint32(min(low, 255))
}

// publishedRand is the C library's rand() as the published simulator calls it. The simulator never sets a seed, so the
// seed is 1. All callers share the generator in the order of events. This is the additive feedback generator
// r(i) = r(i-3) + r(i-31) of Knuth's Art of Computer Programming, volume 2, §3.2.2, without the lowest bit.
type publishedRand struct {
	r     [31]uint32
	front int
}

// newPublishedRand makes the generator with seed 1.
func newPublishedRand() *publishedRand {
	g := &publishedRand{}
	x := int64(1)
	for i := range g.r {
		g.r[i] = uint32(x)
		x = 16807 * x % 2147483647 // Lehmer's generator fills the table
	}
	for range 3 { // the first three feedbacks only copy
		g.front = (g.front + 1) % 31
	}
	for range 310 { // ten rounds are discarded
		g.next()
	}
	return g
}

// next returns the next number, in [0, 2^31).
func (g *publishedRand) next() uint32 {
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

// below draws a number and returns true with probability share, in steps of 2^-16.
func (g *publishedRand) below(share float64) bool { return float64(g.next()%65536) < share*65536 }
