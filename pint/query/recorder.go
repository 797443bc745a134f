package query

import (
	"fmt"
	"iter"
	"sort"

	"pintlab/internal/hash"
	"pintlab/netsim/unit"
	"pintlab/pint/latency"
)

// Packet holds what the sink knows about a packet in addition to its digest.
type Packet struct {
	ID   uint64 // identifier that the switches hashed
	Hops int    // number of switches passed, from the TTL
	Flow FiveTuple
}

// Memory sets the memory of a recorder and how it is used.
type Memory struct {
	// Total limits the memory of each per-flow query over all flows. If a new flow does not fit,
	// the flow with the oldest last packet is removed (LRU).
	Total unit.Bytes
	// Summary is the kind of summary for quantile queries; the default is latency.Sketch (KLL).
	Summary latency.Kind
	// Window limits quantiles to about this many of the newest samples of each hop; 0 means no
	// limit.
	Window int
}

// Recorder is the recording module: it records the digests of the packets that reach the sink. For
// every per-flow query, it has a store per flow within the query's space budget. A Recorder is not
// safe for concurrent use.
type Recorder struct {
	e       *Encoder
	seed    uint64
	stores  []store // one per query
	longest int     // most hops of a path that fit the space of every query
}

// store holds the flows of one query. The aggregation decides which table is used.
type store struct {
	flow      FlowDef
	quantiles *table[*latency.Flow]
	frequent  *table[*latency.FrequentFlow]
	digests   *table[*Digests]
	config    latency.Config
	space     unit.Bytes
	width     int // bytes per digest
	seen      uint64
	largest   uint64 // digests with the largest code
}

// NewRecorder makes the recorder of a plan. It returns an error if the space budget of a query is
// too small for paths of the plan's length, or if Total is too small for one flow. seed decides the
// coin tosses.
func NewRecorder(e *Encoder, m Memory, seed uint64) (*Recorder, error) {
	r := &Recorder{
		e: e, seed: hash.Combine(hash.String("pint/query/module"), seed),
		stores: make([]store, len(e.plan.Queries)), longest: e.longest,
	}
	for i := range e.plan.Queries {
		q := &e.plan.Queries[i]
		s := &r.stores[i]
		s.flow, s.space = q.Flow, q.Space
		switch q.Aggregation {
		case Quantiles:
			s.config = q.summaries(m)
			s.config.Seed = hash.Combine(r.seed, uint64(i))
			s.quantiles = newTable(int(m.Total), (*latency.Flow).SizeBytes)
		case Frequent:
			s.frequent = newTable(int(m.Total), (*latency.FrequentFlow).SizeBytes)
		case Path:
			s.width = q.width()
			s.digests = newTable(int(m.Total), (*Digests).SizeBytes)
		default:
			continue
		}
		if err := q.fits(e.plan.Hops, m); err != nil {
			return nil, fmt.Errorf("%s: %w", q.Label(), err)
		}
		more := sort.Search(r.longest-e.plan.Hops, func(n int) bool { return q.fits(e.plan.Hops+n+1, m) != nil })
		r.longest = e.plan.Hops + more
		// Every kind of table has the same overhead, because its stores are pointers.
		if most := q.Space + unit.Bytes(overhead[*Digests]()); m.Total < most {
			return nil, fmt.Errorf("%s: total memory %v holds no flow (accepted: %v or more)",
				q.Label(), m.Total, most)
		}
	}
	return r, nil
}

// summaries returns the settings of the summaries of a query of quantiles. The seed is 0.
func (q *Query) summaries(m Memory) latency.Config {
	return latency.Config{Kind: m.Summary, Bits: q.Bits, Space: q.Space, Window: m.Window}
}

// width returns the bytes of a recorded digest of a static query.
func (q *Query) width() int { return (q.Bits + 7) / 8 }

// fits returns an error if the space budget of a per-flow query is too small for paths of this length.
func (q *Query) fits(hops int, m Memory) (err error) {
	switch q.Aggregation {
	case Quantiles:
		_, err = q.summaries(m).Digests(hops)
	case Frequent:
		_, err = latency.FrequentCounters(q.Space, hops)
	case Path:
		if digestsFor(int(q.Space), q.width()) < 1 {
			err = fmt.Errorf("a space of %v holds no digest (accepted: %v or more)",
				q.Space, unit.Bytes(digestsSize(1, q.width())))
		}
	}
	return err
}

// Record records the digest of a received packet. It returns ErrHops, ErrWidth or ErrCode if it
// does not record the packet. A path may be longer than the plan's hops (PINT does not need the
// length), if every flow has space for its hops and no query is a sum or product. Results of
// per-packet queries are not stored; Encoder.PerPacket returns them.
func (r *Recorder) Record(p Packet, digest uint64) error {
	set := r.e.Set(p.ID)
	if err := r.e.check(set, digest, p.Hops); err != nil {
		return err
	}
	if p.Hops > r.longest {
		return ErrHops
	}
	ops := r.e.sets[set]
	// A digest that contains an invalid code is rejected as a whole.
	for i := range ops {
		x := &ops[i]
		if x.kind == sampled && digest>>x.shift&x.mask >= x.code.Codes() {
			return ErrCode
		}
	}
	lane := r.e.Lane(p.ID, digest)
	for i := range ops {
		x := &ops[i]
		part := digest >> x.shift & x.mask
		s := &r.stores[r.e.plan.Sets[set].Fields[i].Query]
		s.seen++
		if s.quantiles == nil && s.frequent == nil && s.digests == nil {
			continue
		}
		if x.code != nil && part == x.code.Codes()-1 {
			s.largest++
		}
		id := FlowID{Flow: s.flow.Key(p.Flow), Hops: uint8(p.Hops), Lane: lane}
		switch {
		case s.quantiles != nil:
			f, err := r.quantileFlow(s, id)
			if err != nil {
				return err
			}
			f.Add(x.act.Writer(x.act.Key(p.ID), p.Hops), uint16(part))
		case s.frequent != nil:
			f, err := r.frequentFlow(s, id)
			if err != nil {
				return err
			}
			f.Add(x.act.Writer(x.act.Key(p.ID), p.Hops), part)
		default:
			s.digestFlow(id).add(p.ID, part)
		}
	}
	return nil
}

// key returns a seed for the coins of a flow.
func (r *Recorder) key(id FlowID) uint64 {
	h := hash.Combine(r.seed, uint64(id.Lane)<<8|uint64(id.Hops))
	for _, a := range [2][16]byte{id.Flow.Src, id.Flow.Dst} {
		for i := 0; i < 16; i += 8 {
			w := uint64(0)
			for j := range 8 {
				w = w<<8 | uint64(a[i+j])
			}
			h = hash.Combine(h, w)
		}
	}
	return hash.Combine(h, uint64(id.Flow.SrcPort)<<24|uint64(id.Flow.DstPort)<<8|uint64(id.Flow.Protocol))
}

// quantileFlow finds or makes the store of a flow. It cannot fail, because NewRecorder has tried
// the longest path that Record accepts.
func (r *Recorder) quantileFlow(s *store, id FlowID) (*latency.Flow, error) {
	if f, ok := s.quantiles.get(id); ok {
		return f, nil
	}
	f, err := latency.NewFlow(s.config, int(id.Hops), r.key(id))
	if err != nil {
		return nil, err
	}
	s.quantiles.room(f.SizeBytes())
	s.quantiles.put(id, f)
	return f, nil
}

func (r *Recorder) frequentFlow(s *store, id FlowID) (*latency.FrequentFlow, error) {
	if f, ok := s.frequent.get(id); ok {
		return f, nil
	}
	f, err := latency.NewFrequentFlow(s.space, int(id.Hops), r.key(id))
	if err != nil {
		return nil, err
	}
	s.frequent.room(f.SizeBytes())
	s.frequent.put(id, f)
	return f, nil
}

func (s *store) digestFlow(id FlowID) *Digests {
	if d, ok := s.digests.get(id); ok {
		return d
	}
	d := newDigests(digestsFor(int(s.space), s.width), s.width)
	s.digests.room(d.SizeBytes())
	s.digests.put(id, d)
	return d
}

// Usage is the state of a query's store.
type Usage struct {
	Packets uint64     // digests received for the query
	Flows   int        // flows in the store
	Evicted uint64     // flows removed for lack of memory
	Bytes   unit.Bytes // memory, at most Memory.Total
	// Largest counts the digests of a quantile or frequent query that have the largest code. This
	// code means Top or more. Largest is 0 for shares, because a share cannot exceed 1.
	Largest uint64
	Top     float64 // in the unit of the value
}

// Usage returns the state of the store of a query. The plan must contain the query.
func (r *Recorder) Usage(name string) Usage {
	i := r.e.plan.must(name)
	s := &r.stores[i]
	u := Usage{Packets: s.seen}
	v := r.e.plan.Queries[i].Value
	open := !v.Fixed() && v != TxUtilization && v != QueueCongestion // values have no limit
	if open && (s.quantiles != nil || s.frequent != nil) {
		c := r.e.ops[i].code
		u.Largest, u.Top = s.largest, c.Decode(uint32(c.Codes()-1))
	}
	switch {
	case s.quantiles != nil:
		u.Flows, u.Evicted, u.Bytes = len(s.quantiles.index), s.quantiles.evicted, unit.Bytes(s.quantiles.bytes)
	case s.frequent != nil:
		u.Flows, u.Evicted, u.Bytes = len(s.frequent.index), s.frequent.evicted, unit.Bytes(s.frequent.bytes)
	case s.digests != nil:
		u.Flows, u.Evicted, u.Bytes = len(s.digests.index), s.digests.evicted, unit.Bytes(s.digests.bytes)
	}
	return u
}

// Flows yields the flows of a query, those with the newest packets first. The plan must contain the query. Nothing may
// be recorded during the iteration.
func (r *Recorder) Flows(name string) iter.Seq[FlowID] {
	s := &r.stores[r.e.plan.must(name)]
	switch {
	case s.quantiles != nil:
		return s.quantiles.flows()
	case s.frequent != nil:
		return s.frequent.flows()
	case s.digests != nil:
		return s.digests.flows()
	}
	return func(func(FlowID) bool) {}
}
