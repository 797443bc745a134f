package p4

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pintlab/experiments/internal/figures/figure/figuretest"
	"pintlab/p4/analysis"
	"pintlab/p4/fixedpoint"
	"pintlab/p4/interp"
	"pintlab/p4/validate"
)

var update = flag.Bool("update", false, "rewrite the table of docs/p4.md")

// bytesOnTheWire lists, by file, the bytes that a program adds to a packet. PINT adds a tag with the digest and an
// EtherType. CSIG adds a compact or a wide tag. INT adds a header, and 4 bytes for each value and hop. LightGuardian
// adds a tag and, on some packets, a sketchlet.
var bytesOnTheWire = map[string]string{
	"pint_path.p4": "4", "pint_latency.p4": "4", "hpcc_util.p4": "4", "powertcp_util.p4": "4", "pint_combined.p4": "4",
	"pint_loop.p4": "4",
	"csig.p4":      "4 or 8", "int_md.p4": "16 and 4 per value and hop", "sumax.p4": "4 or 28", "towersketch.p4": "0",
	"fridge.p4": "0",
}

// formOf returns the form in which a program computes U. It reports false if the program does not compute U.
func formOf(p *validate.Program) (fixedpoint.Form, bool) {
	switch {
	case p.File != "hpcc_util.p4" && p.File != "pint_combined.p4":
		return 0, false
	case strings.HasSuffix(p.Name, "-decrement"):
		return fixedpoint.Decrement, true
	case strings.HasSuffix(p.Name, "-appendix-b"):
		return fixedpoint.AppendixB, true
	}
	return fixedpoint.Difference, true
}

// placed describes the layout of a program in a target: the number of stages, and whether the program fits.
func placed(l *analysis.Layout, t *analysis.Target) string {
	switch {
	case t.Software != "" && l.Fits():
		return "runs"
	case l.Fits():
		return fmt.Sprint(l.Stages)
	}
	return fmt.Sprintf("%d, no", l.Stages)
}

// docs/p4.md lists numbers that the code computes for each program. They are the stages by dependencies, the stages
// in each target and whether the program fits, the resources of the default target that the program uses, the error
// of U on a recorded run, and the bytes on the wire. int_md-source and int_md-sink are int_md with other default
// actions.
func TestTableOfPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("places every program in every target, which takes seconds; needs go test without -short")
	}
	rec, err := recording()
	if err != nil {
		t.Fatal(err)
	}
	errorOf := map[fixedpoint.Form]string{}
	for _, form := range fixedpoint.Forms() {
		e, err := rec.Error(fixedpoint.ConfigOf(form, form.TableBits()), nil)
		if err != nil {
			t.Fatal(err)
		}
		errorOf[form] = fmt.Sprintf("%.2g %%", 100*e.Mean)
	}
	var list []*analysis.Target
	for _, name := range analysis.TargetNames() {
		other, err := analysis.OpenTarget(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, other)
	}
	rank := func(t *analysis.Target) int { // the default target, other switches, software
		switch {
		case t.Name == analysis.DefaultTarget:
			return 0
		case t.Software == "":
			return 1
		}
		return 2
	}
	slices.SortStableFunc(list, func(a, b *analysis.Target) int { return rank(a) - rank(b) })
	columns := ""
	for _, other := range list {
		columns += " `" + other.Name + "` |"
	}
	target := list[0]
	var b strings.Builder
	fmt.Fprintf(&b,
		"\n| program | ingress | egress |%s paper | tables | hash bits | register ALUs | SRAM blocks | TCAM blocks | "+
			"PHV bits | error of U | bytes |\n", columns)
	fmt.Fprintf(&b, "|---|---|---|%s---|---|---|---|---|---|---|---|---|\n", strings.Repeat("---|", len(list)))
	for _, p := range validate.Programs() {
		if p.Name == "int_md-source" || p.Name == "int_md-sink" {
			continue
		}
		var prog *interp.Program
		columns := ""
		for _, other := range slices.Backward(list) { // the default target comes last, and its layout is used below
			var err error
			if prog, err = p.Load(interp.Options{Target: other.Defines}); err != nil {
				t.Fatal(err)
			}
			columns = fmt.Sprintf(" %s |", placed(analysis.LayOut(prog, other), other)) + columns
		}
		alone := analysis.Stages(prog, target)
		l := analysis.LayOut(prog, target)
		sum := analysis.Use{}
		for _, u := range l.Use {
			for r := range u {
				sum[r] += u[r]
			}
		}
		paper, errorOfU := "–", "–"
		if p.Stages > 0 {
			paper = fmt.Sprint(p.Stages)
		}
		if form, ok := formOf(&p); ok {
			errorOfU = errorOf[form]
		}
		wire, ok := bytesOnTheWire[p.File]
		if !ok {
			t.Errorf("%s: how many bytes on the wire?", p.Name)
		}
		fmt.Fprintf(&b, "| `%s` | %d | %d |%s %s | %d | %d | %d | %d | %d | %d | %s | %s |\n",
			p.Name, alone[0].Stages, alone[1].Stages, columns, paper, sum[analysis.Tables], sum[analysis.HashBits],
			sum[analysis.StatefulALUs], sum[analysis.SRAM], sum[analysis.TCAM], l.PHV, errorOfU, wire)
	}
	b.WriteString("\n")

	figuretest.Page(t, "../../../../docs/p4.md", "-update -->\n", "<!-- end -->", b.String(), *update)
}
