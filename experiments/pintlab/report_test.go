package pintlab

import (
	"bytes"
	"html"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// workdir returns a directory and a function that runs a shell command in this directory. In the command, pintlab is
// this program.
func workdir(t *testing.T) (dir string, sh func(dir, line string) string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "pintlab")); err != nil {
		t.Skipf("needs a temporary directory in which os.Symlink works: %v", err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return t.TempDir(), func(dir, line string) string {
		t.Helper()
		c := exec.Command("sh", "-e", "-c", line)
		c.Dir = dir
		var messages strings.Builder
		c.Stderr = &messages
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s%s", line, err, out, &messages)
		}
		return string(out)
	}
}

func readFile(t *testing.T, elements ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(elements...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// commandsIn returns the commands of a report.
func commandsIn(page string) []string {
	var list []string
	for _, m := range regexp.MustCompile("(?s)<code>(.*?)</code>").FindAllStringSubmatch(page, -1) {
		list = append(list, html.UnescapeString(m[1]))
	}
	return list
}

// The commands of a report reproduce the runs, the rows and the report byte for byte, in another directory and at
// another time.
func TestReportCommands(t *testing.T) {
	dir, sh := workdir(t)
	sh(dir, `pintlab run two-flows --quiet --out 'my runs' --set 'workload.0.flows.0.size=1MB'
pintlab run two-flows --quiet --out 'my runs' --set 'workload.0.flows.0.size=2MB' --seed 7
pintlab report 'my runs' --to runs.html`)
	page := readFile(t, dir, "runs.html")
	for _, want := range []string{"size 1 MB:", "size 2 MB:", "What differs between the runs.",
		`">2MB</td>`, "topology.kind"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
	list := commandsIn(page)
	if len(list) != 3 {
		t.Fatalf("commands %q, want the commands of two runs and of the page", list)
	}
	again := t.TempDir()
	for _, line := range list {
		sh(again, line)
	}
	found, err := filepath.Glob(filepath.Join(again, "my runs", "*", "report.html"))
	if err != nil || len(found) != 1 || readFile(t, found[0]) != page {
		t.Errorf("the page of the runs made again differs (%v, %v)", found, err)
	}

	sh(dir, "pintlab reproduce fig5 --scale smoke --quiet --out 'the figures'")
	at := filepath.Join("the figures", "pint", "fig5", "smoke")
	page = readFile(t, dir, at, "report.html")
	again = t.TempDir()
	for _, line := range commandsIn(page) {
		sh(again, line)
	}
	for _, name := range []string{"report.html", "rows.csv", "fig5.svg", "fig5.png"} {
		if readFile(t, again, at, name) != readFile(t, dir, at, name) {
			t.Errorf("%s differs when it is made again", name)
		}
	}
	// The directories of the results and the report may be anywhere.
	sh(again, "pintlab report '"+filepath.Join(dir, "the figures")+"' --to all.html && "+
		"pintlab report 'the figures' --to "+filepath.Join(again, "here.html"))
	if !strings.Contains(readFile(t, again, "here.html"), `href="the%20figures/pint/fig5/smoke/rows.csv"`) {
		t.Error("the page does not link its rows")
	}
}

// Commands that read stored runs refuse a file that is truncated or empty. They also refuse to read if a file is
// missing and has no replacement. The error names the file.
func TestDamagedRuns(t *testing.T) {
	whole := t.TempDir()
	for _, seed := range []string{"1", "2"} {
		if code := invoke([]string{"run", "two-flows", "--quiet", "--seed", seed, "--set", "run.sampling.enabled=true",
			"--out", whole}, io.Discard, os.Stderr); code != exitFine {
			t.Fatal("exit code", code)
		}
	}
	for file, readers := range map[string]string{
		"flows.csv": "report report-all plot", "flows.parquet": "report report-all plot series",
		"series.parquet": "series", "flowseries.parquet": "series",
		"manifest.json": "report report-all plot series",
	} {
		for _, damage := range []string{"cut", "empty", "missing"} {
			if damage == "missing" && file != "manifest.json" {
				continue // flows have a copy as CSV or Parquet, and series may be missing
			}
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			runs, err := filepath.Glob(filepath.Join(dir, "two-flows*"))
			if err != nil || len(runs) != 2 {
				t.Fatal(runs, err)
			}
			path := filepath.Join(runs[0], file)
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			switch damage {
			case "cut":
				err = os.Truncate(path, info.Size()*2/3)
			case "empty":
				err = os.Truncate(path, 0)
			default:
				err = os.Remove(path)
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, reader := range strings.Fields(readers) {
				to := filepath.Join(t.TempDir(), "to.html")
				args := map[string][]string{
					"report": {"report", runs[0], "--to", to}, "report-all": {"report", dir, "--to", to},
					"plot":   {"plot", runs[0], "--to", filepath.Dir(to)},
					"series": {"series", runs[0], "--to", filepath.Dir(to)},
				}[reader]
				var stderr bytes.Buffer
				if code := invoke(args, io.Discard, &stderr); code != exitUsage ||
					!strings.Contains(stderr.String(), runs[0]) || !strings.Contains(stderr.String(), file) {
					t.Errorf("%s with %s %s: exit code %d\n%s", reader, file, damage, code, &stderr)
				}
			}
		}
	}
}
