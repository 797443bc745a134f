package ns3_test

import (
	"fmt"

	"pintlab/netsim/unit"
	"pintlab/transport/ns3"
)

// The published simulator computes slowdowns relative to this time. For 1 MB at 100 Gb/s, in packets of 1000 bytes with
// 48 bytes of headers, it is 83.84 µs plus the base RTT.
func ExampleStandalone() {
	fmt.Println(ns3.Standalone(unit.MB, 1000, 48, 13*unit.Microsecond, 100*unit.Gbps))
	// Output: 96.84us
}

// The clock of the published simulator counts whole nanoseconds, so packets of 1048 bytes leave a little faster than
// the link allows.
func ExampleTxTime() {
	rate := 100 * unit.Gbps
	fmt.Println(ns3.TxTime(rate, 1048), rate.TxTime(1048))
	// Output: 83ns 83.84ns
}
