package runview

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pintlab/experiments/campaign"
)

// runs makes run directories of tiny simulations.
func runs(t *testing.T, sets ...[]string) []string {
	t.Helper()
	var specs []campaign.Spec
	for i, s := range sets {
		specs = append(specs, campaign.Spec{Label: fmt.Sprint(i), Base: "perm128", Set: append([]string{"workload.0.size=20KB"}, s...)})
	}
	made, err := campaign.Execute(t.Context(), specs, campaign.Options{
		Dir: t.TempDir(), Workers: 2, Quiet: true, Messages: io.Discard,
		Line: func(w ...string) string { return strings.Join(w, " ") },
	})
	if err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for _, r := range made {
		dirs = append(dirs, r.Dir)
	}
	return dirs
}

// One run has its curves, its distribution and a report with the command that makes
// it again.
func TestOneRun(t *testing.T) {
	dirs := runs(t, nil)
	d, err := Open(dirs)
	if err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	files, err := d.Draw(to, "svg")
	if err != nil || len(files) != 2 || filepath.Base(files[0]) != "slowdown.svg" || filepath.Base(files[1]) != "fct.svg" {
		t.Errorf("drew %v, %v", files, err)
	}
	// 128 flows in 20 buckets are too few for a p95.
	if svg, err := os.ReadFile(files[0]); err != nil || !strings.Contains(string(svg), "too few samples") {
		t.Errorf("the drawing does not say that there are too few flows (%v)", err)
	}
	page, err := d.Page()
	if err != nil {
		t.Fatal(err)
	}
	var html strings.Builder
	if err := page.Write(&html); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Run perm128", "pintlab run perm128 --set workload.0.size=20KB", "128"} {
		if !strings.Contains(html.String(), want) {
			t.Errorf("%q is missing", want)
		}
	}
}

// Runs of other flows and of one name can still be drawn together.
func TestSeveralRuns(t *testing.T) {
	dirs := runs(t, nil, []string{"workload.0.size=80KB"})
	d, err := Open(dirs)
	if err != nil {
		t.Fatal(err)
	}
	if d.Figure.Title != "2 runs" {
		t.Errorf("title %q", d.Figure.Title)
	}
	files, err := d.Draw(t.TempDir(), "svg")
	if err != nil || len(files) != 2 {
		t.Fatalf("drew %v, %v", files, err)
	}
	svg, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		if !strings.Contains(string(svg), filepath.Base(dir)) {
			t.Errorf("%s is not in the legend", filepath.Base(dir))
		}
	}
	if _, err := Open([]string{dirs[0], dirs[0]}); err == nil || err.Error() != dirs[0]+" is given twice" {
		t.Errorf("error %v", err)
	}
}

func TestRunWithoutFinishedFlows(t *testing.T) {
	dirs := runs(t, []string{"run.until=1us"})
	if _, err := Open(dirs); err == nil || err.Error() != dirs[0]+": no flow has finished" {
		t.Errorf("error %v", err)
	}
}

// As many runs as there are colours can be drawn, and one more is refused before any is
// read.
func TestAsManyRunsAsThereAreColours(t *testing.T) {
	sets := make([][]string, mostRuns)
	for i := range sets {
		sets[i] = []string{fmt.Sprintf("seed=%d", i)}
	}
	dirs := runs(t, sets...)
	d, err := Open(dirs)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Draw(t.TempDir(), "svg"); err != nil {
		t.Error(err)
	}
	_, err = Open(append(dirs, "nowhere"))
	if want := "17 runs: want at most 16, which can be told apart in a drawing"; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
