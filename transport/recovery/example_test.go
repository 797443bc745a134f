package recovery_test

import (
	"fmt"

	"pintlab/transport/recovery"
)

// The receiver has the first and the last two of five segments. The sender considers the second segment lost and sends
// it again.
func ExampleBoard() {
	var b recovery.Board
	b.Reset(1000, 5000, false) // a flow of 5000 bytes in segments of 1000
	for i := range int64(5) {
		b.Transmit(i, 0, true)
	}
	b.Acknowledge(1)
	b.Sack(3, 5)
	fmt.Println("in flight:", b.Flight)
	b.Lose(1)
	fmt.Println("lost:", b.Lost(), "in flight:", b.Flight)
	b.Transmit(1, 0, true)
	fmt.Println("in flight:", b.Flight)
	// Output:
	// in flight: 2000
	// lost: 1 in flight: 1000
	// in flight: 2000
}
