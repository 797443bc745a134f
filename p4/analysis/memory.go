package analysis

import (
	"pintlab/netsim/unit"
	"pintlab/p4/interp"
	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/types"
)

// Memory returns the memory that a program takes in a switch: the cells of its registers, and its tables in whole
// blocks of SRAM and TCAM.
func Memory(p *interp.Program, t *Target) (registers, tables unit.Bytes) {
	const sram, tcam = sramWords * sramWidth / 8, tcamWords * tcamWidth / 8
	seen := map[*ir.Extern]bool{}
	for _, c := range p.Pipelines() {
		for _, n := range newSolver(c, t).g.nodes {
			switch {
			case n.kind == tableNode:
				u := tableUse(&n, EgressActions)
				tables += unit.Bytes(u[SRAM]*sram + u[TCAM]*tcam)
			case n.kind == registerNode && !seen[n.reg]:
				seen[n.reg] = true
				cell, _ := types.Bits(n.reg.TypeArgs[0])
				registers += unit.Bytes(registerSize(n.reg)) * unit.Bytes(cell) / 8
			}
		}
	}
	return registers, tables
}
