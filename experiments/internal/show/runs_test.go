package show

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/scenario"
	"pintlab/internal/errtest"
	"pintlab/plots"
)

// runs makes run directories of tiny simulations.
func runs(t *testing.T, sets ...[]string) []string {
	t.Helper()
	var specs []campaign.Spec
	for i, s := range sets {
		specs = append(specs,
			campaign.Spec{Label: fmt.Sprint(i), Base: "perm128", Set: append([]string{"workload.0.size=20KB"}, s...)})
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

// svgs draws a result as SVG and returns the names of the files.
func svgs(d *figure.Done, to string) ([]string, error) {
	d.Options.Formats = []string{"svg"}
	return d.Draw(to)
}

// A single run has curves, a distribution, and a report with the command that reproduces it.
func TestOneRun(t *testing.T) {
	dirs := runs(t, nil)
	d, err := OpenRuns(nil, dirs)
	if err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	files, err := svgs(d, to)
	if err != nil || len(files) != 2 || filepath.Base(files[0]) != "slowdown.svg" ||
		filepath.Base(files[1]) != "fct.svg" {
		t.Errorf("drew %v, %v", files, err)
	}
	// 128 flows in 20 buckets are too few for a p95.
	if svg, err := os.ReadFile(files[0]); err != nil || !strings.Contains(string(svg), "too few samples") {
		t.Errorf("the drawing does not mark too few flows (%v)", err)
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

// Runs with different flows and runs of the same name can be drawn together.
func TestSeveralRuns(t *testing.T) {
	dirs := runs(t, nil, []string{"workload.0.size=80KB"})
	d, err := OpenRuns(nil, dirs)
	if err != nil {
		t.Fatal(err)
	}
	if d.Figure.Title != "2 runs" {
		t.Errorf("title %q", d.Figure.Title)
	}
	files, err := svgs(d, t.TempDir())
	if err != nil || len(files) != 2 {
		t.Fatalf("drew %v, %v", files, err)
	}
	svg, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"size 20 KB", "size 80 KB"} {
		if !strings.Contains(string(svg), ">"+name+"<") {
			t.Errorf("%s is not in the legend", name)
		}
	}
	d.Options.Points = true
	files, err = svgs(d, t.TempDir())
	if err != nil || len(files) != 4 || filepath.Base(files[2]) != "slowdown-rows.csv" ||
		filepath.Base(files[3]) != "fct-rows.csv" {
		t.Errorf("with points: %v, %v", files, err)
	}
	list, err := d.Tables()
	if err != nil {
		t.Fatal(err)
	}
	apart := list[len(list)-1].Table
	if got, want := apart.Cells(),
		[][]string{{"size 20 KB", "20KB"},
			{"size 80 KB", "80KB"}}; !cmp.Equal(got, want) ||
		apart.Columns()[1].Name != "workload.0.size" {
		t.Errorf("what differs: %q of %v, want %q", got, apart.Columns(), want)
	}
	if !slices.ContainsFunc(d.Manifest.Settings, func(s figure.Setting) bool { return s.Key == "topology.kind" }) {
		t.Error("the configuration that they have in common is missing")
	}
	if _, err := OpenRuns(nil, []string{dirs[0], dirs[0]}); !errtest.Says(err, dirs[0]+" … "+dirs[0]+" … same run") {
		t.Errorf("error %v", err)
	}
}

// Equal sizes share one line with completion times, for any number of flows. Classes have separate lines, each with a
// total, and are side by side in the drawing.
func TestFewSizes(t *testing.T) {
	dirs := runs(t, []string{"workload=[{kind: permutation, size: 20KB}, {kind: permutation, size: 50KB}, {kind: " +
		"incast, senders: 16, receiver: 0, size: 10KB}]"})
	d, err := OpenRuns(nil, dirs)
	if err != nil {
		t.Fatal(err)
	}
	list, err := d.Tables()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, table := range list[1:] {
		for _, c := range table.Table.Cells() {
			got = append(got, strings.Join(c[1:3], " "))
			if !strings.HasSuffix(c[3], " µs") || c[7] == "–" {
				t.Errorf("no completion time or slowdown in %q", c)
			}
		}
	}
	if want := []string{"20 KB 128", "50 KB 128", "all 256", "10 KB 16"}; !cmp.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	drawn, err := d.Drawings(d.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	panels := drawn[0].Plot.Panels
	if want := []string{"20 KB", "50 KB", "10 KB, incast"}; len(panels) != 6 ||
		!cmp.Equal(panels[0].X.Categories, want) || len(panels[0].Series[0].X) != 3 {
		t.Errorf("%d panels over %q, want %q", len(panels), panels[0].X.Categories, want)
	}
	// The distribution has a curve for each class. The incast has 16 flows, and a step at most for each.
	cdf := drawn[1].Plot.Panels[0].Series
	if len(cdf) != 2 || !strings.HasSuffix(cdf[0].Name, ", background") ||
		!strings.HasSuffix(cdf[1].Name, ", incast") || cdf[0].Hue != cdf[1].Hue || cdf[0].Pattern != plots.Solid ||
		cdf[1].Pattern != plots.Dotted || len(cdf[1].X) > 16+1 {
		t.Errorf("curves %+v", cdf)
	}
}

// If there are many sizes, all rows have the same number of flows, and all runs of the drawing share an axis of shares.
// An incast is a separate point.
func TestManySizes(t *testing.T) {
	many := "{kind: poisson, sizes: uniform, min_size: 1KB, max_size: 50KB, load: 0.3, duration: 20us}"
	for text, scale := range map[string]plots.Scale{
		"[" + many + "]": plots.SizeBuckets,
		"[" + many + ", {kind: incast, senders: 16, receiver: 0, size: 10KB}]": plots.Log,
	} {
		d, err := OpenRuns(nil, runs(t, []string{"workload=" + text}))
		if err != nil {
			t.Fatal(err)
		}
		drawn, err := d.Drawings(d.Manifest)
		if err != nil {
			t.Fatal(err)
		}
		panels := drawn[0].Plot.Panels
		if p := panels[0]; len(panels) != 3 || p.X.Scale != scale || len(p.Series[0].X) != 10 ||
			len(p.Series) != strings.Count(text, "kind") {
			t.Errorf("%s: %d panels, the first %+v", text, len(panels), p)
		}
	}
}

// If all completion times are equal, the distribution is a single step from 0 to 1, not an empty frame.
func TestEqualTimes(t *testing.T) {
	d, err := OpenRuns(nil, runs(t, []string{"workload=[{kind: list, flows: [{src: 0, dst: 1, size: 1MB}]}]"}))
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := d.Drawings(d.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	s := drawn[len(drawn)-1].Plot.Panels[0].Series[0]
	if !cmp.Equal(s.Y, plots.Values{0, 1}) || s.X[0] != s.X[1] {
		t.Errorf("from %v to %v", s.X, s.Y)
	}
}

// If numbers exclude some flows, a note reports these flows.
func TestFlowsThatDoNotCountAreTold(t *testing.T) {
	d, err := OpenRuns(nil, runs(t, []string{"run.until=6us"}))
	if err != nil {
		t.Fatal(err)
	}
	s := d.Manifest.Runs[0]
	if s.Finished == 0 || s.Finished == s.Flows {
		t.Fatalf("%d of %d flows have finished: the test shows nothing", s.Finished, s.Flows)
	}
	want := fmt.Sprintf("perm128: of %d flows, 0 failed and %d were under way at the end; times and slowdowns "+
		"leave these out", s.Flows, s.Flows-s.Finished)
	if !slices.Contains(d.Manifest.Notes, want) {
		t.Errorf("notes %q, want %q", d.Manifest.Notes, want)
	}
	files, err := svgs(d, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	want = fmt.Sprintf(">%d of %d flows had not finished", s.Flows-s.Finished, s.Flows)
	for _, name := range files {
		if svg, err := os.ReadFile(name); err != nil || !strings.Contains(string(svg), want) {
			t.Errorf("%s does not have %q below its panels (%v)", filepath.Base(name), want, err)
		}
	}
}

// In the tables, a run without numbers has a line with the reason. The other runs are still drawn.
func TestRunWithoutNumbers(t *testing.T) {
	for set, why := range map[string]string{
		"run.until=1us": "no flow has finished",
		"run.warmup=10us": "no flow counts: run.warmup = 10us and run.cooldown = 0s leave out all flows that have " +
			"finished",
	} {
		dirs := runs(t, []string{set}, nil)
		for n, drawings := range []int{0, 2} {
			d, err := OpenRuns(nil, dirs[:n+1])
			if err != nil {
				t.Fatal(err)
			}
			if files, err := svgs(d, t.TempDir()); err != nil || len(files) != drawings || d.Undrawn != why {
				t.Errorf("%s: drew %v, %v, %q", set, files, err, d.Undrawn)
			}
			if !slices.ContainsFunc(d.Manifest.Notes,
				func(note string) bool { return strings.HasSuffix(note, ": "+why) }) {
				t.Errorf("%s: notes %q, want %q", set, d.Manifest.Notes, why)
			}
			list, err := d.Tables()
			if err != nil {
				t.Fatal(err)
			}
			if got, want := list[0].Table.Cells()[0][1:],
				[]string{"0", "–", "–", "–", "–", "–", "–", "–"}; !cmp.Equal(got, want) {
				t.Errorf("%s: %q, want %q", set, got, want)
			}
			if _, err := d.Page(); err != nil {
				t.Error(err)
			}
		}
	}
}

// The number of schemes in a drawing is at most the number of colours, even with two classes of flows and several
// seeds. With one more scheme there are only tables.
func TestAsManyRunsAsThereAreColours(t *testing.T) {
	const classes = "workload=[{kind: poisson, sizes: uniform, min_size: 1KB, max_size: 50KB, load: 0.%d, " +
		"duration: 5us}, {kind: incast, senders: 16, receiver: 0, size: 10KB}]"
	sets := make([][]string, mostRuns+1)
	for i := range sets {
		sets[i] = []string{fmt.Sprintf(classes, 30+i)}
	}
	dirs := runs(t, append(sets, []string{"seed=7", fmt.Sprintf(classes, 31)})...)
	dirs, seed := dirs[:len(sets)], dirs[len(sets)]
	d, err := OpenRuns(nil, append(dirs[1:], seed))
	if err != nil {
		t.Fatal(err)
	}
	if files, err := svgs(d, t.TempDir()); err != nil || len(files) != 2 {
		t.Errorf("drew %v, %v", files, err)
	}
	d, err = OpenRuns(nil, dirs)
	if err != nil {
		t.Fatal(err)
	}
	if files, err := svgs(d, t.TempDir()); err != nil || len(files) != 0 {
		t.Errorf("drew %v, %v", files, err)
	}
	if want := "17 curves: more than the 16 that a drawing can distinguish, so there are only " +
		"tables."; d.Undrawn != want ||
		!slices.Contains(d.Manifest.Notes, want) {
		t.Errorf("notes %q", d.Manifest.Notes)
	}
	list, err := d.Tables()
	if err != nil || list[0].Table.Len() != len(dirs) {
		t.Errorf("tables %v, %v", list, err)
	}
}

// Labels distinguish runs of the same name by the smallest possible number of settings.
func TestLabels(t *testing.T) {
	run := func(name, scenario string) (*campaign.Run, *settings) {
		s, err := settingsOf([]byte(scenario))
		if err != nil {
			t.Fatal(err)
		}
		r := &campaign.Run{Hash: "0123456789abcdef"}
		r.Scenario.Name = name
		return r, s
	}
	var list []*campaign.Run
	var all []*settings
	for _, x := range [][2]string{
		{"a", `{"name": "a", "seed": 1, "cc": {"eta": 0.9}, "workload": [{"size": "1MB", "load": 1}]}`},
		{"a", `{"name": "a", "seed": 1, "cc": {"eta": 0.8}, "workload": [{"size": "1MB", "load": 2}]}`},
		{"a", `{"name": "a", "seed": 1, "cc": {"eta": 0.8, "k": 7}, "workload": [{"size": "2MB", "load": 2}]}`},
		{"b", `{"name": "b", "seed": 2}`},
	} {
		r, s := run(x[0], x[1])
		list, all = append(list, r), append(all, s)
	}
	want := []string{"eta 0.9, size 1 MB", "eta 0.8, size 1 MB", "eta 0.8, size 2 MB", "b"}
	if got, _ := labels(list, all); !cmp.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, _ := labels(list[1:2], all[1:2]); !cmp.Equal(got, []string{"a"}) {
		t.Errorf("%q", got)
	}
	_, one := run("a", `{"cc": {"kind": "hpcc"}}`)
	_, two := run("a", `{"cc": {"kind": "hpcc"}, "telemetry": {"p": 1}}`)
	if got, _ := labels(list[:2], []*settings{one, two}); !cmp.Equal(got, []string{"a", "p 1"}) {
		t.Errorf("%q", got)
	}
	_, hpcc := run("a", `{"seed": 1, "cc": {"kind": "hpcc"}, "telemetry": {"kind": "pint"}, "load": 0.5}`)
	_, again := run("a", `{"seed": 2, "cc": {"kind": "hpcc"}, "telemetry": {"kind": "pint"}, "load": 0.5}`)
	_, other := run("a", `{"seed": 1, "cc": {"kind": "dctcp"}, "telemetry": {"kind": "none"}, "load": 0.5}`)
	names, schemes := labels(list[:3], []*settings{hpcc, again, other})
	if !cmp.Equal(names, []string{"HPCC, PINT, seed 1", "HPCC, PINT, seed 2", "DCTCP"}) ||
		!cmp.Equal(schemes, []string{"HPCC, PINT", "HPCC, PINT", "DCTCP"}) {
		t.Errorf("runs %q of schemes %q", names, schemes)
	}
	// A run with faults is distinguished from a run without, even if another setting distinguishes them also.
	plain, quiet := run("a", `{"load": 0.5}`)
	faulty, broken := run("a", `{"load": 0.06, "faults": [{"kind": "link-down", "a": 1}, {"kind": "drop", "a": 2}]}`)
	faulty.Scenario.Faults = make([]scenario.Fault, 2)
	names, _ = labels([]*campaign.Run{plain, faulty}, []*settings{quiet, broken})
	if !cmp.Equal(names, []string{"load 0.5", "load 0.06, 2 faults"}) {
		t.Errorf("%q", names)
	}
}
