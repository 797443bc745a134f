package query

import (
	"fmt"

	"pintlab/internal/hash"
	"pintlab/netsim/unit"
	"pintlab/pint/coding"
	"pintlab/pint/global"
	"pintlab/pint/routechange"
)

// Observation holds the values that a switch observes about a packet that leaves it. Fields that no
// query of the plan uses may stay zero.
type Observation struct {
	SwitchID        uint64
	IngressPort     uint32
	EgressPort      uint32
	IngressTime     unit.Time
	HopLatency      unit.Time
	TxUtilization   float64 // utilisation of the egress port, 0 to 1
	QueueOccupancy  unit.Bytes
	QueueCongestion float64 // share of the queue in use, 0 to 1
	Load            float64 // HPCC's U of the egress link
}

// number returns a quantity in the unit of its code.
func (o *Observation) number(v Value) float64 {
	switch v {
	case HopLatency:
		return float64(o.HopLatency)
	case TxUtilization:
		return o.TxUtilization
	case QueueOccupancy:
		return float64(o.QueueOccupancy)
	case QueueCongestion:
		return o.QueueCongestion
	}
	return o.Load
}

// name returns a value that is fixed per flow and switch.
func (o *Observation) name(v Value) uint64 {
	switch v {
	case SwitchID:
		return o.SwitchID
	case IngressPort:
		return uint64(o.IngressPort)
	}
	return uint64(o.EgressPort)
}

// Options are the settings, in addition to the plan, that all switches and sinks of a network must
// share.
type Options struct {
	Seed uint64
	// CRC selects the hash family that P4 programs compute; the seed must then be below 2^32. The
	// default is the fast family.
	CRC bool
	// Scheme is the coding scheme of static queries. The zero Scheme means the hybrid scheme of
	// §4.2 for paths of the plan's length.
	Scheme coding.Scheme
}

// family returns the hash functions of query i. They are independent of the functions of other queries, and
// so are the samples. Index −1 is the family that chooses query sets.
func (o Options) family(i int) global.Family {
	if o.CRC {
		return global.CRC(uint32(o.Seed) + uint32(i+1)*0x9e3779b9)
	}
	return global.Fast(hash.Combine(o.Seed, uint64(i+1)))
}

// Encoder is the encoding module: it computes how a switch changes the digest of a packet. It holds
// no state of packets or flows. It is read-only after NewEncoder and safe for concurrent use, so
// all switches of a simulation can share one.
type Encoder struct {
	plan    *Plan
	choose  global.Function
	ops     []op   // one per query
	sets    [][]op // by set: the ops of its queries, with the positions of their digests
	longest int    // most hops of a path; p.Hops if there are sums or products
	lanes   []lane // by set: where the path checksum is; nil if the plan has no lanes
}

// lane is the position of the path checksum in the packets of a set.
type lane struct {
	shift uint8
	mask  uint16 // 0 if they carry none
}

// kind is the kind of an operation.
type kind uint8

const (
	static      kind = iota // coding.Code
	sampled                 // reservoir sampling of a number (quantiles, frequent)
	carriesName             // reservoir sampling of a name (frequent)
	extreme                 // max or min of a number, with an optional name
	stamped                 // max or min of a timestamp, with an optional name
	folded                  // sum or product
	checksummed             // checksum of the path
)

// op is a query in the form for the hot path.
type op struct {
	mask   uint64 // mask of the digest, at bit 0
	shift  uint8
	kind   kind
	min    bool // extreme, stamped: the smallest wins
	random bool // the code rounds at random
	value  Value
	with   Value
	label  uint8 // width of the name below the code
	code   *Code
	static *coding.Code
	sum    *routechange.Checksum
	act    global.Function // g of sampled queries
	round  global.Function // random rounding
}

// NewEncoder makes the encoder of a plan.
func NewEncoder(p *Plan, o Options) (*Encoder, error) {
	if o.CRC && o.Seed>>32 != 0 {
		return nil, fmt.Errorf("module: seed %d for the CRC family, want less than 2^32", o.Seed)
	}
	if o.Scheme.Tau == 0 && len(o.Scheme.XOR) == 0 {
		o.Scheme = coding.Hybrid(max(p.Hops, 2))
	}
	e := &Encoder{plan: p, choose: o.family(-1).Function(global.QuerySet, 0), longest: maxHops}
	for i := range p.Queries {
		q := &p.Queries[i]
		f := o.family(i)
		x := op{
			mask:   ^uint64(0) >> (64 - q.Bits),
			value:  q.Value,
			with:   q.With,
			label:  uint8(q.WithBits),
			code:   p.Codes[i],
			min:    q.Aggregation == Min,
			random: q.Rounding != 0,
			act:    f.Function(global.Act, 0),
			round:  f.Function(global.Rounding, 0),
		}
		switch q.Aggregation {
		case Path:
			x.kind = static
			c, err := coding.New(coding.Config{
				Schemes: []coding.Scheme{o.Scheme}, Mode: coding.Hash,
				Bits: q.Bits / q.Hashes, Instances: q.Hashes, Family: f,
			})
			if err != nil {
				return nil, fmt.Errorf("module: %s: %w", q.Label(), err)
			}
			x.static = c
		case Quantiles, Frequent:
			x.kind = sampled
			if q.Value.Fixed() {
				x.kind = carriesName
			}
		case Max, Min:
			x.kind = extreme
			if q.Value == IngressTime {
				x.kind = stamped
			}
		case Checksum:
			x.kind = checksummed
			c, err := routechange.NewChecksum(f, q.Bits)
			if err != nil {
				return nil, fmt.Errorf("module: %s: %w", q.Label(), err)
			}
			x.sum = c
		default:
			x.kind = folded
			e.longest = p.Hops
		}
		e.ops = append(e.ops, x)
	}
	sum := p.Lane()
	if sum >= 0 {
		e.lanes = make([]lane, len(p.Sets))
	}
	for j, s := range p.Sets {
		var ops []op
		for _, f := range s.Fields {
			x := e.ops[f.Query]
			x.shift = uint8(f.Offset)
			ops = append(ops, x)
			if f.Query == sum {
				e.lanes[j] = lane{x.shift, uint16(x.mask)}
			}
		}
		e.sets = append(e.sets, ops)
	}
	return e, nil
}

// Plan returns the plan of the encoder.
func (e *Encoder) Plan() *Plan { return e.plan }

// Coding returns the code of a static query for decoders. It is nil for other queries of the plan.
func (e *Encoder) Coding(name string) *coding.Code { return e.ops[e.plan.must(name)].static }

// Set returns the index of the query set that a packet carries.
func (e *Encoder) Set(packet uint64) int {
	if len(e.sets) == 1 {
		return 0
	}
	return e.plan.Choose(e.choose.Word(e.choose.Key(packet), 0))
}

// Lane returns the lane of a packet at the sink: the low 16 bits of its path checksum, or 0 if the plan has no lanes.
func (e *Encoder) Lane(packet, digest uint64) uint16 {
	if e.lanes == nil {
		return 0
	}
	x := e.lanes[e.Set(packet)]
	return uint16(digest>>(x.shift&63)) & x.mask
}

// LaneOf returns the lane of packets over a path of these switches.
func (e *Encoder) LaneOf(path []uint64) uint16 {
	if e.lanes == nil {
		return 0
	}
	return uint16(e.ops[e.plan.Lane()].sum.Path(path))
}

// Encode returns the digest of a packet after switch number hop (from 1) of its path. digest is the
// packet's digest before this switch. The first switch ignores it. packet is the packet's
// identifier, which must be the same at all switches and at the sink.
func (e *Encoder) Encode(packet uint64, hop int, digest uint64, o *Observation) uint64 {
	return e.EncodeIn(e.Set(packet), packet, hop, digest, o)
}

// EncodeIn works like Encode, for a packet whose Set is known.
func (e *Encoder) EncodeIn(set int, packet uint64, hop int, digest uint64, o *Observation) uint64 {
	ops := e.sets[set]
	if hop == 1 {
		digest = 0
	}
	for i := range ops {
		x := &ops[i]
		old := digest >> (x.shift & 63) & x.mask
		fresh := old
		switch x.kind {
		case static:
			fresh = x.static.Hop(packet, hop, o.name(x.value), old)
		case sampled:
			if global.Reservoir(x.act.Word(x.act.Key(packet), uint64(hop)), hop) {
				fresh = uint64(x.code.Encode(o.number(x.value), x.word(packet, 0)))
			}
		case carriesName:
			if global.Reservoir(x.act.Word(x.act.Key(packet), uint64(hop)), hop) {
				fresh = uint64(x.code.Name(o.name(x.value)))
			}
		case checksummed:
			fresh = uint64(x.sum.Hop(hop, o.name(x.value), uint32(old)))
		case folded:
			// Every hop tosses its own coin.
			fresh = uint64(x.code.Accumulate(uint32(old), o.number(x.value), x.word(packet, hop)))
		default:
			fresh = x.extremum(packet, hop, old, o)
		}
		digest ^= (old ^ fresh) << (x.shift & 63)
	}
	return digest
}

// extremum keeps the larger or smaller of two codes. If the codes are equal, it keeps the larger or
// smaller name, so the order of the hops does not matter. All hops round with the same word of the
// packet. So the extremum of the rounded codes is the rounded code of the extremum, without bias
// (package approx).
func (x *op) extremum(packet uint64, hop int, old uint64, o *Observation) uint64 {
	var fresh uint64
	if x.kind == stamped {
		fresh = uint64(x.code.Stamp(o.IngressTime))
	} else {
		fresh = uint64(x.code.Encode(o.number(x.value), x.word(packet, 0)))
	}
	if x.label > 0 {
		fresh = fresh<<x.label | o.name(x.with)&(1<<x.label-1)
	}
	if hop == 1 {
		return fresh
	}
	if x.kind == stamped {
		a, b := uint32(fresh>>x.label), uint32(old>>x.label)
		if a != b {
			if x.code.Later(a, b) != x.min {
				return fresh
			}
			return old
		}
	}
	if (fresh > old) != x.min {
		return fresh
	}
	return old
}

// word returns a word for rounding, or 0 if the code does not round at random. Its upper 32 bits
// are random, so that probabilities are exact to 2^-32.
func (x *op) word(packet uint64, hop int) uint64 {
	if x.kind != folded && !x.random {
		return 0
	}
	return uint64(x.round.Word(x.round.Key(packet), uint64(hop))) << 32
}
