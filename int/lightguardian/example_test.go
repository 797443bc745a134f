package lightguardian_test

import (
	"fmt"

	"pintlab/int/lightguardian"
)

// A packet carries at most one sketchlet, for any length of its path.
func Example() {
	p := lightguardian.Default()
	fmt.Println(p.Room(2) == p.Room(9), p.Room(5).AtSource+p.Room(5).Growth)
	// Output: true 24B
}
