package mrac_test

import (
	"fmt"

	"pintlab/int/sketch/mrac"
)

// If 368 of 1000 counters are zero, about -1000 ln(368/1000) = 1000 flows were inserted.
func ExampleCardinality() {
	flows, ok := mrac.Cardinality(1000, 368)
	fmt.Printf("%.0f %v\n", flows, ok)
	// Output: 1000 true
}

// Four flows of two packets each have an entropy of 2 bits.
func ExampleEntropySum() {
	var s mrac.EntropySum
	s.Add(2, 4)
	fmt.Println(s.Value())
	// Output: 2
}
