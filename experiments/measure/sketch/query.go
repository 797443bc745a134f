package sketch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"pintlab/int/sketch/elastic"
	"pintlab/int/sketch/heavy"
	"pintlab/int/sketch/mrac"
	"pintlab/int/sketch/rows"
	"pintlab/int/sketch/sumax"
	"pintlab/int/sketch/tower"
	"pintlab/netsim/unit"
	"pintlab/workloads/packets"
)

// Question selects a sketch and the size from which on a flow is heavy.
type Question struct {
	Sketch    Kind
	Memory    int // bytes
	Seed      uint64
	Threshold uint64 // packets
}

// Observer is a sketch that has seen a trace, and the heavy flows that it noticed.
type Observer struct {
	question Question
	sketch   counters
	links    int // traces that are merged
	seen     []candidate
	full     int // packets of candidates that found the table full
	packets  uint64
}

// candidate is a flow that may be heavy.
type candidate struct {
	key   uint64
	tuple packets.Tuple
}

// Observe inserts each trace into a sketch of its own, all at the same time. With different hashes
// they cannot be merged, but their errors are independent. With the same hashes all are to be
// merged: a flow of T packets in total has at least T divided by the number of traces in one of
// them, and from there on it is a candidate.
func (q Question) Observe(ctx context.Context, traces []packets.Source, differentHashes bool) ([]*Observer, error) {
	g, ctx := errgroup.WithContext(ctx)
	observers := make([]*Observer, len(traces))
	links := len(traces)
	if differentHashes {
		links = 1
	}
	for i, t := range traces {
		asked := q
		if differentHashes {
			asked.Seed += uint64(i)
		}
		g.Go(func() (err error) {
			observers[i], err = asked.observe(ctx, t, links)
			return err
		})
	}
	return observers, g.Wait()
}

func (q Question) observe(ctx context.Context, trace packets.Source, links int) (*Observer, error) {
	o := &Observer{question: q, links: links}
	var err error
	if o.sketch, err = newLocal(q.Sketch, q.Memory, q.Seed); err != nil {
		return nil, explain(err, q.Sketch, q.Memory, func(m int) error {
			_, err := newLocal(q.Sketch, m, q.Seed)
			return err
		})
	}
	n := uint64(links)
	table, err := heavy.NewTable(heavy.Capacity*links, q.Threshold/n+min(q.Threshold%n, 1))
	if err != nil {
		return nil, err
	}
	var p packets.Packet
	for trace.Next(&p) {
		if o.packets%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		o.packets++
		key := p.Tuple.Key()
		o.sketch.Insert(key)
		n, _ := o.sketch.Estimate(key)
		if place := table.Packet(key, n); place == len(o.seen) {
			o.seen = append(o.seen, candidate{key, p.Tuple})
		}
	}
	o.full = table.Dropped()
	return o, trace.Err()
}

// checkEvery is the number of packets from one look at the context to the next.
const checkEvery = 1 << 16

// Merge adds the counters of another observer, and its candidates.
func (o *Observer) Merge(other *Observer) error {
	if err := merge(o.sketch, other.sketch); err != nil {
		return err
	}
	o.packets += other.packets
	o.full += other.full
	known := map[uint64]bool{}
	for _, c := range o.seen {
		known[c.key] = true
	}
	for _, c := range other.seen {
		if !known[c.key] {
			o.seen = append(o.seen, c)
		}
	}
	return nil
}

func merge(a, b counters) error {
	switch a := a.(type) {
	case *elastic.Sketch:
		return errors.New("ElasticSketch has no merge, so that sketches of several traces cannot be merged: " +
			"ask about one trace, or choose another sketch")
	case *tower.Sketch:
		if b, ok := b.(*tower.Sketch); ok {
			return a.Merge(b)
		}
	case *rows.CountMin:
		if b, ok := b.(*rows.CountMin); ok {
			return a.Merge(b)
		}
	case *rows.CU:
		if b, ok := b.(*rows.CU); ok {
			return a.Merge(b)
		}
	case *sumax.Sizes:
		if b, ok := b.(*sumax.Sizes); ok {
			return a.Merge(b)
		}
	}
	return fmt.Errorf("sketches of types %T and %T cannot be merged: ask about one trace", a, b)
}

// FlowSize is a flow with its estimate.
type FlowSize struct {
	Flow    string `json:"flow"`
	Packets uint64 `json:"packets"`
}

// Packets returns how many packets the traces have.
func (o *Observer) Packets() uint64 { return o.packets }

// Full returns how many packets of heavy flows, or of candidates among several traces, found a table full.
func (o *Observer) Full() int { return o.full }

// Hitters returns the heavy flows by the estimates at the end, the largest first. Candidates of
// several traces are compared with the threshold once more, by the merged sketch.
func (o *Observer) Hitters() []FlowSize {
	list := []FlowSize{}
	for _, c := range o.seen {
		if n, _ := o.sketch.Estimate(c.key); o.links == 1 || n >= o.question.Threshold {
			list = append(list, FlowSize{c.tuple.String(), n})
		}
	}
	slices.SortFunc(list, func(a, b FlowSize) int {
		return cmp.Or(cmp.Compare(b.Packets, a.Packets), cmp.Compare(a.Flow, b.Flow))
	})
	return list
}

// FlowChange is a flow with its estimates in two windows.
type FlowChange struct {
	Flow   string `json:"flow"`
	Before uint64 `json:"before"`
	After  uint64 `json:"after"`
}

// Changes returns the flows of both tables whose estimates differ by at least the threshold.
func (o *Observer) Changes(after *Observer) []FlowChange {
	names := map[uint64]packets.Tuple{}
	var candidates []uint64
	for _, x := range []*Observer{o, after} {
		for _, c := range x.seen {
			candidates = append(candidates, c.key)
			names[c.key] = c.tuple
		}
	}
	at := func(x *Observer) func(uint64) uint64 {
		return func(key uint64) uint64 { n, _ := x.sketch.Estimate(key); return n }
	}
	list := []FlowChange{}
	for _, c := range heavy.Changes(candidates, at(o), at(after), o.question.Threshold) {
		list = append(list, FlowChange{names[c.Key].String(), c.Before, c.After})
	}
	return list
}

// Cardinality returns the number of flows. The error wraps ErrTooFull or ErrNoAnswer.
func (o *Observer) Cardinality() (n float64, err error) {
	q := &o.question
	s, ok := o.sketch.(flowCounter)
	if !ok {
		return 0, fmt.Errorf("%s has %w to the number of flows", q.Sketch, errNoAnswer)
	}
	if n, ok = s.Cardinality(); !ok {
		err = fmt.Errorf("%s with %v is %w", q.Sketch, unit.Bytes(q.Memory), ErrTooFull)
	}
	return n, err
}

// Distribution returns how many flows have which size. The error wraps ErrTooFull or ErrNoAnswer: a
// sketch that is too full to count flows has no counter that can be taken for a single flow's.
func (o *Observer) Distribution() ([]mrac.Point, error) {
	if _, err := o.Cardinality(); errors.Is(err, ErrTooFull) {
		return nil, err
	}
	s, ok := o.sketch.(sizeCounter)
	if !ok {
		return nil, fmt.Errorf("%s has %w to the sizes of flows", o.question.Sketch, errNoAnswer)
	}
	return s.Distribution(mrac.Epochs), nil
}

// entropy returns the entropy of a distribution of flow sizes in bits, as the paper computes it (§V-A).
func entropy(sizes []mrac.Point) float64 {
	var s mrac.EntropySum
	for _, p := range sizes {
		s.Add(p.Size, p.Flows)
	}
	return s.Value()
}
