package tower_test

import (
	"fmt"
	"log"

	"pintlab/int/sketch/tower"
)

// Arrays of 2 to 32 bits share the memory equally. There are many small counters, which serve small flows. A counter
// that has overflowed counts as infinite, so a larger one answers for large flows.
func Example() {
	c := tower.EqualMemory(1000, 2, 4, 8, 16, 32)
	fmt.Println(c.Counters)
	s, err := tower.New(c)
	if err != nil {
		log.Fatal(err)
	}
	for flow := range uint64(200) {
		s.Insert(flow, 1)
	}
	s.Insert(7, 999)
	large, _ := s.Estimate(7)
	small, _ := s.Estimate(8)
	flows, _ := s.Cardinality()
	fmt.Printf("%d, %d, about %.0f flows\n", large, small, flows)
	// Output:
	// [800 400 200 100 50]
	// 1001, 1, about 196 flows
}
