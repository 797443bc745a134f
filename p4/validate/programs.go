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
)

// Program is one of the P4 programs.
type Program struct {
	Name  string // "hpcc_util"
	File  string // in src
	Title string
	// Stages is the number of match-action stages that the PINT paper counts, 0 if the paper has no number.
	Stages int
	// Defines are the macros of a variant.
	Defines []string
	// Alone means that one switch can be tested alone with the macro OBSERVED. Packets then have a header that
	// carries times, queue and switch ID (p4/src/include/packet.p4).
	Alone bool
	// Racing means that the packets that are sent depend on how fast a switch recirculates.
	Racing bool

	twin func() (twin, error)
}

// twin is a Go twin with its state. It also draws the packets for the comparison.
type twin interface {
	// draw makes the next packet at random.
	draw(*rand.Rand) []byte
	// expect returns the packet that the program must send for the packet that was drawn last, or nil for none.
	expect() []byte
}

// loadedMacro is the macro that leaves the tables of a program empty until the control plane fills them. In the
// output of p4c the tables are always empty.
const loadedMacro = "LOADED"

// Programs returns the programs and their variants.
func Programs() []Program {
	list := []Program{
		{Name: "pint_path", Stages: 4, Alone: true, twin: newPathTwin, Title: "path tracing: layer, g, h, write"},
		{Name: "pint_latency", Stages: 4, Alone: true, twin: newLatencyTwin,
			Title: "latency quantiles: latency, compress, g, overwrite"},
		{Name: "hpcc_util", Stages: 8, Alone: true, twin: newLoadTwin(fixedpoint.Difference),
			Title: "HPCC's utilisation: U as a difference, approximation, write"},
		{Name: "hpcc_util-stored", Defines: []string{"STORED"}, Racing: true, Alone: true, twin: newStoredTwin,
			Title: "hpcc_util with -D STORED: two values of U, one packet in two recirculated"},
		{Name: "hpcc_util-appendix-b", Stages: 8, Defines: []string{"APPENDIX_B"}, Alone: true,
			twin:  newLoadTwin(fixedpoint.AppendixB),
			Title: "hpcc_util with -D APPENDIX_B: U by logarithms as in the PINT paper"},
		{Name: "hpcc_util-decrement", Defines: []string{"APPENDIX_B", "DECREMENT"}, Alone: true,
			twin: newLoadTwin(fixedpoint.Decrement), Title: "hpcc_util with -D APPENDIX_B -D DECREMENT: U - U·τ/T"},
		{Name: "powertcp_util", Alone: true, twin: newPowerTwin, Title: "PowerTCP's power, in bytes, and its code"},
		{Name: "pint_combined", Stages: 8, Alone: true, twin: newCombinedTwin(fixedpoint.Difference),
			Title: "three queries and the choice of the query set"},
		{Name: "pint_combined-stored", Defines: []string{"STORED"}, Racing: true, Alone: true,
			twin:  newStoredCombinedTwin,
			Title: "pint_combined with -D STORED: two values of U, one packet in two recirculated"},
		{Name: "pint_combined-appendix-b", Stages: 8, Defines: []string{"APPENDIX_B"}, Alone: true,
			twin: newCombinedTwin(fixedpoint.AppendixB), Title: "pint_combined with -D APPENDIX_B"},
		{Name: "pint_loop", Alone: true, twin: newLoopTwin, Title: "routing loops, Algorithm 2"},
		{Name: "int_md", twin: newIntTwin(intTransit),
			Title: "INT-MD 2.1: transit hop, and source or sink by tables"},
		{Name: "int_md-transit", Defines: []string{"NO_SINK"}, twin: newIntTwin(intTransit),
			Title: "int_md with -D NO_SINK: transit hop and source, the stack stays in the payload"},
		{Name: "int_md-source", Defines: []string{"SOURCE"}, twin: newIntTwin(intSource),
			Title: "int_md with -D SOURCE: begins INT on every packet"},
		{Name: "int_md-sink", Defines: []string{"SINK"}, twin: newIntTwin(intSink),
			Title: "int_md with -D SINK: removes INT and reports it"},
		{Name: "csig", twin: newCSIGTwin,
			Title: "CSIG: the worst hop of bandwidth or delay, in compact and wide tags"},
		{Name: "towersketch", twin: newTowerTwin, Title: "TowerSketch, CM insertion, counters of 8, 16 and 32 bits"},
		{Name: "sumax", twin: newSumaxTwin,
			Title: "SuMax of LightGuardian: two sketches, sketchlets carried by packets"},
		{Name: "fridge", twin: newFridgeTwin, Title: "delays of TCP handshakes without survivorship bias"},
	}
	for i := range list {
		file, _, _ := strings.Cut(list[i].Name, "-")
		list[i].File = file + ".p4"
	}
	return list
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

// computes reports whether the program contains the operation op, whose errors are measured.
func (p Program) computes(op string) bool {
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
		return op == opFactors
	}
	return false
}

// Load reads the program as an operator would, with further macros.
func (p Program) Load(o interp.Options) (*interp.Program, error) {
	o.Defines = slices.Concat(o.Defines, p.Defines)
	return interp.LoadFS(p4.Sources(), p.File, o)
}

// Uses returns how much of each resource of the default target a program takes in all stages, and the limits of all
// stages together.
func Uses(name string) (used, limit analysis.Use, err error) {
	programs := Programs()
	i := slices.IndexFunc(programs, func(p Program) bool { return p.Name == name })
	target, err := analysis.OpenTarget(analysis.DefaultTarget)
	if err != nil {
		return used, limit, err
	}
	program, err := programs[i].Load(interp.Options{Target: target.Defines})
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

// loadAlone reads the program in the form that is compared with its twin.
func (p Program) loadAlone() (*interp.Program, error) {
	return p.load(p.defines())
}

func (p Program) load(defines []string) (*interp.Program, error) {
	return interp.LoadFS(p4.Sources(), p.File, interp.Options{Defines: defines})
}

// defines returns the macros that are set when the program is compared with its twin.
func (p Program) defines() []string {
	if !p.Alone {
		return p.Defines
	}
	return append(slices.Clone(p.Defines), "OBSERVED")
}
