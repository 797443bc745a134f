package scenario

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
	"pintlab/pint/deploy"
	"pintlab/workloads"
)

func TestSet(t *testing.T) {
	s := Default()
	if err := s.Set("telemetry.bits=4", "telemetry.base=1.6", "telemetry.kind=pint", "workload.0.load=0.3",
		"run.outputs=[fct.txt]", "name=x"); err != nil {
		t.Fatal(err)
	}
	if s.Telemetry.Params.(*deploy.Params).Bits != 4 || s.Workload[0].Traffic().Offered() != 0.3 ||
		len(s.Run.Outputs) != 1 || s.Name != "x" {
		t.Errorf("%+v", s)
	}
	if err := s.Set("workload.0={kind: incast, senders: 60}"); err != nil {
		t.Fatal(err)
	}
	if w, ok := s.Workload[0].Params.(*workloads.IncastTraffic); !ok || w.Senders != 60 ||
		w.Size != 500*unit.KB || w.Load != 0 {
		t.Errorf("%+v", w)
	}
}

func TestSetErrors(t *testing.T) {
	tests := []struct {
		set  []string
		want string
	}{
		{[]string{"x"}, "--set x: want key=value"},
		{[]string{"seed="}, "--set seed=: want key=value"},
		{[]string{"cc.kind=", "network.ecn.kmin=1KB"}, "--set cc.kind=: want key=value"},
		{[]string{"transport.rto_mn=2ms"},
			"--set transport.rto_mn=2ms: transport.rto_mn: unknown key; did you mean transport.rto_min?…"},
		{[]string{"extends=solo"}, "--set extends=solo: extends: only files can extend others"},
		{[]string{"rto_min=2ms"}, "--set rto_min=2ms: rto_min: unknown key; did you mean transport.rto_min?…"},
		{[]string{"transport.rto_min=2"},
			`--set transport.rto_min=2: transport.rto_min: time "2": want a number and a unit (s, ms, us, ns, ps); ` +
				`accepted: auto or > 0s and <= 100000s`},
		{[]string{"seed.x=2"}, "--set seed.x=2: seed.x: seed contains no keys"},
		{[]string{"workload.load=1"},
			`--set workload.load=1: workload.load: workload is a list: want the number of an entry, 0 to 0, not ` +
				`"load"`},
		{[]string{"faults.0.at=1s"},
			`--set faults.0.at=1s: faults.0.at: faults is a list: it is empty, so "0" is not an entry`},
		{[]string{"run.outputs=fct.txt"},
			`--set run.outputs=fct.txt: run.outputs: want a list such as [fct.txt], got "fct.txt"`},
		{[]string{"run={drain: false, x: 1}"},
			"--set run={drain: false, x: 1}: run.x: unknown key (accepted: until, drain, keep_load, cut_off, " +
				"warmup, cooldown, monitor_cost, workers, ties, start_times, ideal_fct, stall, wall_limit, " +
				"sampling, capture, outputs)"},
		{[]string{"cc.kind=fixed", "cc.wndow=1KB"},
			"--set cc.wndow=1KB: cc.wndow: unknown key; did you mean cc.window? (accepted: kind, window, rate)"},
		{[]string{"telemetry.p=0.5"},
			`--set telemetry.p=0.5: telemetry.p: "0.5": has no effect (only with telemetry.kind = pint)`},
		{[]string{"cc.kind=fixed", "telemetry.kind=int"},
			`--set telemetry.kind=int: telemetry.kind: "int": is not read with cc.kind = fixed (accepted: none, ` +
				`bytes; to keep the same overhead, use bytes and telemetry.bytes = 42B)`},
		{[]string{"seed=-3", "cc.eta=2"},
			"--set seed=-3: seed: \"-3\": want a whole number between 0 and 18446744073709551615\n" +
				"--set cc.eta=2: cc.eta: 2: want > 0 and <= 1"},
	}
	for _, tt := range tests {
		s := Default()
		err := s.Set(tt.set...)
		if !errtest.Says(err, tt.want) {
			t.Errorf("%q:\n got %v\nwant %s", tt.set, err, tt.want)
		}
		if diff := cmp.Diff(Default(), s); diff != "" {
			t.Errorf("%q changed the scenario in spite of the error:\n%s", tt.set, diff)
		}
	}
}

// Any sequence of settings leads to a valid scenario that YAML and JSON preserve, and in which keys without effect are
// zero.
func TestSetSequences(t *testing.T) {
	accepted := map[string][]string{}
	acceptedWords(reflect.TypeFor[Scenario](), "", accepted)
	keys := slices.Sorted(maps.Keys(accepted))
	rapid.Check(t, func(t *rapid.T) {
		s := Default()
		for range rapid.IntRange(1, 12).Draw(t, "n") {
			key := rapid.SampledFrom(keys).Draw(t, "key")
			words := append([]string{"true", "false", "0", "1", "2", "0.5", "1us", "3ms", "7s", "1Gbps", "1KB",
				"2MB", "none", "never", "random", "x"}, accepted[key]...)
			before := s.Clone()
			if err := s.Set(key + "=" + rapid.SampledFrom(words).Draw(t, "value")); err != nil {
				if diff := cmp.Diff(before, s); diff != "" {
					t.Fatalf("changed in spite of %v:\n%s", err, diff)
				}
				continue
			}
			if err := s.Validate(); err != nil {
				t.Fatalf("not valid: %v", err)
			}
		}
		sameAfterYAML(t, s)
	})
}

func FuzzSet(f *testing.F) {
	f.Add("transport.rto_min=2ms")
	f.Add("workload=[{kind: incast}]")
	f.Add("workload.0.sizes=hadoop")
	f.Add("run.sampling={enabled: true}")
	f.Fuzz(func(t *testing.T, assignment string) {
		s := Default()
		if s.Set(assignment) == nil {
			if err := s.Validate(); err != nil {
				t.Errorf("accepted, but %v", err)
			}
		}
	})
}
