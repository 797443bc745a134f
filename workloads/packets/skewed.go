package packets

import (
	"math/bits"
	"math/rand/v2"

	"pintlab/internal/hash"
	"pintlab/internal/number"
	"pintlab/internal/numeric"
	"pintlab/internal/rules"
	"pintlab/netsim/unit"
)

// Skewed describes a trace whose flow sizes follow Zipf's law: the flow of rank r has about c·r^(-Skew)
// packets, and at least one. The totals are exact: a window has Flows flows and Packets packets. With
// Singles, this share of the flows has one packet. All others follow the law, but have at least two packets; in the
// default trace the law gives each of them three or more, so no flow has two.
//
// With a Lifetime, a flow lives for this share of the window. Its life begins at an instant that is uniform between one
// Lifetime before the window and the end of the window. Its packets are uniform in the part of its life that is within
// the window. Without a Lifetime, the flows live for the whole window: packets are in uniformly random order, and each
// is at a random time within its own equal share of Duration.
//
// A trace consists of successive windows of this kind, for measurements that compare adjacent windows. From
// one window to the next, a new flow replaces the flow of each rank with probability Churn.
type Skewed struct {
	Packets  int       `flag:"packets" range:">=1 <=1000000000" use:"packets {N} of a skewed trace"`
	Flows    int       `flag:"flows" range:">=1 <=20000000" bytes:"200" use:"flows {N} of a skewed trace"`
	Skew     float64   `flag:"skew" range:">=0 <=5" use:"sizes of a skewed trace fall as rank^-{SKEW}; fitted to SketchINT's errors"`
	Singles  float64   `flag:"singles" range:">=0 <1" use:"{share} of flows with one packet, fitted like the skew; 0: as follows from the skew"`
	Lifetime float64   `flag:"lifetime" range:">=0 <=1" use:"{share} of a window that a flow lives, fitted like the skew; 0: all of it"`
	Duration unit.Time `flag:"duration" range:">0s" use:"{time} that a generated trace lasts"` // duration of a window
	Churn    float64   `flag:"churn" range:">=0 <=1" use:"{share} of flows replaced in the second window of a trace"`
	Seed     uint64
}

// DefaultSkewed returns a trace of the size of the SketchINT paper's (§VII-B1): 2.3 M packets of 170 K flows in 5 s,
// from a link that CAIDA recorded in 2018. The paper describes the trace no further. Skew, Singles and Lifetime are
// three parameters that were fitted to about fifteen errors that the paper prints. About 390 flows have more than 500
// packets.
func DefaultSkewed() Skewed {
	return Skewed{
		Packets: 2_300_000, Flows: 170_000, Skew: 0.98, Singles: 0.595, Lifetime: 0.7, Duration: 5 * unit.Second,
		Churn: 0.5,
	}
}

// Upper limits of the fields of a Skewed.
const (
	maxFlows   = 1 << 28
	maxPackets = int64(1) << 40
	maxSkew    = 5
)

// Validate returns an error that lists every rule that s breaks.
func (s Skewed) Validate() error {
	var errs rules.Broken
	errs.If(s.Flows < 1 || s.Flows > maxFlows, "%d flows, want 1 to %d", s.Flows, maxFlows)
	errs.If(s.Packets < s.Flows || int64(s.Packets) > maxPackets, "%s, want at least one for each of the %s and at "+
		"most %d", number.Count(s.Packets, "packet"), number.Count(s.Flows, "flow"), maxPackets)
	ranked, least := s.ranked()
	errs.If(s.Packets >= s.Flows && s.Packets-s.Flows < ranked*(least-1),
		"%d packets, want at least two for each of the %d flows that have more than one (singles %v)",
		s.Packets, ranked, s.Singles)
	errs.If(!(s.Skew >= 0 && s.Skew <= maxSkew), "skew %v, want 0 to %d", s.Skew, maxSkew)
	errs.If(!(s.Singles >= 0 && s.Singles < 1), "singles %v, want 0 to less than 1", s.Singles)
	errs.If(!(s.Lifetime >= 0 && s.Lifetime <= 1), "lifetime %v, want 0 to 1", s.Lifetime)
	errs.If(s.Duration < unit.Time(max(s.Packets, 1)), "duration %v, want at least a picosecond for each packet",
		s.Duration)
	errs.If(!(s.Churn >= 0 && s.Churn <= 1), "churn %v, want 0 to 1", s.Churn)
	return errs.Err("skewed trace")
}

// ranked returns the number of flows whose sizes follow Zipf's law, and their least size.
func (s Skewed) ranked() (flows, least int) {
	if !(s.Singles > 0) {
		return s.Flows, 1
	}
	return s.Flows - int(float64(s.Singles*float64(s.Flows))), 2
}

// Sizes returns the number of packets of each flow of a window, in descending order.
func (s Skewed) Sizes() ([]int, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	ranked, least := s.ranked()
	packets := s.Packets - (s.Flows - ranked)
	weight := make([]float64, ranked)
	for r := range weight {
		weight[r] = numeric.Exp(-float64(s.Skew * numeric.Ln(float64(r+1))))
	}
	total := func(c float64) (sum int) {
		for _, w := range weight {
			sum += max(least, int(float64(c*w)))
		}
		return sum
	}
	// Search for the largest c whose sizes sum to at most packets. The sum for c = 1 is the least size for
	// each flow.
	lo, hi := 1.0, float64(packets)+1
	for range 64 {
		if mid := lo + float64(hi-lo)/2; total(mid) <= packets {
			lo = mid
		} else {
			hi = mid
		}
	}
	sizes, left := make([]int, ranked, s.Flows), packets
	for r, w := range weight {
		sizes[r] = max(least, int(float64(lo*w)))
		left -= sizes[r]
	}
	// Distribute the packets that rounding leaves over. With equal weights, there can be up to one such packet for each
	// flow.
	for r := range sizes {
		share := left / ranked
		if r < left%ranked {
			share++
		}
		sizes[r] += share
	}
	for range s.Flows - ranked {
		sizes = append(sizes, 1)
	}
	return sizes, nil
}

// Window opens window n, counted from 0. Its times count from the start of the window. The Source needs
// memory for each flow, not for each packet.
func (s Skewed) Window(n int) (*SkewedSource, error) {
	sizes, err := s.Sizes()
	if err != nil {
		return nil, err
	}
	g := &SkewedSource{flows: make([]Tuple, len(sizes)), left: s.Packets}
	random := hash.Stream(s.Seed, "packets/order", uint64(n))
	if s.Lifetime > 0 {
		g.draw = newLifetimes(sizes, s.Lifetime, s.Duration, random).draw
	} else {
		g.draw = (&mixture{newUrn(sizes), s.Duration, s.Packets, 0, random}).draw
	}
	for r := range g.flows {
		g.flows[r] = s.tuple(r, n)
	}
	return g, nil
}

// tuple returns the flow of a rank in a window. The rank and the window in which its flow appeared form 64 bits. A
// bijection maps these bits to the addresses, so different flows have different addresses.
func (s Skewed) tuple(rank, window int) Tuple {
	came := 0
	for w := 1; w <= window; w++ {
		if hash.Unit(hash.Combine(hash.Combine(hash.Combine(hash.String("packets/churn"), s.Seed), uint64(rank)),
			uint64(w))) < s.Churn {
			came = w
		}
	}
	h := hash.Mix64(hash.Mix64(s.Seed) ^ (uint64(came)<<32 | uint64(rank)))
	ports := hash.Mix64(h + 1)
	protocol := uint8(TCP)
	if ports>>60 < 3 { // this happens for 3 of 16 flows
		protocol = UDP
	}
	return MakeTuple(uint32(h>>32), uint32(h), uint16(ports), uint16(ports>>16), protocol)
}

// SkewedSource is one window of a Skewed trace.
type SkewedSource struct {
	flows []Tuple
	left  int                             // packets
	draw  func() (rank int, at unit.Time) // the next packet
}

// skewedSize is the size of each packet of a Skewed trace in bytes.
const skewedSize = 512

func (g *SkewedSource) Next(p *Packet) bool {
	if g.left == 0 {
		return false
	}
	g.left--
	rank, at := g.draw()
	*p = Packet{Time: at, Tuple: g.flows[rank], Size: skewedSize}
	header := tcpHeader
	if p.Tuple.Protocol() == UDP {
		header = udpHeader
	}
	p.Payload = skewedSize - ipv4Header - header
	return true
}

func (g *SkewedSource) Err() error { return nil }

// mixture draws the packets of flows that live for the whole window.
type mixture struct {
	urn      urn
	duration unit.Time
	packets  int
	n        int // packets drawn
	random   *rand.Rand
}

// draw returns the flow of packet n, and an instant in its share of the duration.
func (m *mixture) draw() (rank int, at unit.Time) {
	rank = m.urn.draw(m.random.IntN(m.packets - m.n))
	hi, lo := bits.Mul64(uint64(m.n), uint64(m.duration))
	from, _ := bits.Div64(hi, lo, uint64(m.packets))
	m.n++
	return rank, unit.Time(from + m.random.Uint64N(uint64(m.duration)/uint64(m.packets)))
}

// urn holds balls of several colours, which are drawn without replacement. It is a binary indexed tree
// (Fenwick, "A New Data Structure for Cumulative Frequency Tables", 1994), so a draw takes a number of
// steps logarithmic in the number of colours.
type urn struct {
	tree []int // tree[i] is the number of balls of colours i-(i&-i) to i-1
	top  int   // the largest power of two up to the number of colours
}

func newUrn(balls []int) urn {
	u := urn{tree: make([]int, len(balls)+1), top: 1}
	for u.top*2 <= len(balls) {
		u.top *= 2
	}
	for i := 1; i < len(u.tree); i++ {
		u.tree[i] += balls[i-1]
		if up := i + i&-i; up < len(u.tree) {
			u.tree[up] += u.tree[i]
		}
	}
	return u
}

// draw removes ball k, counted from 0 through the colours in order, and returns its colour.
func (u *urn) draw(k int) (colour int) {
	for step := u.top; step > 0; step /= 2 {
		if next := colour + step; next < len(u.tree) && u.tree[next] <= k {
			k -= u.tree[next]
			colour = next
		} else if next < len(u.tree) {
			u.tree[next]-- // the ball is in the range that this node counts
		}
	}
	return colour
}
