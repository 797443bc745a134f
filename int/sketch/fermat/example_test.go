package fermat_test

import (
	"fmt"
	"log"
	"math/rand/v2"

	"pintlab/int/sketch/fermat"
)

// The difference of the sketches at both ends of a path contains the flow that lost packets, and the number of lost
// packets.
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

// Example_success prints how many of 100 sketches can be decoded, by the number of buckets for each of 1,000 flows. For
// many flows, the share jumps from 0 to 100 % at 1.222.
func Example_success() {
	const flows = 1000
	for _, buckets := range []float64{1.10, 1.15, 1.20, 1.25, 1.30, 1.35, 1.40} {
		whole := 0
		for seed := range uint64(100) {
			s, err := fermat.New(3, int(buckets*flows/3), seed)
			if err != nil {
				panic(err)
			}
			keys := rand.NewPCG(seed, 1)
			for f := range uint64(flows) {
				s.Insert(keys.Uint64(), 1+f%10)
			}
			if _, complete := s.Decode(); complete {
				whole++
			}
		}
		fmt.Printf("%.2f buckets for a flow: %3d %%\n", buckets, whole)
	}
	// Output:
	// 1.10 buckets for a flow:   0 %
	// 1.15 buckets for a flow:   0 %
	// 1.20 buckets for a flow:   4 %
	// 1.25 buckets for a flow:  60 %
	// 1.30 buckets for a flow:  99 %
	// 1.35 buckets for a flow: 100 %
	// 1.40 buckets for a flow: 100 %
}
