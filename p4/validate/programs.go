package validate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"pintlab/internal/lists"
	"pintlab/p4"
	"pintlab/p4/analysis"
	"pintlab/p4/fixedpoint"
	"pintlab/p4/interp"
	"pintlab/p4/targets"
)

// Program is one of the P4 programs.
type Program struct {
	Name  string // "hpcc_util"
	File  string // in src
	Title string
	// Stages is the number of match-action stages that the PINT paper counts, 0 if it gives none.
	Stages int
	// Defines are the macros of a variant.
	Defines []string
	// Alone means that the macro OBSERVED lets one switch be tested alone, with a header that carries
	// times, queue and switch ID of the packet (p4/src/include/packet.p4).
	Alone bool
	// Racing means that the packets sent depend on how fast a switch recirculates.
	Racing bool

	twin func() (twin, error)
}

// twin is a Go twin with its state. It also draws the packets for the comparison.
type twin interface {
	// draw makes the next packet at random.
	draw(*rand.Rand) []byte
	// expect returns the packet that the program must send for the packet drawn last; nil for none.
	expect() []byte
}

// loadedMacro is the macro with which the tables of a program are empty until the control plane fills them.
// In the output of p4c they are always empty.
const loadedMacro = "LOADED"

// Programs returns the programs and their variants.
func Programs() []Program {
	return []Program{
		{Name: "pint_path", File: "pint_path.p4", Stages: 4, Title: "path tracing: layer, g, h, write", Alone: true, twin: newPathTwin},
		{Name: "pint_latency", File: "pint_latency.p4", Stages: 4, Title: "latency quantiles: latency, compress, g, overwrite", Alone: true, twin: newLatencyTwin},
		{Name: "hpcc_util", File: "hpcc_util.p4", Stages: 8, Title: "HPCC's utilisation: U as a difference, approximation, write", Alone: true, twin: newLoadTwin(fixedpoint.Difference)},
		{Name: "hpcc_util-stored", File: "hpcc_util.p4", Title: "hpcc_util with -D STORED: two values of U, one packet in two recirculated", Defines: []string{"STORED"}, Racing: true, Alone: true, twin: newStoredTwin},
		{Name: "hpcc_util-appendix-b", File: "hpcc_util.p4", Stages: 8, Title: "hpcc_util with -D APPENDIX_B: U by logarithms as the PINT paper has it", Defines: []string{"APPENDIX_B"}, Alone: true, twin: newLoadTwin(fixedpoint.AppendixB)},
		{Name: "hpcc_util-decrement", File: "hpcc_util.p4", Title: "hpcc_util with -D APPENDIX_B -D DECREMENT: U - U·τ/T", Defines: []string{"APPENDIX_B", "DECREMENT"}, Alone: true, twin: newLoadTwin(fixedpoint.Decrement)},
		{Name: "powertcp_util", File: "powertcp_util.p4", Title: "PowerTCP's power, in bytes, and its code", Alone: true, twin: newPowerTwin},
		{Name: "pint_combined", File: "pint_combined.p4", Stages: 8, Title: "three queries and the choice of the query set", Alone: true, twin: newCombinedTwin(fixedpoint.Difference)},
		{Name: "pint_combined-stored", File: "pint_combined.p4", Title: "pint_combined with -D STORED: two values of U, one packet in two recirculated", Defines: []string{"STORED"}, Racing: true, Alone: true, twin: newStoredCombinedTwin},
		{Name: "pint_combined-appendix-b", File: "pint_combined.p4", Stages: 8, Title: "pint_combined with -D APPENDIX_B", Defines: []string{"APPENDIX_B"}, Alone: true, twin: newCombinedTwin(fixedpoint.AppendixB)},
		{Name: "pint_loop", File: "pint_loop.p4", Title: "routing loops, Algorithm 2", Alone: true, twin: newLoopTwin},
		{Name: "int_md", File: "int_md.p4", Title: "INT-MD 2.1: transit hop, and source or sink by tables", twin: newIntTwin(intTransit)},
		{Name: "int_md-transit", File: "int_md.p4", Title: "int_md with -D NO_SINK: transit hop and source, the stack stays in the payload", Defines: []string{"NO_SINK"}, twin: newIntTwin(intTransit)},
		{Name: "int_md-source", File: "int_md.p4", Title: "int_md with -D SOURCE: begins INT on every packet", Defines: []string{"SOURCE"}, twin: newIntTwin(intSource)},
		{Name: "int_md-sink", File: "int_md.p4", Title: "int_md with -D SINK: takes INT out and reports", Defines: []string{"SINK"}, twin: newIntTwin(intSink)},
		{Name: "csig", File: "csig.p4", Title: "CSIG: the worst hop of bandwidth or delay, in compact and wide tags", twin: newCSIGTwin},
		{Name: "towersketch", File: "towersketch.p4", Title: "TowerSketch, CM insertion, counters of 8, 16 and 32 bits", twin: newTowerTwin},
		{Name: "sumax", File: "sumax.p4", Title: "SuMax of LightGuardian: two sketches, sketchlets carried by packets", twin: newSumaxTwin},
		{Name: "fridge", File: "fridge.p4", Title: "delays of TCP handshakes without survivorship bias", twin: newFridgeTwin},
	}
}

// Find returns the program of that name.
func Find(name string) (Program, error) {
	list := Programs()
	i := slices.IndexFunc(list, func(p Program) bool { return p.Name == strings.TrimSuffix(name, ".p4") })
	if i < 0 {
		names := lists.Map(list, func(p Program) string { return p.Name })
		return Program{}, fmt.Errorf("no P4 program %q (programs: %s)", name, strings.Join(names, ", "))
	}
	return list[i], nil
}

// Computes reports whether the program computes with an operation whose errors are measured.
func (p Program) Computes(op string) bool {
	switch p.File {
	case "hpcc_util.p4", "pint_combined.p4":
		form := fixedpoint.Difference
		if slices.Contains(p.Defines, "DECREMENT") {
			form = fixedpoint.Decrement
		} else if slices.Contains(p.Defines, "APPENDIX_B") {
			form = fixedpoint.AppendixB
		}
		general := op == opLog || op == opExp || op == opMul
		return op == opCode || op == opLoad(form) || op == OpRecorded(form) || general && form != fixedpoint.Difference
	case "fridge.p4":
		return op == OpFactors
	}
	return false
}

// Load reads the program as an operator would, with further macros and, if the program uses them, those
// of a target.
func (p Program) Load(o interp.Options, target ...string) (*interp.Program, error) {
	o.Defines = slices.Concat(o.Defines, p.Defines, p.forTarget(target))
	return interp.LoadFS(p4.Sources(), p.File, o)
}

// Uses returns how much of each resource of the default target a program takes in all stages, and the limits.
func Uses(name string) (used, limit analysis.Use, err error) {
	programs := Programs()
	i := slices.IndexFunc(programs, func(p Program) bool { return p.Name == name })
	target, err := targets.Open(targets.Default)
	if err != nil {
		return used, limit, err
	}
	program, err := programs[i].Load(interp.Options{}, target.Defines...)
	if err != nil {
		return used, limit, err
	}
	l := analysis.LayOut(program, target)
	for r := range used {
		for _, u := range l.Use {
			used[r] += u[r]
		}
		limit[r] = l.Limit[r] * target.Stages.Limit
	}
	return used, limit, nil
}

// forTarget returns the macros of a target that the program uses.
func (p Program) forTarget(macros []string) []string {
	if !p.Alone {
		return nil
	}
	return macros
}

// loadAlone reads the program in the form that is compared with its twin.
func (p Program) loadAlone() (*interp.Program, error) {
	return p.load(p.defines())
}

func (p Program) load(defines []string) (*interp.Program, error) {
	return interp.LoadFS(p4.Sources(), p.File, interp.Options{Defines: defines})
}

// defines returns the macros with which the program is compared with its twin.
func (p Program) defines() []string {
	if !p.Alone {
		return p.Defines
	}
	return append(slices.Clone(p.Defines), "OBSERVED")
}
