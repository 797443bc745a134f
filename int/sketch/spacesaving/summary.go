package spacesaving

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"pintlab/internal/hash"
)

// maxCounters is the largest number of counters that a Summary can have.
const maxCounters = 1 << 24

// Item is a monitored key with limits on its count.
type Item struct {
	Key   uint64
	Count uint64 // never below the true count
	Err   uint64 // the true count is at least Count − Err
}

// nowhere is an index of no node and no counter.
const nowhere = -1

// counter is one monitored key. The list of its bucket runs from the counter that joined first (head)
// to the counter that joined last (tail).
type counter struct {
	key, err   uint64
	bucket     int32
	prev, next int32
}

// bucket holds the counters with one count. Free buckets are chained through next.
type bucket struct {
	count      uint64
	head, tail int32
	prev, next int32
}

// Summary is a Space-Saving summary of a stream of 64-bit keys. It has a fixed size
// and must be made by New. It is not safe for concurrent use.
//
// Invariants: bucket counts ascend strictly along the list from first; no listed
// bucket is empty; slot s of the table holds i iff counter i is monitored and s lies in
// the probe run of its key.
type Summary struct {
	seed     uint64
	n        uint64 // weight seen
	used     int32  // counters in use
	first    int32  // bucket with the smallest count
	last     int32  // bucket with the largest count
	free     int32  // chain of unused buckets
	mask     uint32
	shift    uint8
	counters []counter
	buckets  []bucket
	table    []int32 // counter index + 1, 0 = empty
}

// New makes a summary with the given number of counters, 1 to 2^24. The seed
// places keys in the table only; it never changes an answer.
func New(counters int, seed uint64) (*Summary, error) {
	if counters < 1 || counters > maxCounters {
		return nil, fmt.Errorf("spacesaving: %d counters, want 1 to %d", counters, maxCounters)
	}
	slots := 1 << bits.Len(uint(2*counters-1))
	s := &Summary{
		seed:     hash.Combine(hash.String("spacesaving"), seed),
		mask:     uint32(slots - 1),
		shift:    uint8(64 - bits.Len(uint(slots-1))),
		counters: make([]counter, counters),
		// A counter joins its new bucket before it leaves the old one.
		buckets: make([]bucket, counters+1),
		table:   make([]int32, slots),
	}
	s.Reset()
	return s, nil
}

// SizeFor returns the memory in bytes of a summary with the given number of counters.
func SizeFor(counters int) int {
	if counters < 1 {
		return 0
	}
	slots := 1 << bits.Len(uint(2*counters-1))
	return int(unsafe.Sizeof(Summary{})) + counters*int(unsafe.Sizeof(counter{})) +
		(counters+1)*int(unsafe.Sizeof(bucket{})) + slots*4
}

// CountersFor returns the largest number of counters whose summary fits the given memory in
// bytes, 0 if none does.
func CountersFor(bytes int) int {
	lo, hi := 0, maxCounters
	for lo < hi {
		mid := lo + (hi-lo+1)/2
		if SizeFor(mid) <= bytes {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return lo
}

// SizeBytes returns the memory that s takes.
func (s *Summary) SizeBytes() int { return SizeFor(len(s.counters)) }

// Counters returns m, the number of counters.
func (s *Summary) Counters() int { return len(s.counters) }

// Len returns the number of keys monitored now.
func (s *Summary) Len() int { return int(s.used) }

// N returns the weight seen so far.
func (s *Summary) N() uint64 { return s.n }

// maxError bounds the error of every answer. When all counters are in use, it is the smallest counter. Before that, it
// is 0, because the counts are exact. It is never more than N/m.
func (s *Summary) maxError() uint64 {
	if int(s.used) < len(s.counters) {
		return 0
	}
	return s.buckets[s.first].count
}

// Reset empties s.
func (s *Summary) Reset() {
	s.n, s.used, s.first, s.last = 0, 0, nowhere, nowhere
	clear(s.table)
	for i := range s.buckets {
		s.buckets[i].next = int32(i) + 1
	}
	s.buckets[len(s.buckets)-1].next = nowhere
	s.free = 0
}

// Add counts one occurrence of key.
func (s *Summary) Add(key uint64) { s.AddN(key, 1) }

// AddN counts an occurrence of key with the given weight. Weight 0 changes nothing. AddN panics if the total weight
// overflows 64 bits.
func (s *Summary) AddN(key, weight uint64) {
	if weight == 0 {
		return
	}
	if s.n > math.MaxUint64-weight {
		panic("spacesaving: total weight overflows 64 bits")
	}
	s.n += weight
	slot := s.find(key)
	if i := s.table[slot]; i != 0 {
		s.raise(i-1, weight)
		return
	}
	if int(s.used) < len(s.counters) {
		i := s.used
		s.used++
		c := &s.counters[i]
		c.key, c.err = key, 0
		s.table[slot] = i + 1
		s.join(i, nowhere, weight)
		return
	}
	// Replace the oldest of the smallest counters; its count becomes the error.
	b := &s.buckets[s.first]
	i := b.head
	c := &s.counters[i]
	s.remove(c.key)
	s.table[s.find(key)] = i + 1
	c.key, c.err = key, b.count
	s.raise(i, weight)
}

// Estimate returns the count of key. A key that is not monitored has occurred at most
// maxError times: its estimate and its error are equal to this bound.
func (s *Summary) Estimate(key uint64) (item Item, monitored bool) {
	if i := s.table[s.find(key)]; i != 0 {
		return s.item(i - 1), true
	}
	m := s.maxError()
	return Item{Key: key, Count: m, Err: m}, false
}

// Top appends the k monitored keys of the largest counts to dst, in descending order of
// count, equal counts in ascending order of key. With k < 0 it appends all.
func (s *Summary) Top(k int, dst []Item) []Item {
	if k < 0 || k > int(s.used) {
		k = int(s.used)
	}
	start := len(dst)
	for b := s.last; b != nowhere && len(dst)-start < k; b = s.buckets[b].prev {
		run := len(dst)
		for i := s.buckets[b].head; i != nowhere; i = s.counters[i].next {
			dst = append(dst, s.item(i))
		}
		slices.SortFunc(dst[run:], func(x, y Item) int { return cmp.Compare(x.Key, y.Key) })
	}
	return dst[:start+k]
}

// AtLeast appends to dst, in the order of Top, every monitored key whose count may have reached the
// threshold. If the threshold is above maxError, no key that truly reached the threshold is missing.
// An item has certainly reached the threshold if Count − Err also reaches it.
func (s *Summary) AtLeast(threshold uint64, dst []Item) []Item {
	k := 0
	for b := s.last; b != nowhere && s.buckets[b].count >= threshold; b = s.buckets[b].prev {
		for i := s.buckets[b].head; i != nowhere; i = s.counters[i].next {
			k++
		}
	}
	return s.Top(k, dst)
}

func (s *Summary) item(i int32) Item {
	c := &s.counters[i]
	return Item{Key: c.key, Count: s.buckets[c.bucket].count, Err: c.err}
}

// raise moves counter i up by weight.
func (s *Summary) raise(i int32, weight uint64) {
	c := &s.counters[i]
	old := c.bucket
	b := &s.buckets[old]
	count := b.count + weight
	// If the counter is alone in its bucket and stays below the next bucket, the count of the bucket changes instead.
	if b.head == i && b.tail == i && (b.next == nowhere || s.buckets[b.next].count > count) {
		b.count = count
		return
	}
	s.leave(i)
	s.join(i, old, count)
	if b.head == nowhere {
		s.drop(old)
	}
}

// leave removes counter i from the list of its bucket.
func (s *Summary) leave(i int32) {
	c := &s.counters[i]
	b := &s.buckets[c.bucket]
	if c.prev == nowhere {
		b.head = c.next
	} else {
		s.counters[c.prev].next = c.next
	}
	if c.next == nowhere {
		b.tail = c.prev
	} else {
		s.counters[c.next].prev = c.prev
	}
}

// join appends counter i to the bucket of the given count, and makes the bucket if it is
// missing. The search starts after bucket from, or at the smallest bucket if from is nowhere.
func (s *Summary) join(i, from int32, count uint64) {
	at, next := from, s.first
	if from != nowhere {
		next = s.buckets[from].next
	}
	for next != nowhere && s.buckets[next].count < count {
		at, next = next, s.buckets[next].next
	}
	if next == nowhere || s.buckets[next].count != count {
		next = s.insert(at, count)
	}
	c, b := &s.counters[i], &s.buckets[next]
	c.bucket, c.prev, c.next = next, b.tail, nowhere
	if b.tail == nowhere {
		b.head = i
	} else {
		s.counters[b.tail].next = i
	}
	b.tail = i
}

// insert makes an empty bucket after the bucket with index at. If at is nowhere, the new bucket is the first.
func (s *Summary) insert(at int32, count uint64) int32 {
	n := s.free
	b := &s.buckets[n]
	s.free = b.next
	next := s.first
	if at != nowhere {
		next = s.buckets[at].next
		s.buckets[at].next = n
	} else {
		s.first = n
	}
	if next == nowhere {
		s.last = n
	} else {
		s.buckets[next].prev = n
	}
	*b = bucket{count: count, head: nowhere, tail: nowhere, prev: at, next: next}
	return n
}

// drop returns an empty bucket to the free chain.
func (s *Summary) drop(n int32) {
	b := &s.buckets[n]
	if b.prev == nowhere {
		s.first = b.next
	} else {
		s.buckets[b.prev].next = b.next
	}
	if b.next == nowhere {
		s.last = b.prev
	} else {
		s.buckets[b.next].prev = b.prev
	}
	b.next = s.free
	s.free = n
}
