package query

import (
	"errors"
	"fmt"

	"pintlab/netsim/unit"
)

// Errors for a digest that no switch of the plan can have written. They are constants, so that
// rejecting a packet allocates nothing.
var (
	ErrHops  = errors.New("module: the path is empty, or it is longer than a sum or a space of the plan allows")
	ErrWidth = errors.New("module: the digest has bits that the packet's query set does not use")
	ErrCode  = errors.New("module: the digest contains an unused code")
)

// Extremum is the result of a per-packet query on one packet.
type Extremum struct {
	Value float64   // max, min, sum, product or checksum, in the unit of the value
	Time  unit.Time // for timestamps, the result instead of Value
	Name  uint64    // low bits of the ID of the switch or port that had the extremum
}

// check returns an error for digests that no switch can have written.
func (e *Encoder) check(set int, digest uint64, hops int) error {
	if hops < 1 || hops > e.longest {
		return ErrHops
	}
	used := uint64(0)
	for i := range e.sets[set] {
		x := &e.sets[set][i]
		used |= x.mask << x.shift
	}
	if digest&^used != 0 {
		return ErrWidth
	}
	return nil
}

// Part returns the digest of a query of the plan on a packet, and whether the packet carries the query.
func (e *Encoder) Part(name string, packet, digest uint64) (uint64, bool) {
	return e.part(e.plan.must(name), packet, digest)
}

func (e *Encoder) part(i int, packet, digest uint64) (uint64, bool) {
	s := &e.plan.Sets[e.Set(packet)]
	f, ok := s.Field(i)
	if !ok {
		return 0, false
	}
	return digest >> f.Offset & e.ops[i].mask, true
}

// PerPacket returns the result of a per-packet query for a packet that arrived at time now after
// this many hops. Timestamps need now. PerPacket returns false if the packet does not carry the
// query, and an error if the query is of another class.
func (e *Encoder) PerPacket(
	name string, packet, digest uint64, hops int, now unit.Time,
) (Extremum, bool, error) {
	i, err := e.plan.position(name)
	if err != nil {
		return Extremum{}, false, err
	}
	q := &e.plan.Queries[i]
	if q.Aggregation.Class() != PerPacket {
		return Extremum{}, false, fmt.Errorf("module: %s is %v, not per-packet", q.Label(), q.Aggregation.Class())
	}
	if err := e.check(e.Set(packet), digest, hops); err != nil {
		return Extremum{}, false, err
	}
	part, ok := e.part(i, packet, digest)
	if !ok {
		return Extremum{}, false, nil
	}
	x := &e.ops[i]
	code := uint32(part >> x.label)
	if uint64(code) >= x.code.Codes() {
		return Extremum{}, false, ErrCode
	}
	r := Extremum{Name: part & (1<<x.label - 1)}
	if x.kind == stamped {
		r.Time = x.code.DecodeStamp(code, now)
	} else {
		r.Value = x.code.Decode(code)
	}
	return r, true, nil
}
