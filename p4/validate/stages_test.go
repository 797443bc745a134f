package validate

import (
	"testing"

	"pintlab/p4/analysis"
)

// Section 5 counts eight stages for HPCC, and Fig. 6 as many for the three queries side by
// side. Path tracing and latency have four there; the global hash makes them six here
// (include/hash.p4).
func TestStagesOfTheDocument(t *testing.T) {
	want := map[string]int{"pint_path": 6, "pint_latency": 6, "hpcc_util": 8, "pint_combined": 8}
	for _, p := range Programs() {
		if want[p.Name] == 0 {
			continue
		}
		prog, err := p.Load()
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, l := range analysis.Stages(prog) {
			if l.Name == "PintEgress" {
				found = true
				if l.Stages != want[p.Name] {
					t.Errorf("%s: %d stages, want %d: %v", p.Name, l.Stages, want[p.Name], l.Chain)
				}
			}
		}
		if !found {
			t.Errorf("%s has no pipeline PintEgress", p.Name)
		}
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
