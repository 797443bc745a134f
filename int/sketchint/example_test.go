package sketchint_test

import (
	"fmt"

	"pintlab/int/sketchint"
)

// The INT layer has 16 bits, and 48 bits for each hop. Over five switches, these are 2 + 5 × 6 bytes.
func Example() {
	p := sketchint.Default()
	room := p.Room(5)
	fmt.Println(room.AtSource, "and up to", room.Growth)
	// Output: 0B and up to 32B
}
