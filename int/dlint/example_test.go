package dlint_test

import (
	"fmt"

	"pintlab/int/dlint"
)

// With DLINT the first packet carries INIT, and each further packet carries the number of one switch, in the order of
// the path. With PLINT random switches write, so tracing a path of five switches takes more packets.
func ExampleFlow() {
	path := []uint64{11, 22, 33, 44, 55}
	for _, plint := range []bool{false, true} {
		// with room for one value on a packet
		flow := dlint.NewFlow(dlint.FlowConfig{PLINT: plint, Values: 1}, len(path))
		packets := uint64(0)
		for ; !flow.Done(); packets++ {
			flow.Send(packets, path, false)
			if err := flow.Add(packets, 0); err != nil {
				fmt.Println(err)
				return
			}
		}
		last, _ := flow.Value(5)
		fmt.Println(packets, "packets; the last switch is", last)
	}
	// Output:
	// 6 packets; the last switch is 55
	// 17 packets; the last switch is 55
}
