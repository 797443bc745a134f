package trace

import (
	"math/bits"

	"pintlab/pint/coding"
)

// HashCode returns digests of b bits with so many hashes, and all hops that the schemes let act.
func HashCode(instances, b int, schemes ...coding.Scheme) coding.Config {
	return coding.Config{Schemes: schemes, Mode: coding.Hash, Bits: b, Instances: instances}
}

// LinearCode returns the linear hash of switch indices with all hops acting.
func LinearCode(m *Map, instances, b int) coding.Config {
	widest := uint64(0)
	for _, v := range m.values {
		widest = max(widest, v)
	}
	return coding.Config{Schemes: []coding.Scheme{coding.XOR(1)}, Mode: coding.Linear,
		Bits: b, Instances: instances, ValueBits: max(1, bits.Len64(widest))}
}

// searchable is log2 of the number of walks among which a search alone finds a path at
// little cost.
const searchable = 22

// AwareCode returns the encoding that suits the topology-aware decoder on a map, given the
// longest path.
//
// If the longest paths are so few that they can be searched outright (a data centre),
// every hop XORs a linear hash of its ID onto every packet: a digest is then a hash of
// the whole path, and no bit is wasted. IDs must then be small: ValueBits + b <= 33.
//
// Otherwise Baseline digests locate the path piece by piece, and XORs of three quarters
// of all hops single it out among what is left. With several instances the first is all
// Baseline, the others nearly all XOR, so that every packet has both; one instance has
// three Baseline packets to two XOR packets. The length of paths plays no part.
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
