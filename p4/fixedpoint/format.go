package fixedpoint

import (
	"fmt"
	"math"
)

// Format is a fixed-point representation of the reals in [0, Range): the integer r
// stands for Range·r·2^-Bits.
type Format struct {
	Range float64 // the scaling factor R, a power of two for exact results
	Bits  int     // m, 1 to 32
}

// Utilization is the format of U: 10 bits before the point and 22 after it.
var Utilization = Format{Range: 1 << (32 - utilizationBits), Bits: 32}

// Validate reports a Format that cannot be.
func (f Format) Validate() error {
	if !(f.Range > 0) || math.IsInf(f.Range, 1) || f.Bits < 1 || f.Bits > 32 {
		return fmt.Errorf("fixedpoint: range %v in %d bits: want a positive range and 1 to 32 bits", f.Range, f.Bits)
	}
	return nil
}

// Max is the largest integer of the format.
func (f Format) Max() uint32 { return uint32(1<<f.Bits - 1) }

// Value is what r stands for.
func (f Format) Value(r uint32) float64 { return f.Range * float64(r) / float64(uint64(1)<<f.Bits) }

// Fixed is the integer that stands for the closest value to x. Values outside the range
// become its ends; not-a-number becomes 0.
func (f Format) Fixed(x float64) uint32 {
	scaled := math.Floor(x/f.Range*float64(uint64(1)<<f.Bits) + 0.5)
	switch {
	case scaled >= float64(f.Max()):
		return f.Max()
	case scaled > 0:
		return uint32(scaled)
	}
	return 0
}

// Add is a + b, or the largest integer of the format if the sum exceeds it.
func (f Format) Add(a, b uint32) uint32 {
	return uint32(min(uint64(a)+uint64(b), uint64(f.Max())))
}

// addSat is a + b in 32 bits, or all ones: the |+| of P4.
func addSat(a, b uint32) uint32 {
	s := a + b
	if s < a {
		return math.MaxUint32
	}
	return s
}
