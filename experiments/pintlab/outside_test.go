package pintlab

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOutside builds programs of other modules that use this module, and runs their tests. Each program has a limit on
// its number of lines.
func TestOutside(t *testing.T) {
	if testing.Short() {
		t.Skip("needs go test without -short: it links three programs")
	}
	for name, most := range map[string]int{"incast": 30, "control": 65, "sketch": 80} {
		t.Run(name, func(t *testing.T) {
			dir := outside(t, name)
			text, err := os.ReadFile(filepath.Join(dir, "main.go"))
			if err != nil {
				t.Fatal(err)
			}
			if n := bytes.Count(text, []byte("\n")); n > most {
				t.Errorf("%d lines, want at most %d", n, most)
			}
			goTool(t, dir, "test", ".")
		})
	}
	t.Run("parts", func(t *testing.T) { goTool(t, outside(t, "parts"), "build", ".") }) // the script parts runs them
}

// If a program adds a congestion control, every command of the program supports the control.
func TestOutsideControl(t *testing.T) {
	if testing.Short() {
		t.Skip("needs go test without -short: it links a program")
	}
	dir := outside(t, "control")
	goTool(t, dir, "build", "-o", "mine", ".")
	const rack = "name: rack\ntopology: {kind: star, hosts: 4}\nworkload: [{kind: permutation, size: 200KB}]\n"
	if err := os.WriteFile(filepath.Join(dir, "rack.yaml"), []byte(rack), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		want []string
	}{
		{"compare rack.yaml --cc hpcc,mine --seeds 4 --quiet", 0,
			[]string{"the mean completion time is", "with Mine than with HPCC", "Mine sets telemetry.kind=none"}},
		{"compare --help", 0, []string{"fixed, mine"}},
		{"run rack.yaml --set cc.kind=mine --quiet --out r", 0, []string{"run rack.yaml --set cc.kind=mine"}},
		{"run rack.yaml --set cc.kind=mine --set cc.cut=2", 2, []string{"cc.cut: 2: want > 0 and < 1"}},
		{"run rack.yaml --set cc.kind=mnie", 2, []string{`did you mean "mine"?`}},
		{"run rack.yaml --set cc.kind=mine --print-config", 0, []string{"kind: mine", "delay: 4us", "cut: 0.3"}},
		{"__complete run rack.yaml --set cc.kind=mi", 0, []string{"cc.kind=mine"}},
		{"__complete run rack.yaml --set cc.kind=mine --set cc.d", 0, []string{"cc.delay="}},
	} {
		cmd := exec.Command(filepath.Join(dir, "mine"), strings.Fields(c.args)...)
		cmd.Dir = dir
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != c.code {
			t.Errorf("%s: exit code %d, want %d\n%s", c.args, code, c.code, out)
		}
		for _, want := range c.want {
			if !strings.Contains(string(out), want) {
				t.Errorf("%s: %q is missing in\n%s", c.args, want, out)
			}
		}
	}
	runs, err := filepath.Glob(filepath.Join(dir, "r", "rack*"))
	if err != nil || len(runs) != 1 {
		t.Fatalf("runs %v, %v", runs, err)
	}
	cmd := exec.Command(filepath.Join(dir, "mine"), "plot", runs[0]) // plot reads the scenario of a stored run
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("plot: %v\n%s", err, out)
	}
}

// If a program adds a sketch, the commands for sketches support the sketch. They omit the numbers that the sketch
// cannot estimate.
func TestOutsideSketch(t *testing.T) {
	if testing.Short() {
		t.Skip("needs go test without -short: it links a program")
	}
	dir := outside(t, "sketch")
	goTool(t, dir, "build", "-o", "mine", ".")
	more := []string{"--packets", "20000", "--flows", "2000"}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"reproduce sketchint/fig5 --scale smoke --quiet", 0, "CU(O)  Elastic  mine"},
		{"sketch accuracy --sketches mine,cm --memory 100KB --quiet", 0, "mine"},
		{"sketch accuracy --sketches mine --memory 100KB --quiet --json", 0, `"cardinality_re": null`},
		{"sketch accuracy --sketches mnie", 2, `--sketches "mnie": no sketch "mnie" (sketches: tower-cm`},
		{"sketch query heavy-hitters --sketch mine", 0, "heavy hitters among"},
		{"sketch query cardinality --sketch mine", 2, "mine: no answer for the number of flows"},
		{"sketch query heavy-hitters --sketch mine --rows 3 --bytes --threshold 100000", 0, " bytes  flow"},
		{"sketch speed --sketches mine --rounds 1 --rows 4", 0, "mine"},
	} {
		args := strings.Fields(c.args)
		if args[0] == "sketch" {
			args = append(args, more...)
		}
		cmd := exec.Command(filepath.Join(dir, "mine"), args...)
		cmd.Dir = dir
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != c.code || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: exit code %d, want %d and %q in\n%s", c.args, code, c.code, c.want, out)
		}
	}
}

// outside makes a module from a program of testdata/outside. If pintlab new supports the kind of program, pintlab new
// makes the module, with the name mine.
func outside(t *testing.T, name string) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "module")
	if _, is := starterKinds[name]; is {
		var stderr bytes.Buffer
		args := []string{"new", name, "mine", "--to", dir, "--source", root}
		if code := invoke(args, io.Discard, &stderr); code != exitFine {
			t.Fatalf("exit code %d: %s", code, &stderr)
		}
		return dir
	}
	files, err := starterFiles(os.DirFS(filepath.Join("testdata", "outside", name)), name, name)
	if err = errors.Join(err, addModule(files, name, dir, root), writeStarter(dir, files)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// goTool runs a command of the go tool in a module.
func goTool(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
