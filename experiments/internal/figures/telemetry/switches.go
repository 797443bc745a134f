package telemetry

import (
	"math"
	"strconv"

	"pintlab/netsim/unit"
	"pintlab/p4/analysis"
	"pintlab/p4/interp"
	"pintlab/p4/validate"
)

// switchCost contains the resources that a system uses in a switch.
type switchCost struct {
	// Registers is the size of the registers in the runs. If the settings of the runs do not determine the size, it
	// is the size in the P4 program.
	Registers float64 `col:"registers" unit:"B"`
	Tables    float64 `col:"tables" unit:"B"` // tables of the P4 program, in whole blocks of SRAM and TCAM
	Stages    float64 `col:"stages"`          // stages of the P4 program, on Tofino
}

// layouts maps the systems' P4 programs to their costs on a target.
type layouts map[string]switchCost

// laidOut lays out the P4 programs of all systems on the default target.
func laidOut() (layouts, error) {
	target, err := analysis.OpenTarget(analysis.DefaultTarget)
	if err != nil {
		return nil, err
	}
	l := layouts{}
	for _, x := range systems {
		if x.program == "" || l[x.program] != (switchCost{}) {
			continue
		}
		p, err := validate.Find(x.program)
		if err != nil {
			return nil, err
		}
		prog, err := p.Load(interp.Options{Target: target.Defines})
		if err != nil {
			return nil, err
		}
		registers, tables := analysis.Memory(prog, target)
		l[x.program] = switchCost{float64(registers), float64(tables), float64(analysis.LayOut(prog, target).Stages)}
	}
	return l, nil
}

// of returns the switch cost of a point's system, or NaN where it is unknown.
func (l layouts) of(p *point) switchCost {
	s := switchCost{math.NaN(), math.NaN(), math.NaN()}
	if known, ok := l[p.system.program]; ok {
		s = known
	}
	if n, err := strconv.ParseInt(p.setting().fill(p.system.registers, p.knob), 10, 64); err == nil {
		s.Registers = float64(unit.Bytes(n) * p.system.each)
	}
	return s
}
