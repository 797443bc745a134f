package sketchint

import (
	"cmp"

	"pintlab/int/sketch/heavy"
	"pintlab/int/sketch/tower"
	"pintlab/internal/hash"
	"pintlab/internal/lists"
)

// shape is the shape of all groups of a run.
type shape struct {
	heavy     tower.Config
	latency   bucketShape      // shape of the buckets of one sketch
	sketches  int              // sketches of buckets: one for all hops, or one for each
	apart     *[2]tower.Config // instead of buckets: packets by flow, latencies by flow and switch
	threshold uint64           // threshold of the table of heavy flows
	inflation uint64           // Δl
	capacity  int              // capacity of each table
	switches  int              // number of switches whose drops are counted: all, or none
	maxHops   int
}

// newShape returns the shape of groups in a network with the given number of switches.
func newShape(p *Params, maxHops, switches int) shape {
	s := shape{
		threshold: uint64(min(p.Hitter, p.Change)), inflation: uint64(p.Inflation),
		capacity: p.Table, maxHops: maxHops, sketches: 1,
	}
	if p.LatencySketches == "hops" {
		s.sketches = maxHops
	}
	if p.Drops {
		s.switches = switches
	}
	bits := []int{8, 16, 32}
	share := []int{4, 2, 1} // relative numbers of counters, as in a tower without latencies
	if p.Sketch == "rows" { // Count-Min or CU
		bits, share = []int{32, 32, 32}, []int{1, 1, 1}
	}
	s.heavy = tower.EqualMemory(int(p.Memory), bits...)
	s.heavy.Conservative = p.Insertion == "cu"
	if p.Counters == "apart" {
		sums := []int{24, 28, 32}
		if p.Sketch == "rows" {
			sums = bits
		}
		m := int(p.LatencyMemory)
		s.apart = &[2]tower.Config{tower.EqualMemory(m/4, bits...), tower.EqualMemory(m*3/4, sums...)}
		return s
	}
	s.latency.bits = bits
	sum := 0
	for i := range bits {
		sum += share[i] * (bits[i] + latencyBits)
	}
	for i := range bits {
		s.latency.buckets = append(s.latency.buckets, share[i]*(int(p.LatencyMemory)/s.sketches*8/sum))
	}
	return s
}

// checkLatency reports an array without counters in the sketches of latencies.
func (s *shape) checkLatency() error {
	if s.apart == nil {
		return s.latency.check()
	}
	return cmp.Or(s.apart[0].Validate(), s.apart[1].Validate())
}

// group contains the sketches of one agent in one period. Packets do not allocate memory.
type group struct {
	shape    *shape
	seed     uint64
	heavy    *tower.Sketch // packets by flow
	latency  []*buckets    // packets and latencies by flow and switch: one, or one for each hop; nil if they are apart
	counts   *tower.Sketch // packets by flow, if they are apart
	sums     *tower.Sketch // latencies by flow and switch, if they are apart
	flows    *heavy.Table  // heavy flows; paths and lengths hold their paths
	paths    []uint16      // room for maxHops switches of each entry
	lengths  []uint8       // lengths of the paths
	inflated *heavy.Table  // by flow and switch; the estimate is the number of inflated latencies
	sources  []pair        // flow and switch of each key of inflated
	drops    []uint32      // by switch ID: the largest counter in a record; 0 without one
}

// newGroup makes an empty group. The function memory allocates zeroed bytes for it.
func newGroup(s *shape, seed uint64, memory func(bytes int) []byte) (*group, error) {
	g := &group{
		shape: s, seed: seed,
		paths: make([]uint16, s.capacity*s.maxHops), lengths: make([]uint8, s.capacity),
		sources: make([]pair, s.capacity), drops: make([]uint32, s.switches),
	}
	c := s.heavy
	c.Seed = seed
	var err error
	if g.heavy, err = tower.NewIn(c, memory); err != nil {
		return nil, err
	}
	if s.apart == nil {
		for i, own := 0, seed; i < s.sketches; i++ {
			g.latency = append(g.latency, newBuckets(s.latency, own, memory))
			own = hash.Combine(seed, uint64(i))
		}
	} else {
		for i, to := range []**tower.Sketch{&g.counts, &g.sums} {
			c := s.apart[i]
			c.Seed = hash.Combine(seed, uint64(i))
			if *to, err = tower.NewIn(c, memory); err != nil {
				return nil, err
			}
		}
	}
	if g.flows, err = heavy.NewTable(s.capacity, s.threshold); err != nil {
		return nil, err
	}
	g.inflated, err = heavy.NewTable(s.capacity, 1)
	return g, err
}

// key returns the key of a flow at a switch: flow ID and switch ID, concatenated.
func key(flow uint64, id uint16) uint64 { return hash.Combine(flow, uint64(id)) }

// packet is the INT layer of a packet that is not in the sketches yet. It is inserted when the next packet arrives.
// Until then, its counters, which are rarely in the cache, can be prefetched.
type packet struct {
	set  bool
	flow uint64
	hops []hop // room for maxHops
}

// hop is the record of a switch.
type hop struct {
	key     uint64 // key of the flow at the switch
	word    uint64 // locates its buckets
	latency uint32
	id      uint16 // ID of the switch
}

// take copies the INT layer of a packet of a flow, for a later insert into the same group. It records counters of drops
// immediately.
func (g *group) take(p *packet, flow uint64, l layer) {
	hops := min(l.hops(), g.shape.maxHops)
	p.set, p.flow, p.hops = true, flow, p.hops[:hops]
	for i := range p.hops {
		id, latency := l.record(i)
		k := key(flow, id)
		p.hops[i] = hop{k, 0, latency, id}
		if g.latency != nil {
			p.hops[i].word = g.at(i).find(k)
		}
		if g.shape.switches > 0 {
			g.drops[id] = max(g.drops[id], l.drops(i))
		}
	}
	g.heavy.Prefetch(flow)
}

// insert adds the packet in p, if there is one, to the sketches.
func (g *group) insert(p *packet) {
	if !p.set {
		return
	}
	p.set = false
	for i := range p.hops {
		h := &p.hops[i]
		if sum, n, ok := g.record(p.flow, i, h); ok && n > 0 && uint64(h.latency)*n > g.shape.inflation*sum {
			times, _ := g.inflated.Lookup(h.key)
			if at := g.inflated.Packet(h.key, times+1); at >= 0 && times == 0 {
				g.sources[at] = pair{p.flow, h.id}
			}
		}
	}
	flow := p.flow
	if g.counts != nil {
		g.counts.Insert(flow, 1)
	}
	g.heavy.Insert(flow, 1)
	n, _ := g.heavy.Estimate(flow)
	if at := g.flows.Packet(flow, n); at >= 0 {
		g.lengths[at] = uint8(len(p.hops))
		for i := range p.hops {
			g.paths[at*g.shape.maxHops+i] = p.hops[i].id
		}
	}
}

// at returns the buckets of a hop, if they are not apart.
func (g *group) at(hop int) *buckets { return g.latency[min(hop, len(g.latency)-1)] }

// record adds the latency of a packet at a switch. The number of the hop is counted from 0. It returns the flow's sum
// of latencies there in ns and its number of packets, both before this packet. If the sketches are apart, insert counts
// the packet.
func (g *group) record(flow uint64, number int, h *hop) (sum, n uint64, ok bool) {
	if g.latency != nil {
		return g.at(number).insert(h.word, uint64(h.latency))
	}
	sum, n, ok = g.average(flow, h.key, number)
	g.sums.Insert(h.key, uint64(h.latency))
	return sum, n, ok
}

// average returns a flow's sum of latencies at a switch, in ns, and its number of packets. hop is the switch's number
// on the path. ok is false if no latency is known there, or if all counters have overflowed.
func (g *group) average(flow, key uint64, hop int) (sum, n uint64, ok bool) {
	if g.latency != nil {
		return g.at(hop).average(key)
	}
	n, known := g.counts.Estimate(flow)
	sum, ok = g.sums.Estimate(key)
	return sum, n, ok && known && sum > 0
}

// meanLatency returns the estimated latency of a flow at a switch, in ns. hop is the switch's number on the path, from
// 0. ok is false if the sketch has not seen the flow there, or if all counters have overflowed.
func (g *group) meanLatency(flow uint64, id uint16, hop int) (ns float64, ok bool) {
	sum, n, ok := g.average(flow, key(flow, id), hop)
	if !ok || n == 0 {
		return 0, false
	}
	return float64(sum) / float64(n), true
}

// latencyBytes returns the counters of latencies in the form in which they are shipped.
func (g *group) latencyBytes() [][]byte {
	if g.latency != nil {
		return lists.Map(g.latency, (*buckets).bytes)
	}
	return [][]byte{g.counts.Counters(), g.sums.Counters()}
}

// path returns the path of an entry of the table of heavy flows.
func (g *group) path(entry int) []uint16 {
	at := entry * g.shape.maxHops
	return g.paths[at : at+int(g.lengths[entry])]
}

// size returns the number of packets of a flow, or 0 if all counters have overflowed.
func (g *group) size(flow uint64) uint64 {
	n, ok := g.heavy.Estimate(flow)
	if !ok {
		return 0
	}
	return n
}

func (g *group) reset() {
	g.heavy.Reset()
	for _, b := range g.latencyBytes() {
		clear(b)
	}
	g.flows.Reset()
	g.inflated.Reset()
	clear(g.drops)
}
