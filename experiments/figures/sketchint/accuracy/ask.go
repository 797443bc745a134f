package accuracy

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"pintlab/int/sketch/countmin"
	"pintlab/int/sketch/cu"
	"pintlab/int/sketch/entropy"
	"pintlab/int/sketch/heavy"
	"pintlab/int/sketch/mrac"
	"pintlab/int/sketch/sumax"
	"pintlab/int/sketch/tower"
	"pintlab/workloads/packets"
)

// Question says which sketch is asked, and from which size on a flow is heavy.
type Question struct {
	Sketch    Kind
	Memory    int // bytes
	Seed      uint64
	Threshold uint64 // packets
}

// Observer is a sketch that has seen a trace, and the heavy flows that it noticed.
type Observer struct {
	question Question
	sketch   Counters
	table    *heavy.Table
	tuples   []packets.Tuple // of the entries of the table
	packets  uint64
}

// Observe inserts each trace into a sketch of its own, all at the same time. With different hashes
// they cannot be merged, but their errors are independent.
func (q Question) Observe(ctx context.Context, traces []packets.Source, differentHashes bool) ([]*Observer, error) {
	g, ctx := errgroup.WithContext(ctx)
	observers := make([]*Observer, len(traces))
	for i, t := range traces {
		asked := q
		if differentHashes {
			asked.Seed += uint64(i)
		}
		g.Go(func() (err error) {
			observers[i], err = asked.observe(ctx, t)
			return err
		})
	}
	return observers, g.Wait()
}

func (q Question) observe(ctx context.Context, trace packets.Source) (*Observer, error) {
	o := &Observer{question: q}
	var err error
	if q.Sketch == Elastic {
		o.sketch, err = made(NewElastic(q.Memory, false, q.Seed))
	} else {
		o.sketch, err = NewCounters(q.Sketch, q.Memory, Rows, LocalBits(), q.Seed)
	}
	if err != nil {
		return nil, err
	}
	if o.table, err = heavy.NewTable(heavy.Capacity, q.Threshold); err != nil {
		return nil, err
	}
	var p packets.Packet
	for trace.Next(&p) {
		if o.packets%chunk == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		o.packets++
		key := p.Tuple.Key()
		o.sketch.Insert(key)
		n, _ := o.sketch.Estimate(key)
		if place := o.table.Packet(key, n); place == len(o.tuples) {
			o.tuples = append(o.tuples, p.Tuple)
		}
	}
	return o, trace.Err()
}

// Merge adds the counters of another observer, and its heavy flows where they have room.
func (o *Observer) Merge(other *Observer) error {
	if err := merge(o.sketch, other.sketch); err != nil {
		return err
	}
	o.packets += other.packets
	for i, f := range other.table.Flows() {
		if place := o.table.Packet(f.Key, f.Estimate); place == len(o.tuples) {
			o.tuples = append(o.tuples, other.tuples[i])
		}
	}
	return nil
}

func merge(a, b Counters) error {
	switch a := a.(type) {
	case *tower.Sketch:
		if b, ok := b.(*tower.Sketch); ok {
			return a.Merge(b)
		}
	case *countmin.Sketch:
		if b, ok := b.(*countmin.Sketch); ok {
			return a.Merge(b)
		}
	case *cu.Sketch:
		if b, ok := b.(*cu.Sketch); ok {
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

// Packets is how many packets the traces have.
func (o *Observer) Packets() uint64 { return o.packets }

// Full is how many packets of heavy flows found the table full.
func (o *Observer) Full() int { return o.table.Dropped() }

// Hitters are the flows of the table by the estimates at the end, the largest first.
func (o *Observer) Hitters() []FlowSize {
	var list []FlowSize
	for i, f := range o.table.Flows() {
		n, _ := o.sketch.Estimate(f.Key)
		list = append(list, FlowSize{o.tuples[i].String(), n})
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

// Changes are the flows of both tables whose estimates differ by at least the threshold.
func (o *Observer) Changes(after *Observer) []FlowChange {
	names := map[uint64]packets.Tuple{}
	var candidates []uint64
	for _, x := range []*Observer{o, after} {
		for i, f := range x.table.Flows() {
			candidates = append(candidates, f.Key)
			names[f.Key] = x.tuples[i]
		}
	}
	at := func(x *Observer) func(uint64) uint64 {
		return func(key uint64) uint64 { n, _ := x.sketch.Estimate(key); return n }
	}
	var list []FlowChange
	for _, c := range heavy.Changes(candidates, at(o), at(after), o.question.Threshold) {
		list = append(list, FlowChange{names[c.Key].String(), c.Before, c.After})
	}
	return list
}

// Cardinality is the number of flows; ok is false if the sketch is too full to tell.
func (o *Observer) Cardinality() (n float64, ok bool) { return o.sketch.Cardinality() }

// Distribution is how many flows have which size.
func (o *Observer) Distribution() []mrac.Point { return o.sketch.Distribution(mrac.Epochs) }

// Entropy is the entropy of the flow sizes in bits, computed from the distribution as the
// paper says (§V-A).
func (o *Observer) Entropy() float64 {
	var s entropy.Sum
	for _, p := range o.Distribution() {
		s.Add(p.Size, p.Flows)
	}
	return s.Value()
}
