// Package fermat is FermatSketch, which adds up flows in a way that lets a few of them be decoded again.
//
//	Yang et al., "ChameleMon: Shifting Measurement Attention as Network State Changes", SIGCOMM 2023.
//
// Each of d arrays has buckets with a sum of flow keys and a counter. A packet of flow f adds f to the sum, modulo a
// prime p, and 1 to the counter of one bucket in each array. Two sketches are added or subtracted bucket by bucket. So
// the difference between the sketches at both ends of a path contains only the lost packets, and its size depends on
// the flows that lost packets and not on all flows.
//
// # Decoding
//
// A bucket with a single flow has the sum n·f and the counter n, so f is the sum times n⁻¹ mod p, which by Fermat's
// little theorem is n^(p−2). A bucket is assumed to have a single flow if f belongs to this bucket. A bucket of several
// flows passes this test with probability 1/w in arrays of w buckets. Decode removes the single flows from all arrays.
// Then other buckets contain a single flow, and Decode repeats this. A wrong flow is later found again with the
// negative size, unless flows share all their buckets. With d = 3 and many flows, decoding succeeds if there are 1.222
// buckets or more for each flow (the 2-core of random hypergraphs: Molloy, "Cores in random hypergraphs and Boolean
// formulas", Random Structures & Algorithms 27(1), 2005).
//
// # Differences from the published code
//
// Keys have 64 bits and p is 2^64 − 59, the largest prime below 2^64. The published code for processors has keys of 32
// bits and the prime 2^32 − 5. The keys from p on, 59 of 2^64, count as the keys 0 to 58. A bucket takes 12 bytes, and
// has no fingerprint. The hash functions are not those of the published code.
//
// A Sketch is not safe for concurrent use.
package fermat

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"pintlab/int/sketch/rows"
	"pintlab/internal/hash"
)

// prime is the largest prime below 2^64.
const prime = math.MaxUint64 - 58

// bucketBytes is the memory of a bucket: a sum of 64 bits and a counter of 32.
const bucketBytes = 12

// maxRounds is the largest number of times that Decode looks at the buckets that have changed. Flows are decoded
// within tens of rounds. If some flows can never be decoded, buckets with a wrong flow alternate for ever. The
// published code has 10,000 rounds.
const maxRounds = 1000

// maxWidth is the largest number of buckets in an array.
const maxWidth = 1 << 28

// Sketch is a FermatSketch. Make one with New.
type Sketch struct {
	width    uint64
	seeds    []uint64
	sums     []uint64 // sums of keys mod prime, array by array
	counters []int32
	overflow bool // a counter has passed 32 bits, so nothing is certain any more

	// The results of Decode since the last change.
	fresh    bool
	flows    map[uint64]int64
	complete bool
	left     *Sketch // buckets that are not decoded, and memory for them
	queue    [2][]uint64
	queued   []bool // buckets that are already in a queue
}

// New makes an empty sketch with arrays (1 to rows.MaxRows) of width buckets.
func New(arrays, width int, seed uint64) (*Sketch, error) {
	if arrays < 1 || arrays > rows.MaxRows || width < 1 || width > maxWidth {
		return nil, fmt.Errorf("fermat: %d arrays of %d buckets, want 1 to %d arrays of 1 to %d", arrays, width,
			rows.MaxRows, maxWidth)
	}
	s := &Sketch{width: uint64(width), sums: make([]uint64, arrays*width), counters: make([]int32, arrays*width)}
	for i := range arrays {
		s.seeds = append(s.seeds, hash.Combine(seed, uint64(i)))
	}
	return s, nil
}

// Within makes an empty sketch with the given number of arrays, which take at most memory bytes together.
func Within(memory, arrays int, seed uint64) (*Sketch, error) {
	return New(arrays, memory/max(arrays, 1)/bucketBytes, seed)
}

// Reset empties the sketch.
func (s *Sketch) Reset() {
	clear(s.sums)
	clear(s.counters)
	s.overflow, s.fresh = false, false
}

// Width returns the number of buckets in an array.
func (s *Sketch) Width() int { return int(s.width) }

// at returns the bucket of a key in an array.
func (s *Sketch) at(array int, key uint64) uint64 {
	high, _ := bits.Mul64(hash.Words(key, s.seeds[array]), s.width)
	return uint64(array)*s.width + high
}

// Insert counts n packets of the flow. Keys must look random, like hashes. If they are successive numbers, many share
// their buckets, and fewer sketches can be decoded. If a counter passes 2^31 − 1, decoding is never complete again.
func (s *Sketch) Insert(key, n uint64) {
	key = reduce(key)
	s.overflow = s.overflow || n > math.MaxInt32
	multiple := key
	if n != 1 {
		multiple = product(key, n)
	}
	s.add(key, multiple, int64(n))
}

// add adds n to the counters of a flow, and a multiple of its key to the sums.
func (s *Sketch) add(key, multiple uint64, n int64) {
	s.fresh = false
	for i := range s.seeds {
		s.change(s.at(i, key), multiple, n)
	}
}

// change adds to the sum and the counter of a bucket.
func (s *Sketch) change(b, multiple uint64, n int64) {
	s.sums[b] = sum(s.sums[b], multiple)
	n += int64(s.counters[b])
	s.counters[b] = int32(n)
	s.overflow = s.overflow || n != int64(int32(n))
}

// Merge adds the buckets of a sketch of the same shape and seed.
func (s *Sketch) Merge(o *Sketch) error { return s.combine(o, false) }

// Subtract subtracts the buckets of a sketch of the same shape and seed. Flows with more packets in o get negative
// sizes.
func (s *Sketch) Subtract(o *Sketch) error { return s.combine(o, true) }

func (s *Sketch) combine(o *Sketch, subtract bool) error {
	if s.width != o.width || !slices.Equal(s.seeds, o.seeds) {
		return fmt.Errorf("fermat: sketches differ in shape or seeds: one has %d arrays of %d buckets, the "+
			"other %d arrays of %d buckets; want equal shapes and seeds", len(s.seeds), s.width, len(o.seeds), o.width)
	}
	s.fresh, s.overflow = false, s.overflow || o.overflow
	for b, x := range o.sums {
		n := int64(o.counters[b])
		if subtract {
			x, n = negative(x), -n
		}
		s.change(uint64(b), x, n)
	}
	return nil
}

// Memory returns the bytes of the buckets.
func (s *Sketch) Memory() int { return len(s.sums) * bucketBytes }

// Decode returns the flows that can be decoded, with their sizes; sizes below 0 are the result of Subtract. complete
// reports whether these are all flows; if not, some may be wrong. The sketch does not change. The map belongs to the
// sketch and is valid until the next change.
func (s *Sketch) Decode() (flows map[uint64]int64, complete bool) {
	if s.fresh {
		return s.flows, s.complete
	}
	if s.left == nil {
		s.flows, s.left = map[uint64]int64{}, &Sketch{width: s.width, seeds: s.seeds}
		s.queued = make([]bool, len(s.sums))
	}
	clear(s.flows)
	left := s.left
	left.sums, left.counters = append(left.sums[:0], s.sums...), append(left.counters[:0], s.counters...)
	changed, next := s.queue[0][:0], s.queue[1]
	for b := range s.sums {
		changed = append(changed, uint64(b))
	}
	for range maxRounds {
		next = next[:0]
		for _, b := range changed {
			s.queued[b] = false
			key, ok := left.single(b)
			if !ok {
				continue
			}
			n := int64(left.counters[b])
			if s.flows[key] += n; s.flows[key] == 0 {
				delete(s.flows, key)
			}
			left.add(key, negative(left.sums[b]), -n)
			for i := range left.seeds {
				if other := left.at(i, key); other != b && !s.queued[other] {
					s.queued[other] = true
					next = append(next, other)
				}
			}
		}
		if changed, next = next, changed; len(changed) == 0 {
			break
		}
	}
	for _, b := range changed {
		s.queued[b] = false
	}
	s.queue = [2][]uint64{changed, next}
	s.fresh, s.complete = true, !s.overflow &&
		!slices.ContainsFunc(left.counters, func(n int32) bool { return n != 0 }) &&
		!slices.ContainsFunc(left.sums, func(x uint64) bool { return x != 0 })
	return s.flows, s.complete
}

// single returns the key of the flow in a bucket that seems to contain a single flow.
func (s *Sketch) single(b uint64) (key uint64, ok bool) {
	n := s.counters[b]
	if n == 0 {
		return 0, false
	}
	multiple := s.sums[b]
	if n < 0 {
		multiple = negative(multiple)
	}
	key = product(multiple, inverse(uint64(max(int64(n), -int64(n)))))
	return key, s.at(int(b/s.width), key) == b
}

// Estimate returns the size of a flow. If all flows were decoded, this is the decoded size. Otherwise it is the flow's
// smallest counter, as in Count-Min. Estimate is meant for sketches from which nothing was subtracted.
func (s *Sketch) Estimate(key uint64) (n uint64, ok bool) {
	key = reduce(key)
	if flows, complete := s.Decode(); complete {
		return uint64(max(0, flows[key])), true
	}
	least := int32(math.MaxInt32)
	for i := range s.seeds {
		least = min(least, s.counters[s.at(i, key)])
	}
	return uint64(max(0, least)), !s.overflow
}

// Heavy returns the size of a flow that was decoded.
func (s *Sketch) Heavy(key uint64) (n uint64, ok bool) {
	flows, _ := s.Decode()
	size := flows[reduce(key)]
	return uint64(max(0, size)), size > 0
}

// CountHeavy returns the number of decoded flows whose size is at least threshold.
func (s *Sketch) CountHeavy(threshold uint64) (n int) {
	flows, _ := s.Decode()
	for _, size := range flows {
		if size > 0 && uint64(size) >= threshold {
			n++
		}
	}
	return n
}

// Cardinality returns the number of flows. If all flows were decoded, it counts them. Otherwise it uses linear counting
// in each array, −w·ln(empty/w), and returns the median. ok is false if most arrays have no empty bucket.
func (s *Sketch) Cardinality() (n float64, ok bool) {
	if flows, complete := s.Decode(); complete {
		return float64(len(flows)), true
	}
	var estimates []float64
	for first := uint64(0); first < uint64(len(s.counters)); first += s.width {
		empty := 0
		for b := first; b < first+s.width; b++ {
			if s.counters[b] == 0 && s.sums[b] == 0 {
				empty++
			}
		}
		estimates = append(estimates, -float64(s.width)*math.Log(float64(empty)/float64(s.width)))
	}
	slices.Sort(estimates)
	n = estimates[len(estimates)/2]
	return n, !math.IsInf(n, 1)
}

func reduce(x uint64) uint64 {
	if x >= prime {
		x -= prime
	}
	return x
}

// sum returns a + b mod prime.
func sum(a, b uint64) uint64 {
	x, carry := bits.Add64(a, b, 0)
	if carry != 0 || x >= prime {
		x -= prime
	}
	return x
}

// negative returns −a mod prime.
func negative(a uint64) uint64 {
	if a == 0 {
		return 0
	}
	return prime - a
}

// product returns a·b mod prime.
func product(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return bits.Rem64(high, low, prime)
}

// inverse returns the number whose product with a is 1 modulo prime. a is 1 to 2^31. If prime = q·a + r and r·u = 1 +
// k·a, the result is −(q·u + k).
func inverse(a uint64) uint64 {
	if a == 1 {
		return 1
	}
	q, r := prime/a, prime%a
	u, v := int64(1), int64(0) // Euclid's algorithm: u·r is x and v·r is y, modulo a
	for x, y := r, a; x > 1; {
		u, v = v-int64(y/x)*u, u
		x, y = y%x, x
	}
	if u < 0 {
		u += int64(a)
	}
	return negative(q*uint64(u) + (r*uint64(u)-1)/a)
}
