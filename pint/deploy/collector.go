package deploy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"

	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/unit"
	"pintlab/pint/coding"
	"pintlab/pint/query"
	"pintlab/pint/routechange"
)

// Collector is the recording module at every host of a network. It implements netsim.Sink: the
// destination host takes the digest from the packet.
type Collector struct {
	net     *netsim.Network
	encoder *query.Encoder
	memory  query.Memory
	seed    uint64
	hosts   []recording // by node
	singles *singles    // per-packet queries; nil if the plan has none
	names   bool        // a query of the plan defines flows by their headers, so the recorder needs the headers
}

// recording is the recording module of a host. It is made when the host receives its first packet.
type recording struct {
	recorder *query.Recorder
	long     uint64 // packets that passed more switches than a sum or a flow's space allows
	refused  uint64 // packets whose digest no switch can have written
}

// NewCollector makes the sinks of a network. memory is the memory of each host.
func NewCollector(n *netsim.Network, e *query.Encoder, memory query.Memory, seed uint64) (*Collector, error) {
	// All hosts have the same kind of recorder, so one trial finds every error.
	if _, err := query.NewRecorder(e, memory, seed); err != nil {
		return nil, err
	}
	return &Collector{
		net: n, encoder: e, memory: memory, seed: seed,
		hosts: make([]recording, len(n.Graph().Nodes)), names: !e.Plan().Connections(),
	}, nil
}

// headers returns the 5-tuple in the headers of a flow.
func headers(n route.FiveTuple) query.FiveTuple {
	return query.FiveTuple{
		Src: address(n.Src), Dst: address(n.Dst), SrcPort: n.SrcPort, DstPort: n.DstPort, Protocol: udp,
	}
}

// address returns the IPv4-mapped address of a host.
func address(host netsim.NodeID) (a [16]byte) {
	a[10], a[11] = 0xff, 0xff
	binary.BigEndian.PutUint32(a[12:], route.HostIP(host))
	return a
}

// udp is the protocol of RoCEv2, over which HPCC runs. No query distinguishes it from TCP.
const udp = 17

// Deliver records the digest of a packet.
func (c *Collector) Deliver(now unit.Time, host netsim.NodeID, p *netsim.Packet, _ []netsim.PortSample) {
	flow := c.net.FlowKey(p.Flow)
	m := query.Packet{ID: netsim.PacketKey(flow, p.ID), Hops: int(p.Hop), Flow: query.Connection(flow)}
	if c.names {
		m.Flow = headers(c.net.FiveTuple(p.Flow))
	}
	c.record(host, now, m, p.Digest)
}

// record records the digest of a packet at a host. Only per-packet queries use the time.
func (c *Collector) record(host netsim.NodeID, now unit.Time, p query.Packet, digest uint64) {
	s := &c.hosts[host]
	if s.recorder == nil {
		r, err := query.NewRecorder(c.encoder, c.memory, c.seed)
		if err != nil {
			panic(err) // NewCollector has made an identical recorder
		}
		s.recorder = r
	}
	switch err := s.recorder.Record(p, digest); {
	case errors.Is(err, query.ErrHops):
		s.long++
	case err != nil:
		s.refused++
	}
	if c.singles != nil {
		c.singles.take(c.encoder, host, now, &p, digest)
	}
}

// Recorder returns the recorder of a host; nil if the host has received no packet.
func (c *Collector) Recorder(host netsim.NodeID) *query.Recorder { return c.hosts[host].recorder }

// Refused returns two numbers of packets that are not recorded: those that passed more switches
// than a sum or the space of a flow allows, and those whose digest no switch can have written.
func (c *Collector) Refused() (long, wrong uint64) {
	for i := range c.hosts {
		long += c.hosts[i].long
		wrong += c.hosts[i].refused
	}
	return long, wrong
}

// refusals returns a note for each reason why packets were not recorded.
func (c *Collector) refusals() []string {
	var notes []string
	long, wrong := c.Refused()
	if long > 0 {
		notes = append(notes, fmt.Sprintf("warning: digests of %s are not recorded, because they passed too many "+
			"switches for the sums, products or memory of a plan with hops = %d; a plan with more hops also records "+
			"detours", number.Count(long, "packet"), c.encoder.Plan().Hops))
	}
	if wrong > 0 {
		notes = append(notes, fmt.Sprintf("%s had a digest that no switch can have written",
			number.Count(wrong, "packet")))
	}
	return notes
}

// Usage returns the memory that a query uses, in total over all hosts.
func (c *Collector) Usage(name string) query.Usage {
	var sum query.Usage
	for _, s := range c.hosts {
		if s.recorder != nil {
			u := s.recorder.Usage(name)
			sum.Packets += u.Packets
			sum.Flows += u.Flows
			sum.Evicted += u.Evicted
			sum.Bytes += u.Bytes
			sum.Largest += u.Largest
			sum.Top = u.Top // this number is the same at all hosts
		}
	}
	return sum
}

// flows returns the flows of a query at all hosts, each with the inference of its host.
func (c *Collector) flows(name string) iter.Seq2[*query.Inference, query.FlowID] {
	return func(yield func(*query.Inference, query.FlowID) bool) {
		for _, s := range c.hosts {
			if s.recorder == nil {
				continue
			}
			inference := query.NewInference(s.recorder)
			for id := range s.recorder.Flows(name) {
				if !yield(inference, id) {
					return
				}
			}
		}
	}
}

// frequent counts, for a query, the hops of flows at which a value has at least a share theta of
// the samples, and all hops with samples.
func (c *Collector) frequent(name string, theta float64) (frequent, hops int, err error) {
	for inference, id := range c.flows(name) {
		for hop := 1; hop <= int(id.Hops); hop++ {
			values, err := inference.Frequent(name, id, hop, theta)
			if errors.Is(err, query.ErrNoSample) {
				continue
			}
			if err != nil {
				return 0, 0, err
			}
			hops++
			if len(values) > 0 {
				frequent++
			}
		}
	}
	return frequent, hops, nil
}

// Traced returns three numbers for a static query: the flows (or lanes of flows) whose newest path follows from the
// recorded digests, all flows (or lanes) with digests, and the changes of path that the digests show. The function
// decoder returns a new or reset decoder for a number of switches.
func (c *Collector) Traced(
	name string, decoder func(hops int) (coding.Decoder, error),
) (known, flows, changes int, err error) {
	for inference, id := range c.flows(name) {
		epochs, err := c.epochs(name, inference, id, decoder)
		if err != nil {
			return 0, 0, 0, err
		}
		flows++
		if n := len(epochs); n > 0 {
			changes += n - 1
			if epochs[n-1].Decoded > 0 {
				known++
			}
		}
	}
	return known, flows, changes, nil
}

// epochs follows the path of a flow through its recorded digests of a static query. It stops at a digest that no path
// explains.
func (c *Collector) epochs(
	name string, n *query.Inference, id query.FlowID, decoder func(hops int) (coding.Decoder, error),
) ([]routechange.Epoch, error) {
	d, err := decoder(int(id.Hops))
	if err != nil {
		return nil, err
	}
	t, err := routechange.NewTracker(c.encoder.Coding(name), int(id.Hops), d)
	if err != nil {
		return nil, err
	}
	epochs, err := n.Epochs(name, id, t)
	if errors.Is(err, coding.ErrInconsistent) {
		return epochs, nil
	}
	return epochs, err
}

// decoders contains unused decoders for paths of switches, by number of hops.
type decoders struct {
	code   *coding.Code
	values []uint64 // IDs of all switches, which are their indices
	free   map[int][]coding.Decoder
}

// decoders makes the decoders of a static query.
func (a *attached) decoders(name string) *decoders {
	return &decoders{code: a.encoder.Coding(name), free: map[int][]coding.Decoder{},
		values: lists.Indices(uint64(len(a.site.Graph.Switches())))}
}

// take resets and returns an unused decoder. If there is none, it returns a new decoder.
func (d *decoders) take(hops int) (coding.Decoder, error) {
	if free := d.free[hops]; len(free) > 0 {
		d.free[hops] = free[:len(free)-1]
		free[len(free)-1].Reset()
		return free[len(free)-1], nil
	}
	return coding.NewDecoder(d.code, hops, d.values)
}

// give adds a decoder for paths of this many switches to the unused decoders.
func (d *decoders) give(hops int, x coding.Decoder) { d.free[hops] = append(d.free[hops], x) }

// of returns a decoder that is used until the next call for paths of this many switches.
func (d *decoders) of(hops int) (coding.Decoder, error) {
	x, err := d.take(hops)
	if err != nil {
		return nil, fmt.Errorf("a path of %s: %w", number.Count(hops, "switch"), err)
	}
	d.give(hops, x)
	return x, nil
}
