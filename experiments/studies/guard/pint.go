package guard

import (
	"errors"
	"fmt"
	"slices"

	"pintlab/netsim"
	"pintlab/pint/coding"
	"pintlab/pint/deploy"
	"pintlab/pint/query"
	"pintlab/pint/query/module"
)

// digests is what PINT knows: the paths and the latency quantiles of what has arrived.
type digests struct {
	w             *deploy.Watching
	path, latency int // queries; -1 for none
	switches      []netsim.NodeID
	values        []uint64
	decoders      map[int]coding.Decoder
	asked, known  int
}

func newDigests(p *patient, monitor int) (*digests, error) {
	t := &digests{w: p.s.Monitor(monitor).(*deploy.Watching), path: -1, latency: -1, switches: p.s.Graph.Switches(), decoders: map[int]coding.Decoder{}}
	for q, x := range t.w.Encoder().Plan().Queries {
		switch {
		case x.Value == query.SwitchID && x.Aggregation == query.Path:
			t.path = q
		case x.Value == query.HopLatency && x.Aggregation == query.Quantiles:
			t.latency = q
		}
	}
	if t.path < 0 || t.latency < 0 {
		return nil, fmt.Errorf("monitors.%d: the plan has no query of paths of switches, or none of latency quantiles, which the diagnosis needs", monitor)
	}
	for i := range t.switches {
		t.values = append(t.values, uint64(i))
	}
	return t, nil
}

// share is how many of the quantiles and paths that were asked for were known.
func (t *digests) share() float64 { return float64(t.known) / float64(max(1, t.asked)) }

// of is what the destination of a flow has recorded of it, as its packets arrive.
func (t *digests) of(x *record) facts {
	f := facts{stopped: -1}
	r := t.w.Collector().Recorder(x.victim.Destination)
	if r == nil {
		return f
	}
	n := module.NewInference(r)
	f.other, f.slow = t.other(n, x), t.slowHops(n, x)
	return f
}

// passed are the switches, hop by hop, that packets of a flow over paths of a length have passed; nil if
// digests do not tell.
func (t *digests) passed(n *module.Inference, id module.FlowID) []netsim.NodeID {
	d := t.decoders[int(id.Hops)]
	if d == nil {
		var err error
		if d, err = coding.NewDecoder(t.w.Encoder().Coding(t.path), int(id.Hops), t.values); err != nil {
			panic(err) // the plan has been compiled for paths of that length
		}
		t.decoders[int(id.Hops)] = d
	}
	d.Reset()
	t.asked++
	values, known, err := n.Path(t.path, id, d)
	if err != nil || slices.Contains(known, false) {
		return nil
	}
	t.known++
	path := make([]netsim.NodeID, len(values))
	for h, v := range values {
		path[h] = t.switches[v]
	}
	return path
}

// other is a path that packets of a flow have taken instead of the expected one; nil without one.
func (t *digests) other(n *module.Inference, x *record) []netsim.NodeID {
	for hops := 1; hops <= t.w.Encoder().Plan().Hops; hops++ {
		id := module.FlowID{Flow: t.w.Flow(x.name), Hops: uint8(hops)}
		if _, err := n.Digests(t.path, id); errors.Is(err, module.ErrNoFlow) {
			continue
		}
		if path := t.passed(n, id); path != nil && !slices.Equal(path, x.victim.Path) {
			return path
		}
	}
	return nil
}

// slowHops are the hops of a flow where its p95 is slow.
func (t *digests) slowHops(n *module.Inference, x *record) []bool {
	slow := make([]bool, len(x.victim.Path))
	for hop := range slow {
		t.asked++
		e, err := n.Quantile(t.latency, module.FlowID{Flow: t.w.Flow(x.name), Hops: uint8(len(slow))}, hop+1, 0.95, 0.1)
		if err != nil {
			continue
		}
		t.known++
		slow[hop] = e.Value >= float64(slowHop)
	}
	return slow
}
