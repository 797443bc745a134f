package fixedpoint

import (
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

// Value returns the number that r encodes.
func (f Format) Value(r uint32) float64 { return f.Range * float64(r) / float64(uint64(1)<<f.Bits) }

// addSat returns a + b, limited to 32 bits: the |+| of P4.
func addSat(a, b uint32) uint32 {
	s := a + b
	if s < a {
		return math.MaxUint32
	}
	return s
}
