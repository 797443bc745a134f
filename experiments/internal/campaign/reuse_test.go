package campaign

import (
	"os"
	"path/filepath"
	"testing"

	"pintlab/experiments/scenario"
	"pintlab/internal/errtest"
)

// The run of a version with other keys has another hash. If its scenario names no files, nothing else can have changed.
func TestUnchanged(t *testing.T) {
	sc := scenario.Default()
	file := filepath.Join(t.TempDir(), "map.gml")
	err := os.WriteFile(file, []byte("graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]"), 0o666)
	if err != nil {
		t.Fatal(err)
	}
	mapped, err := scenario.Parse([]byte("topology: {kind: file, path: "+file+
		", map_hosts: 2, map_host_rate: 1Gbps, map_rate: 1Gbps, map_delay: 1us}\n"), "test")
	if err != nil {
		t.Fatal(err)
	}
	hash, err := mapped.Hash()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		run  Run
		want string
	}{
		{Run{Scenario: sc, Hash: "0123456789abcdef"}, ""},
		{Run{Scenario: mapped, Hash: hash}, ""},
		{Run{Scenario: mapped, Hash: "0123456789abcdef"}, "…a file that the scenario names has changed since the run…"},
	} {
		err := c.run.Unchanged()
		if want := c.want; want == "" && err != nil || want != "" && !errtest.Says(err, want) {
			t.Errorf("%s: error %v, want %q", c.run.Hash, err, want)
		}
	}
}
