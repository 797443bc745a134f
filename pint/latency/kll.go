package latency

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"
	"unsafe"

	"pintlab/internal/hash"
)

// Limits of the number of digests of a KLL.
const (
	minDigests = 8
	maxDigests = 1<<16 - 1
)

// maxLevels is the largest number of compactors of a KLL. Capacities shrink by the factor 2/3 per
// level, so with 15 levels the lowest level holds 1/292 of the highest.
const maxLevels = 15

// kll is the quantile sketch of Karnin, Lang and Liberty over codes, in a fixed number of digests
// of type T.
//
// A code at level h represents 2^(base+h) values of the stream. Codes enter at level 0. If no
// digest is free, the lowest level that is full (holds at least its capacity) is compacted: its
// codes are sorted, and either the odd or the even codes move up. A coin toss decides which. If the
// highest level must be compacted and no further level may be opened, level 0 dissolves: base grows
// by one, and from then on a sampler lets one in 2^base values enter.
//
// Invariants: levels 1 and up are sorted; level h is items[bounds[h]:bounds[h+1]];
// items[:bounds[0]] is free; the weights of all codes and of the sampler sum to n.
type kll[T uint8 | uint16] struct {
	items   []T // free digests, then the codes of levels 0, 1, …
	n       uint64
	spread  float64 // Σ over coin tosses of (length of the interval of the toss's error)²
	coins   uint64  // state of the coin generator
	pending uint64  // values in the sampler, below 2^base
	bounds  [maxLevels + 1]uint16
	top     uint16 // capacity of the highest level
	levels  uint8  // compactors in use
	limit   uint8  // largest number of compactors
	base    uint8  // a code at level 0 has weight 2^base
	sample  T      // one of the values in the sampler
}

// newKLL makes a sketch of this number of digests, 8 to 65535. Equal seeds and
// streams give equal sketches.
func newKLL[T uint8 | uint16](digests int, seed uint64) (*kll[T], error) {
	if digests < minDigests || digests > maxDigests {
		return nil, fmt.Errorf("latency: a sketch of %d digests, want %d to %d", digests, minDigests, maxDigests)
	}
	top, limit := shape(digests)
	s := &kll[T]{items: make([]T, digests), top: uint16(top), limit: uint8(limit)}
	s.coins = hash.Combine(hash.String("kll"), seed)
	s.Reset()
	return s, nil
}

// shape returns the largest capacity of the highest level for which the capacities of all levels add up to at most
// digests, and the number of levels. There are at least two levels.
func shape(digests int) (top, levels int) {
	// The sum of all capacities grows with the capacity of the highest level and exceeds it, so
	// digests is an upper limit of the search.
	top = sort.Search(digests, func(k int) bool {
		sum, _ := capacities(k + 1)
		return sum > digests
	})
	_, levels = capacities(top)
	return top, levels
}

// capacities returns the sum and the number of all levels' capacities if the capacity of the highest level is k.
func capacities(k int) (sum, levels int) {
	for levels < 2 || levels < maxLevels && k > 2 {
		sum += max(k, 2)
		levels++
		k = k * 2 / 3
	}
	return sum, levels
}

// capacity returns the capacity of the level at this depth below the highest: k·(2/3)^depth,
// rounded down at each step, at least 2.
func capacity(k, depth int) int {
	for range depth {
		k = k * 2 / 3
	}
	return max(k, 2)
}

// Reset empties s. The coin generator keeps its state.
func (s *kll[T]) Reset() {
	s.n, s.spread, s.pending, s.base, s.levels = 0, 0, 0, 0, 1
	s.bounds[0], s.bounds[1] = uint16(len(s.items)), uint16(len(s.items))
}

// N returns the number of codes added.
func (s *kll[T]) N() uint64 { return s.n }

// Digests returns the number of digests that s can hold.
func (s *kll[T]) Digests() int { return len(s.items) }

// SizeBytes returns the memory of s.
func (s *kll[T]) SizeBytes() int { return kllSize[T](len(s.items)) }

func kllSize[T uint8 | uint16](digests int) int {
	return int(unsafe.Sizeof(kll[T]{})) + digests*int(unsafe.Sizeof(T(0)))
}

// Add records one code. Codes of a KLL[uint8] are below 256.
func (s *kll[T]) Add(code uint16) {
	s.n++
	if s.base == 0 {
		s.insert(T(code))
	} else {
		s.feed(T(code), 1)
	}
}

// feed puts weight values of one code into the sampler. The sampler holds one of its values, each
// with the same probability. After 2^base values, it inserts the value that it holds.
func (s *kll[T]) feed(code T, weight uint64) {
	s.pending += weight
	if s.draw(s.pending) < weight {
		s.sample = code
	}
	if s.pending == 1<<s.base {
		s.pending = 0
		s.spread += math.Ldexp(1, 2*int(s.base))
		s.insert(s.sample)
	}
}

// draw returns a uniform number below n.
func (s *kll[T]) draw(n uint64) uint64 {
	s.coins += 0x9e3779b97f4a7c15
	hi, _ := bits.Mul64(hash.Mix64(s.coins), n)
	return hi
}

// insert puts a code of weight 2^base into level 0.
func (s *kll[T]) insert(code T) {
	if s.bounds[0] == 0 {
		before := s.base
		s.compress()
		if s.base != before {
			// Level 0 was merged into level 1, so the code has less weight than the codes of the new level 0.
			s.feed(code, 1<<before)
			return
		}
	}
	s.bounds[0]--
	s.items[s.bounds[0]] = code
}

// compress frees at least one digest. The capacities sum to at most the number of digests, so if no
// digest is free, at least one level has reached its capacity.
func (s *kll[T]) compress() {
	for s.bounds[0] == 0 {
		h := 0
		for int(s.bounds[h+1]-s.bounds[h]) < capacity(int(s.top), int(s.levels)-1-h) {
			h++
		}
		switch {
		case h < int(s.levels)-1:
			s.compact(h)
		case s.levels < s.limit:
			s.levels++
			s.bounds[s.levels] = uint16(len(s.items))
			s.compact(h)
		default:
			s.dissolve()
		}
	}
}

// compact halves level h: of each pair of neighbours in sorted order, one moves to level h+1. If
// the number of codes is odd, the first code stays.
func (s *kll[T]) compact(h int) {
	first, end := int(s.bounds[h]), int(s.bounds[h+1])
	pairs := (end - first) / 2
	if pairs == 0 {
		return
	}
	start := end - 2*pairs
	if h == 0 {
		slices.Sort(s.items[start:end])
	}
	keep := start + int(s.draw(2))
	for j := pairs - 1; j >= 0; j-- {
		s.items[end-pairs+j] = s.items[keep+2*j]
	}
	slices.Sort(s.items[end-pairs : s.bounds[h+2]])
	low := int(s.bounds[0])
	copy(s.items[low+pairs:start+pairs], s.items[low:start])
	for i := 0; i <= h; i++ {
		s.bounds[i] += uint16(pairs)
	}
	s.bounds[h+1] = uint16(end - pairs)
	// If a quantile lies between the two codes of a pair, the pair adds an error of one code's weight, up or down.
	s.spread += math.Ldexp(1, 2*(int(s.base)+h+1))
}

// dissolve removes level 0. Pairs move up. A single code enters the sampler, which is empty
// whenever a code is inserted.
func (s *kll[T]) dissolve() {
	s.compact(0)
	if s.bounds[0] < s.bounds[1] {
		s.sample, s.pending = s.items[s.bounds[0]], 1<<s.base
	}
	copy(s.bounds[:], s.bounds[1:s.levels+1])
	s.levels--
	s.base++
}

// Append appends the codes of s with their weights.
func (s *kll[T]) Append(dst []Weighted) []Weighted {
	for h := range int(s.levels) {
		for _, c := range s.items[s.bounds[h]:s.bounds[h+1]] {
			dst = append(dst, Weighted{uint16(c), 1 << (int(s.base) + h)})
		}
	}
	if s.pending > 0 {
		dst = append(dst, Weighted{uint16(s.sample), s.pending})
	}
	return dst
}

// Error returns a bound of the rank error of one quantile, as a share of n, except with probability
// delta. Every coin adds an error of mean 0 in an interval of known length, whatever the earlier
// tosses. So by the inequality of Azuma and Hoeffding the sum exceeds √(Σ length²·ln(2/δ)/2) with
// probability at most δ.
func (s *kll[T]) Error(delta float64) float64 {
	if s.n == 0 {
		return 0
	}
	p := float64(s.pending)
	spread := s.spread + float64(p*p)
	if s.pending <= 1 {
		spread = s.spread // a single value is certain
	}
	return math.Sqrt(spread*math.Log(2/delta)/2) / float64(s.n)
}
