package stf_test

import (
	"context"
	"fmt"
	"log"

	"pintlab/p4/interp"
	"pintlab/p4/stf"
)

// This packet test in p4c's format adds table entries, sends packets in, and expects packets out.
func ExampleTest() {
	program, err := interp.Load("testdata/example.p4", interp.Options{})
	if err != nil {
		log.Fatal(err)
	}
	test, err := stf.Read("testdata/example.stf")
	if err != nil {
		log.Fatal(err)
	}
	pipeline, err := program.NewPipeline(interp.Config{Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	r, err := test.Run(context.Background(), pipeline)
	fmt.Println(r.In, "packets in,", r.Out, "out, pass:", r.Pass, err)
	// Output: 3 packets in, 3 out, pass: true <nil>
}
