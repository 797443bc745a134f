package latency

import (
	"fmt"
	"unsafe"

	"github.com/apache/datasketches-go/kll"
)

// DataSketches is the KLL of apache/datasketches-go over codes. Its coins are those of
// the process and cannot be seeded: equal streams give different answers. It grows with
// the logarithm of the stream, up to the size that it is made for.
type DataSketches struct {
	sketch *kll.ItemsSketch[uint16]
	digest int
}

// libraryLevel is the least capacity of a level, the smallest that the library accepts.
const libraryLevel = 2

// libraryLevels is how many levels a sketch may have opened when it has seen 2^32 codes.
const libraryLevels = 32

// NewDataSketches makes the largest sketch that holds at most the given number of digests
// after 2^32 codes. It needs 75 of them or more.
func NewDataSketches(digests int) (*DataSketches, error) {
	k := 0
	for j := MinDigests; j <= min(digests, MaxDigests) && libraryDigests(j) <= digests; j++ {
		k = j
	}
	if k == 0 {
		return nil, fmt.Errorf("latency: a datasketches KLL in %d digests, want %d or more", digests, libraryDigests(MinDigests))
	}
	s, err := kll.NewKllItemsSketch[uint16](uint16(k), libraryLevel, func(a, b uint16) bool { return a < b }, nil)
	if err != nil {
		return nil, fmt.Errorf("latency: a datasketches KLL in %d digests: %w", digests, err)
	}
	return &DataSketches{s, libraryDigests(k)}, nil
}

// libraryDigests bounds what a sketch of parameter k holds after 2^32 codes: its levels
// hold k·(2/3)^depth codes, rounded to the nearest.
func libraryDigests(k int) int {
	sum := 0
	num, den := 2*k, 1
	for range libraryLevels {
		sum += max(libraryLevel, min((num/den+1)/2, k))
		if num/den > libraryLevel {
			num, den = num*2, den*3
		}
	}
	return sum
}

// Add takes in one code.
func (d *DataSketches) Add(code uint16) { d.sketch.Update(code) }

// N is the number of codes added.
func (d *DataSketches) N() uint64 { return d.sketch.GetN() }

// Append appends the codes that the sketch holds with their weights.
func (d *DataSketches) Append(dst []Weighted) []Weighted {
	view, err := d.sketch.GetSortedView()
	if err != nil { // it is empty
		return dst
	}
	for it := view.Iterator(); it.Next(); {
		dst = append(dst, Weighted{it.GetQuantile(), uint64(it.GetWeight())})
	}
	return dst
}

// Error is the rank error that the library states, at 99 %: a fit to its own
// experiments. For a delta below 0.01 it states none, and the answer is 1.
func (d *DataSketches) Error(delta float64) float64 {
	switch {
	case !d.sketch.IsEstimationMode():
		return 0
	case delta < 0.01:
		return 1
	}
	return d.sketch.GetNormalizedRankError(false)
}

// SizeBytes is the memory of the sketch when it has grown to its limit, without the
// sorted copy that a query makes.
func (d *DataSketches) SizeBytes() int { return librarySize(d.digest) }

func librarySize(digests int) int {
	return int(unsafe.Sizeof(DataSketches{})) + int(unsafe.Sizeof(kll.ItemsSketch[uint16]{})) + 4*(libraryLevels+1) + 2*digests
}

// Reset empties the sketch.
func (d *DataSketches) Reset() { d.sketch.Reset() }
