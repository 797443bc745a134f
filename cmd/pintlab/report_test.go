package main

import (
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// workdir is a directory in which a shell finds this program as pintlab, and a shell
// command there.
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

// commandsIn are the commands of a report.
func commandsIn(page string) []string {
	var list []string
	for _, m := range regexp.MustCompile("(?s)<code>(.*?)</code>").FindAllStringSubmatch(page, -1) {
		list = append(list, html.UnescapeString(m[1]))
	}
	return list
}

// The commands of a report make the runs, the rows and the report again, byte for
// byte, somewhere else and at another time.
func TestReportCommands(t *testing.T) {
	dir, sh := workdir(t)
	sh(dir, `pintlab run two-flows --quiet --out 'my runs' --set 'workload.0.flows.0.size=1MB'
pintlab run two-flows --quiet --out 'my runs' --set 'workload.0.flows.0.size=2MB' --seed 7
pintlab report 'my runs' --to runs.html`)
	page := readFile(t, dir, "runs.html")
	for _, want := range []string{"two-flows, seed=1:", "two-flows, seed=7:", "What differs between the runs.", "<td>2MB</td>", "topology.kind"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
	list := commandsIn(page)
	if len(list) != 3 {
		t.Fatalf("commands %q, want those of two runs and of the page", list)
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
	// From anywhere to anywhere.
	sh(again, "pintlab report "+"'"+filepath.Join(dir, "the figures")+"'"+" --to all.html && pintlab report 'the figures' --to "+filepath.Join(again, "here.html"))
	if !strings.Contains(readFile(t, again, "here.html"), `href="the%20figures/pint/fig5/smoke/rows.csv"`) {
		t.Error("the page does not link its rows")
	}
}
