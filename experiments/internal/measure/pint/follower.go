package pint

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/pint/coding"
	"pintlab/pint/latency"
	"pintlab/pint/query"
)

// followed is a plan that a follower follows.
type followed struct {
	name    string
	encoder *query.Encoder
	// shadow is set if the plan adds nothing to the packets. The digests are then computed from the witnesses, so that
	// several plans see the same packets. The queries of such a plan must not use load.
	shadow   bool
	pipeline unit.Time // added to all latencies of a shadow
	// decoder makes a decoder of the plan's path query for paths with a number of switches.
	decoder func(hops int) (coding.Decoder, error)
	memory  query.Memory // memory of each host

	recorders     []*query.Recorder // by node; nil without packets
	path, latency string            // queries of the path and of latency quantiles; "" if there is none
}

// follower follows plans at all hosts. It records after how many packets the path of a flow is known, and how far the
// estimated latency quantiles are from the true ones. Plans that write digests also need pint/deploy at the switches. A
// flow is excluded if its path changes, or if it passes a switch twice: decoders that know the network do not look for
// loops.
type follower struct {
	*arrivals[following]
	cfg   FollowConfig
	plans []followed
	seed  uint64
}

// following is an active flow.
type following struct {
	Flow
	path     []uint64         // path of the flow's first packet; nil if the flow is excluded
	decoders []coding.Decoder // by plan; nil when the path is known
	truth    [][]unit.Time    // by hop; nil once compared
}

// Flow is the result for a flow.
type Flow struct {
	Key     uint64
	Host    netsim.NodeID // destination
	Hops    int           // switches on the path
	Packets int           // packets that arrived
	Known   []int         // by plan: packets that had arrived when the path was known; 0: never known
	Tail    []bool        // by plan: whether the path was known when the last byte arrived
	Latency []Estimate
}

// Estimate is an estimated latency quantile and the true one.
type Estimate struct {
	Plan, Hop int // Hop is counted from 1
	Quantile  float64
	Want, Got unit.Time
	Missing   bool // no packet carried a latency of the hop
}

// Error returns |Got − Want| / Want.
func (e Estimate) Error() float64 { return math.Abs((e.Got - e.Want).Ratio(e.Want)) }

// newFollower makes the sink.
func newFollower(
	n *netsim.Network, ids []uint64, plans []followed, c FollowConfig, seed uint64,
) (*follower, error) {
	s := &follower{cfg: c, plans: plans, seed: seed}
	s.arrivals = newArrivals(n, ids, s.begin, s.follow)
	for i := range plans {
		p := &plans[i]
		plan := p.encoder.Plan()
		if p.shadow && plan.Uses(query.Load) {
			return nil, fmt.Errorf("plan %q: a shadow cannot compute the load of links", p.name)
		}
		if !plan.Connections() {
			return nil, fmt.Errorf("plan %q: its answers can only be compared connection by connection (accepted: "+
				"flow = 5-tuple)", p.name)
		}
		if _, err := query.NewRecorder(p.encoder, p.memory, seed); err != nil {
			return nil, fmt.Errorf("plan %q: %w", p.name, err)
		}
		p.recorders = make([]*query.Recorder, len(s.hosts))
		x := p.encoder.Plan()
		p.path, p.latency = x.Named(query.SwitchID, query.Path), x.Named(query.HopLatency, query.Quantiles)
	}
	return s, nil
}

// begin begins a flow. It excludes the flow if its first packet has passed a switch twice.
func (s *follower) begin(a *arrival) (*following, error) {
	hops := len(a.path)
	if len(slices.Compact(slices.Sorted(slices.Values(a.path)))) < hops {
		return &following{}, nil
	}
	f := &following{
		path: slices.Clone(a.path),
		Flow: Flow{Key: a.key, Host: a.host, Hops: hops, Known: make([]int, len(s.plans)),
			Tail: make([]bool, len(s.plans))},
		decoders: make([]coding.Decoder, len(s.plans)),
	}
	if s.cfg.Latency > 0 {
		f.truth = make([][]unit.Time, hops)
	}
	for i, p := range s.plans {
		if p.path == "" {
			continue
		}
		var err error
		if f.decoders[i], err = p.decoder(hops); err != nil {
			return nil, fmt.Errorf("plan %q: %w", p.name, err)
		}
	}
	return f, nil
}

// follow records a packet of a flow.
func (s *follower) follow(f *following, a *arrival) (err error) {
	if f.path == nil {
		return nil
	}
	if int(a.Hop) != f.Hops || !slices.Equal(a.path, f.path) {
		*f = following{}
		return nil
	}
	f.Packets++
	last := a.Flags&netsim.FlagLast != 0
	for i := range s.plans {
		p, digest := &s.plans[i], a.Digest
		if p.shadow {
			digest = p.digest(a)
		}
		if err := s.record(p, f, a, digest); err != nil {
			return err
		}
		if err := f.trace(i, p, a.id, digest); err != nil {
			return fmt.Errorf("plan %q: flow %x: %w", p.name, f.Key, err)
		}
		f.Tail[i] = f.Tail[i] || last && f.Known[i] > 0
	}
	if f.truth != nil {
		for i := range a.stack {
			f.truth[i] = append(f.truth[i], a.stack[i].TS)
		}
		if f.Packets == s.cfg.Latency {
			err = s.compare(f)
			f.truth = nil
		}
	}
	return err
}

// record records a digest at a host, unless no switch can have written it.
func (s *follower) record(p *followed, f *following, a *arrival, digest uint64) (err error) {
	r := &p.recorders[a.host]
	if *r == nil {
		if *r, err = query.NewRecorder(p.encoder, p.memory, s.seed); err != nil {
			return err
		}
	}
	_ = (*r).Record(query.Packet{ID: a.id, Hops: f.Hops, Flow: query.Connection(f.Key)}, digest)
	return nil
}

// digest returns the digest that the plan would have put on a packet.
func (p *followed) digest(a *arrival) (digest uint64) {
	for i := range a.stack {
		digest = p.encoder.Encode(a.id, i+1, digest, &query.Observation{
			SwitchID: a.path[i], EgressPort: uint32(a.stack[i].Port), HopLatency: a.stack[i].TS + p.pipeline,
			QueueOccupancy: unit.Bytes(a.stack[i].Queue),
		})
	}
	return digest
}

// trace passes a digest to the decoder of a plan, and checks the path once it is known.
func (f *following) trace(plan int, p *followed, id, digest uint64) error {
	d := f.decoders[plan]
	if d == nil {
		return nil
	}
	part, ok := p.encoder.Part(p.path, id, digest)
	if !ok {
		return nil
	}
	if err := d.Add(id, part); err != nil {
		return err
	}
	if !d.Done() {
		return nil
	}
	for i, want := range f.path {
		if got, _ := d.Value(i + 1); got != want {
			return fmt.Errorf("hop %d was traced as switch %d, but it was switch %d", i+1, got, want)
		}
	}
	f.Known[plan], f.decoders[plan] = f.Packets, nil
	return nil
}

// compare compares the estimated quantiles of a flow's hops with the true quantiles.
func (s *follower) compare(f *following) error {
	for i := range f.truth {
		slices.Sort(f.truth[i])
	}
	id := query.FlowID{Flow: query.Connection(f.Key), Hops: uint8(f.Hops)}
	for a, p := range s.plans {
		if p.latency == "" {
			continue
		}
		inference := query.NewInference(p.recorders[f.Host])
		for i, truth := range f.truth {
			for _, q := range s.cfg.Quantiles {
				want := truth[latency.Rank(q, uint64(len(truth)))-1] + p.pipeline
				e := Estimate{Plan: a, Hop: i + 1, Quantile: q, Want: want}
				got, err := inference.Quantile(p.latency, id, i+1, q, 0.1)
				switch {
				case errors.Is(err, query.ErrNoSample), errors.Is(err, query.ErrNoFlow):
					e.Missing = true
				case err != nil:
					return err
				default:
					e.Got = unit.Time(math.Round(got.Value))
				}
				f.Latency = append(f.Latency, e)
			}
		}
	}
	return nil
}

// result returns the flows that kept a path without a loop, ordered by host and first packet. rerouted is the number of
// all other flows. A wrong path is an error, because decoders must not report one.
func (s *follower) result() (flows []*Flow, rerouted int, err error) {
	all, err := s.all()
	for _, f := range all {
		if f.path == nil {
			rerouted++
		} else {
			flows = append(flows, &f.Flow)
		}
	}
	return flows, rerouted, err
}
