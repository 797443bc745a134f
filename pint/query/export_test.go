package query

import (
	"pintlab/pint/global"
)

// Functions that only tests use.

// SetOf returns the set that Choose selects for a packet under the hash family f.
func (p *Plan) SetOf(f global.Family, packet uint64) int {
	return p.Choose(f.Hash(global.QuerySet, 0, packet, 0))
}

// Cap returns the number of records that fit the space budget.
func (d *Digests) Cap() int { return len(d.ids) }
