package lightguardian

import "math"

// LeastMemory is the lowest memory that Least tries, in bytes at the LightGuardian paper's scale. Each further memory
// is 1.5 times as large.
const LeastMemory = 10_000

const mostMemory = 100_000_000

// Least returns the smallest memory whose error is at most the target, in bytes at the LightGuardian paper's scale. It
// returns NaN if no memory suffices. It stops at the first memory that suffices, because errors fall as memory grows.
func (z LocalScale) Least(target float64, of func(memory int) (float64, error)) (float64, error) {
	for m := float64(LeastMemory); m <= mostMemory; m *= 1.5 {
		x, err := of(max(int(m)/z.Share, 1))
		if err != nil {
			return 0, err
		}
		if x <= target {
			return m, nil
		}
	}
	return math.NaN(), nil
}
