package sketch

import (
	"context"
	"fmt"
	"math"

	"pintlab/experiments/results/columns"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
	"pintlab/workloads/packets"
)

// MaxPackets is the largest number of packets that Measure keeps in memory.
const MaxPackets = 1 << 24

// A SpeedReport contains the speeds of several sketches on one trace.
type SpeedReport struct {
	Packets int           `json:"packets"`
	Memory  int           `json:"memory_bytes"`
	Arrays  int           `json:"arrays"`
	Key     int           `json:"key_bytes,string"`
	Sketch  []Speed       `json:"sketches"`
	Shared  []SharedSpeed `json:"shared,omitempty"`
	packets.Partial
	rounds int
}

// Measure measures sketches on a trace. It also measures one sketch that several goroutines share, for 1 up to the
// given number of goroutines.
func (c SpeedConfig) Measure(
	ctx context.Context, trace packets.Source, kinds []Kind, goroutines int,
) (*SpeedReport, error) {
	stream, err := Read(trace, MaxPackets)
	if err != nil {
		return nil, err
	}
	r := &SpeedReport{Packets: len(stream.Words), Memory: c.Memory, Arrays: c.Arrays, Key: 4, rounds: c.Rounds}
	if c.Tuples {
		r.Key = 13
	}
	for _, k := range kinds {
		one, err := c.Run(ctx, k, stream)
		if err != nil {
			return nil, err
		}
		r.Sketch = append(r.Sketch, one)
	}
	r.Shared, err = c.shared(ctx, stream, goroutines)
	return r, err
}

// Text prints a line for each sketch.
func (r *SpeedReport) Text() (string, error) {
	var t columns.Text
	t.Printf("%s, %v, %d arrays, keys of %s; best of %s\n\n", number.Count(r.Packets, "packet"), unit.Bytes(r.Memory),
		r.Arrays, number.Count(r.Key, "byte"), number.Count(r.rounds, "round"))
	t.Printf("%-10s %12s %12s\n", "sketch", "insert Mpps", "query Mpps")
	for _, l := range r.Sketch {
		query := "–"
		if !math.IsNaN(float64(l.Query)) {
			query = fmt.Sprintf("%.1f", l.Query)
		}
		t.Printf("%-10s %12.1f %12s\n", l.Sketch.Label(), l.Insert, query)
	}
	if len(r.Shared) > 0 {
		t.Printf("\n%-10s %-10s %11s %12s %10s\n", "shared", "lock", "goroutines", "insert Mpps", "ARE")
	}
	for _, l := range r.Shared {
		lock := "none"
		if l.Locked {
			lock = "mutex"
		}
		t.Printf("%-10s %-10s %11d %12.1f %10.4g\n", l.Sketch.Label(), lock, l.Goroutines, l.Insert, l.ARE)
	}
	return t.Done()
}
