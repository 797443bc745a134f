package validate

import (
	"testing"
)

// The compiler takes every program, as an operator loads it and with OBSERVED, without an error or
// a warning; and the switch sends what the interpreter sends, alone, in a row of five that runs
// PINT and in one of three that runs INT. Nothing else here needs these tools, and a user of the
// project does not have them: without them the test is skipped.
func TestRealSwitch(t *testing.T) {
	b, err := FindBMv2()
	if err != nil {
		t.Skipf("needs p4c-bm2-ss, simple_switch and simple_switch_CLI: %v", err)
	}
	if testing.Short() {
		t.Skip("needs minutes, for it compiles all programs and starts a switch for each: not with -short")
	}
	b.Dir = t.TempDir()
	t.Run("chain", func(t *testing.T) {
		t.Parallel()
		r, err := b.Chain(t.Context(), chainSwitches(), 1)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v", r)
	})
	t.Run("INT", func(t *testing.T) {
		t.Parallel()
		intRow(t, b)
	})
	for _, p := range Programs() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			for _, defines := range [][]string{p.Defines, p.defines()} {
				if _, err := b.compile(t.Context(), p, defines); err != nil {
					t.Error(defines, err)
				}
			}
			if p.Racing {
				return
			}
			if _, err := b.Equal(t.Context(), p, 1); err != nil {
				t.Error(err)
			}
		})
	}
}
