package random

import (
	"strings"
	"testing"

	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
)

// The laws about numbers hold for a run with a job, a fault, sprayed packets and a monitor. After a number is
// changed, the check of its law reports an error.
func TestNumbersNoticeMistakes(t *testing.T) {
	sc, err := scenario.Parse([]byte(`
topology: {kind: leafspine, leaves: 2, spines: 2, hosts_per_leaf: 2, host_rate: 100Gbps, fabric_rate: 10Gbps}
workload: [{kind: collective, operation: sendrecv, ranks: 2, size: 100KB, placement: list, hosts: [0, 2]}]
cc: {kind: dctcp}
monitors: [{kind: int, mode: postcard, collector: 3}]
run: {sampling: {enabled: true, nodes: [all], period: 1us}}
faults: [{kind: link-down, a: 4, b: 7, at: 20us}]
`), "test")
	if err != nil {
		t.Fatal(err)
	}
	for says, change := range map[string]func(*sim.Result){
		"":                                   func(*sim.Result) {},
		"h0 to leaf0 has a utilisation of":   func(r *sim.Result) { r.LinkRows[0].Use = 1.0000001 },
		"to leaf1 with a utilisation of 0.5": func(r *sim.Result) { r.JobRows[len(r.JobRows)-1].Use = 0.5 },
		"share_of_link = 1.5":                func(r *sim.Result) { r.Monitors[0].Tables[0].Rows[0][3] = "1.5" },
		"job of workload.0: no ":             func(r *sim.Result) { r.JobRows[len(r.JobRows)-1].Link = "" },
		"no link has this utilisation":       func(r *sim.Result) { r.JobRows[len(r.JobRows)-1].Link = "h0 to h1" },
	} {
		r, err := sim.Run(t.Context(), sc, sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		change(r)
		if err := numbers(r); says == "" && err != nil ||
			says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("want %q, got %v", says, err)
		}
	}
}
