package sketch

import (
	"strings"
	"testing"

	"pintlab/experiments/internal/study"
)

// Every point of every scale is a valid scenario. All points with the same seed have the same traffic.
func TestSpecs(t *testing.T) {
	for scale, z := range SystemScales {
		traffic := ""
		for _, s := range []Kind{TowerCU, CM, CU} {
			for _, m := range z.AllMemories() {
				sc, err := SystemPoint{Sketch: s, Memory: m}.cell(z).Spec(1).Scenario()
				if err != nil {
					t.Fatal(err)
				}
				text, _, _ := strings.Cut(string(sc.YAML()), "monitors:")
				if traffic == "" {
					traffic = text
				}
				if text != traffic {
					t.Errorf("%s, %s, %v: another network than at the first point:\n%s\n%s",
						scale, s.Label(), m, text, traffic)
				}
			}
		}
	}
	if len(SystemScales) != len(study.Scales) {
		t.Errorf("%d scales, want %d", len(SystemScales), len(study.Scales))
	}
}
