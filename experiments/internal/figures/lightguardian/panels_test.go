package lightguardian

import (
	"slices"
	"testing"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/figures/figure/figuretest"
	"pintlab/experiments/internal/measure/lightguardian"
)

// At X = 10, SuMax is a third of the way from CM to CU. At 20, it is nine tenths of the way. At 30, the interval of
// SuMax contains the middle between CM and CU.
func TestNearer(t *testing.T) {
	at := func(x, sumax, half float64) []row {
		var list []row
		values := map[string]float64{lightguardian.CM: 100, lightguardian.SuMax: sumax, lightguardian.CU: 10}
		for scheme, v := range values {
			list = append(list, point("a", scheme, x, v, half))
		}
		return list
	}
	far, near, unsure := at(10, 70, 1), at(20, 19, 1), at(30, 54, 1)
	a := &figure.Claim{Table: "a"}
	list := []figure.Finding{
		nearer(a, far), nearer(a, near), nearer(a, unsure), nearer(a, slices.Concat(far, near)),
		nearer(a, slices.Concat(near, unsure)), nearer(&figure.Claim{Table: "b"}, far),
	}
	if got, want := figuretest.Outcomes(list), "fails holds undecided fails undecided undecided"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
