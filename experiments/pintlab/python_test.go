package pintlab

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

const systemPython = "/usr/bin/python3"

// The module loads runs with different settings as a single data frame. It can also run pintlab.
func TestPythonModule(t *testing.T) {
	if err := exec.Command(systemPython, "-c", "import pandas").Run(); err != nil {
		t.Skipf("needs pandas for %s (Debian: apt-get install python3-pandas): %v", systemPython, err)
	}
	t.Chdir(t.TempDir())
	var module bytes.Buffer
	if code := invoke([]string{"python"}, &module, &module); code != exitFine {
		t.Fatalf("code %d: %s", code, &module)
	}
	if err := os.WriteFile("pintlab.py", module.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	const script = `
import pandas as pd, pintlab
one = pintlab.run("two-flows", {"workload.0.flows.0.size": "10KB"}, cc__kind="hpcc")
assert list(one["size_bytes"]) == [10000, 5000000], one
assert list(one["workload.0.flows.0.size"].unique()) == ["10KB"] and list(one["cc.kind"].unique()) == ["hpcc"], one
two = pintlab.run("two-flows", {"workload.0.flows.0.size": "20KB"}, run__outputs=["flows.csv", "fct.txt"])
both = pintlab.load("results")
assert len(both) == 4 and both["run"].nunique() == 2, both
assert sorted(both["workload.0.flows.0.size"].unique()) == ["10KB", "20KB"], both
assert "cc.kind" not in both and "run.outputs" in both, both.columns
means = both.groupby("workload.0.flows.0.size")["fct_ps"].mean()
assert (means > 0).all(), means
for call, error in [
    (lambda: pintlab.load("results", "jobs"), "results: no table jobs of a run in or below this directory"),
    (lambda: pintlab.run("two-flowz"), "did you mean the preset two-flows?"),
    (lambda: pintlab.run("two-flows", nokey=1), "nokey: unknown key"),
]:
    try:
        call()
    except (RuntimeError, FileNotFoundError) as e:
        assert error in str(e), e
    else:
        raise AssertionError(error)
print("fine")
`
	out, err := exec.Command(systemPython, "-c", script).CombinedOutput() // TestMain has put pintlab into the PATH
	if err != nil || strings.TrimSpace(string(out)) != "fine" {
		t.Errorf("%v\n%s", err, out)
	}
}
