package heavy_test

import (
	"fmt"
	"log"

	"pintlab/int/sketch/heavy"
)

// A table records the flows whose estimates reach a threshold, as packets arrive.
func ExampleTable() {
	table, err := heavy.NewTable(2, 100)
	if err != nil {
		log.Fatal(err)
	}
	var exact heavy.Exact // in place of a sketch
	for _, flow := range []uint64{5, 6, 7} {
		for range 40 * flow {
			exact.Insert(flow, 1)
			n, _ := exact.Estimate(flow)
			table.Packet(flow, n)
		}
	}
	for _, f := range table.Flows() {
		fmt.Println(f.Key, f.Estimate)
	}
	fmt.Println("packets without room:", table.Dropped())
	// Output:
	// 5 200
	// 6 240
	// packets without room: 181
}
