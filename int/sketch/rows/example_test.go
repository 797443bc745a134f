package rows_test

import (
	"fmt"
	"log"

	"pintlab/int/sketch/rows"
)

// Count-Min never underestimates. With 1000 flows of one packet on 3 rows of 100 counters it overestimates all flows,
// including the flow of 500 packets.
func ExampleCountMin() {
	s, err := rows.NewCountMin(3, 100, 1)
	if err != nil {
		log.Fatal(err)
	}
	for flow := range uint64(1000) {
		s.Insert(flow, 1)
	}
	s.Insert(7, 499)
	large, _ := s.Estimate(7)
	small, _ := s.Estimate(8)
	fmt.Println(large, small, "in", s.Memory(), "bytes")
	// Output: 507 12 in 1200 bytes
}

// CU increments only the smallest counters of a flow and is more accurate.
func ExampleCU() {
	s, err := rows.NewCU(3, 100, 1)
	if err != nil {
		log.Fatal(err)
	}
	for flow := range uint64(1000) {
		s.Insert(flow, 1)
	}
	s.Insert(7, 499)
	large, _ := s.Estimate(7)
	small, _ := s.Estimate(8)
	fmt.Println(large, small)
	// Output: 504 6
}
