package random

import (
	"flag"
	"io"
	"testing"
	"time"

	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
)

var (
	scenarios = flag.Int("scenarios", 50, "number of random scenarios")
	from      = flag.Int("from", 0, "number of the first one")
)

// For runs of random scenarios, the output of all commands that read a run agrees with its records.
func TestConsumers(t *testing.T) {
	if testing.Short() {
		*scenarios = min(*scenarios, 15)
	}
	_, err := Run(t.Context(), Options{
		Seed: 1, From: *from, N: *scenarios, Dir: t.TempDir(), Workers: 2, Quiet: true, Messages: io.Discard,
		Consumers: true,
	})
	if err != nil {
		t.Error(err)
	}
}

// Consumers of a capture find the flows of packets with IFA's header between IP and transport header. If IOAM's option
// hides the ports, they ignore the flows. They find no telemetry report if a monitor has no format for its reports.
func TestConsumersOfCaptures(t *testing.T) {
	for keys, snap := range map[string]string{
		"telemetry: {kind: ifa}": "64B", "telemetry: {kind: ioam}": "64B",
		"monitors: [{kind: int}, {kind: clint}]": "65535B",
	} {
		sc, err := scenario.Parse([]byte("topology: {kind: star, hosts: 3}\n"+
			"workload: [{kind: permutation, size: 5KB}]\ncc: {kind: hpcc}\n"+
			"run: {capture: {enabled: true, ports: [all], nodes: [all], snap: "+snap+"}}\n"+keys), "test")
		if err != nil {
			t.Fatal(err)
		}
		r, err := sim.Run(t.Context(), sc, sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		dir, err := sim.Save(r, t.TempDir(), "", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if err := consume(dir, r); err != nil {
			t.Errorf("%s: %v", keys, err)
		}
	}
}
