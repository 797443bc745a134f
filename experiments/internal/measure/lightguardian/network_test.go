package lightguardian

import (
	"strings"
	"testing"

	"pintlab/experiments/internal/study"
)

// Every point of every scale is a valid scenario. The traffic is the same with and without LightGuardian.
func TestSpecs(t *testing.T) {
	for scale, z := range NetworkScales {
		for _, p := range []Point{Default(DCTCP, 90), Default(WEB, 50), Default(Pair, 0)} {
			a, err := p.entry(z).Spec(1).Scenario()
			if err != nil {
				t.Fatal(err)
			}
			b, err := p.Without().entry(z).Spec(1).Scenario()
			if err != nil {
				t.Fatal(err)
			}
			x, _, _ := strings.Cut(string(a.YAML()), "monitors:")
			y, _, _ := strings.Cut(string(b.YAML()), "monitors:")
			if x != y || string(a.YAML()) == string(b.YAML()) {
				t.Errorf("%s, %s: without LightGuardian it is\n%s\ninstead of\n%s",
					scale, p.Workload.Label, b.YAML(), a.YAML())
			}
		}
	}
	if len(NetworkScales) != len(study.Scales) {
		t.Errorf("%d scales, want %d", len(NetworkScales), len(study.Scales))
	}
}
