package ndp_test

import (
	"fmt"

	"pintlab/transport/ndp"
)

// NDP requires switches that trim, receivers that request each packet, and packets that take paths in a random order.
func Example() {
	p := ndp.Default()
	r := p.Receivers()
	fmt.Println("trimming:", r.Trimming, "requests:", r.Ask)
	fmt.Println("balancing:", p.Needs().Balancing)
	// Output:
	// trimming: true requests: true
	// balancing: permute
}
