package compare

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pintlab/internal/errtest"
)

func TestParseVariation(t *testing.T) {
	for _, x := range []struct {
		text   string
		values []string
		err    string
	}{
		{"cc.eta=0.9,0.95", []string{"0.9", "0.95"}, ""},
		{"run.outputs=[flows.csv, fct.txt],[fct.txt]", []string{"[flows.csv, fct.txt]", "[fct.txt]"}, ""},
		{"faults=[{kind: drop, a: 1}], []", []string{"[{kind: drop, a: 1}]", "[]"}, ""},
		{"k=a=b,c", []string{"a=b", "c"}, ""},
		{"k=[a,b", nil, `--vary "k=[a,b": want a key …`},
		{"", nil, `--vary "": want a key of the scenario and at least two values, such as workload.0.load=0.3,0.5`},
		{"=1,2", nil, `--vary "=1,2": want a key …`},
		{"k=1", nil, `--vary "k=1": want a key …`},
		{"k=1,,2", nil, `--vary "k=1,,2": want a key …`},
		{"k=1,2,1", nil, `--vary "k=1,2,1": 1 occurs twice`},
		{"seed=1,2", nil, `--vary "seed=1,2": … want --seeds N`},
		{"cc.g=1,2", nil, `--vary "cc.g=1,2": --set also changes cc.g`},
	} {
		v, err := ParseVariation(x.text, []string{"cc.g=3", "cc.gain=4"})
		switch {
		case x.err != "" && !errtest.Says(err, x.err):
			t.Errorf("%q: error %v, want %s", x.text, err, x.err)
		case x.err == "" && (err != nil || !slices.Equal(v.Values, x.values)):
			t.Errorf("%q: %q, %v, want %q", x.text, v.Values, err, x.values)
		}
	}
}

func FuzzParseVariation(f *testing.F) {
	for _, s := range []string{"a=1,2", "a.b=[1,2],{c: d}", "=,", "a=]],[", "a=1,1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := ParseVariation(text, nil)
		if err != nil {
			return
		}
		again, err := ParseVariation(v.Key+"="+strings.Join(v.Values, ","), nil)
		if err != nil || again.Key != v.Key || !slices.Equal(again.Values, v.Values) {
			t.Errorf("%q gives %q, and that %q, %v", text, v, again, err)
		}
	})
}

// Each value of the key is a case with separate runs.
func TestVariedCases(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.yaml")
	text := "name: mine\ntopology: {kind: star, hosts: 4}\nworkload: [{kind: permutation, size: 10KB}]\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	n := Networks{Bases: []string{path}, Controls: []string{"hpcc", "dcqcn"},
		Vary: Variation{"workload.0.size", []string{"10KB", "20KB"}}}
	_, specs, err := n.Figure()
	if err != nil {
		t.Fatal(err)
	}
	var set []string
	for _, s := range specs {
		set = append(set, strings.TrimPrefix(strings.Join(s.Set, " "), "seed=1 "))
	}
	want := []string{"workload.0.size=10KB cc.kind=hpcc", "workload.0.size=10KB cc.kind=dcqcn",
		"workload.0.size=20KB cc.kind=hpcc", "workload.0.size=20KB cc.kind=dcqcn"}
	if len(set) != len(want) || !slices.EqualFunc(set, want, strings.HasPrefix) {
		t.Errorf("runs %q, want %q", set, want)
	}
	n.Vary.Values[1] = "20"
	_, _, err = n.Figure()
	if !errtest.Says(err, "--vary: --set workload.0.size=20: workload.0.size: size \"20\": …") {
		t.Errorf("error %v", err)
	}
}
