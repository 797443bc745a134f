package p4

import (
	"fmt"
	"strings"
	"sync"

	"pintlab/experiments/figures/figure"
	"pintlab/internal/lists"
	"pintlab/p4/analysis"
	"pintlab/p4/fixedpoint"
	"pintlab/p4/interp"

	"pintlab/p4/validate"
	"pintlab/pint/loops"
	"pintlab/plots"
	"pintlab/plots/report"
)

// layout is how a program lies in the default target.
type layout struct {
	egress int // stages of the egress, by dependencies alone
	placed int // stages that ingress and egress share
	fits   bool
}

// layouts returns those of the programs for which PINT §5 counts stages, and of those with stored values of U. It panics if a
// built-in program does not load.
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
		prog, err := p.Load(interp.Options{}, target.Defines...)
		if err != nil {
			panic(err)
		}
		l := analysis.LayOut(prog, target)
		list[p.Name] = layout{egress: analysis.Stages(prog, target)[1].Stages, placed: l.Stages, fits: l.Fits()}
	}
	return list
})

// stored ends the names of programs that keep two values of U and recirculate packets.
const stored = "-stored"

// The programs of PINT §5.
const (
	pathTracing = "pint_path"
	tailLatency = "pint_latency"
	combined    = "pint_combined"
)

// beyondU is how many stages the program of HPCC has behind U: one for its code, one to write.
const beyondU = 2

// counted is the tolerance of stages.
var counted = figure.Tolerance{Why: "exact: stages are counted"}

// frontCompare compares the stages that PINT §5 counts with those of our programs, and false reports of loops.
func frontCompare(rows []FrontRow) []report.Compared {
	var list []report.Compared
	add := func(c report.Compared, ours float64, t figure.Tolerance) {
		c.Ours, c.Lo, c.Hi = ours, ours, ours
		list = append(list, figure.Beside(c, t))
	}
	byTables := frontShipped(fixedpoint.AppendixB)
	oneEach := byTables
	oneEach.time, oneEach.load, oneEach.power = 1, 1, 1
	appendixB := fmt.Sprintf("Appendix C finds the first set bit with one table and looks the fraction up in a second one; a power looks up a fraction and then shifts. "+
		"With these two tables in a row U takes %d stages by our count. With one table of prefixes for each logarithm and one for each power, it takes %d, the PINT paper's number, and the tables have %s in place of %s. "+
		"U itself errs by %.0f %% on the mean with these tables (rows of p4/front), because every packet multiplies all of U by the error of a table.",
		byTables.stages()-beyondU, oneEach.stages()-beyondU, size(oneEach.memory()), size(byTables.memory()), 100*frontOf(rows, fixedpoint.AppendixB).Mean)
	const difference = "U as a difference has one product, V + byte + τ/T·(qlen − V) with V = U·B·T, where appendix B has two, and takes one table for each logarithm and power."
	const source = "PINT §5"
	at := layouts()
	stages := func(what, reading, program string, published, without int, note string) {
		add(report.Compared{Quantity: what, Reading: reading, Published: float64(published), Source: source, Note: note}, float64(at[program].egress-without), counted)
	}
	stages("path tracing: stages", "", pathTracing, 4, 0, "")
	stages("median and tail latency: stages", "", tailLatency, 4, 0, "")
	for _, x := range []struct {
		how, reading, note string
		form               fixedpoint.Form
	}{{" by appendix B", "", appendixB, fixedpoint.AppendixB}, {"", "U as a difference (hpcc_util)", difference, fixedpoint.Difference}} {
		stages("HPCC's U"+x.how+": stages", x.reading, programs[x.form], 6, beyondU, x.note)
		stages("HPCC"+x.how+", with a stage for the code of U and one to write it: stages", x.reading, programs[x.form], 8, 0, x.note)
	}
	for _, x := range []struct {
		what, unit       string
		published, scale float64
		config           loops.Config
		within           figure.Tolerance
	}{
		{"T = 0, 16 bits", "%", 0.05, 1e2, loops.Plain(), figure.Digits(0.01)},
		{"T = 1, 15 bits", "× 10⁻⁷", 5, 1e7, loops.Twice(), figure.AtMost},
		{"T = 3, 14 bits", "× 10⁻¹³", 5, 1e13, loops.Fourfold(), figure.AtMost},
	} {
		p, err := x.config.FalseReport(32)
		if err != nil {
			panic(err) // the configs and the path are in range
		}
		add(report.Compared{Quantity: "routing loops: false reports over 32 switches, " + x.what, Unit: x.unit, Published: x.published, Source: "PINT appendix A.4"}, x.scale*p, x.within)
	}
	return list
}

// size prints the memory of tables.
func size(bytes int) string { return plots.FormatValue(float64(bytes), plots.InBytes, 3) }

// together judges Fig. 6: the three queries in one program take as many stages as HPCC alone.
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
	return figure.Judge("Fig. 6: path tracing, latency and HPCC in one program need no more stages than HPCC alone", !more, more,
		"%s stages; one hash for the path, where Fig. 6 has two", strings.Join(detail, ", "))
}

// deployable judges whether the programs fit a switch. §5: HPCC needs U to be updated in a single stage; otherwise switches store
// values of U and recirculate packets.
func deployable() figure.Finding {
	at := layouts()
	ok := true
	detail := lists.Map([]string{pathTracing, tailLatency, programs[fixedpoint.Difference] + stored, combined + stored}, func(name string) string {
		ok = ok && at[name].fits
		return fmt.Sprintf("%s takes %d of 12 stages", name, at[name].placed)
	})
	hpcc := "does not fit"
	if at[programs[fixedpoint.Difference]].fits {
		hpcc = "fits"
	}
	return figure.Judge("the queries fit a programmable switch (Tofino), HPCC with stored values of U and recirculation, as §5 proposes where one stage cannot update U", ok, !ok,
		"%s; with U read in one stage and written in a later one, HPCC %s", strings.Join(detail, ", "), hpcc)
}
