package answers

import (
	"errors"
	"fmt"
	"slices"

	"pintlab/int/fridge"
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/pint/coding"
	"pintlab/pint/deploy"
	"pintlab/pint/query"
	"pintlab/pint/query/module"
)

// digested is PINT: the digests that hosts have recorded in the window. It tells paths by decoding them, and
// latencies by their quantiles.
type digested struct {
	judge        *Judge
	encoder      *module.Encoder
	collector    *deploy.Collector // of the window
	ids          []uint64          // of the switches, by node
	values       []uint64
	pathQuery    int // the query; -1 for none
	latencyQuery int // likewise
	names        map[netsim.FlowName]*digestedFlow
	free         map[int][]coding.Decoder // by hops
	switches     []*fridge.Tally          // by node; made with the first question
	err          error
}

type digestedFlow struct {
	flow    *flow
	hops    int
	digests int64
	decoder coding.Decoder
	known   int64       // packets that had arrived when the path was known; 0: not yet
	since   []unit.Time // by hop, when its latency was first told; Never: not yet
}

// quantilesAsked is of how many quantiles a mean is taken.
const quantilesAsked = 20

// windowMemory is that of each host for each query: so much that no flow is forgotten.
const windowMemory = 64 * unit.MiB

func newDigested(j *Judge, w *deploy.Watching) (*digested, error) {
	d := &digested{
		judge: j, encoder: w.Encoder(), ids: j.sim.SwitchIDs(), values: j.sim.SwitchValues(),
		names: map[netsim.FlowName]*digestedFlow{}, free: map[int][]coding.Decoder{},
	}
	find := func(v query.Value, g query.Aggregation) int {
		return slices.IndexFunc(d.encoder.Plan().Queries, func(q query.Query) bool { return q.Value == v && q.Aggregation == g })
	}
	d.pathQuery, d.latencyQuery = find(query.SwitchID, query.Path), find(query.HopLatency, query.Quantiles)
	var err error
	if d.collector, err = deploy.NewCollector(j.sim.Net, d.encoder, module.Memory{Total: windowMemory}, j.sim.PINTSeed()); err != nil {
		return nil, err
	}
	w.Listen(func(now unit.Time, host netsim.NodeID, name netsim.FlowName, p module.Packet, digest uint64) {
		if now < j.Window && d.err == nil {
			d.err = d.take(now, host, name, p, digest)
		}
	})
	return d, nil
}

func (d *digested) failed() error { return d.err }

// take takes in a digest. The destination has just got its packet.
func (d *digested) take(now unit.Time, host netsim.NodeID, name netsim.FlowName, p module.Packet, digest uint64) error {
	x := d.names[name]
	if x == nil {
		f := d.judge.named[name]
		if f == nil {
			return fmt.Errorf("answers: a digest of a flow that nobody has seen: %v", name)
		}
		x = &digestedFlow{flow: f, hops: p.Hops, since: make([]unit.Time, p.Hops)}
		for i := range x.since {
			x.since[i] = unit.Never
		}
		d.names[name] = x
		if d.pathQuery >= 0 {
			var err error
			if x.decoder, err = d.decoder(p.Hops); err != nil {
				return err
			}
		}
	}
	if p.Hops != x.hops {
		return nil // a detour: its digest is of another path
	}
	x.digests++
	d.collector.Record(x.flow.to, x.flow.key, p, digest)
	if err := d.trace(x, p.ID, digest); err != nil {
		return err
	}
	return d.sampled(x, now)
}

// decoder is one at rest or a new one.
func (d *digested) decoder(hops int) (coding.Decoder, error) {
	if free := d.free[hops]; len(free) > 0 {
		d.free[hops] = free[:len(free)-1]
		free[len(free)-1].Reset()
		return free[len(free)-1], nil
	}
	return coding.NewDecoder(d.encoder.Coding(d.pathQuery), hops, d.values)
}

// trace decodes the path.
func (d *digested) trace(x *digestedFlow, id, digest uint64) error {
	if x.decoder == nil {
		return nil
	}
	part, ok := d.encoder.Part(d.pathQuery, id, digest)
	if !ok {
		return nil
	}
	if err := x.decoder.Add(id, part); err != nil {
		if errors.Is(err, coding.ErrInconsistent) { // the route has changed
			x.decoder = nil
			return nil
		}
		return err
	}
	if !x.decoder.Done() {
		return nil
	}
	for i, h := range x.flow.hops {
		if got, _ := x.decoder.Value(i + 1); len(x.flow.hops) != x.hops || got != d.ids[h.node] {
			x.decoder = nil
			return nil // a path that the flow no longer has
		}
	}
	x.known = max(1, x.flow.arrived)
	d.free[x.hops] = append(d.free[x.hops], x.decoder)
	x.decoder = nil
	return nil
}

// sampled notes the hops of which there is a first latency now.
func (d *digested) sampled(x *digestedFlow, now unit.Time) error {
	if d.latencyQuery < 0 {
		return nil
	}
	for i, since := range x.since {
		if since != unit.Never {
			continue
		}
		_, ok, err := d.quantile(x, i, 0.5)
		if err != nil {
			return err
		}
		if ok {
			x.since[i] = now
		}
	}
	return nil
}

// quantile is that of the latencies at a hop in ps, without the pipeline.
func (d *digested) quantile(x *digestedFlow, hop int, q float64) (float64, bool, error) {
	inference := module.NewInference(d.collector.Recorder(x.flow.to))
	id := module.FlowID{Flow: deploy.Tuple(x.flow.key), Hops: uint8(x.hops)}
	got, err := inference.Quantile(d.latencyQuery, id, hop+1, q, 0.1)
	if errors.Is(err, module.ErrNoSample) || errors.Is(err, module.ErrNoFlow) {
		return 0, false, nil
	}
	return got.Value, err == nil, err
}

// latency is the mean of quantiles.
func (d *digested) latency(f *flow, h *hop) (mean float64, since unit.Time, ok bool) {
	x := d.names[f.name]
	if x == nil || d.latencyQuery < 0 {
		return 0, 0, false
	}
	for i := range f.hops {
		if &f.hops[i] != h || i >= x.hops || x.since[i] == unit.Never {
			continue
		}
		sum := 0.0
		for k := range quantilesAsked {
			v, _, err := d.quantile(x, i, (float64(k)+0.5)/quantilesAsked)
			if err != nil {
				d.err = err
				return 0, 0, false
			}
			sum += v
		}
		return sum/quantilesAsked + float64(pipeline), x.since[i], true
	}
	return 0, 0, false
}

func (d *digested) path(f *flow) (int64, bool) {
	x := d.names[f.name]
	if x == nil || x.known == 0 {
		return 0, false
	}
	return x.known, true
}

// delays adds up the quantiles of the flows whose paths are known, by their packets.
func (d *digested) delays(at netsim.NodeID) (said, truth *fridge.Distribution) {
	if d.switches == nil {
		d.switches = make([]*fridge.Tally, len(d.ids))
		for _, f := range d.judge.sorted() {
			if x := d.names[f.name]; x != nil && x.known > 0 && d.latencyQuery >= 0 {
				d.spread(x)
			}
		}
	}
	if d.switches[at] == nil {
		return nil, nil
	}
	return d.switches[at].Distribution(), nil
}

func (d *digested) spread(x *digestedFlow) {
	for i, h := range x.flow.hops {
		if i >= x.hops || x.since[i] == unit.Never {
			continue
		}
		if d.switches[h.node] == nil {
			d.switches[h.node] = newTally()
		}
		for k := range quantilesAsked {
			v, _, err := d.quantile(x, i, (float64(k)+0.5)/quantilesAsked)
			if err != nil {
				d.err = err
				return
			}
			ns := (v + float64(pipeline)) / float64(unit.Nanosecond)
			d.switches[h.node].Add(0, uint64(ns), float64(x.digests)/quantilesAsked)
		}
	}
}
