package pintlab_test

import (
	"os"

	"pintlab/experiments/pintlab"
	"pintlab/experiments/protocols"
	"pintlab/transport/fixed"
)

// Your own program can be pintlab with additional protocols.
func ExampleMain() {
	set := protocols.Standard()
	set.AddControl(new(fixed.Params), "mine", "Mine", "my congestion control")
	os.Exit(pintlab.Main(set))
}
