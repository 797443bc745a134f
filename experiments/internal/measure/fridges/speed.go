package fridges

import (
	"context"
	"math"
	"time"

	"pintlab/int/fridge"
	"pintlab/workloads/exchange"
)

// Speed returns how many millions of requests and responses one core processes per second. The trace is in memory, and
// the tally of the samples is included. The result is the speed of the fastest of several rounds.
func Speed(ctx context.Context, trace exchange.Config, d Design, rounds int) (float64, error) {
	events, err := generate(trace)
	if err != nil {
		return 0, err
	}
	fastest := time.Duration(math.MaxInt64)
	for range rounds {
		m, err := newMeter(d, trace.Seed, fridge.DefaultWidth)
		if err != nil {
			return 0, err
		}
		began := time.Now()
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		m.take(events)
		fastest = min(fastest, time.Since(began))
	}
	return float64(len(events)) / fastest.Seconds() / 1e6, nil
}
