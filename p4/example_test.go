package p4_test

import (
	"fmt"
	"io/fs"
	"log"

	"pintlab/netsim/unit"
	"pintlab/p4"
	"pintlab/p4/fixedpoint"
	"pintlab/pint/approx"
)

// The programs of this module are embedded.
func ExampleSources() {
	names, err := fs.Glob(p4.Sources(), "pint_*.p4")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(names)
	// Output: [pint_combined.p4 pint_latency.p4 pint_loop.p4 pint_path.p4]
}

// A switch computes HPCC's utilisation from tables of logarithms. A hundred packets leave, one every 84 ns, and
// 12.5 KB are in the queue.
func ExampleUtilization() {
	shared, err := p4.Utilization(fixedpoint.Difference)
	if err != nil {
		log.Fatal(err)
	}
	port, err := shared.NewPort(100*unit.Gbps, 13*unit.Microsecond)
	if err != nil {
		log.Fatal(err)
	}
	exact, err := approx.NewLink(100*unit.Gbps, 13*unit.Microsecond)
	if err != nil {
		log.Fatal(err)
	}
	a, b := 0.9, 0.9
	for range 100 {
		a = port.Update(a, 84*unit.Nanosecond, 12_500, 1048)
		b = exact.Update(b, 84*unit.Nanosecond, 12_500, 1048)
	}
	fmt.Printf("%.3f, exactly %.3f\n", a, b)
	// Output: 0.983, exactly 0.983
}
