package pintlab_test

import (
	"os"

	"pintlab/experiments/pintlab"
	"pintlab/experiments/protocols"
	"pintlab/transport/fixed"
)

// A program of yours is pintlab with protocols of its own.
func ExampleMain() {
	set := protocols.Standard()
	set.AddControl(new(fixed.Params), "mine", "Mine", "my congestion control")
	os.Exit(pintlab.Main(set))
}
