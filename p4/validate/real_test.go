package validate

import (
	"slices"
	"testing"
)

// realBMv2 returns the compiler and the switch on the PATH. Nothing else here needs them, and a
// user of the project does not have them: without them the test is skipped.
func realBMv2(t *testing.T) *BMv2 {
	t.Helper()
	b, err := FindBMv2()
	if err != nil {
		t.Skipf("needs p4c-bm2-ss, simple_switch and simple_switch_CLI: %v", err)
	}
	if testing.Short() {
		t.Skip("needs minutes, for it compiles all programs and starts a switch for each: not with -short")
	}
	b.Runs = 1
	return b
}

// The compiler takes every program, as an operator loads it, without an error or a warning.
// TestRealSwitch compiles those with -D OBSERVED.
func TestRealCompiler(t *testing.T) {
	b := realBMv2(t)
	for _, p := range Programs() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			variants := [][]string{p.Defines}
			if p.Racing {
				variants = append(variants, p.defines())
			}
			for _, defines := range variants {
				if err := b.p4c(t.Context(), p.File, defines, t.TempDir()); err != nil {
					t.Error(defines, err)
				}
			}
		})
	}
}

// The switch sends what the interpreter sends, alone and in a row of five.
func TestRealSwitch(t *testing.T) {
	b := realBMv2(t)
	for _, p := range slices.DeleteFunc(Programs(), func(p Program) bool { return p.Racing }) {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			if _, err := b.Equal(t.Context(), p, 1); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("chain", func(t *testing.T) {
		t.Parallel()
		r, err := b.Chain(t.Context(), chainSwitches(), 1)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v", r)
	})
}
