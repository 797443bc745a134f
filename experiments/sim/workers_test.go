package sim

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/netsim"
)

// files returns the records of a run in every format whose order could differ.
func files(t *testing.T, sc scenario.Scenario) (string, netsim.Counters) {
	t.Helper()
	return filesWith(t, sc, Options{})
}

func filesWith(t *testing.T, sc scenario.Scenario, o Options) (string, netsim.Counters) {
	t.Helper()
	r, err := Run(context.Background(), sc, o)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := store.WriteFlowsCSV(&b, r.Flows); err != nil {
		t.Fatal(err)
	}
	if err := store.WriteFCT(&b, r.Flows); err != nil {
		t.Fatal(err)
	}
	c := r.Counters
	fmt.Fprintln(&b, c.PacketHops, c.Injected, c.Delivered, c.Dropped, c.Lost, c.Pauses)
	if left := c.Injected - c.Delivered - c.Dropped - c.Lost; left != 0 && sc.Run.CutOff != "projected" {
		t.Errorf("%d packets are unaccounted for", left)
	}
	return b.String(), c
}

// One run writes the same bytes on one engine and on several, with loss, drops, pauses, marks, faults and every
// feedback. The bytes do not depend on how often the run polls the clock, nor on whether all events run in the order of
// time, as they do if a caller observes them.
func TestRecordsDoNotDependOnWorkers(t *testing.T) {
	const web = "\nworkload: [{kind: poisson, sizes: websearch, load: 0.6, duration: 60us}]\n"
	const tree = "topology: {kind: fattree, k: 4}"
	cases := map[string]string{
		"int":       tree + web + "cc: {kind: hpcc}\ntelemetry: {kind: int}\n",
		"pint 1/16": tree + web + "cc: {kind: hpcc}\ntelemetry: {kind: pint, p: 0.0625}\n",
		"reno with drops, loss and marks": tree +
			"\nworkload: [{kind: incast, senders: 12, size: 200KB}, {kind: poisson, load: 0.5, duration: 60us}]\n" +
			"transport: {kind: newreno}\ncc: {kind: reno}\ntelemetry: {kind: bytes, bytes: 48B}\n" +
			"network: {port_limit: 20KB, link_error_rate: 0.001, pfc: {enabled: false}, " +
			"ecn: {enabled: true, kmin: 5KB, kmax: 15KB}}\n",
		"pfc under incast": tree + "\nworkload: [{kind: incast, senders: 15, size: 300KB}]\n" +
			"cc: {kind: fixed}\ntelemetry: {kind: none}\nnetwork: {buffer: 700KB}\n",
		"steady": tree +
			"\nworkload: [{kind: poisson, sizes: websearch, load: 0.6, duration: 60us, under_way: steady}]\n" +
			"cc: {kind: hpcc}\ntelemetry: {kind: int}\nrun: {keep_load: 90us, cut_off: projected}\n",
		"faults": tree + "\nworkload: [{kind: permutation, size: 500KB}]\ncc: {kind: hpcc}\ntelemetry: {kind: int}\n" +
			"faults: [{kind: link-down, a: 16, b: 24, at: 20us, until: 60us}, " +
			"{kind: host-pause, host: 3, at: 30us, until: 90us}]\n",
		"many flows in a long window": "topology: {kind: leafspine, leaves: 4, spines: 2, hosts_per_leaf: 8, " +
			"host_rate: 100Gbps, fabric_rate: 100Gbps, link_delay: 10us}\n" +
			"workload: [{kind: poisson, sizes: uniform, min_size: 1KB, max_size: 100KB, load: 0.7, " +
			"duration: 200us}]\n" +
			"network: {pfc: {enabled: false}}\ncc: {kind: fixed}\ntelemetry: {kind: none}\nrun: {until: 3ms}\n",
	}
	for name, text := range cases {
		t.Run(name, func(t *testing.T) {
			sc, err := scenario.Parse([]byte(text), "test")
			if err != nil {
				t.Fatal(err)
			}
			one, c := files(t, sc)
			if name == "pfc under incast" && (c.Pauses == 0 || c.Dropped > 0) {
				t.Errorf("%d pauses, %d drops: the case does not show what it should", c.Pauses, c.Dropped)
			}
			if name == "reno with drops, loss and marks" && (c.Dropped == 0 || c.Lost == 0) {
				t.Errorf("%d drops, %d losses: the case does not show what it should", c.Dropped, c.Lost)
			}
			options := map[string]Options{
				"looks at the clock":    {poll: 300},
				"a caller that listens": {Ready: func(*Simulation) error { return nil }},
			}
			engines := []int{2, 3, 8}
			if testing.Short() { // each of the six runs takes as long
				options, engines = nil, []int{3, 8}
			}
			for what, o := range options {
				if other, _ := filesWith(t, sc, o); other != one {
					t.Errorf("records differ with %s", what)
				}
			}
			for _, n := range engines {
				sc.Run.Workers = n
				if many, _ := files(t, sc); many != one {
					t.Errorf("records on %d engines differ from those on one", n)
				}
			}
		})
	}
}

// If telemetry takes time at a switch, a packet can catch up with the packet before it. Each of the two packets has a
// separate random number for loss. The expected numbers were computed by a version that kept the packets of each link
// in a list.
func TestLossesOfPacketsThatCatchUp(t *testing.T) {
	sc, err := scenario.Parse(
		[]byte(`topology: {kind: dumbbell, left: 3, right: 3,
  host_rate: 10Gbps, bottleneck_rate: 10Gbps, link_delay: 1us}
workload: [{kind: alltoall, size: 300KB}]
network: {telemetry_cycles: true, link_error_rate: 0.01}
cc: {kind: hpcc}
telemetry: {kind: int}
`), "test")
	if err != nil {
		t.Fatal(err)
	}
	if _, c := files(t, sc); c.Lost != 475 || c.PacketHops != 49893 || c.Events != 86579 {
		t.Errorf("%d packets lost, %d packet-hops, %d events; want 475, 49893, 86579", c.Lost, c.PacketHops, c.Events)
	}
}

// The bounds of the speedup are the same for one worker and for three. The bound for n workers is at most n, and at
// most the bound for a run with one worker per domain.
func TestBoundsDoNotDependOnWorkers(t *testing.T) {
	sc, err := scenario.Parse(
		[]byte("topology: {kind: fattree, k: 8}\nworkload: [{kind: poisson, sizes: websearch, load: 0.6, "+
			"duration: 30us}]\ncc: {kind: hpcc}\ntelemetry: {kind: int}\n"), "bounds")
	if err != nil {
		t.Fatal(err)
	}
	var first *netsim.Bounds
	for _, workers := range []int{1, 3} {
		sc.Run.Workers = workers
		r, err := Run(context.Background(), sc, Options{Bounds: true})
		if err != nil {
			t.Fatal(err)
		}
		b := r.Bounds
		if b.Taken.Workers != workers || b.Taken.Speedup > float64(workers) || workers == 1 && b.Taken.Speedup < 0.999 {
			t.Errorf("%d workers: %+v", workers, b.Taken)
		}
		if b.Shared == 0 || b.Shared > b.Windows || len(b.Bounds) != 5 || b.Bounds[0].Speedup < 1.05 {
			t.Errorf("%+v", b)
		}
		for _, w := range b.Bounds {
			if w.Speedup < 1 || w.Speedup > float64(w.Workers) || w.Speedup > b.Domains.Speedup {
				t.Errorf("%+v of at most %+v", w, b.Domains)
			}
		}
		b.Taken = netsim.Bound{}
		if first == nil {
			first = b
		} else if fmt.Sprint(*b) != fmt.Sprint(*first) {
			t.Errorf("%d workers: %+v\none: %+v", workers, *b, *first)
		}
	}
}
