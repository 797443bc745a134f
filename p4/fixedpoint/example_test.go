package fixedpoint_test

import (
	"fmt"
	"log"

	"pintlab/p4/fixedpoint"
)

// PINT appendix C: a switch without multiplication looks up logarithms, adds them, and looks up the power. With tables
// of 2^8 entries a product is off by less than a percent.
func ExampleTables() {
	t, err := fixedpoint.NewTables(8)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(t.Mul(1000, 1000), t.Div(355, 113, 16)) // the quotient has 16 bits after the point
	logarithms, powers := t.Bytes()
	fmt.Println(logarithms, "and", powers, "bytes")
	// Output:
	// 998696 205451
	// 1024 and 1024 bytes
}
