package trace

import (
	"fmt"
	"math/bits"
	"slices"

	"pintlab/netsim/topo"
	"pintlab/pint/coding"
	"pintlab/pint/global"
)

// Decoder finds the path of one flow: the only simple path of the network, of the known length,
// that agrees with all digests. Packets may come in any order. It is exact: Done means that no
// other path agrees. It may need one or two packets more than necessary, because it searches only
// when the digests have enough bits to select a path.
//
// Between packets it stores 16 bytes for each of the first 2^14 packets and, after the first
// refinement, a bit set of switches per hop. Packets after the first 2^14 are ignored; if the path
// is not known by then, Effort is too small for the code. Once a search has listed the remaining
// paths, the decoder stores only these paths. It implements coding.Decoder; values are switch IDs.
type Decoder struct {
	t     *Tracer
	hops  int
	start *template

	packets []received
	used    int        // number of packets whose digests are applied to allowed
	xor     int        // digest bits of several hops in those packets
	allowed [][]uint64 // by hop-1: bit set of the possible switches; nil for all
	sets    []uint64   // the memory of allowed
	wait    int        // digest bits until the next refinement
	refused bool       // the last search was too costly, and no set has changed since
	paths   []int32    // the remaining paths, as switch indices, one after another; nil before a search
	walks   float64    // log2 of an upper bound on the number of paths
	failed  error
}

type received struct{ packet, digest uint64 }

// maxPackets is the largest number of packets that a decoder stores.
const maxPackets = 1 << 14

// maxPaths is the largest number of remaining paths that a decoder stores.
const maxPaths = 4096

// slackBits sets when to search: when the digests leave at most 2^slackBits wrong paths on average.
// An earlier search would only list paths that the next packet removes.
const slackBits = 1

// Reset removes all packets.
func (d *Decoder) Reset() {
	d.packets, d.paths, d.failed = d.packets[:0], nil, nil
	d.used, d.xor = 0, 0
	clear(d.allowed)
	d.walks, d.refused = d.start.bits, false
	d.wait = d.bitsToWait()
}

// bitsToWait returns how many more digest bits are needed before a search is worthwhile. Each bit
// of any digest can exclude at most half of the paths.
func (d *Decoder) bitsToWait() int {
	if d.t.opt.eager {
		return 0
	}
	if d.start.bits == 0 {
		return 0 // there is only one walk
	}
	// Digests need not exclude walks that visit a switch twice. The share of these walks is known
	// at the start and decreases to zero.
	loops := d.start.loops * d.walks / d.start.bits
	if gap := d.walks - loops - float64(d.xor) - slackBits; gap < 1<<20 {
		return max(0, int(gap))
	}
	return 1 << 20
}

// Add records the digest of a packet. After coding.ErrInconsistent, Add returns the same error until Reset.
func (d *Decoder) Add(packet, digest uint64) error {
	if d.failed != nil {
		return d.failed
	}
	if err := d.t.code.Check(packet, digest); err != nil {
		return err
	}
	ok := true
	if d.paths != nil {
		ok = d.keepAgreeing(packet, digest)
	} else if len(d.packets) < maxPackets {
		d.packets = append(d.packets, received{packet, digest})
		if d.wait -= d.t.code.Width(); d.wait <= 0 {
			ok = d.refine()
		}
	}
	if !ok {
		d.failed = fmt.Errorf("packet %d: %w", packet, coding.ErrInconsistent)
	}
	return d.failed
}

// keepAgreeing removes the listed paths that contradict a digest. It returns false if none is left.
func (d *Decoder) keepAgreeing(packet, digest uint64) bool {
	kept := d.paths[:0]
	for p := range slices.Chunk(d.paths, d.hops) {
		if d.encode(packet, p) == digest {
			kept = append(kept, p...)
		}
	}
	d.paths = kept
	return len(kept) > 0
}

func (d *Decoder) encode(packet uint64, path []int32) uint64 {
	digest := uint64(0)
	for i, sw := range path {
		digest = d.t.code.Hop(packet, i+1, d.t.m.values[sw], digest)
	}
	return digest
}

// equation is one instance's digest of a packet: the XOR of the contributions of some hops is rest.
type equation struct {
	set    global.HopSet
	hasher coding.Hasher
	rest   uint64
}

// refine computes the possible switches at each hop and searches if that is worthwhile. It returns
// false if no path is possible.
func (d *Decoder) refine() bool {
	if !d.absorb() {
		return false
	}
	if d.refused {
		return true
	}
	s := d.t.m.borrow()
	defer d.t.m.giveBack(s)
	if !d.sweep(s) {
		return false
	}
	if d.wait = d.bitsToWait(); d.wait > 0 {
		return true
	}
	d.equations(s)
	paths, end := s.search.run(d, s)
	switch end {
	case costly:
		d.refused = true
		return true
	case ambiguous:
		d.wait = ambiguousBits
		return true
	}
	if len(paths) == 0 {
		return false
	}
	d.paths = paths
	d.packets = d.packets[:0]
	return true
}

// ambiguousBits is the number of digest bits to wait for after a search that found more than maxPaths paths.
const ambiguousBits = 8

// hopSet returns the memory of a hop's set of switches.
func (d *Decoder) hopSet(hop int) []uint64 {
	words := (d.t.m.Len() + 63) / 64
	return d.sets[(hop-1)*words : hop*words]
}

// absorb applies the new digests of single hops to the hops' sets, which makes a search cheaper. It
// returns false on a contradiction.
func (d *Decoder) absorb() bool {
	m := d.t.m
	if d.allowed == nil {
		d.allowed = make([][]uint64, d.hops)
		d.sets = make([]uint64, d.hops*((m.Len()+63)/64))
	}
	for ; d.used < len(d.packets); d.used++ {
		for i := range d.t.code.Config().Instances {
			e := d.equation(i, d.packets[d.used])
			switch n := e.set.Len(); {
			case n == 0 && e.rest != 0:
				return false
			case n == 1:
				hop := e.set.First()
				if d.allowed[hop-1] == nil {
					d.allowed[hop-1] = d.hopSet(hop)
					fill(d.hopSet(hop), m.Len())
				}
				e.restrict(m, hop, d.allowed[hop-1])
				d.refused = false
			case n > 1:
				d.xor += d.t.code.Config().Bits
			}
		}
	}
	return true
}

// sweep removes states that no walk over the hops' sets of switches reaches, and counts the
// remaining walks. It returns false if none remains.
func (d *Decoder) sweep(s *scratch) bool {
	m := d.t.m
	for hop := d.hops; hop > 1; hop-- {
		d.allowed[hop-2] = s.neighbours(m, d.allowed[hop-1], d.allowed[hop-2], d.hopSet(hop-1))
	}
	for hop := 1; hop < d.hops; hop++ {
		d.allowed[hop] = s.neighbours(m, d.allowed[hop-1], d.allowed[hop], d.hopSet(hop+1))
	}
	if !s.sweep(m, d.start.layers, d.allowed) {
		return false
	}
	for hop := 1; hop <= d.hops; hop++ {
		set := d.hopSet(hop)
		clear(set)
		for _, state := range s.layer(hop - 1) {
			sw := m.head[state]
			set[sw>>6] |= 1 << (sw & 63)
		}
		d.allowed[hop-1] = set
	}
	d.walks = s.bits
	return true
}

// fill sets the first n bits of a bit set.
func fill(set []uint64, n int) {
	for i := range set {
		set[i] = ^uint64(0)
	}
	if n&63 != 0 {
		set[len(set)-1] = 1<<(n&63) - 1
	}
}

func (d *Decoder) equation(inst int, r received) equation {
	set, _ := d.t.code.Actors(inst, r.packet, d.hops)
	return equation{set: set, hasher: d.t.code.Hasher(inst, r.packet), rest: d.t.code.Part(inst, r.digest)}
}

// equations lists the digests of several hops for a search.
func (d *Decoder) equations(s *scratch) {
	s.search.equations = s.search.equations[:0]
	for _, r := range d.packets {
		for i := range d.t.code.Config().Instances {
			if e := d.equation(i, r); e.set.Len() > 1 {
				s.search.equations = append(s.search.equations, e)
			}
		}
	}
}

// restrict removes the switches that do not agree with a digest of one hop.
func (e *equation) restrict(m *Map, hop int, set []uint64) {
	for w, x := range set {
		for ; x != 0; x &= x - 1 {
			sw := w<<6 + bits.TrailingZeros64(x)
			if e.hasher.Digest(hop, m.values[sw]) != e.rest {
				set[w] &^= x & -x
			}
		}
	}
}

// Done reports whether exactly one path of the network agrees with all digests.
func (d *Decoder) Done() bool { return d.failed == nil && len(d.paths) == d.hops }

// Path returns the switches from source to sink, once Done.
func (d *Decoder) Path() ([]topo.NodeID, bool) {
	if !d.Done() {
		return nil, false
	}
	path := make([]topo.NodeID, d.hops)
	for i, sw := range d.paths {
		path[i] = d.t.m.switches[sw]
	}
	return path, true
}

// Switches returns the possible switches at a hop, from 1. Once the remaining paths are listed,
// they are the switches of these paths. Before that, they are the switches that agree with their
// neighbours and with the digests of single hops, and the call takes up to a millisecond. Switches
// returns nil after an inconsistency, and for a hop that is not on the path.
func (d *Decoder) Switches(hop int) []topo.NodeID {
	if hop < 1 || hop > d.hops {
		return nil
	}
	var out []topo.NodeID
	d.possible(func(h int, sws []int32) {
		if h == hop {
			for _, sw := range sws {
				out = append(out, d.t.m.switches[sw])
			}
		}
	})
	return out
}

// possible calls visit with the possible switches at each hop, in ascending order.
func (d *Decoder) possible(visit func(hop int, switches []int32)) {
	if d.failed != nil {
		return
	}
	var sws []int32
	if d.paths != nil {
		for hop := 1; hop <= d.hops; hop++ {
			sws = sws[:0]
			for p := range slices.Chunk(d.paths, d.hops) {
				sws = append(sws, p[hop-1])
			}
			slices.Sort(sws)
			visit(hop, slices.Compact(sws))
		}
		return
	}
	s := d.t.m.borrow()
	defer d.t.m.giveBack(s)
	if !d.absorb() || !d.sweep(s) {
		return
	}
	for hop := 1; hop <= d.hops; hop++ {
		sws = sws[:0]
		for _, state := range s.layer(hop - 1) {
			sws = append(sws, d.t.m.head[state])
		}
		slices.Sort(sws)
		visit(hop, slices.Compact(sws))
	}
}

// Known returns the number of hops with one possible switch. It costs as much as Switches.
func (d *Decoder) Known() int {
	known := 0
	d.possible(func(_ int, sws []int32) {
		if len(sws) == 1 {
			known++
		}
	})
	return known
}

// Value returns the ID of the switch at a hop (from 1), if only one switch is possible.
func (d *Decoder) Value(hop int) (uint64, bool) {
	if d.Done() && hop >= 1 && hop <= d.hops {
		return d.t.m.values[d.paths[hop-1]], true
	}
	sws := d.Switches(hop)
	if len(sws) != 1 {
		return 0, false
	}
	return d.t.m.Value(sws[0])
}
