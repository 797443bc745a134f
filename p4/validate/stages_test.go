package validate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pintlab/p4"
	"pintlab/p4/analysis"
	"pintlab/p4/interp"
)

func tofino(t *testing.T) *analysis.Target {
	t.Helper()
	target, err := analysis.OpenTarget(analysis.DefaultTarget)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// Section 5 of the PINT paper counts four stages for path tracing, four for latency and eight for HPCC. Fig. 6 also
// counts eight stages for the three queries side by side. Computing U as a difference takes one stage less. Computing
// U as in appendix B takes two stages more, because each logarithm and each power takes two successive tables.
func TestStagesOfThePaper(t *testing.T) {
	want := map[string]int{
		"pint_path": 4, "pint_latency": 4, "hpcc_util": 7, "pint_combined": 7,
		"hpcc_util-appendix-b": 10, "pint_combined-appendix-b": 10,
	}
	for _, p := range Programs() {
		if (p.Stages > 0) != (want[p.Name] > 0) {
			t.Errorf("%s: the PINT paper counts %d stages, we want %d", p.Name, p.Stages, want[p.Name])
		}
		if p.Stages == 0 {
			continue
		}
		prog, err := p.Load(interp.Options{Target: tofino(t).Defines})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range analysis.Stages(prog, tofino(t)) {
			if l.Name == "PintEgress" && l.Stages != want[p.Name] {
				t.Errorf("%s: %d stages, want %d: %v", p.Name, l.Stages, want[p.Name], l.Chain)
			}
		}
	}
}

// A copy of a built-in program has the stages of the original, because the target's macros hold for both. Without
// TICK_SHIFT=0, the conversion of microseconds takes three stages more. -D changes such a macro.
func TestCopyHasTheSameStages(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, p4.Sources()); err != nil {
		t.Fatal(err)
	}
	stages := func(name string, defines ...string) int {
		target, list, err := ForTarget(analysis.DefaultTarget, []string{name}, interp.Options{Defines: defines})
		if err != nil {
			t.Fatal(err)
		}
		return analysis.LayOut(list[0].Loaded, target).Stages
	}
	program := filepath.Join(dir, "hpcc_util.p4")
	if got := stages(program); got != 7 || stages("hpcc_util") != 7 {
		t.Errorf("a copy of hpcc_util has %d stages, want 7 as in hpcc_util", got)
	}
	if got := stages(program, "TICK_SHIFT=3"); got != 8 {
		t.Errorf("hpcc_util with clocks in units of 8 ns has %d stages, want 8", got)
	}
}

// The programs fit a Tofino, except the programs that docs/p4.md names. The findings for those programs are exactly
// the reasons that docs/p4.md gives.
func TestProgramsFitTheTarget(t *testing.T) {
	reasons := map[string][]string{
		"hpcc_util":                {"reading and writing register PintEgress.load_of_port.utilization"},
		"hpcc_util-appendix-b":     {"reading and writing register PintEgress.load_of_port.utilization"},
		"hpcc_util-decrement":      {"reading and writing register PintEgress.load_of_port.utilization"},
		"powertcp_util":            {"reading and writing register PintEgress.power_of_port.power"},
		"pint_combined":            {"reading and writing register PintEgress.load_of_port.utilization"},
		"pint_combined-appendix-b": {"reading and writing register PintEgress.load_of_port.utilization"},
		"int_md":                   {"hash needs 1008 exact bytes"},
		"int_md-source":            {"hash needs 1008 exact bytes"},
		"int_md-sink":              {"hash needs 1008 exact bytes"},
	}
	for _, p := range some() {
		prog, err := p.Load(interp.Options{Target: tofino(t).Defines})
		if err != nil {
			t.Fatal(err)
		}
		want := reasons[p.Name]
		got := analysis.Lint(prog, tofino(t))
		if len(got) != len(want) {
			t.Errorf("%s: %v, want %d reasons", p.Name, got, len(want))
			continue
		}
		for i, f := range got {
			if !strings.Contains(f.String(), want[i]) {
				t.Errorf("%s: %v, want %s", p.Name, f, want[i])
			}
		}
		if l := analysis.LayOut(prog, tofino(t)); l.Stages > 12 || l.PHV > 4096 {
			t.Errorf("%s: %d stages, %d bits of fields", p.Name, l.Stages, l.PHV)
		}
	}
}
