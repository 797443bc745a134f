package latency

import (
	"fmt"
	"slices"
)

// Weighted is a code that represents Weight values of the stream.
type Weighted struct {
	Code   uint16
	Weight uint64
}

// Summary summarises a stream of codes in bounded memory. Implementations are not safe for
// concurrent use.
type Summary interface {
	// Add records one code.
	Add(code uint16)
	// N returns the number of codes that the summary represents: all so far, or all in its window.
	N() uint64
	// Append appends the stored codes in any order; the weights sum to about N.
	Append(dst []Weighted) []Weighted
	// Error returns a bound of the rank error that the summary adds to one quantile of its input,
	// as a share of N. The bound fails with probability at most delta (0 < delta < 1).
	Error(delta float64) float64
	// SizeBytes returns the memory of the summary.
	SizeBytes() int
	// Reset empties the summary.
	Reset()
}

// Kind is a kind of summary.
type Kind uint8

// The kinds of summary.
const (
	Sketch    Kind = iota // KLL, seeded (package comment)
	Raw                   // the newest codes, unchanged
	Histogram             // a counter for each code
)

var kindNames = []string{"kll", "raw", "histogram"}

// String returns the name that UnmarshalText reads.
func (k Kind) String() string { return kindNames[k] }

// UnmarshalText reads "kll", "raw" or "histogram".
func (k *Kind) UnmarshalText(text []byte) error {
	i := slices.Index(kindNames, string(text))
	if i < 0 {
		return fmt.Errorf("unknown summary %q (accepted: kll, raw, histogram)", text)
	}
	*k = Kind(i)
	return nil
}

// Quantile returns the φ-quantile of weighted codes. This is the smallest code c such that the codes up to c have at
// least a share φ of the weight. For φ = 0, this is the smallest code. Quantile sorts items. It returns false if there
// is no weight.
func Quantile(items []Weighted, phi float64) (uint16, bool) {
	slices.SortFunc(items, func(a, b Weighted) int { return int(a.Code) - int(b.Code) })
	total := uint64(0)
	for _, it := range items {
		total += it.Weight
	}
	if total == 0 {
		return 0, false
	}
	rank := Rank(phi, total)
	seen := uint64(0)
	for _, it := range items {
		if seen += it.Weight; seen >= rank {
			return it.Code, true
		}
	}
	return items[len(items)-1].Code, true // never reached, because rank <= total
}

// Rank returns the rank (from 1) of the φ-quantile among n values: ⌈φ·n⌉, but at least 1 and at
// most n. A product that is a whole number up to rounding errors counts as that number.
func Rank(phi float64, n uint64) uint64 {
	x := float64(phi * float64(n))
	r := uint64(max(x, 0))
	if x-float64(r) > 1e-9*max(x, 1) {
		r++
	}
	return min(max(r, 1), n)
}
