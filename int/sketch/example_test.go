package sketch_test

import (
	"fmt"

	"pintlab/experiments/protocols"
	"pintlab/int/sketch"
)

// The program prints which questions each sketch can answer.
func Example() {
	for _, k := range protocols.Standard().Sketches {
		s, err := k.New(sketch.Config{Memory: 10_000, Rows: 3, Bits: []int{2, 4, 8, 16, 32}})
		if err != nil {
			fmt.Println(err)
			return
		}
		_, sizes := s.(sketch.Estimator)
		_, finds := s.(sketch.Finder)
		_, counts := s.(sketch.FlowCounter)
		fmt.Printf("%-8s %5d bytes, %v %v %v %v\n", k.Name, s.Memory(), sizes, finds, counts, k.Merge != nil)
	}
	// Output:
	// tower-cm 10000 bytes, true false true true
	// tower-cu 10000 bytes, true false true true
	// cm        9996 bytes, true false true true
	// cu        9996 bytes, true false true true
	// cm-o      9998 bytes, true false true true
	// cu-o      9998 bytes, true false true true
	// elastic  10000 bytes, true true true false
	// sumax     9996 bytes, true false true true
	// fermat    9972 bytes, true true true true
}
