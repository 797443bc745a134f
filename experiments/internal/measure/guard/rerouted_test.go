package guard

import (
	"testing"

	"pintlab/experiments/scenario"
	"pintlab/int/lightguardian/diagnose"
	"pintlab/netsim/unit"
)

// A failed link leads flows to a lossy link. Flows that start after the failure lose packets at the lossy link only, so
// this link is the culprit of every victim. Flows that were under way on the failed link also lost packets there.
func TestTruthFollowsRoutes(t *testing.T) {
	const text = `
topology: {kind: leafspine, leaves: 2, spines: 2, hosts_per_leaf: 8, host_rate: 25Gbps, fabric_rate: 100Gbps}
workload: [{kind: list, flows: [{src: 0, dst: 8, size: 1MB, start: 100us}, {src: 1, dst: 9, size: 1MB, start: 100us},
  {src: 2, dst: 10, size: 1MB, start: 100us}, {src: 3, dst: 11, size: 1MB, start: 100us},
  {src: 4, dst: 12, size: 1MB, start: 100us}, {src: 5, dst: 13, size: 1MB, start: 100us},
  {src: 6, dst: 14, size: 1MB, start: 100us}, {src: 7, dst: 15, size: 1MB, start: 100us}]}]
faults: [{kind: link-down, a: 16, b: 18, at: 0s, until: 10ms},
  {kind: drop, a: 16, b: 19, probability: 0.005, at: 50us, until: 10ms}]
`
	sc, err := scenario.Parse([]byte(text), "test")
	if err != nil {
		t.Fatal(err)
	}
	limits := diagnose.Default()
	limits.Drops = 0.999
	for _, c := range []struct {
		at    string
		flows [2]int // on whose path the faults are: data of the flows 1, 5, 6 and 7 crosses 16–18 without faults
	}{{"0s", [2]int{0, 8}}, {"200us", [2]int{4, 8}}} {
		changed, err := sc.With("faults.0.at=" + c.at)
		if err != nil {
			t.Fatal(err)
		}
		a, err := Ask(t.Context(), Question{Scenario: changed, Thresholds: limits, Inflation: 10, By: Exact,
			Interval: 100 * unit.Microsecond}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]int{a.Faults[0].Flows, a.Faults[1].Flows}; got != c.flows {
			t.Errorf("link down at %s: the faults are on the paths of %v flows, want %v", c.at, got, c.flows)
		}
		if c.at != "0s" {
			continue
		}
		if len(a.Victims) == 0 || a.Faults[0].Victims != 0 {
			t.Errorf("%d victims, %d of them of the failed link", len(a.Victims), a.Faults[0].Victims)
		}
		for _, v := range a.Victims {
			if v.Truth != "1: drop switch 16–switch 19" || v.Verdict == right && v.Rule != string(diagnose.Drops) {
				t.Errorf("flow %d: %+v", v.Flow, v)
			}
		}
	}
}
