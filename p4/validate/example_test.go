package validate_test

import (
	"fmt"
	"log"

	"pintlab/p4/analysis"
	"pintlab/p4/interp"
	"pintlab/p4/validate"
)

// How many stages of a switch does a program need? The PINT paper counts four for latency quantiles.
func ExampleFind() {
	latency, err := validate.Find("pint_latency")
	if err != nil {
		log.Fatal(err)
	}
	target, err := analysis.OpenTarget(analysis.DefaultTarget)
	if err != nil {
		log.Fatal(err)
	}
	program, err := latency.Load(interp.Options{Target: target.Defines})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range analysis.Stages(program, target) {
		fmt.Println(p.Name, p.Stages, "stages")
	}
	fmt.Println("the paper counts", latency.Stages)
	// Output:
	// Forward 2 stages
	// PintEgress 4 stages
	// the paper counts 4
}
