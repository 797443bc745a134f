package pint

import (
	"maps"
	"math"
	"slices"

	"pintlab/experiments/results/stats"
	"pintlab/internal/hash"
	"pintlab/internal/lists"
	"pintlab/internal/numeric"
)

// SampleError is the error of an estimator that sees one of k packets of a stream. With dynamic aggregation on a path
// of k switches, the collector sees the packets of a switch in this way (PINT §4.1).
type SampleError struct {
	Stream, Quantity, Estimator string
	// Error is the mean over the runs. It is a factor for Distinct and a share of the entropy for Entropy.
	Error stats.Number
}

// The quantities that are estimated.
const (
	Distinct = "distinct values"
	Entropy  = "entropy"
)

// streams returns streams that an estimator cannot distinguish by a sample. A stream is described by how often each of
// its values occurs.
func streams(packets, k int) map[string][]int {
	return map[string][]int{
		"each value once":                slices.Repeat([]int{1}, packets),
		"each value k times":             slices.Repeat([]int{k}, packets/k),
		"one value, and k/4 others once": append(slices.Repeat([]int{1}, k/4), packets-k/4),
	}
}

// estimators contains estimators of a quantity of a stream. The input of an estimator is how often each value occurs in
// a sample.
var estimators = []struct {
	quantity, name string
	of             func(seen []int, k float64) float64
}{
	{Distinct, "those of the sample", func(seen []int, _ float64) float64 { return float64(len(seen)) }},
	{Distinct, "k times as many", func(seen []int, k float64) float64 { return k * float64(len(seen)) }},
	{Distinct, "√k for each that is there once", func(seen []int, k float64) float64 {
		return float64(len(seen)) + (math.Sqrt(k)-1)*float64(lists.Count(seen, func(n int) bool { return n == 1 }))
	}},
	{Entropy, "that of the sample", func(seen []int, _ float64) float64 { return entropyOf(seen) }},
	{Entropy, "with the correction of Miller and Madow", func(seen []int, _ float64) float64 {
		return entropyOf(seen) + float64(len(seen)-1)/(2*total(seen))
	}},
}

// SampleErrors returns the errors of estimators that see one of k packets of each stream.
func SampleErrors(seed uint64, runs, packets, k int) ([]SampleError, error) {
	var list []SampleError
	all := streams(packets, k)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		stream := all[name]
		errs := make([][]float64, len(estimators))
		for run := range runs {
			r := hash.Stream(seed, "pint/samples", hash.String(name), uint64(run))
			seen := sampled(stream, func() bool { return r.IntN(k) == 0 })
			for i, e := range estimators {
				truth, got := float64(len(stream)), max(1, e.of(seen, float64(k)))
				miss := max(got/truth, truth/got)
				if e.quantity == Entropy {
					miss = math.Abs(e.of(seen, float64(k))/entropyOf(stream) - 1)
				}
				errs[i] = append(errs[i], miss)
			}
		}
		for i, e := range estimators {
			m, err := stats.Mean(errs[i], 0.95)
			if err != nil {
				return nil, err
			}
			list = append(list, SampleError{name, e.quantity, e.name, m})
		}
	}
	return list, nil
}

// sampled returns how often each value occurs among the sampled packets. It omits values that do not occur.
func sampled(counts []int, take func() bool) (seen []int) {
	for _, n := range counts {
		got := 0
		for range n {
			if take() {
				got++
			}
		}
		if got > 0 {
			seen = append(seen, got)
		}
	}
	return seen
}

func total(counts []int) float64 {
	return float64(lists.Sum(counts, func(n int) int { return n }))
}

// entropyOf returns the entropy, in nats, of values that occur with the given frequencies.
func entropyOf(counts []int) (sum float64) {
	n := total(counts)
	for _, c := range counts {
		share := float64(c) / n
		sum -= float64(share * numeric.Ln(share))
	}
	return sum
}
