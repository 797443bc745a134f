package sketchint

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"pintlab/int/sketch/rows"
	"pintlab/internal/mem"
)

// latencyBits is the width of a latency counter, which holds nanoseconds.
const latencyBits = 32

// overflowed is the value of a latency counter that has overflowed.
const overflowed = 1<<latencyBits - 1

// bucketShape is the shape of buckets: arrays of buckets whose frequency counters have 8, 16 or
// 32 bits.
type bucketShape struct{ bits, buckets []int }

// check reports whether there is a bucket in each array.
func (s bucketShape) check() error {
	for i, n := range s.buckets {
		if n < 1 || n > rows.MaxCounters {
			return fmt.Errorf("array %d: %d buckets of %d bits, want 1 to %d",
				i+1, n, s.bits[i]+latencyBits, rows.MaxCounters)
		}
	}
	return nil
}

// stride returns the bytes of a bucket of array i.
func (s bucketShape) stride(i int) int { return (s.bits[i] + latencyBits) / 8 }

func (s bucketShape) size() int {
	n := 0
	for i, b := range s.buckets {
		n += b * s.stride(i)
	}
	return n
}

// buckets is a TowerSketch with CM insertion whose counters are extended to buckets (§V-B): a frequency
// counter and a latency counter, which share a cache line. A bucket never changes after one of its counters
// has overflowed.
type buckets struct {
	mixed  uint64
	arrays []bucketArray
	slab   []byte // with slack for reading eight bytes at the last bucket
}

type bucketArray struct {
	data     []byte
	n        uint64
	stride   uint64
	bits     uint8
	infinite uint64
}

const slack = 8

func newBuckets(s bucketShape, seed uint64, memory func(bytes int) []byte) *buckets {
	b := &buckets{mixed: rows.Seed(seed), slab: memory(s.size() + slack)}
	at := 0
	for i, n := range s.buckets {
		size := n * s.stride(i)
		b.arrays = append(b.arrays, bucketArray{
			data: b.slab[at : at+size+slack], n: uint64(n), stride: uint64(s.stride(i)),
			bits: uint8(s.bits[i]), infinite: 1<<s.bits[i] - 1,
		})
		at += size
	}
	return b
}

// bytes returns the buckets without the slack.
func (b *buckets) bytes() []byte { return b.slab[:len(b.slab)-slack] }

// at returns the eight bytes that begin with a bucket, as bytes and as a number, and the counters in them.
func (a *bucketArray) at(word uint64) (p []byte, v, frequency, latency uint64) {
	i := rows.Index(word, a.n) * a.stride
	p = a.data[i : i+8]
	v = binary.LittleEndian.Uint64(p)
	return p, v, v & a.infinite, v >> (a.bits & 63) & overflowed
}

// average returns the sum of latencies in ns and the number of packets. They are from the bucket with the lowest
// frequency among the buckets that have not overflowed. ok is false if all buckets have overflowed.
func (b *buckets) average(key uint64) (sum, n uint64, ok bool) {
	word, step := rows.Start(key, b.mixed)
	for i := range b.arrays {
		a := &b.arrays[i]
		_, _, f, s := a.at(word)
		if f != a.infinite && s != overflowed && (!ok || f < n) {
			sum, n, ok = s, f, true
		}
		word += step
	}
	return sum, n, ok
}

// find returns the word that locates the buckets of a key, and prefetches them.
func (b *buckets) find(key uint64) (word uint64) {
	word, step := rows.Start(key, b.mixed)
	for i, at := 0, word; i < len(b.arrays); i++ {
		a := &b.arrays[i]
		mem.PrefetchWrite(unsafe.Pointer(&a.data[rows.Index(at, a.n)*a.stride]))
		at += step
	}
	return word
}

// insert counts a packet with its latency in the buckets of a word. It returns what average returned before
// the insertion.
func (b *buckets) insert(word, latency uint64) (sum, n uint64, ok bool) {
	step := rows.Step(word)
	for i := range b.arrays {
		a := &b.arrays[i]
		p, v, f, s := a.at(word)
		word += step
		if f == a.infinite || s == overflowed {
			continue
		}
		if !ok || f < n {
			sum, n, ok = s, f, true
		}
		add := min(latency, overflowed-s)
		binary.LittleEndian.PutUint64(p, v+1+add<<(a.bits&63))
	}
	return sum, n, ok
}
