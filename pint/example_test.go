package pint_test

import (
	"fmt"
	"log"

	"pintlab/netsim/unit"
	"pintlab/pint"
	"pintlab/pint/approx"
)

// A port computes U after each packet. Here packets of 1000 bytes leave a link of 100 Gb/s back to back, every 80 ns,
// and no queue is left: U tends to 1.
func ExampleArithmetic() {
	code, err := approx.New(approx.Utilization())
	if err != nil {
		log.Fatal(err)
	}
	exact, err := approx.NewExact(100*unit.Gbps, 13*unit.Microsecond, code)
	if err != nil {
		log.Fatal(err)
	}
	var port pint.Arithmetic = exact
	u := 0.0
	for n := range 1000 {
		if n%200 == 100 {
			fmt.Printf("%.3f ", u)
		}
		u = port.Update(u, 80*unit.Nanosecond, 0, 1000)
	}
	fmt.Println("code", port.Encode(u, 1<<63))
	// Output: 0.461 0.843 0.954 0.987 0.996 code 126
}
