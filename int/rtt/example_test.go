package rtt_test

import (
	"fmt"

	"pintlab/int/rtt"
)

// An RTT from the sender's switch is a field in every ACK and nothing on data.
func Example() {
	p := rtt.Default()
	fmt.Println(p.Overhead(), "on data,", p.AckField(), "on an ACK")
	fmt.Println(p.Gives())
	// Output:
	// 0B on data, 2B on an ACK
	// [round-trip time]
}
