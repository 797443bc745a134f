package uet_test

import (
	"fmt"

	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/uet"
)

// Keys that are auto follow from the network: the base RTT is the largest of the network, and the target delay is three
// quarters of the base RTT.
func Example() {
	p := uet.Default()
	var choices transport.Choices
	farthest := func() (unit.Time, unit.Bytes) { return 12 * unit.Microsecond, 150 * unit.KB }
	p.Choose(&transport.Setting{Farthest: farthest}, &choices)
	fmt.Println(p.BaseRTT, p.Target)
	// Output: 12us 9us
}
