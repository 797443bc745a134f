package pintlab

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"pintlab/experiments/internal/measure/sketch"
	"pintlab/experiments/internal/show"
	"pintlab/experiments/protocols"
	"pintlab/experiments/results/store"
)

// A list in a JSON document is an array, even if it is empty.
func TestEmptyListsAreArrays(t *testing.T) {
	type inner struct{ List []int }
	for _, tt := range []struct {
		v    any
		want string
	}{
		{struct{ List []string }{}, `{"List":[]}`},
		{struct{ Inner *inner }{&inner{}}, `{"Inner":{"List":[]}}`},
		{struct{ Inner *inner }{}, `{"Inner":null}`},
		{[]inner{{}}, `[{"List":[]}]`},
		{map[string][]string{"files": nil}, `{"files":[]}`},
		{map[string]any{"of": 3, "missing": []int(nil)}, `{"missing":[],"of":3}`},
		{struct {
			List []int `json:",omitempty"`
		}{}, `{}`},
		{struct {
			Asked, Other []int `json:",omitzero"`
		}{Asked: []int{}}, `{"Asked":[]}`},
		{&sketch.QueryAnswer{Hitters: []sketch.FlowSize{}}, `{"packets":0,"heavy_hitters":[],"table_full":0}`},
		{[]store.Summary(nil), `[]`},
	} {
		var b bytes.Buffer
		if err := newProgram(protocols.Standard(), &b, &b).printJSON(tt.v); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(strings.Fields(b.String()), ""); got != tt.want {
			t.Errorf("%#v: %s, want %s", tt.v, got, tt.want)
		}
	}
	for _, v := range []any{&show.WrittenPage{}, seriesResult{}, runDocument{}} {
		var b bytes.Buffer
		if err := newProgram(protocols.Standard(), &b, &b).printJSON(v); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "null") {
			t.Errorf("%T: %s", v, &b)
		}
	}
}

// If there are no victims, the result of guard contains empty lists, although it has its own encoding.
func TestGuardWithoutVictims(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("s.yaml", []byte(`topology:
  {kind: leafspine, leaves: 2, spines: 2, hosts_per_leaf: 2, host_rate: 10Gbps}
workload: [{kind: list, flows: [{src: 2, dst: 3, size: 20KB}]}]
faults: [{kind: blackhole-entry, switch: 5, dst: 0, at: 5us}]
`), 0o666); err != nil {
		t.Fatal(err)
	}
	var out, stderr bytes.Buffer
	args := []string{"guard", "s.yaml", "--exact", "10us", "--json", "--quiet"}
	if code := invoke(args, &out, &stderr); code != exitFine {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	for _, list := range []string{`"culprits": []`, `"victims": []`} {
		if !strings.Contains(out.String(), list) {
			t.Errorf("no %s in %s", list, &out)
		}
	}
}
