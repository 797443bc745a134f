package sim

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pintlab/experiments/scenario"
	"pintlab/internal/errtest"
)

// Every key that names a host or a switch of a topology file uses the node number, even if the switches do not come
// last: here node 1 is the switch.
func TestHostsOfAFileAreNamedByTheirNodes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "topology.txt")
	if err := os.WriteFile(path, []byte("4 1 3\n1\n0 1 100Gbps 1us 0\n2 1 10Gbps 1us 0\n3 1 40Gbps 1us 0\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	run := func(rest string) (*Result, error) {
		t.Helper()
		sc, err := scenario.Parse(
			fmt.Appendf(nil, "topology: {kind: file, path: %q}\ntelemetry: {kind: none}\ncc: {kind: fixed}\n%s", path,
				rest), "test")
		if err != nil {
			t.Fatal(err)
		}
		return Run(context.Background(), sc, Options{})
	}
	for _, x := range []struct {
		traffic string
		to      int32
	}{
		{"{kind: list, flows: [{src: 0, dst: 2, size: 1KB}]}", 2},
		{"{kind: list, flows: [{src: 2, dst: 3, size: 1KB}]}", 3},
		{"{kind: incast, senders: 1, receiver: 2, size: 1KB}", 2},
		{"{kind: staircase, senders: 2, receiver: 3, stairs: up, size: 1KB}", 3},
	} {
		r, err := run("workload: [" + x.traffic + "]\n")
		if err != nil {
			t.Fatal(x.traffic, err)
		}
		for f := range r.Flows.All() {
			if f.Dst != x.to {
				t.Errorf("%s: a flow to node %d", x.traffic, f.Dst)
			}
		}
	}
	const flow = "workload: [{kind: list, flows: [{src: 0, dst: 2, size: 100KB}, " +
		"{src: 0, dst: 3, size: 100KB, start: 1ms}]}]\n"
	for _, x := range []struct {
		fault string
		slow  int64 // number of the flow
	}{
		{"{kind: host-pause, host: 2, at: 0s, until: 900us}", 0},
		{"{kind: host-failure, host: 3, at: 0s, until: 2ms}", 1},
		{"{kind: blackhole-entry, switch: 1, dst: 2, at: 0s, until: 900us}", 0},
	} {
		r, err := run(flow + "faults: [" + x.fault + "]\n")
		if err != nil {
			t.Fatal(x.fault, err)
		}
		for f := range r.Flows.All() {
			if slow := f.FCT > 2*f.Ideal; slow != (f.ID == x.slow) {
				t.Errorf("%s: flow %d takes %v, alone %v", x.fault, f.ID, f.FCT, f.Ideal)
			}
		}
	}
	const node = ": that node is not a host here (3 hosts, 0 to 3)"
	for rest, want := range map[string]string{
		"workload: [{kind: list, flows: [{src: 0, dst: 1, " +
			"size: 1KB}]}]\n": "workload.0.flows.0.dst = 1" + node,
		"workload: [{kind: list, flows: [{src: 4, dst: 0, " +
			"size: 1KB}]}]\n": "workload.0.flows.0.src = 4" + node,
		"workload: [{kind: incast, senders: 1, receiver: 1, size: 1KB}]\n": "workload.0.receiver = 1" +
			node,
		"workload: [{kind: staircase, senders: 1, receiver: 1}]\n": "workload.0.receiver = 1" +
			node,
		flow + "faults: [{kind: host-pause, host: 1, at: 0s}]\n":                            "faults.0.host = 1" + node,
		flow + "faults: [{kind: blackhole-entry, switch: 1, dst: 1, at: 0s, until: 1ms}]\n": "faults.0.dst = 1" + node,
	} {
		if _, err := run(rest); !errtest.Says(err, want) {
			t.Errorf("%s%v\nwant %s", rest, err, want)
		}
	}
}
