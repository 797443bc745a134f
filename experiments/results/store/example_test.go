package store_test

import (
	"fmt"
	"log"
	"os"

	"pintlab/experiments/results/store"
	"pintlab/netsim/unit"
)

// The example shows the records of two flows, and fct.txt with the finished flow as the HPCC simulators write it.
func ExampleFlows() {
	var flows store.Flows
	flows.Append(store.FlowRecord{ID: 0, Src: 1, Dst: 0, Size: 100 * unit.KB, FCT: 30 * unit.Microsecond,
		Ideal: 12 * unit.Microsecond, Packets: 100, Hops: 1})
	flows.Append(store.FlowRecord{ID: 1, Src: 2, Dst: 0, Size: unit.MB, Outcome: store.Unfinished, FCT: unit.Never,
		Ideal: 88 * unit.Microsecond, Packets: 420, Hops: 1})
	finished, unfinished, _ := flows.Count()
	fmt.Println(finished, "finished,", unfinished, "unfinished; slowdown", flows.At(0).Slowdown())
	if err := store.WriteFCT(os.Stdout, &flows); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 1 finished, 1 unfinished; slowdown 2.5
	// 0b000101 0b000001 0 0 100000 0 30000 12000
}
