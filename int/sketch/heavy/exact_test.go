package heavy

import (
	"testing"

	"pintlab/int/sketch/sketchtest"
)

// No estimate exceeds the true count, which shows that the suite itself counts correctly.
func TestPromise(t *testing.T) {
	sketchtest.Run(t, sketchtest.Promise{
		NeverUnder: true,
		Beyond:     func(_, _ uint64, _ float64) float64 { return 0 },
	}, func(uint64) sketchtest.Frequency { return &Exact{} })
}

func TestCounter(t *testing.T) {
	var c Exact
	for _, k := range []uint64{3, 5, 3} {
		c.Insert(k, 1)
	}
	if c.Total() != 3 || c.Flows() != 2 || c.Sizes()[3] != 2 {
		t.Error(c.Total(), c.Flows(), c.Sizes())
	}
}
