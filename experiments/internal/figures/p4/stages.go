package p4

import (
	"fmt"
	"strings"
	"sync"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/results/stats"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/p4/analysis"
	"pintlab/p4/fixedpoint"
	"pintlab/p4/interp"
	"pintlab/p4/validate"
	"pintlab/pint/loops"
	"pintlab/plots"
	"pintlab/plots/report"
)

// layout is the layout of a program in the default target.
type layout struct {
	egress int // stages of the egress, if only dependencies count
	placed int // stages that ingress and egress share
	fits   bool
}

// layouts returns the layouts of the programs whose stages PINT §5 counts, and of the programs that store values of
// U. It panics if a program does not load, because the programs are built in.
var layouts = sync.OnceValue(func() map[string]layout {
	target, err := analysis.OpenTarget(analysis.DefaultTarget)
	if err != nil {
		panic(err)
	}
	list := map[string]layout{}
	for _, p := range validate.Programs() {
		if p.Stages == 0 && !strings.HasSuffix(p.Name, stored) {
			continue
		}
		prog, err := p.Load(interp.Options{Target: target.Defines})
		if err != nil {
			panic(err)
		}
		l := analysis.LayOut(prog, target)
		list[p.Name] = layout{egress: analysis.Stages(prog, target)[1].Stages, placed: l.Stages, fits: l.Fits()}
	}
	return list
})

// stored is the suffix of the names of programs that store two values of U and recirculate packets.
const stored = "-stored"

// The programs that PINT §5 describes.
const (
	pathTracing = "pint_path"
	tailLatency = "pint_latency"
	combined    = "pint_combined"
)

// beyondU is the number of stages after the computation of U in the program of HPCC: one stage encodes U, and one
// stage writes the code.
const beyondU = 2

// countStages returns the number of stages of the program p.Scheme, or the number of its stages that compute U.
func countStages(_ []FrontRow, p *figure.Published, _ *report.Compared) stats.Number {
	l, ok := layouts()[p.Scheme]
	if !ok {
		panic("no layout of " + p.Scheme) // the programs are built in
	}
	if p.Ours == "stages of U" {
		l.egress -= beyondU
	}
	return stats.Exactly(float64(l.egress))
}

// falseReports returns the rate of false reports of loops on a path of 32 switches, in the unit of the published
// number.
func falseReports(_ []FrontRow, p *figure.Published, _ *report.Compared) stats.Number {
	of := map[string]struct {
		config loops.Config
		scale  float64
	}{"T = 0": {loops.Plain(), 1e2}, "T = 1": {loops.Twice(), 1e7}, "T = 3": {loops.Fourfold(), 1e13}}[p.Scheme]
	rate, err := of.config.FalseReport(32)
	if err != nil {
		panic(err) // the configs and the path are in range
	}
	return stats.Exactly(of.scale * rate)
}

// tablesOfAppendixB returns the values for the section "appendix B". They are the numbers of stages that compute U,
// with two successive tables and with one; the memory, with one table and with two; and the mean error of U.
func tablesOfAppendixB(rows []FrontRow) []any {
	inRow := frontShipped(fixedpoint.AppendixB)
	one := inRow
	one.time, one.load, one.power = 1, 1, 1
	return []any{inRow.stages() - beyondU, one.stages() - beyondU, size(one.memory()), size(inRow.memory()),
		100 * frontOf(rows, fixedpoint.AppendixB).Mean}
}

// size formats the memory of tables.
func size(bytes int) string { return number.Format(float64(bytes), plots.InBytes, 3) }

// together judges the statement of Fig. 6 that a program with the three queries takes as many stages as HPCC alone.
func together() figure.Finding {
	at := layouts()
	more, detail := false, []string{}
	for _, variant := range []string{"-appendix-b", "", stored} {
		alone, all := at[programs[fixedpoint.Difference]+variant], at[combined+variant]
		if alone.egress == 0 || all.egress == 0 {
			panic("no layout of " + variant) // the programs are built in
		}
		more = more || all.egress > alone.egress
		detail = append(detail, fmt.Sprintf("%s %d and %d", combined+variant, all.egress, alone.egress))
	}
	return figure.Judge("Fig. 6: path tracing, latency and HPCC in one program need no more stages than HPCC alone",
		!more, more,
		"%s stages; one hash for the path, where Fig. 6 has two", strings.Join(detail, ", "))
}

// deployable judges whether the programs fit a switch. According to §5, HPCC needs a switch that can update U in a
// single stage. On other switches, the program must store several values of U and recirculate packets.
func deployable() figure.Finding {
	at := layouts()
	ok := true
	detail := lists.Map([]string{pathTracing, tailLatency, programs[fixedpoint.Difference] + stored, combined + stored},
		func(name string) string {
			ok = ok && at[name].fits
			return fmt.Sprintf("%s takes %d of 12 stages", name, at[name].placed)
		})
	hpcc := "does not fit"
	if at[programs[fixedpoint.Difference]].fits {
		hpcc = "fits"
	}
	return figure.Judge(
		"the queries fit a programmable switch (Tofino), HPCC with stored values of U and recirculation, as §5 "+
			"proposes where one stage cannot update U", ok, !ok,
		"%s; with U read in one stage and written in a later one, HPCC %s", strings.Join(detail, ", "), hpcc)
}
