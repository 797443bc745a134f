package trace

import (
	"math/bits"
	"slices"

	"pintlab/pint/coding"
)

// HashCode returns a code with this number of hashes of b bits, in which hops act by the schemes.
func HashCode(instances, b int, schemes ...coding.Scheme) coding.Config {
	return coding.Config{Schemes: schemes, Mode: coding.Hash, Bits: b, Instances: instances}
}

// LinearCode returns a linear hash of the switch values in which all hops act.
func LinearCode(m *Map, instances, b int) coding.Config {
	return coding.Config{Schemes: []coding.Scheme{coding.XOR(1)}, Mode: coding.Linear,
		Bits: b, Instances: instances, ValueBits: max(1, bits.Len64(slices.Max(m.values)))}
}

// searchable is log2 of the number of walks up to which a search alone finds a path at little cost.
const searchable = 22

// AwareCode returns the encoding that suits the topology-aware decoder on a map with this longest
// path.
//
// If the longest paths are few enough to search all of them (a data centre), every hop XORs a
// linear hash of its ID onto every packet. A digest is then a hash of the whole path, and no bit is
// wasted. IDs must be small: ValueBits + b <= 33.
//
// Otherwise Baseline digests locate the path piece by piece, and XORs of three quarters of all hops
// select it among the remaining paths. With several instances the first is pure Baseline and the
// others nearly always XOR, so that every packet has both kinds of digest. A single instance has
// three Baseline packets for every two XOR packets. The length of paths has no influence.
func AwareCode(m *Map, longest, instances, b int) coding.Config {
	if c := LinearCode(m, instances, b); c.ValueBits+b <= 33 && m.template(longest).bits <= searchable {
		return c
	}
	if instances == 1 {
		return HashCode(1, b, coding.Interleaved(0.6, 0.75))
	}
	schemes := []coding.Scheme{coding.Baseline()}
	for range instances - 1 {
		schemes = append(schemes, coding.Interleaved(0.1, 0.75))
	}
	return HashCode(instances, b, schemes...)
}
