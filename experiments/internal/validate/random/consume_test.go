package random

import (
	"flag"
	"io"
	"testing"
)

var (
	scenarios = flag.Int("scenarios", 50, "number of random scenarios")
	from      = flag.Int("from", 0, "number of the first one")
)

// For runs of random scenarios, the output of all commands that read a run agrees with its records.
func TestConsumers(t *testing.T) {
	if testing.Short() {
		*scenarios = min(*scenarios, 15)
	}
	_, err := Run(t.Context(), Options{
		Seed: 1, From: *from, N: *scenarios, Dir: t.TempDir(), Workers: 2, Quiet: true, Messages: io.Discard,
		Consumers: true,
	})
	if err != nil {
		t.Error(err)
	}
}
