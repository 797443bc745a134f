package latency

import (
	"fmt"
	"unsafe"

	"pintlab/int/sketch/spacesaving"
	"pintlab/internal/hash"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
)

// FrequentFlow finds the values that make up a given share of each hop's stream, with one
// Space-Saving summary per hop in a space budget (theorem 2).
type FrequentFlow struct {
	hops []*spacesaving.Summary
}

// FrequentCounters returns the number of counters per hop for the space of a flow.
func FrequentCounters(space unit.Bytes, hops int) (int, error) {
	if hops < 1 {
		return 0, fmt.Errorf("latency: a flow of %d hops", hops)
	}
	fixed := int(unsafe.Sizeof(FrequentFlow{}))
	each := (int(space)-fixed)/hops - int(unsafe.Sizeof(uintptr(0)))
	m := spacesaving.CountersFor(each)
	if m == 0 {
		least := fixed + hops*(spacesaving.SizeFor(1)+int(unsafe.Sizeof(uintptr(0))))
		return 0, fmt.Errorf("a space of %v is too small for %s with a counter each (accepted: %v or more)", space,
			number.Count(hops, "hop"), unit.Bytes(least))
	}
	return m, nil
}

// NewFrequentFlow makes the store of a flow with this number of hops.
func NewFrequentFlow(space unit.Bytes, hops int, seed uint64) (*FrequentFlow, error) {
	m, err := FrequentCounters(space, hops)
	if err != nil {
		return nil, err
	}
	f := &FrequentFlow{hops: make([]*spacesaving.Summary, hops)}
	for i := range f.hops {
		if f.hops[i], err = spacesaving.New(m, hash.Combine(seed, uint64(i))); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// Add records a value from a hop, 1 to Hops.
func (f *FrequentFlow) Add(hop int, value uint64) { f.hops[hop-1].Add(value) }

// N returns the number of recorded values of a hop.
func (f *FrequentFlow) N(hop int) uint64 { return f.hops[hop-1].N() }

// Values appends to dst the values of a hop that may make up a share of at least theta of the
// stream, most frequent first. The result contains every value with a share of at least theta if
// theta exceeds 1/counters, and no value with a share below theta − 1/counters. Theorem 2 uses
// theta − ε/2 here.
func (f *FrequentFlow) Values(hop int, theta float64, dst []spacesaving.Item) []spacesaving.Item {
	s := f.hops[hop-1]
	x := float64(theta * float64(s.N()))
	least := uint64(max(x, 0))
	if float64(least) < x {
		least++
	}
	return s.AtLeast(max(least, 1), dst)
}

// SizeBytes returns the memory of f.
func (f *FrequentFlow) SizeBytes() int {
	size := int(unsafe.Sizeof(FrequentFlow{})) + len(f.hops)*int(unsafe.Sizeof(uintptr(0)))
	for _, s := range f.hops {
		size += s.SizeBytes()
	}
	return size
}
