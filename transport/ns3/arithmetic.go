package ns3

import (
	"math"
	"math/bits"

	"pintlab/netsim/unit"
)

// Arithmetic computes U and its code like the switch of the published simulator. It adds logarithms
// in units of 2^-15, from a table of 2^16 entries; larger operands are rounded at random to 16
// significant bits. U is rounded up to a multiple of 1/512 before it is encoded. Arithmetic
// implements pint.Arithmetic for ports of one rate.
//
// It uses package math, so the last bit of a result may differ on another processor architecture.
type Arithmetic struct {
	rand  *Rand
	logs  []int32 // trunc(log2(x)·2^15) of x < 2^16
	t     int64   // T in ns
	logT  float64
	logB  float64 // of bytes per second
	logNs float64 // of 1e9
	base  float64
	invLn float64 // 1 / ln base
	power []float64
}

const logScale = 32768.0

// NewLogs builds the table that all ports share.
func NewLogs() []int32 {
	t := make([]int32, 1<<16)
	for x := 1; x < len(t); x++ {
		t[x] = int32(math.Log2(float64(x)) * logScale)
	}
	return t
}

// NewArithmetic makes the arithmetic of ports with this rate, T and base of the code.
func NewArithmetic(rand *Rand, logs []int32, rate unit.Rate, t unit.Time, base float64) *Arithmetic {
	a := &Arithmetic{
		rand: rand, logs: logs, t: t.Nanoseconds(),
		logT:  math.Log2(float64(t.Nanoseconds())) * logScale,
		logB:  math.Log2(float64(rate/8)) * logScale,
		logNs: math.Log2(1e9) * logScale,
		base:  base, invLn: 1 / math.Log(base),
	}
	for p := range 600 {
		a.power = append(a.power, math.Pow(base, float64(p)))
	}
	return a
}

// log returns trunc(log2(x)·2^15) of x rounded to 16 significant bits.
func (a *Arithmetic) log(x int64) float64 {
	if x <= 0 {
		return math.MinInt32
	}
	drop := bits.Len64(uint64(x)) - 16
	if drop <= 0 {
		return float64(a.logs[x])
	}
	mask := int64(1)<<drop - 1
	y := x &^ mask
	if x&mask > int64(a.rand.Int())&mask {
		y += mask + 1
	}
	return math.Trunc(math.Log2(float64(y)) * logScale)
}

// Update returns the next U. size is the size of the packet at the beginning of tau.
func (a *Arithmetic) Update(u float64, tau unit.Time, qlen, size unit.Bytes) float64 {
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
func (a *Arithmetic) Encode(u float64, _ uint64) uint32 {
	n := max(1, math.Ceil(u*512))
	p := math.Log(n) * a.invLn
	low, high := int(math.Floor(p)), int(math.Ceil(p))
	below, above := a.power[low], a.power[high]
	if low == high {
		above *= a.base
	}
	if float64(a.rand.Int()%65536) < (n-below)/(above-below)*65536 {
		return uint32(min(high, 255))
	}
	return uint32(min(low, 255))
}
