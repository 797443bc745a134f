package fermat_test

import (
	"fmt"
	"log"

	"pintlab/int/sketch/fermat"
)

// The difference of the sketches at both ends of a path contains the flow that lost packets, and their number.
func Example() {
	var ends [2]*fermat.Sketch
	for i := range ends {
		s, err := fermat.New(3, 16, 1)
		if err != nil {
			log.Fatal(err)
		}
		for flow := range uint64(1000) {
			s.Insert(flow, 50)
		}
		ends[i] = s
	}
	ends[0].Insert(77, 2) // two more packets of flow 77 enter than leave
	if err := ends[0].Subtract(ends[1]); err != nil {
		log.Fatal(err)
	}
	lost, complete := ends[0].Decode()
	fmt.Println(lost, complete)
	// Output: map[77:2] true
}
