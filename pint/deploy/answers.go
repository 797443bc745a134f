package deploy

import (
	"errors"
	"fmt"
	"slices"

	"pintlab/int/fridge"
	"pintlab/internal/lists"
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/pint/coding"
	"pintlab/pint/query"
)

// flowQueries contains the queries of a monitor's plan that are about flows.
type flowQueries struct {
	w        *monitor
	path     string          // query for paths of switches; "" for none
	latency  string          // query for latency quantiles; "" for none
	switches []netsim.NodeID // switches by their IDs
	ids      []uint64        // by node
	free     *decoders       // for paths; nil if there is no path query
}

func (w *monitor) flowQueries() flowQueries {
	k := flowQueries{w: w, path: w.plan().Named(query.SwitchID, query.Path)}
	k.latency = w.plan().Named(query.HopLatency, query.Quantiles)
	k.switches, k.ids = w.at.Graph.Switches(), w.site.SwitchIDs()
	if k.path != "" {
		k.free = w.decoders(k.path)
	}
	return k
}

// decoded decodes the digests that hosts have recorded in the window. It determines paths, and computes latencies from
// their quantiles.
type decoded struct {
	flowQueries
	window    telemetry.Window
	collector *Collector // records the window
	flows     map[route.FiveTuple]*decodedFlow
	tallies   []*fridge.Tally // by node; made for the first call of Delays
	onPath    func(flow uint64, switches []netsim.NodeID)
	err       error
}

type decodedFlow struct {
	*telemetry.Flow
	id      query.FlowID
	digests int64
	decoder coding.Decoder
	path    []netsim.NodeID // once known
	since   []unit.Time     // by hop: time when the hop's latency was first known, or Never
}

// quantilesAsked is the number of quantiles whose average is the mean.
const quantilesAsked = 20

// windowMemory is the memory of each host for each query. It is large enough that no flow is
// removed.
const windowMemory = 64 * unit.MiB

func (w *monitor) Answers(x telemetry.Window) (any, error) {
	c, err := NewCollector(w.at.Net, w.encoder, query.Memory{Total: windowMemory}, w.seed)
	if err != nil {
		return nil, err
	}
	d := &decoded{flowQueries: w.flowQueries(), window: x, flows: map[route.FiveTuple]*decodedFlow{}, collector: c}
	w.listen = func(now unit.Time, tuple route.FiveTuple, p query.Packet, digest uint64) {
		if now < x.Until && d.err == nil {
			d.err = d.take(now, tuple, p, digest)
		}
	}
	return d, nil
}

func (d *decoded) Err() error { return d.err }

func (d *decoded) OnPath(known func(flow uint64, switches []netsim.NodeID)) { d.onPath = known }

// take records the digest of a packet when it reaches its destination.
func (d *decoded) take(now unit.Time, tuple route.FiveTuple, p query.Packet, digest uint64) error {
	x := d.flows[tuple]
	if x == nil {
		f := d.window.FlowOf(tuple)
		if f == nil {
			return fmt.Errorf("pint: a digest of an unknown flow: %v", tuple)
		}
		x = &decodedFlow{
			Flow: f, id: query.FlowID{
				Flow: query.Connection(f.Key), Hops: uint8(p.Hops), Lane: d.w.encoder.Lane(p.ID, digest),
			},
			since: slices.Repeat([]unit.Time{unit.Never}, p.Hops),
		}
		d.flows[tuple] = x
		if d.path != "" {
			var err error
			if x.decoder, err = d.free.take(p.Hops); err != nil {
				return err
			}
		}
	}
	if p.Hops != len(x.since) || d.w.encoder.Lane(p.ID, digest) != x.id.Lane {
		return nil // the packet's digest belongs to another path
	}
	x.digests++
	p.Flow = x.id.Flow
	d.collector.record(x.Tuple.Dst, 0, p, digest)
	if err := d.trace(x, p.ID, digest); err != nil {
		return err
	}
	return d.sampled(x, now)
}

// trace adds a digest to the path decoder of a flow.
func (d *decoded) trace(x *decodedFlow, id, digest uint64) error {
	if x.decoder == nil {
		return nil
	}
	part, ok := d.w.encoder.Part(d.path, id, digest)
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
	for i := range x.since {
		v, _ := x.decoder.Value(i + 1)
		x.path = append(x.path, d.switches[v])
	}
	d.free.give(len(x.since), x.decoder)
	x.decoder = nil
	if d.onPath != nil {
		d.onPath(x.Key, x.path)
	}
	return nil
}

// sampled sets since for the hops whose latency is known from now on.
func (d *decoded) sampled(x *decodedFlow, now unit.Time) error {
	if d.latency == "" {
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

// quantile returns a quantile of the latencies at a hop in ps, without the delay of the pipeline.
func (d *decoded) quantile(x *decodedFlow, hop int, q float64) (float64, bool, error) {
	got, err := query.NewInference(d.collector.Recorder(x.Tuple.Dst)).Quantile(d.latency, x.id, hop+1, q, 0.1)
	if errors.Is(err, query.ErrNoSample) || errors.Is(err, query.ErrNoFlow) {
		return 0, false, nil
	}
	return got.Value, err == nil, err
}

// each calls the function use with the quantiles of the latencies at a hop. It returns false if there are no quantiles.
func (d *decoded) each(x *decodedFlow, hop int, use func(float64)) bool {
	if x == nil || d.latency == "" || hop >= len(x.since) || x.since[hop] == unit.Never {
		return false
	}
	for k := range quantilesAsked {
		v, _, err := d.quantile(x, hop, (float64(k)+0.5)/quantilesAsked)
		if err != nil {
			d.err = err
			return false
		}
		use(v)
	}
	return true
}

// Latency returns the mean of the quantiles.
func (d *decoded) Latency(f *telemetry.Flow, hop int) (mean float64, since unit.Time, ok bool) {
	x, sum := d.flows[f.Tuple], 0.0
	if !d.each(x, hop, func(v float64) { sum += v }) {
		return 0, 0, false
	}
	return sum/quantilesAsked + float64(d.window.Pipeline), x.since[hop], true
}

// Delays returns the distribution of the delays at a node as PINT reports them. Each flow with a known path adds its
// quantiles, weighted by its number of digests. The second result is nil, because PINT reports latencies in ns: the
// caller compares the distribution with the true latencies (see telemetry.Delays).
func (d *decoded) Delays(at netsim.NodeID, flows []*telemetry.Flow) (said, truth telemetry.Distribution) {
	if d.tallies == nil {
		d.tallies = make([]*fridge.Tally, len(d.w.at.Graph.Nodes))
		for _, f := range flows {
			x := d.flows[f.Tuple]
			if x == nil {
				continue
			}
			for i, node := range x.path {
				if d.tallies[node] == nil {
					d.tallies[node] = fridge.NewLatencies()
				}
				d.each(x, i, func(v float64) {
					ns := (v + float64(d.window.Pipeline)) / float64(unit.Nanosecond)
					d.tallies[node].Add(0, uint64(ns), float64(x.digests)/quantilesAsked)
				})
			}
		}
	}
	if d.tallies[at] == nil {
		return nil, nil
	}
	return d.tallies[at].Distribution(), nil
}

// evidence answers from the paths and the latency quantiles of received packets.
type evidence struct {
	flowQueries
	slow unit.Time
}

func (w *monitor) Evidence(s telemetry.Scale) (telemetry.Evidence, error) {
	e := &evidence{w.flowQueries(), s.Slow}
	if e.path == "" || e.latency == "" {
		return nil, fmt.Errorf("%s: the diagnosis needs a query of switch paths and a query of latency "+
			"quantiles, and the plan lacks at least one of them", planKey(w.params.Plan, w.params.PlanPath))
	}
	return e, nil
}

// Facts returns what the destination of a flow has recorded about it.
func (e *evidence) Facts(x *telemetry.Flow) telemetry.Facts {
	f := telemetry.Facts{Stopped: -1}
	if r := e.w.collector.Recorder(x.Tuple.Dst); r != nil {
		n := query.NewInference(r)
		e.other(&f, n, x)
		e.slowHops(&f, n, x)
	}
	return f
}

// passed considers the packets of a flow that passed id.Hops switches, and returns their path,
// switch by switch. It returns nil if the digests do not determine the path.
func (e *evidence) passed(n *query.Inference, id query.FlowID) []netsim.NodeID {
	d, err := e.free.of(int(id.Hops))
	if err != nil {
		panic(err) // the plan has been compiled for paths of that length
	}
	values, known, err := n.Path(e.path, id, d)
	if err != nil || slices.Contains(known, false) {
		return nil
	}
	return lists.Map(values, func(v uint64) netsim.NodeID { return e.switches[v] })
}

// other searches for a path that packets of a flow have taken and that is not the expected path.
func (e *evidence) other(f *telemetry.Facts, n *query.Inference, x *telemetry.Flow) {
	for _, id := range n.Lanes(e.path, headers(x.Tuple)) {
		f.Asked++
		path := e.passed(n, id)
		if path == nil {
			continue
		}
		if f.Known++; !slices.Equal(path, x.Path) {
			f.Other = path
			return
		}
	}
}

// slowHops finds the hops at which the p95 latency of a flow is slow.
func (e *evidence) slowHops(f *telemetry.Facts, n *query.Inference, x *telemetry.Flow) {
	f.Slow = make([]bool, len(x.Path))
	values := make([]uint64, len(x.Path))
	for hop, node := range x.Path {
		values[hop] = e.ids[node]
	}
	id := query.FlowID{Flow: headers(x.Tuple), Hops: uint8(len(x.Path)), Lane: e.w.encoder.LaneOf(values)}
	for hop := range f.Slow {
		f.Asked++
		if q, err := n.Quantile(e.latency, id, hop+1, 0.95, 0.1); err == nil {
			f.Known++
			f.Slow[hop] = q.Value >= float64(e.slow)
		}
	}
}

func (*Monitor) Locating() (settings string, counts bool) { return ", hops: 9", false }
