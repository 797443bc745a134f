package deploy_test

import (
	"fmt"

	"pintlab/pint/deploy"
)

// PINT as HPCC uses it: one byte on every data packet, whatever the length of the path.
func Example() {
	p := deploy.Default()
	fmt.Println(p.Overhead(), p.Gives())
	// Output: 1B [utilisation]
}
