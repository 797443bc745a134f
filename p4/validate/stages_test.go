package validate

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pintlab/p4/analysis"
)

// Section 5 of the PINT paper counts four stages for path tracing and for latency, eight for
// HPCC, and Fig. 6 as many for the three queries side by side. With U as a difference it is
// one less.
func TestStagesOfTheDocument(t *testing.T) {
	counted := 0
	for _, p := range Programs() {
		if p.Stages == 0 {
			continue
		}
		counted++
		prog, err := p.Load()
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, l := range analysis.Stages(prog) {
			if l.Name == "PintEgress" {
				found = true
				want := p.Stages
				if p.Stages == 8 && p.Defines == nil {
					want = 7
				}
				if l.Stages != want {
					t.Errorf("%s: %d stages, want %d: %v", p.Name, l.Stages, want, l.Chain)
				}
			}
		}
		if !found {
			t.Errorf("%s has no pipeline PintEgress", p.Name)
		}
	}
	if counted != 6 {
		t.Errorf("%d programs that the paper counts, want 6", counted)
	}
}

// docs/p4.md has the stages of every program, and no others. Variants of int_md differ in
// default actions only.
func TestStagesInTheDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/p4.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range Programs() {
		prog, err := p.Load()
		if err != nil {
			t.Fatal(err)
		}
		name := p.Name
		if p.File == "int_md.p4" {
			name = "int_md"
		}
		for i, l := range analysis.Stages(prog) {
			document := "–"
			if p.Stages > 0 {
				document = strconv.Itoa(p.Stages)
			}
			row := fmt.Sprintf("| `%s` | %s | %d | %s |\n", name, []string{"ingress", "egress"}[i], l.Stages, document)
			// Forwarding, source and sink of the PINT programs are in the text.
			around := l.Name == "Forward" || l.Name == "LoopEgress"
			if around && l.Stages != 2 {
				t.Errorf("%s, %s: %d stages, docs/p4.md says two", p.Name, l.Name, l.Stages)
			}
			if (l.Stages > 1 && !around) != strings.Contains(string(text), row) {
				t.Errorf("docs/p4.md: want the row %s", row)
			}
		}
	}
	if n := strings.Count(string(text), " | egress | ") + strings.Count(string(text), " | ingress | "); n != 15 {
		t.Errorf("docs/p4.md has %d rows of stages, want 15", n)
	}
}

func TestProgramsHaveNothingThatASwitchCannotDo(t *testing.T) {
	for _, p := range Programs() {
		prog, err := p.Load()
		if err != nil {
			t.Fatal(err)
		}
		alone, err := p.LoadAlone()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range slices.Concat(analysis.Lint(prog), analysis.Lint(alone)) {
			t.Errorf("%s: %v", p.Name, f)
		}
	}
}
