// Command pintlab simulates data-centre networks packet by packet and compares the cost and benefit of
// in-band telemetry. "pintlab help" lists its commands; README.md introduces them.
package main

import (
	"os"

	"pintlab/experiments/pintlab"
	"pintlab/experiments/protocols"
)

func main() { os.Exit(pintlab.Main(protocols.Standard())) }
