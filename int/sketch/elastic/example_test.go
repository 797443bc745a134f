package elastic_test

import (
	"fmt"
	"log"

	"pintlab/int/sketch/elastic"
)

// The heavy part stores flow IDs, so that the sketch can list heavy hitters.
func Example() {
	s, err := elastic.New(10_000, 0.25, 1)
	if err != nil {
		log.Fatal(err)
	}
	for flow := range uint64(2000) {
		s.Insert(flow, 1)
	}
	for range 1000 {
		s.Insert(7, 1)
	}
	n, found := s.Heavy(7)
	fmt.Println(n, found, "of", s.CountHeavy(500), "flows from 500 packets on")
	// Output: 1001 true of 1 flows from 500 packets on
}
