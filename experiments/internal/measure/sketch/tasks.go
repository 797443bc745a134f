package sketch

import (
	"context"
	"errors"
	"fmt"
	"math"

	"pintlab/experiments/results/columns"
	"pintlab/int/sketch/mrac"
	"pintlab/internal/lists"
	"pintlab/internal/number"
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

// QueryAnswer is the result of a task. The lists that belong to other tasks are nil. The list of this task is not nil,
// even if it is empty.
type QueryAnswer struct {
	Packets   uint64       `json:"packets"`
	Hitters   []FlowSize   `json:"heavy_hitters,omitzero"`
	Changes   []FlowChange `json:"heavy_changes,omitzero"`
	TableFull int          `json:"table_full"` // packets of heavy flows that found the table full
	// FermatSketch could not be decoded, so sizes are upper bounds
	Undecoded    bool         `json:"undecoded,omitempty"`
	Distribution []mrac.Point `json:"distribution,omitzero"`
	Entropy      *float64     `json:"entropy_bits,omitempty"`
	Cardinality  *float64     `json:"flows,omitempty"`
	Arrivals     []Arrival    `json:"arrivals,omitzero"`
	Falling      uint64       `json:"falling_times,omitempty"` // packets that were earlier than the latest one so far
	packets.Partial
}

// ErrTooFull is the error of a sketch whose counters are all in use. Counting flows requires a counter that is zero.
var ErrTooFull = errors.New("too full to count flows or their sizes: no counter is zero")

// Answer inserts each trace into a separate sketch and runs a task. TaskChanges compares two sketches; all other tasks
// merge the sketches. If Threshold is 0, the threshold of the SketchINT paper is used.
func (q Question) Answer(ctx context.Context, task string, traces []packets.Source) (*QueryAnswer, error) {
	q.task = task
	changes := task == TaskChanges
	if q.Threshold == 0 {
		q.Threshold = Paper().Hitter
		if changes {
			q.Threshold = Paper().Change
		}
	}
	if task == TaskArrivals {
		return q.arrivals(ctx, traces[0])
	}
	seen, err := q.observeAll(ctx, traces, changes)
	if err != nil {
		return nil, err
	}
	first := seen[0]
	if lists.Sum(seen, func(s *observer) uint64 { return s.packets }) == 0 {
		return nil, packets.ErrNone
	}
	if changes {
		a := &QueryAnswer{Packets: first.packets, Changes: first.changesTo(seen[1]),
			TableFull: first.full + seen[1].full}
		return a, a.decoded(seen...)
	}
	for _, s := range seen[1:] {
		if err := first.merge(s); err != nil {
			return nil, err
		}
	}
	a := &QueryAnswer{Packets: first.packets}
	if task == TaskHitters {
		a.Hitters, a.TableFull = first.hitters(), first.full
		return a, a.decoded(first)
	}
	if task == TaskCardinality {
		flows, err := first.cardinality()
		if err != nil {
			return nil, err
		}
		a.Cardinality = &flows
		return a, nil
	}
	sizes, err := first.distribution()
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

// decoded notes whether all sketches could be decoded.
func (a *QueryAnswer) decoded(seen ...*observer) error {
	for _, o := range seen {
		failed, err := o.undecoded()
		if err != nil {
			return err
		}
		a.Undecoded = a.Undecoded || failed
	}
	return nil
}

// Largest returns the answer with at most top flows in each list.
func (a *QueryAnswer) Largest(top int) *QueryAnswer {
	short := *a
	short.Hitters = a.Hitters[:min(top, len(a.Hitters))]
	short.Changes = a.Changes[:min(top, len(a.Changes))]
	short.Arrivals = a.Arrivals[:min(top, len(a.Arrivals))]
	return &short
}

// Text prints the answer to a task with at most top flows.
func (a *QueryAnswer) Text(task string, top int) (string, error) {
	var t columns.Text
	atLeast := ""
	if a.TableFull > 0 {
		atLeast = "at least " // a flow that found the table full may be in no list
	}
	switch task {
	case TaskEntropy:
		t.Printf("entropy %.4f bits, from the flow size distribution; %s\n", *a.Entropy,
			number.Count(a.Packets, "packet"))
	case TaskCardinality:
		t.Printf("%s, %s\n", number.Count(int64(math.Round(*a.Cardinality)), "flow"),
			number.Count(a.Packets, "packet"))
	case TaskDistribution:
		t.Printf("%21s  %12s\n", "packets", "flows")
		list := a.Distribution
		for from := uint64(1); len(list) > 0; from *= 2 {
			flows := 0.0
			for len(list) > 0 && list[0].Size < 2*from {
				flows += list[0].Flows
				list = list[1:]
			}
			t.Printf("%10d %10d  %12.1f\n", from, 2*from-1, flows)
		}
	case TaskChanges:
		t.Printf("%s%s\n%10s %10s  %s\n", atLeast, number.Count(len(a.Changes), "heavy change"), "before", "after",
			"flow")
		for _, c := range a.Changes[:min(top, len(a.Changes))] {
			t.Printf("%10d %10d  %s\n", c.Before, c.After, c.Flow)
		}
	case TaskArrivals:
		t.Printf("%s%s among %s; times since the first packet of the trace\n%10s %14s %14s  %s\n", atLeast,
			number.Count(len(a.Arrivals), "large flow"),
			number.Count(a.Packets, "packet"), "packets", "longest gap", "last packet", "flow")
		for _, f := range a.Arrivals[:min(top, len(a.Arrivals))] {
			t.Printf("%10d %14v %14v  %s\n", f.Packets, f.Gap, f.Last, f.Flow)
		}
	default:
		counted := "packets"
		if len(a.Hitters) > 0 && a.Hitters[0].Bytes > 0 {
			counted = "bytes"
		}
		full, width := lists.Count(a.Hitters, func(h FlowSize) bool { return h.AtLeast }), 10
		if full > 0 {
			width += len("at least ")
		}
		t.Printf("%s%s among %s\n%*s  %s\n", atLeast, number.Count(len(a.Hitters), "heavy hitter"),
			number.Count(a.Packets, "packet"), width, counted, "flow")
		for _, h := range a.Hitters[:min(top, len(a.Hitters))] {
			size := fmt.Sprint(h.Packets + h.Bytes)
			if h.AtLeast {
				size = "at least " + size
			}
			t.Printf("%*s  %s\n", width, size, h.Flow)
		}
		if full > 0 {
			t.Printf("the counters of %s are full, so %s may be larger\n", number.Count(full, "flow"),
				number.Plural(full, "its size", "their sizes"))
		}
	}
	if a.Undecoded {
		t.Printf("the sketch could not be decoded, so sizes are upper bounds; choose a larger --memory\n")
	}
	if a.TableFull > 0 {
		t.Printf("the table of heavy flows was full for %s; choose a larger --table\n",
			number.Count(a.TableFull, "packet"))
	}
	if a.Falling > 0 {
		t.Printf("%s earlier than the packet before, counted at the later time\n", number.Count(a.Falling, "packet"))
	}
	return t.Done()
}
