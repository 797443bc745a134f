package fixedpoint

import (
	"pintlab/int/fridge"
)

// FactorPrefixes returns the entries that map x to the factors of a fridge; Code is the factor. They
// cover all 32-bit numbers and do not overlap.
func FactorPrefixes(f *fridge.Factors) []Prefix {
	var list []Prefix
	steps := f.Steps()
	for i, s := range steps {
		end := uint64(1) << 32
		if i+1 < len(steps) {
			end = uint64(steps[i+1].From)
		}
		list = appendRange(list, uint64(s.From), end, s.Factor)
	}
	return list
}
