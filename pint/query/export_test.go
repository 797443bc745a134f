package query

import (
	"pintlab/pint/global"
)

// What only tests ask.

// SetOf does what Choose does, for a packet under the family of the network.
func (p *Plan) SetOf(f global.Family, packet uint64) int {
	return p.Choose(f.Hash(global.QuerySet, 0, packet, 0))
}

// Cap returns the most records that fit the space budget.
func (d *Digests) Cap() int { return len(d.ids) }
