package pint

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/pint/coding"
	"pintlab/pint/query"
	"pintlab/pint/query/module"
)

// Followed is a plan that a Study follows.
type Followed struct {
	Name    string
	Encoder *module.Encoder
	// Shadow arms add nothing to the packets. The study computes their digests from the witnesses, so
	// that several plans see the same packets. Their queries must not use load.
	Shadow bool
	// Decoder makes a decoder of the plan's path query for paths of a number of switches.
	Decoder func(hops int) (coding.Decoder, error)
	Memory  module.Memory // of each host
}

// followerConfig configures a Study.
type followerConfig struct {
	Plans []Followed
	IDs   []uint64 // of the switches, by node, as Switches has them
	// Latency is after how many packets of a flow its latencies are compared with the
	// truth, at these quantiles.
	Latency   int
	Quantiles []float64
	Seed      uint64
}

// follower follows plans at all hosts: after how many packets the path of a flow is known,
// and how far the latency quantiles are from the truth. It is a netsim.Sink and needs
// telemetry.Witness as a tap. Arms that write digests also need pint/deploy at the switches; shadow arms
// only compute them. A flow whose path changes is left out, and so is one whose path passes a switch twice: decoders
// that know the network do not look for loops.
type follower struct {
	net   *netsim.Network
	cfg   followerConfig
	arms  []followedPlan
	hosts []followerHost // by node
}

type followedPlan struct {
	Followed
	recorders []*module.Recorder // by node; nil without packets
	path      int                // query of the path, -1 if there is none
	latency   int                // query of latency quantiles, -1 if there is none
}

type followerHost struct {
	flows []*Flow // by first packet
	index map[uint64]*following
	free  map[spare][]coding.Decoder
	path  []uint64 // of the packet at hand
	err   error

	rerouted int // flows left out
}

// spare is the key of unused decoders: those of one arm and number of hops are interchangeable.
type spare struct{ arm, hops int }

// following is a flow under way.
type following struct {
	*Flow
	path     []uint64         // of its first packet; nil if the flow is left out
	decoders []coding.Decoder // by arm; nil when the path is known
	truth    [][]unit.Time    // by hop; nil once compared
}

// Flow is the result of a Study for a flow.
type Flow struct {
	Key     uint64
	Host    netsim.NodeID // destination
	Hops    int           // switches on the path
	Packets int           // that arrived
	Bytes   unit.Bytes    // of payload, repeated ones included
	Ended   bool          // the packet with the last byte has arrived
	Known   []int         // by arm: packets that had arrived when the path was known; 0 if it never was
	Tail    []bool        // by arm: the path was known when the last byte arrived
	Latency []Estimate
}

// Estimate is a latency quantile with the true one.
type Estimate struct {
	Arm, Hop  int // Hop from 1
	Quantile  float64
	Want, Got unit.Time
	Missing   bool // no packet carried a latency of the hop
}

// Error returns |Got − Want| / Want.
func (e Estimate) Error() float64 { return math.Abs((e.Got - e.Want).Ratio(e.Want)) }

// newFollower makes the sink.
func newFollower(n *netsim.Network, c followerConfig) (*follower, error) {
	s := &follower{net: n, cfg: c, hosts: make([]followerHost, len(n.Graph().Nodes))}
	for _, a := range c.Plans {
		p := a.Encoder.Plan()
		if a.Shadow && p.Uses(query.Load) {
			return nil, fmt.Errorf("truth: arm %q: a shadow cannot know the load", a.Name)
		}
		if !p.Connections() {
			return nil, fmt.Errorf("truth: arm %q: what is known of flows is held against connections "+
				"(accepted: flow = 5-tuple)", a.Name)
		}
		if _, err := module.NewRecorder(a.Encoder, a.Memory, c.Seed); err != nil {
			return nil, fmt.Errorf("truth: arm %q: %w", a.Name, err)
		}
		find := func(v query.Value, g query.Aggregation) int {
			return slices.IndexFunc(p.Queries, func(q query.Query) bool { return q.Value == v && q.Aggregation == g })
		}
		s.arms = append(s.arms, followedPlan{a, make([]*module.Recorder, len(s.hosts)),
			find(query.SwitchID, query.Path), find(query.HopLatency, query.Quantiles)})
	}
	return s, nil
}

// Deliver records a packet.
func (s *follower) Deliver(_ unit.Time, host netsim.NodeID, p *netsim.Packet, stack []netsim.PortSample) {
	h := &s.hosts[host]
	if h.err == nil {
		h.err = s.deliver(h, host, p, stack)
	}
}

func (s *follower) deliver(h *followerHost, host netsim.NodeID, p *netsim.Packet, stack []netsim.PortSample) error {
	if len(stack) == 0 {
		return errNoWitness
	}
	h.path = h.path[:0]
	for i := range stack {
		from, _ := s.net.PortEnds(stack[i].Port)
		h.path = append(h.path, s.cfg.IDs[from])
	}
	key := s.net.FlowKey(p.Flow)
	f, err := s.follow(h, host, key)
	if err != nil {
		return err
	}
	if f.path == nil {
		return nil
	}
	if int(p.Hop) != f.Hops || !slices.Equal(h.path, f.path) {
		h.drop(f)
		return nil
	}
	f.Packets++
	f.Bytes += unit.Bytes(p.Payload)
	f.Ended = f.Ended || p.Flags&netsim.FlagLast != 0
	id := netsim.PacketKey(key, p.ID)
	for a := range s.arms {
		arm, digest := &s.arms[a], p.Digest
		if arm.Shadow {
			digest = s.shadow(arm.Encoder, id, h.path, stack)
		}
		if err := s.record(arm, host, module.Packet{ID: id, Hops: f.Hops, Flow: query.Connection(key)},
			digest); err != nil {
			return err
		}
		if err := s.trace(h, f, a, id, digest); err != nil {
			return err
		}
		if p.Flags&netsim.FlagLast != 0 && f.Known[a] > 0 {
			f.Tail[a] = true
		}
	}
	if f.truth != nil {
		for i := range stack {
			f.truth[i] = append(f.truth[i], stack[i].TS)
		}
		if f.Packets == s.cfg.Latency {
			err = s.compare(f)
			f.truth = nil
		}
	}
	return err
}

// record records a digest at a host. One that no switch can have written is left out.
func (s *follower) record(a *followedPlan, host netsim.NodeID, p module.Packet, digest uint64) (err error) {
	if a.recorders[host] == nil {
		if a.recorders[host], err = module.NewRecorder(a.Encoder, a.Memory, s.cfg.Seed); err != nil {
			return err
		}
	}
	_ = a.recorders[host].Record(p, digest)
	return nil
}

// errNoWitness is the error of a network without telemetry.Witness.
var errNoWitness = errors.New("truth: a packet has no witnesses: is Witness a tap?")

// drop leaves out a flow whose path has changed.
func (h *followerHost) drop(f *following) {
	h.rerouted++
	h.flows = slices.DeleteFunc(h.flows, func(x *Flow) bool { return x == f.Flow })
	*f = following{}
}

// follow finds or begins a flow, whose first packet has passed h.path.
func (s *follower) follow(h *followerHost, host netsim.NodeID, key uint64) (*following, error) {
	if f := h.index[key]; f != nil {
		return f, nil
	}
	if h.index == nil {
		h.index, h.free = map[uint64]*following{}, map[spare][]coding.Decoder{}
	}
	if loops(h.path) {
		h.rerouted++
		h.index[key] = &following{}
		return h.index[key], nil
	}
	hops := len(h.path)
	f := &following{
		path: slices.Clone(h.path),
		Flow: &Flow{Key: key, Host: host, Hops: hops, Known: make([]int, len(s.arms)),
			Tail: make([]bool, len(s.arms))},
		decoders: make([]coding.Decoder, len(s.arms)),
	}
	if s.cfg.Latency > 0 {
		f.truth = make([][]unit.Time, hops)
	}
	for a := range s.arms {
		arm, k := &s.arms[a], spare{a, hops}
		if arm.path < 0 {
			continue
		}
		if free := h.free[k]; len(free) > 0 {
			f.decoders[a], h.free[k] = free[len(free)-1], free[:len(free)-1]
			f.decoders[a].Reset()
			continue
		}
		d, err := arm.Decoder(hops)
		if err != nil {
			return nil, fmt.Errorf("truth: arm %q: %w", arm.Name, err)
		}
		f.decoders[a] = d
	}
	h.index[key] = f
	h.flows = append(h.flows, f.Flow)
	return f, nil
}

// loops reports whether a path passes a switch twice.
func loops(path []uint64) bool {
	for i, id := range path {
		if slices.Contains(path[:i], id) {
			return true
		}
	}
	return false
}

// shadow returns the digest that a plan would have put on the packet.
func (s *follower) shadow(e *module.Encoder, id uint64, path []uint64, stack []netsim.PortSample) uint64 {
	digest := uint64(0)
	for i := range stack {
		digest = e.Encode(id, i+1, digest, &module.Observation{
			SwitchID: path[i], EgressPort: uint32(stack[i].Port), HopLatency: stack[i].TS,
			QueueOccupancy: unit.Bytes(stack[i].Queue),
		})
	}
	return digest
}

func (s *follower) trace(h *followerHost, f *following, a int, id, digest uint64) error {
	d := f.decoders[a]
	if d == nil {
		return nil
	}
	arm := &s.arms[a]
	part, ok := arm.Encoder.Part(arm.path, id, digest)
	if !ok {
		return nil
	}
	if err := d.Add(id, part); err != nil {
		return fmt.Errorf("truth: arm %q: flow %x: %w", arm.Name, f.Key, err)
	}
	if !d.Done() {
		return nil
	}
	for i, want := range h.path {
		if got, _ := d.Value(i + 1); got != want {
			return fmt.Errorf("truth: arm %q: flow %x: hop %d traced as switch %d, and it was %d",
				arm.Name, f.Key, i+1, got, want)
		}
	}
	f.Known[a] = f.Packets
	f.decoders[a] = nil
	k := spare{a, f.Hops}
	h.free[k] = append(h.free[k], d)
	return nil
}

// compare compares the quantiles of a flow's hops with the true ones.
func (s *follower) compare(f *following) error {
	for i := range f.truth {
		slices.Sort(f.truth[i])
	}
	id := module.FlowID{Flow: query.Connection(f.Key), Hops: uint8(f.Hops)}
	for a := range s.arms {
		arm := &s.arms[a]
		if arm.latency < 0 {
			continue
		}
		inference := module.NewInference(arm.recorders[f.Host])
		for i, truth := range f.truth {
			for _, q := range s.cfg.Quantiles {
				rank := max(1, int(math.Ceil(float64(q*float64(len(truth))))))
				e := Estimate{Arm: a, Hop: i + 1, Quantile: q, Want: truth[rank-1]}
				got, err := inference.Quantile(arm.latency, id, i+1, q, 0.1)
				switch {
				case errors.Is(err, module.ErrNoSample), errors.Is(err, module.ErrNoFlow):
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

// Rerouted returns the number of flows left out, because their path changed or passes a switch twice.
func (s *follower) Rerouted() int {
	n := 0
	for i := range s.hosts {
		n += s.hosts[i].rerouted
	}
	return n
}

// Result returns the flows that kept a path without a loop, ordered by host and first packet. A wrong path is an error,
// because decoders never report one.
func (s *follower) Result() ([]*Flow, error) {
	var all []*Flow
	for i := range s.hosts {
		if err := s.hosts[i].err; err != nil {
			return nil, err
		}
		all = append(all, s.hosts[i].flows...)
	}
	return all, nil
}
