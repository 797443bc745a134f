package consumers

import (
	"flag"
	"io"
	"testing"

	"pintlab/experiments/sim/random"
)

var (
	scenarios = flag.Int("scenarios", 50, "number of random scenarios")
	from      = flag.Int("from", 0, "number of the first one")
)

// Whatever is made of the run of a random scenario says the same as its records.
func TestConsumers(t *testing.T) {
	_, err := random.Run(t.Context(), random.Options{
		Seed: 1, From: *from, N: *scenarios, Dir: t.TempDir(), Workers: 2, Quiet: true, Messages: io.Discard,
		Consume: Check,
	})
	if err != nil {
		t.Error(err)
	}
}
