package sketch

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"pintlab/int/sketch"
	"pintlab/int/sketch/heavy"
	"pintlab/int/sketch/mrac"
	"pintlab/internal/lists"
	"pintlab/netsim/unit"
	"pintlab/workloads/packets"
)

// Question selects a sketch and the size from which a flow counts as heavy.
type Question struct {
	Known     []sketch.Kind // list that contains Sketch; nil for the standard one
	Sketch    Kind
	Memory    int // bytes
	Rows      int // 0: as in the SketchINT paper
	Seed      uint64
	Threshold uint64
	Table     int  // flows in the table of heavy flows of each trace; 0: as in the SketchINT paper
	Bytes     bool // count bytes instead of packets

	task string // what Answer was asked; empty if the sketch need not answer
}

// observer is a sketch that has seen a trace, with the heavy flows that were noticed.
type observer struct {
	question Question
	sketch   sketch.Sketch
	sizes    sketch.Estimator
	kind     *sketch.Kind
	links    int         // traces that are merged
	seen     []candidate // flows in the table or, with a Decoder, all flows
	full     int         // packets of candidates that found the table full
	packets  uint64
}

// candidate is a flow that may be heavy.
type candidate struct {
	key   uint64
	tuple packets.Tuple
}

// table returns the number of flows in the table of heavy flows.
func (q Question) table() int { return cmp.Or(q.Table, heavy.Capacity) }

// observeAll inserts each trace into a separate sketch, all at the same time. With different hashes, the sketches
// cannot be merged, but their errors are independent. With the same hashes, all sketches will be merged. A flow of T
// packets in total has at least T divided by the number of traces in at least one trace. So a flow becomes a candidate
// at this size.
func (q Question) observeAll(ctx context.Context, traces []packets.Source, differentHashes bool) ([]*observer, error) {
	observers := make([]*observer, len(traces))
	return observers, lists.Each(ctx, len(traces), len(traces), func(ctx context.Context, i int) (err error) {
		asked, links := q, len(traces)
		if differentHashes {
			asked.Seed, links = q.Seed+uint64(i), 1
		}
		observers[i], err = asked.observe(ctx, traces[i], links)
		return err
	})
}

func (q Question) observe(ctx context.Context, trace packets.Source, links int) (*observer, error) {
	k, err := find(q.Known, q.Sketch)
	if err != nil {
		return nil, err
	}
	made := func(memory int) (sketch.Sketch, error) {
		return empty(k, local(memory, q.Rows, q.Seed))
	}
	s, err := sized(q.Sketch, q.Memory, made)
	if err != nil {
		return nil, err
	}
	if err := q.answers(s); err != nil {
		return nil, err
	}
	o := &observer{question: q, sketch: s, kind: k, links: links}
	o.sizes, _ = s.(sketch.Estimator)
	_, decodes := s.(sketch.Decoder)
	if decodes && q.Table != 0 {
		return nil, fmt.Errorf("--table has no effect on %s, which decodes all flows", q.Sketch)
	}
	names := map[uint64]bool{}
	n := uint64(links)
	table, err := heavy.NewTable(q.table()*links, q.Threshold/n+min(q.Threshold%n, 1))
	if err != nil {
		return nil, err
	}
	var p packets.Packet
	for trace.Next(&p) {
		if o.packets%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		o.packets++
		x := of(&p, q.Bytes)
		if x.n == 0 {
			return nil, ErrNoSizes
		}
		o.sketch.Insert(x.key, x.n)
		if o.sizes == nil {
			continue
		}
		if decodes {
			if !names[x.key] {
				names[x.key], o.seen = true, append(o.seen, candidate{x.key, p.Tuple})
			}
			continue
		}
		n, _ := o.sizes.Estimate(x.key)
		if place := table.Packet(x.key, n); place == len(o.seen) {
			o.seen = append(o.seen, candidate{x.key, p.Tuple})
		}
	}
	o.full = table.Dropped()
	return o, trace.Err()
}

// answers returns an error if a sketch cannot do the task.
func (q Question) answers(s sketch.Sketch) error {
	of, ok := "", true
	switch q.task {
	case TaskHitters, TaskChanges:
		of = "size of a flow"
		_, ok = s.(sketch.Estimator)
	case TaskCardinality:
		of = "number of flows"
		_, ok = s.(sketch.FlowCounter)
	case TaskDistribution, TaskEntropy:
		of = "sizes of flows"
		_, ok = s.(sketch.SizeCounter)
	}
	if !ok {
		return fmt.Errorf("%s: no answer for the %s", q.Sketch, of)
	}
	return nil
}

// checkEvery is the number of packets between two checks of the context.
const checkEvery = 1 << 16

// merge adds the counters of another observer, and its candidates.
func (o *observer) merge(other *observer) error {
	if o.kind.Merge == nil {
		return fmt.Errorf("sketches of kind %s cannot be merged, so they answer queries about one trace only: give "+
			"one trace, or choose another sketch", o.question.Sketch)
	}
	if err := o.kind.Merge(o.sketch, other.sketch); err != nil {
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

// undecoded reports whether the sketch is a Decoder that cannot be decoded, so that its sizes are upper bounds. It
// returns an error if a counter has overflowed, because no size is known then.
func (o *observer) undecoded() (bool, error) {
	d, ok := o.sketch.(sketch.Decoder)
	if !ok {
		return false, nil
	}
	if _, certain := d.Estimate(0); !certain {
		return true, fmt.Errorf("%s with %v cannot be decoded, because a counter has overflowed: no size is known",
			o.question.Sketch, unit.Bytes(o.question.Memory))
	}
	_, complete := d.Decode()
	return !complete, nil
}

// FlowSize is a flow with its estimated size.
type FlowSize struct {
	Flow    string `json:"flow"`
	Packets uint64 `json:"packets,omitempty"`
	Bytes   uint64 `json:"bytes,omitempty"`    // counted instead of packets with --bytes
	AtLeast bool   `json:"at_least,omitempty"` // all counters of the flow are full, so it may be larger
}

// hitters returns the heavy flows according to the estimates at the end, the largest flow first. If there are several
// traces, candidates are compared with the threshold again, using the estimates of the merged sketch.
func (o *observer) hitters() []FlowSize {
	list := []FlowSize{}
	for _, c := range o.seen {
		_, decodes := o.sizes.(sketch.Decoder)
		if n, ok := o.sizes.Estimate(c.key); o.links == 1 && !decodes || n >= o.question.Threshold {
			x := FlowSize{Flow: c.tuple.String(), Packets: n, AtLeast: !ok}
			if o.question.Bytes {
				x.Packets, x.Bytes = 0, n
			}
			list = append(list, x)
		}
	}
	slices.SortFunc(list, func(a, b FlowSize) int {
		return cmp.Or(cmp.Compare(b.Packets, a.Packets), cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Flow, b.Flow))
	})
	return list
}

// FlowChange is a flow with its estimates in two windows.
type FlowChange struct {
	Flow   string `json:"flow"`
	Before uint64 `json:"before"`
	After  uint64 `json:"after"`
}

// changesTo returns the flows of both tables whose estimates differ by at least the threshold.
func (o *observer) changesTo(after *observer) []FlowChange {
	names := map[uint64]packets.Tuple{}
	var candidates []uint64
	for _, x := range []*observer{o, after} {
		for _, c := range x.seen {
			candidates = append(candidates, c.key)
			names[c.key] = c.tuple
		}
	}
	list := []FlowChange{}
	for _, c := range changes(candidates, o.sizes, after.sizes, o.question.Threshold) {
		list = append(list, FlowChange{names[c.Key].String(), c.Before, c.After})
	}
	return list
}

// cardinality returns the number of flows. The error wraps ErrTooFull.
func (o *observer) cardinality() (n float64, err error) {
	q := &o.question
	n, ok := o.sketch.(sketch.FlowCounter).Cardinality()
	if !ok {
		err = fmt.Errorf("%s with %v is %w", q.Sketch, unit.Bytes(q.Memory), ErrTooFull)
	}
	return n, err
}

// distribution returns the number of flows of each size. The error wraps ErrTooFull. In a sketch that is too full to
// count flows, no counter can be attributed to a single flow.
func (o *observer) distribution() ([]mrac.Point, error) {
	if _, counts := o.sketch.(sketch.FlowCounter); counts {
		if _, err := o.cardinality(); err != nil {
			return nil, err
		}
	}
	return o.sketch.(sketch.SizeCounter).Distribution(mrac.Epochs), nil
}

// entropy returns the entropy of a distribution of flow sizes in bits, as the paper computes it (§V-A). MeasureAccuracy
// follows the authors' code instead, which needs the estimates before and after each packet. A sketch that was merged
// from several links does not have these.
func entropy(sizes []mrac.Point) float64 {
	var s mrac.EntropySum
	for _, p := range sizes {
		s.Add(p.Size, p.Flows)
	}
	return s.Value()
}
