package query

import (
	"pintlab/pint/global"
)

// What only tests ask.

// SetOf does what Choose does, for a packet under the family of the network.
func (p *Plan) SetOf(f global.Family, packet uint64) int {
	return p.Choose(f.Hash(global.QuerySet, 0, packet, 0))
}

// Primitives returns what the switches must measure for the query. The streams of a dynamic
// aggregation are per switch, so it includes the switch; which switch a hop number
// stands for is known from the path.
func (q *Query) Primitives() Primitive {
	p := q.Value.Primitives()
	if q.With != 0 {
		p |= q.With.Primitives()
	}
	if q.Aggregation.Class() == Dynamic {
		p |= PrimitiveSwitchID
	}
	return p
}

// Primitives returns what a switch must measure to know v.
func (v Value) Primitives() Primitive { return v.facts().primitives }
