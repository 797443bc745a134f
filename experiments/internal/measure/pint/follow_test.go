package pint

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/netsim/unit"
	"pintlab/pint/query"
)

const small = `
topology: {kind: fattree, k: 4}
workload: [{kind: poisson, sizes: hadoop, load: 0.5, duration: 60us}]
cc: {kind: hpcc}
telemetry: {kind: pint, plan: combined}
`

func open(t *testing.T, set ...string) scenario.Scenario {
	t.Helper()
	sc, err := scenario.Parse([]byte(small), "test")
	if err != nil {
		t.Fatal(err)
	}
	if err := sc.Set(set...); err != nil {
		t.Fatal(err)
	}
	return sc
}

// Several engines record the same latencies for each flow as one engine.
func TestLatencies(t *testing.T) {
	var first []unit.Time
	for _, workers := range []string{"1", "3"} {
		r, traces, err := Latencies(context.Background(), open(t, "run.workers="+workers), 100, nil)
		if err != nil {
			t.Fatal(err)
		}
		if n := traces.count(1); n != r.Flows.Len() {
			t.Errorf("latencies of %d flows, want all %d", n, r.Flows.Len())
		}
		var all []unit.Time
		for tr := range traces.All(1) {
			for _, lat := range tr.Packets {
				all = append(all, lat...)
			}
		}
		if first == nil {
			first = all
		}
		if len(all) < 1000 || !slices.Equal(all, first) {
			t.Errorf("workers = %s: %d latencies; one worker has %d, and not the same",
				workers, len(all), len(first))
		}
	}
}

// The topology-aware decoder reads the same digests and never needs more packets. The study can also follow a plan that
// packets do not carry.
func TestStudy(t *testing.T) {
	alone := &query.Spec{Bits: 16, Hops: 5, HashBits: 16, Queries: []query.Query{query.PathQuery(16, 2, 2*unit.KB)}}
	_, flows, _, err := Follow(context.Background(), open(t),
		FollowConfig{Plans: []Plan{{Name: "a"}, {Name: "b", Topology: true}, {Name: "c", Spec: alone}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	known := [3]int{}
	for _, f := range flows {
		for a, n := range f.Known {
			if n > 0 {
				known[a]++
			}
		}
	}
	if known[0] == 0 || known[1] < known[0] || known[2] < known[0] {
		t.Errorf("paths known: %v of %d; want at least as many by more knowledge and by more bits", known, len(flows))
	}
	if _, _, _, err := Follow(context.Background(), open(t, "telemetry.plan=hpcc"),
		FollowConfig{Plans: []Plan{{Name: "a"}}}, nil); err == nil ||
		!strings.Contains(err.Error(), "no plan of queries") {
		t.Errorf("a study of the packets' plan without one: %v", err)
	}
	if _, _, _, err := Follow(context.Background(), open(t),
		FollowConfig{Plans: []Plan{{Name: "a", Spec: &query.Spec{}}}}, nil); err == nil {
		t.Error("an empty spec is accepted")
	}
}

// A study that replaces the collector sees every flow and changes no record. This is true on one core and on two cores.
func TestStudyChangesNothing(t *testing.T) {
	plain, err := sim.Run(t.Context(), open(t), sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []string{"1", "2"} {
		r, flows, _, err := Follow(t.Context(), open(t, "run.workers="+workers),
			FollowConfig{Plans: []Plan{{Name: "a"}}, Latency: 100, Quantiles: []float64{0.5}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		known := slices.IndexFunc(flows, func(f *Flow) bool {
			return f.Known[0] > 0 && f.Tail[0] && len(f.Latency) > 0
		})
		if len(flows) != r.Flows.Len() || known < 0 || r.Summary.Fingerprint != plain.Summary.Fingerprint {
			t.Errorf("workers = %s: %d of %d flows, one of them known (%d), fingerprint %s, want %s",
				workers, len(flows), r.Flows.Len(), known, r.Summary.Fingerprint, plain.Summary.Fingerprint)
		}
	}
}

// The study omits a flow whose path changes, whether or not the number of switches changes. It includes all other
// flows, with their true paths and with the latencies of one port for each hop.
func TestRerouted(t *testing.T) {
	for _, faults := range []string{
		"{kind: link-down, a: 6, b: 9, at: 20us, until: 100us}", "{kind: loop, a: 6, b: 9, at: 20us, until: 60us}",
		"{kind: wrong-path, switch: 9, dst: 0, next: 7, at: 40us}, {kind: link-down, a: 7, b: 10, at: 20us}",
	} {
		left := 0
		for seed := range 4 {
			sc := open(t, "telemetry.kind=none",
				"topology={kind: leafspine, leaves: 3, spines: 2, hosts_per_leaf: 2, host_rate: 10Gbps, "+
					"fabric_rate: 10Gbps}",
				"workload=[{kind: permutation, size: 200KB}]",
				"cc.kind=dctcp", "faults=["+faults+"]", fmt.Sprint("seed=", seed))
			a, err := AskFlows(t.Context(), sc, 8, 2, nil)
			if err != nil {
				t.Fatalf("%s, seed %d: %v", faults, seed, err)
			}
			q := Quantiles{Packets: []int{200}, Bits: []int{8}, Sketch: 100, Counters: 10, Theta: 0.3}
			b, err := q.Ask(t.Context(), sc, nil)
			if err != nil {
				t.Fatalf("%s, seed %d: %v", faults, seed, err)
			}
			if a.Flows+a.Rerouted != 6 || b.Flows+b.Rerouted != 6 || a.Rerouted != b.Rerouted {
				t.Errorf("%s, seed %d: %d flows and %d with a change of path, of latencies %d and %d; want 6 in all",
					faults, seed, a.Flows, a.Rerouted, b.Flows, b.Rerouted)
			}
			left += a.Rerouted
		}
		if left == 0 {
			t.Errorf("%s: no path changes", faults)
		}
	}
}

// Balancers that split flows are refused before the simulation starts.
func TestOnePath(t *testing.T) {
	for kind, ok := range map[string]bool{"ecmp": true, "wcmp": true, "letflow": false, "spray": false,
		"permute": false} {
		sc := open(t, "telemetry.kind=none", "cc.kind=cubic", "network.balancing.kind="+kind)
		_, err := AskFlows(t.Context(), sc, 8, 2, nil)
		if _, _, e := Latencies(t.Context(), sc, 100, nil); (err == nil) != ok || (e == nil) != ok ||
			!ok && (err.Error() != e.Error() || !strings.Contains(err.Error(), "network.balancing.kind = "+kind+": ")) {
			t.Errorf("%s: %v, %v", kind, err, e)
		}
	}
}

func TestFloor(t *testing.T) {
	trace := func(yield func(LatencyTrace) bool) {
		yield(LatencyTrace{Key: 1, Hops: 3, Packets: func(yield func(uint64, []unit.Time) bool) {
			yield(7, []unit.Time{0, 999, 1001})
		}})
	}
	for pipeline, want := range map[unit.Time][]unit.Time{0: {1000, 1000, 1001}, 500: {1000, 1499, 1501}} {
		for tr := range Floor(trace, pipeline, unit.Nanosecond) {
			for id, lat := range tr.Packets {
				if id != 7 || !slices.Equal(lat, want) {
					t.Errorf("%v through an empty switch, packet %d: %v, want %v", pipeline, id, lat, want)
				}
			}
		}
	}
}

// Without any values to average, the error is missing and not 0.
func TestNoEstimateHasNoError(t *testing.T) {
	row := LatencyError{Error: meanOf(0, 0), Rank: meanOf(0, 0)}
	data, err := json.Marshal(row)
	if err != nil || !strings.Contains(string(data), `"error":null,"rank_error":null`) {
		t.Errorf("%s, %v", data, err)
	}
	if got := meanOf(0.5, 3); got != 0.5 {
		t.Errorf("mean %v, want 0.5", got)
	}
}
