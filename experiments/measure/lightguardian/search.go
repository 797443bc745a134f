package lightguardian

import "math"

// The memories that Least tries, in bytes at the LightGuardian paper's scale: each step is half as much again.
const (
	leastMemory = 10_000
	mostMemory  = 100_000_000
)

// Least returns the least memory at the LightGuardian paper's scale, of a ladder whose steps are half as much again, from
// which on the error is at most the target; NaN if none is enough. A step that is enough by chance below one that is not counts
// too: errors fall with the memory.
func (z LocalScale) Least(target float64, of func(memory int) (float64, error)) (float64, error) {
	for m := float64(leastMemory); m <= mostMemory; m *= 1.5 {
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
