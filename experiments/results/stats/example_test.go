package stats_test

import (
	"fmt"
	"log"

	"pintlab/experiments/results/stats"
)

// The numbers are completion times in milliseconds of two schemes with the same flows, a pair for each seed. Seeds
// differ much more than the two schemes of a pair, so the ratio has a narrow interval.
func ExamplePairedRatio() {
	hpcc := []float64{1.00, 1.60, 0.70, 1.20}
	ours := []float64{0.91, 1.44, 0.62, 1.09}
	mean, err := stats.Mean(ours, stats.Level)
	if err != nil {
		log.Fatal(err)
	}
	ratio, err := stats.PairedRatio(ours, hpcc, stats.Level)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f ms, between %.2f and %.2f\n", mean.Value, mean.Lo, mean.Hi)
	fmt.Printf("%.2f times HPCC's, between %.2f and %.2f\n", ratio.Value, ratio.Lo, ratio.Hi)
	// Output:
	// 1.02 ms, between 0.47 and 1.56
	// 0.90 times HPCC's, between 0.88 and 0.92
}
