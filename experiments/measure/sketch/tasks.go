package sketch

import (
	"context"
	"errors"

	"pintlab/int/sketch/mrac"
	"pintlab/workloads/packets"
)

// The tasks of a Question.
const (
	TaskHitters      = "heavy-hitters"
	TaskChanges      = "heavy-changes"
	TaskDistribution = "distribution"
	TaskEntropy      = "entropy"
	TaskCardinality  = "cardinality"
	TaskArrivals     = "arrivals"
)

// QueryAnswer is the result of a task. The lists of the other tasks are nil; one without elements is not.
type QueryAnswer struct {
	Packets      uint64       `json:"packets"`
	Hitters      []FlowSize   `json:"heavy_hitters,omitzero"`
	Changes      []FlowChange `json:"heavy_changes,omitzero"`
	TableFull    int          `json:"table_full"` // packets of heavy flows that found the table full
	Distribution []mrac.Point `json:"distribution,omitzero"`
	Entropy      *float64     `json:"entropy_bits,omitempty"`
	Cardinality  *float64     `json:"flows,omitempty"`
	Arrivals     []Arrival    `json:"arrivals,omitzero"`
	Falling      uint64       `json:"falling_times,omitempty"` // packets earlier than the one before
}

// ErrTooFull is the error of a sketch in which no counter is left to count flows by.
var ErrTooFull = errors.New("too full to count flows or their sizes: no counter is zero")

// errNoAnswer is the error of a sketch that cannot do a task.
var errNoAnswer = errors.New("no answer")

// Answer inserts each trace into a sketch of its own and runs a task: TaskChanges compares two
// sketches, other tasks merge them. A Threshold of 0 means the SketchINT paper's.
func (q Question) Answer(ctx context.Context, task string, traces []packets.Source) (*QueryAnswer, error) {
	changes := task == TaskChanges
	if q.Threshold == 0 {
		q.Threshold = Paper().Hitter
		if changes {
			q.Threshold = Paper().Change
		}
	}
	if task == TaskArrivals {
		found, err := q.arrivals(ctx, traces[0])
		return &QueryAnswer{Packets: found.Packets, TableFull: found.Full, Falling: found.Falling,
			Arrivals: found.Flows}, err
	}
	seen, err := q.Observe(ctx, traces, changes)
	if err != nil {
		return nil, err
	}
	first, total := seen[0], uint64(0)
	for _, s := range seen {
		total += s.Packets()
	}
	if total == 0 {
		return nil, packets.ErrNone
	}
	if changes {
		return &QueryAnswer{Packets: first.Packets(), Changes: first.Changes(seen[1]),
			TableFull: first.Full() + seen[1].Full()}, nil
	}
	for _, s := range seen[1:] {
		if err := first.Merge(s); err != nil {
			return nil, err
		}
	}
	a := &QueryAnswer{Packets: first.Packets(), TableFull: first.Full()}
	if task == TaskHitters {
		a.Hitters = first.Hitters()
		return a, nil
	}
	if task == TaskCardinality {
		flows, err := first.Cardinality()
		if err != nil {
			return nil, err
		}
		a.Cardinality = &flows
		return a, nil
	}
	sizes, err := first.Distribution()
	if err != nil {
		return nil, err
	}
	if task == TaskEntropy {
		e := entropy(sizes)
		a.Entropy = &e
	} else {
		a.Distribution = sizes
	}
	return a, nil
}
