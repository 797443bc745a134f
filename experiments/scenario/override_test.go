package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/internal/errtest"
	"pintlab/internal/lists"
	"pintlab/netsim/schema"
)

// If an assignment replaces a value, this value may be wrong or missing in the file. The test tries every key of
// scenarios with many keys.
func TestAssignmentsReplaceWrongValues(t *testing.T) {
	for _, text := range []string{
		"extends: fat320-web-pint\nrun: {sampling: {enabled: true}}\n" +
			"faults: [{kind: link-down, a: 0, b: 320, at: 1ms, until: 2ms}]\n",
		"extends: lightguardian\n",
		"cc: {kind: dcqcn}\ntelemetry: {kind: none}\nnetwork: {ecn: {enabled: true}}\n" +
			"workload: [{kind: list, flows: [{src: 1, dst: 2, size: 1KB}]}]\n",
		"profile: ns3-artifact\ntelemetry: {kind: pint}\n",
	} {
		want, err := Parse([]byte(text), "f")
		if err != nil {
			t.Fatal(err)
		}
		var document map[string]any
		if err := json.Unmarshal(must(want.MarshalJSON()), &document); err != nil {
			t.Fatal(err)
		}
		n := 0
		var walk func(at any, key string, put func(any))
		walk = func(at any, key string, put func(any)) {
			switch at := at.(type) {
			case map[string]any:
				for k, v := range at {
					walk(v, strings.TrimPrefix(key+"."+k, "."), func(v any) { at[k] = v })
				}
				return
			case []any:
				for i, v := range at {
					if _, ok := v.(map[string]any); ok {
						walk(v, fmt.Sprintf("%s.%d", key, i), func(v any) { at[i] = v })
					}
				}
			}
			value := string(must(json.Marshal(at)))
			if word, ok := at.(string); ok {
				value = word
			}
			if value == "" {
				return
			}
			if n++; testing.Short() && n%5 > 0 {
				return // all of them take seconds
			}
			wrong := []any{"no value of any key\x00", nil}[n%2]
			put(wrong)
			file := must(json.Marshal(document))
			put(at)
			got, _, err := (*Language)(nil).parse(file, "f", "", nil, key+"="+value)
			if err != nil {
				t.Fatalf("%s = %v with %s: %v", key, wrong, value, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s = %v with %s:\n%s", key, wrong, value, diff)
			}
		}
		walk(document, "", nil)
		if n < 60 {
			t.Errorf("%d keys: they are not all found", n)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// The assignments and the file are checked together. An error names the location of its cause, in the file or in the
// assignment.
func TestFileWithAssignments(t *testing.T) {
	tests := []struct {
		name, text string
		set        []string
		want       string // expected text in the error, or else
		same       string // file with the same meaning
	}{
		{"out of range", "seed: 3\ncc: {eta: 7}\n", []string{"cc.eta=0.9"}, "", "seed: 3\ncc: {eta: 0.9}\n"},
		{"by a section", "cc: {eta: 7, t: 9us}\n", []string{"cc={eta: 0.9}"}, "", "cc: {eta: 0.9, t: 9us}\n"},
		{"rule of several keys", "telemetry: {kind: none}\n", []string{"telemetry.kind=pint"}, "",
			"telemetry: {kind: pint}\n"},
		{"kind", "cc: {kind: dcqn, gain: 0.5}\ntelemetry: {kind: none}\nnetwork: {ecn: {enabled: true}}\n",
			[]string{"cc.kind=dcqcn"}, "",
			"cc: {kind: dcqcn, gain: 0.5}\ntelemetry: {kind: none}\nnetwork: {ecn: {enabled: true}}\n"},
		{"brought into effect", "cc: {kind: fixed, eta: 0.9}\n", []string{"cc.kind=hpcc"}, "", "cc: {eta: 0.9}\n"},
		{"brought into effect by a section",
			"cc: {kind: fixed, eta: 0.9}\n", []string{"cc={kind: hpcc}"}, "", "cc: {eta: 0.9}\n"},
		{"brought into effect with what hangs on it",
			"telemetry: {kind: none, plan: powertcp, rounding: log}\ncc: {kind: powertcp}\n",
			[]string{"telemetry.kind=pint"}, "",
			"telemetry: {kind: pint, plan: powertcp, rounding: log}\ncc: {kind: powertcp}\n"},
		{"taken out of effect", "cc: {eta: 0.8}\ntelemetry: {kind: none}\n", []string{"cc.kind=fixed"}, "",
			"cc: {kind: fixed}\ntelemetry: {kind: none}\n"},
		{"missing kind", "workload: [{load: 0.7}]\n", []string{"workload.0.kind=poisson"}, "",
			"workload: [{kind: poisson, load: 0.7}]\n"},
		{"missing key", "workload: [{kind: list, flows: [{src: 1, size: 1KB}]}]\n",
			[]string{"workload.0.flows.0.dst=7"}, "",
			"workload: [{kind: list, flows: [{src: 1, dst: 7, size: 1KB}]}]\n"},
		{"whole list", "workload: [{kind: lst, flows: 3}, 7]\n",
			[]string{"workload=[{kind: permutation, size: 1MB}]"}, "", "workload: [{kind: permutation, size: 1MB}]\n"},
		{"emptied list", "faults: [{kind: blackhole, a: 0, b: 8, at: 0s}]\n",
			[]string{"faults=[]"}, "", "faults: []\n"},
		{"no list", "run: {outputs: all}\n", []string{"run.outputs=[fct.txt]"}, "", "run: {outputs: [fct.txt]}\n"},

		{"another key", "cc: {eta: 7, t: 1}\n", []string{"cc.eta=0.9"}, `f:1:17: cc.t: … "1": … us …`, ""},
		{"both", "cc:\n  eta: 7\n", []string{"cc.eta=8"}, "--set cc.eta=8: cc.eta: 8: want … <= 1 …", ""},
		{"same wrong value", "cc:\n  eta: 7\n", []string{"cc.eta=7"},
			"--set cc.eta=7: cc.eta: 7: want … <= 1 …", ""},
		{"still without effect", "seed: 1\ncc: {kind: fixed, eta: 0.9}\n", []string{"seed=2"},
			`f:2:24: cc.eta: "0.9": has no effect … hpcc …`, ""},
		{"other kind", "seed: 1\ncc: {kind: fixed, eta: 0.9}\n", []string{"cc.kind=dctcp"},
			`f:2:24: cc.eta: "0.9": has no effect … hpcc …`, ""},
		{"still missing", "workload: [{kind: list, flows: [{src: 1}]}]\n", []string{"workload.0.flows.0.dst=7"},
			"f:1:33: workload.0.flows.0.size: missing …", ""},
		{"missing for the new kind", "seed: 1\nfaults: [{kind: host-pause, host: 1, at: 1ms}]\n",
			[]string{"faults.0.kind=link-down"}, "f:2:10: faults.0.a: missing …", ""},
		{"rule that the file breaks", "run: {warmup: 7ms}\n", []string{"workload.0.duration=9ms"}, "",
			"run: {warmup: 7ms}\nworkload: [{kind: poisson, duration: 9ms}]\n"},
		{"rule because of an assignment", "seed: 1\nworkload: [{kind: poisson}]\nrun: {warmup: 1ms}\n",
			[]string{"workload.0.duration=1us"}, `f:3:15: run.warmup: 1ms: … excludes all flows …`, ""},
		{"brought by a control", "seed: 1\ntelemetry:\n  kind: int\n", []string{"cc.kind=fixed"}, "",
			"seed: 1\ncc: {kind: fixed}\ntelemetry: {kind: none}\n"},
		{"unknown key", "seed: 1\n", []string{"cc.etta=0.9"},
			"--set cc.etta=0.9: cc.etta: unknown key; … cc.eta …", ""},
		{"everything that is wrong", "seed: -1\ncc: {kind: fixed, eta: 0.9}\nworkload: [{kind: nothing}]\n",
			[]string{"name=x", "workload.0.load=7"},
			`f:1:7: seed: … f:2:24: cc.eta: "0.9": has no effect … f:3:19: workload.0.kind: …`, ""},
		{"wrong next to a key that takes effect", "seed: -1\ncc: {kind: fixed, eta: 0.9}\n",
			[]string{"cc.kind=hpcc"},
			"f:1:7: seed: \"-1\": want a whole number between 0 and 18446744073709551615", ""},
		{"empty file", "# nothing\n", []string{"cc.eta=0.9"}, "f: empty; …", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := (*Language)(nil).parse([]byte(tt.text), "f", "", nil, tt.set...)
			if tt.want != "" {
				if !errtest.Says(err, tt.want) {
					t.Errorf("got %v\nwant %s", err, tt.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want, err := Parse([]byte(tt.same), "f")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A path in a file is relative to the file, and a path in an assignment to the working directory.
func TestPathsOfAssignments(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s.yaml")
	if err := os.WriteFile(path,
		[]byte("topology: {kind: file, path: t.txt}\nworkload: [{kind: file, path: f.txt}]\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := Open(path, "topology.path=u.txt")
	if err != nil {
		t.Fatal(err)
	}
	if text := string(s.YAML()); !strings.Contains(text, "path: u.txt\n") ||
		!strings.Contains(text, "path: \""+filepath.Join(dir, "f.txt")+"\"\n") {
		t.Error(text)
	}
}

// If the kind of a section is wrong, errors report only the kind: the intended kind may have the other keys.
func TestWrongKindIsTheOnlyProblem(t *testing.T) {
	for _, tt := range []struct {
		text string
		set  []string
		want []string // the keys with problems
	}{
		{"cc: {kind: cubi, beta: 8, eta: high}\n", nil, []string{"cc.kind"}},
		{"cc: {beta: 8, eta: high, kind: cubi, etta: 1}\n", nil, []string{"cc.kind", "cc.etta"}},
		{"telemetry: {bytes: 8B, kind: byte}\ntopology: {kind: sart, hosts: 3}\n", nil,
			[]string{"telemetry.kind", "topology.kind"}},
		{"workload: [{kind: incats, senders: 3}]\n", nil, []string{"workload.0.kind"}},
		{"workload: [{kind: incast, of: 3}]\n", nil, []string{"workload.0.of"}},
		{"cc: {kind: cubic, eta: 0.95}\n", nil, []string{"cc.eta"}},
		{"cc: {kind: cubi, beta: 0.8}\n", []string{"cc.kind=cubicc"}, []string{"cc.kind"}},
		{"topology: {kind: sart, hosts: 3}\n", []string{"topology.kind=stra"}, []string{"topology.kind"}},
		{"cc: {kind: cubi, beta: 0.8}\n", []string{"cc.kind=hpcc"}, []string{"cc.beta"}},
		{"seed: 1\n", []string{"telemetry.kind=byte", "telemetry.bytes=8B"}, []string{"telemetry.kind"}},
		{"seed: 1\n", []string{"telemetry={kind: byte, bytes: 8B}"}, []string{"telemetry.kind"}},
		{"seed: 1\n", []string{"topology.hosts=3", "topology.kind=sart"}, []string{"topology.kind"}},
		{"seed: 1\n", []string{"telemetry.kind=int", "telemetry.bytes=8B"}, []string{"telemetry.bytes"}},
	} {
		_, _, err := (*Language)(nil).parse([]byte(tt.text), "f", "", nil, tt.set...)
		var problems Problems
		errors.As(err, &problems)
		got := lists.Map(problems, func(p schema.Problem) string { return p.Key })
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s%q: %v\n%s", tt.text, tt.set, err, diff)
		}
	}
}
