package deploy_test

import (
	"fmt"

	"pintlab/pint/deploy"
)

// PINT for HPCC needs one byte on every data packet, for any length of the path.
func Example() {
	p := deploy.Default()
	fmt.Println(p.Overhead(), p.Gives())
	// Output: 1B [utilisation]
}
