package validate

import (
	"testing"

	"pintlab/p4/analysis"
)

// Section 5 counts four stages for path tracing and for latency, eight for HPCC, and Fig. 6
// as many for the three queries side by side.
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
				if l.Stages != p.Stages {
					t.Errorf("%s: %d stages, want %d: %v", p.Name, l.Stages, p.Stages, l.Chain)
				}
			}
		}
		if !found {
			t.Errorf("%s has no pipeline PintEgress", p.Name)
		}
	}
	if counted != 4 {
		t.Errorf("%d programs that the document counts, want 4", counted)
	}
}

func TestProgramsHaveNothingThatASwitchCannotDo(t *testing.T) {
	for _, p := range Programs() {
		prog, err := p.Load()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range analysis.Lint(prog) {
			t.Errorf("%s: %v", p.Name, f)
		}
	}
}
