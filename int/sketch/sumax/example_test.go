package sumax_test

import (
	"fmt"
	"log"

	"pintlab/int/sketch/sumax"
)

// Three cells in each bucket: size, last packet, longest time between packets.
func ExampleSketch() {
	s, err := sumax.New(3, 1000, 1)
	if err != nil {
		log.Fatal(err)
	}
	for _, now := range []uint32{10, 12, 40, 45} {
		s.Record(7, 1, now)
	}
	f := s.Query(7)
	fmt.Println(f.Size, "packets, the last at", f.Last, "longest gap", f.Interval)
	// Output: 4 packets, the last at 45 longest gap 28
}
