package compare

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/sim"
	"pintlab/internal/errtest"
	"pintlab/internal/lists"
	"pintlab/plots/report"
)

const example = `
name: sizes
base: two-flows
set: {workload.0.flows.1.size: 1MB}
vary:
  workload.0.flows.0.size: [1MB, 2MB]
  feedback:
    INT: {telemetry.kind: int}
    PINT 1/16: {telemetry.kind: pint, telemetry.p: 0.0625}
seeds: 2
`

func TestParseGrid(t *testing.T) {
	got, err := parseGrid([]byte(example), "c.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := &Grid{
		Name: "sizes", Base: "two-flows", Set: []string{"workload.0.flows.1.size=1MB"}, Seeds: 2, Sizes: defaultSizes,
		Axes: []axis{
			{"workload.0.flows.0.size", []value{{"1MB", []string{"workload.0.flows.0.size=1MB"}},
				{"2MB", []string{"workload.0.flows.0.size=2MB"}}}},
			{"feedback",
				[]value{{"INT", []string{"telemetry.kind=int"}},
					{"PINT 1/16", []string{"telemetry.kind=pint", "telemetry.p=0.0625"}}}},
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Grid{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "c.yaml: empty; want the keys name, base and vary"},
		{"name: [", "c.yaml:1:7: not YAML: sequence end token ']' not found"},
		{"- 1", "c.yaml:1:1: want keys and values, got a list"},
		{"name: a\nbase: solo", "c.yaml:1:1: vary: missing"},
		{"name: -a\nbase: solo\nvary: {seed: [1]}",
			"c.yaml:1:7: name: \"-a\": want 1 to 64 letters, digits, '.', '_' or '-', starting with a letter " +
				"or a digit\n" +
				"c.yaml:3:14: vary.seed: this name cannot be a column of the rows\n" +
				"c.yaml:3:14: vary.seed: seeds cannot be varied like other keys: the key seeds sets their number, " +
				"and --seed sets the first seed"},
		{"name: a\nbase: {}\nvary: {cc.eta: [0.9]}", "c.yaml:2:7: base: want a single value, got keys and values"},
		{"name: a\nbase: solo\nvary: {cc.eta: 0.9}",
			"c.yaml:3:16: vary.cc.eta: want a list of values, or names with keys and values"},
		{"name: a\nbase: solo\nvary: {cc.eta: []}", "c.yaml:3:16: vary.cc.eta: want at least one value"},
		{"name: a\nbase: solo\nvary: {cc.eta: [0.9, 0.9]}", `c.yaml:3:22: vary.cc.eta.1: "0.9" is given twice`},
		{"name: a\nbase: solo\nvary: {cc.eta: [[0.9]]}", "c.yaml:3:17: vary.cc.eta.0: want a single value, got a list"},
		{"name: a\nbase: solo\nvary: {cc.eta: [0.9]}\nseed: 1", "c.yaml:4:1: seed: unknown key; did you mean seeds? " +
			"(accepted: name, base, set, vary, seeds, sizes)"},
		{"name: a\nbase: solo\nvary: {cc.eta: [0.9]}\nseeds: 0", "c.yaml:4:8: seeds: 0: want >= 1 and <= 10000"},
		{"name: a\nbase: solo\nvary: {cc.eta: [0.9]}\nsizes: 10KB",
			`c.yaml:4:8: sizes: want a list such as [10KB], got "10KB"`},
		{"name: a\nbase: solo\nvary: {cc.eta: [0.9]}\nsizes: [1MB, 10KB]",
			"c.yaml:4:8: sizes: [1MB, 10KB]: want ascending sizes of at least 1B"},
		{"name: a\nbase: solo\nvary: {cc.eta: [0.9]}\nsizes: [10KB, many]",
			`c.yaml:4:8: sizes: [10KB, many]: size "many": want a number and a unit (GiB, MiB, KiB, GB, MB, KB, B)`},
		{"name: a\nname: b\nbase: solo\nvary: {cc.eta: [0.9]}",
			"c.yaml:2:1: name: given twice; the first is in line 1"},
		{"name: a\nbase: solo\nset: {cc.eta: [1]}\nvary: {cc.t: [1us]}",
			"c.yaml:3:15: set.cc.eta: want a single value"},
		{"name: a\nbase: solo\nseeds: 10000\nvary: {cc.eta: [.1,.2,.3,.4,.5,.6,.7,.8,.9,.95,.99]}",
			"c.yaml:4:7: vary: 1 entry: more than 100000 runs"},
		{"name: a\nbase: solo\nvary: {cc.eta: [\"a\\nc\"]}",
			"c.yaml:3:16: vary.cc.eta: \"a\\nc\" has a control character: want a label that fits in a table"},
		{"name: a\nbase: solo\nvary:\n  a:\n    one: {cc.eta: 0.9}\n    \"a\\nc\": {cc.eta: 0.8}",
			"c.yaml:5:5: vary.a: \"a\\nc\" has a control character: want a label that fits in a table"},
		{"name: a\nbase: solo\nvary: {\"a\\tb\": {one: {cc.eta: 0.9}}}",
			"c.yaml:3:16: vary.a\tb: this name cannot be a column of the rows"},
		{"name: a\nbase: solo\nvary: {mean_fct_s: {one: {cc.eta: 0.9}}}",
			"c.yaml:3:20: vary.mean_fct_s: this name cannot be a column of the rows"},
		{"name: a\nbase: \"a\\nc\"\nvary: {cc.eta: [0.9]}",
			"c.yaml:2:7: base: \"a\\nc\": want a preset or a scenario file, without control characters"},
		{"name: a\nbase: solo\nvary:\n  a: {one: {cc.eta: 0.9}, two: {cc.eta: 0.8}}\n  cc.eta: [0.7]",
			"c.yaml:5:11: vary.cc.eta: the key is set twice, also by vary.a.one.cc.eta in line 4"},
		{"name: a\nbase: solo\nset: {cc.eta: 0.9}\nvary:\n  cc.eta: [0.7, 0.8]",
			"c.yaml:5:11: vary.cc.eta: the key is set twice, also by set.cc.eta in line 3"},
		{"name: a\nbase: solo\nset: {cc: '{eta: 0.9}'}\nvary:\n  cc.eta: [0.7, 0.8]",
			"c.yaml:5:11: vary.cc.eta: the key is set twice, also by set.cc in line 3"},
		{"name: a\nbase: solo\nvary:\n  a: {one: {cc: '{kind: hpcc}', cc.eta: 0.9}}",
			"c.yaml:4:41: vary.a.one.cc.eta: the key is set twice, also by vary.a.one.cc in line 4"},
		{"name: a\nbase: solo\nset: {seed: 4}\nvary: {cc.eta: [0.7]}",
			"c.yaml:3:13: set.seed: seeds cannot be varied like other keys: the key seeds sets their number, " +
				"and --seed sets the first seed"},
		{"name: a\nbase: solo\nvary: {a: {one: {seed: 4}}}",
			"c.yaml:3:24: vary.a.one.seed: seeds cannot be varied like other keys: the key seeds sets their " +
				"number, and --seed sets the first seed"},
		{strings.Repeat("[", 65), "c.yaml:1: nested more than 64 levels deep"},
		{"name: a\n---\nname: b", "c.yaml:3:1: want one document, found a second"},
	} {
		_, err := parseGrid([]byte(c.text), "c.yaml")
		if err == nil || err.Error() != c.want {
			t.Errorf("%q: error\n%v\nwant\n%s", c.text, err, c.want)
		}
	}
}

// Three things are errors: the same run under two labels, even if its values are spelled differently; changes of keys
// that the campaign itself sets; and too many runs.
func TestReady(t *testing.T) {
	const head = "name: a\nbase: two-flows\n"
	for _, c := range []struct{ text, set, want string }{
		{"vary: {cc.eta: [0.9, 0.90]}", "", `vary: "0.9, seed 1" and "0.90, seed 1" are the same run`},
		{"vary: {a: {one: {cc.eta: 0.9}, two: {cc.eta: 9e-1}}}", "",
			`vary: "one, seed 1" and "two, seed 1" are the same run`},
		{"vary: {run.workers: [1, 2]}", "", `vary: "1, seed 1" and "2, seed 1" are the same run`},
		{"vary: {cc.eta: [0.9, 0.8]}", "", ""},
		{"vary: {cc.eta: [0.9, 0.8]}", "cc.eta=0.7",
			`--set cc.eta=0.7: this experiment sets cc.eta itself (to 0.9 in "0.9, seed 1")`},
		{"vary: {cc.eta: [0.9, 0.8]}", "seed=3", "--set seed=3: want --seed and --seeds, which set the seeds of an " +
			"experiment"},
		{"vary: {cc.eta: [0.9, 0.8]}", "run.outputs=[fct.txt]", "0.9, seed 1; run.outputs=[fct.txt]: run.outputs: " +
			"the list must contain flows.parquet or flows.csv, because the results are read from one of these files\n" +
			"0.8, seed 1; run.outputs=[fct.txt]: run.outputs: the list must contain flows.parquet or flows.csv, " +
			"because the results are read from one of these files"},
		{"set: {cc.eta: 0.9}\nvary: {cc.max_stage: [3]}\nseeds: 10000", "", ""},
		{"vary:\n  cc.eta: [0.9, 2]\n  cc.max_stage: [3, 4]", "", "c.yaml:4:17: vary.cc.eta: 2: want > 0 and <= 1"},
		{"vary:\n  a: {one: {cc.eta: 0.9}, two: {cc.eta: x}}", "",
			`c.yaml:4:41: vary.a.two.cc.eta: "x": want a decimal number; accepted: > 0 and <= 1`},
		{"set: {cc.etta: 1}\nvary: {cc.max_stage: [3, 4]}", "",
			"c.yaml:3:16: set.cc.etta: unknown key; did you mean cc.eta? (accepted: kind,…"},
	} {
		g, err := parseGrid([]byte(head+c.text), "c.yaml")
		if err != nil {
			t.Fatal(err)
		}
		j := &figure.Job{Seed: 1}
		if c.set != "" {
			j.Set = []string{c.set}
		}
		if _, err = g.Ready(j); c.want == "" && err != nil || c.want != "" && !errtest.Says(err, c.want) {
			t.Errorf("%s, --set %s: error\n%v\nwant\n%s", c.text, c.set, err, c.want)
		}
	}
	g, err := parseGrid([]byte(example), "c.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Ready(&figure.Job{Seed: 1, Seeds: maxRuns}); !errtest.Says(err,
		"vary: … 100000 runs … 100000 seeds") {
		t.Errorf("error %v", err)
	}
}

// The last axis changes fastest. The runs of a combination are in ascending order of their seeds.
func TestSpecs(t *testing.T) {
	c, err := parseGrid([]byte(example), "c.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range c.specs([]uint64{5, 6}) {
		got = append(got, s.Label+": "+s.Set[0]+" "+strings.Join(s.Set[3:], " "))
		if s.Set[1] != "workload.0.flows.1.size=1MB" {
			t.Errorf("%s: %v: want what is set for all after the seed", s.Label, s.Set)
		}
	}
	want := []string{
		"1MB, INT, seed 5: seed=5 telemetry.kind=int",
		"1MB, INT, seed 6: seed=6 telemetry.kind=int",
		"1MB, PINT 1/16, seed 5: seed=5 telemetry.kind=pint telemetry.p=0.0625",
		"1MB, PINT 1/16, seed 6: seed=6 telemetry.kind=pint telemetry.p=0.0625",
		"2MB, INT, seed 5: seed=5 telemetry.kind=int",
		"2MB, INT, seed 6: seed=6 telemetry.kind=int",
		"2MB, PINT 1/16, seed 5: seed=5 telemetry.kind=pint telemetry.p=0.0625",
		"2MB, PINT 1/16, seed 6: seed=6 telemetry.kind=pint telemetry.p=0.0625",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// sweep runs a campaign and stores its results in dir.
func sweep(t *testing.T, dir, text string) *figure.Done {
	t.Helper()
	c, err := parseGrid([]byte(text), "c.yaml")
	if err != nil {
		t.Fatal(err)
	}
	j := &figure.Job{Seed: 1, Barren: true, Campaign: campaign.Options{
		Dir: filepath.Join(dir, "runs"), Workers: 2, Quiet: true, Messages: io.Discard,
		Line: func(w ...string) string { return strings.Join(w, " ") },
	}}
	d, err := figure.Do(t.Context(), c.Figure(), j, filepath.Join(dir, "sweep"), "pintlab sweep c.yaml",
		figure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A sweep has a row for each run and a line for each combination. It can be read again from its files.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	d := sweep(t, dir, example)
	if d.Rows().Len() != 8 {
		t.Errorf("%d rows, want 8", d.Rows().Len())
	}
	// Flows of 1 MB are medium, and flows of 2 MB are long. Each row names its run.
	sizes, _ := d.Rows().Texts("workload.0.flows.0.size")
	names, _ := d.Rows().Texts(runColumn)
	hashes, _ := d.Rows().Texts(hashColumn)
	medium, _ := d.Rows().Reals("medium_flows")
	long, _ := d.Rows().Reals("long_p50_fct")
	means, _ := d.Rows().Reals("mean_fct")
	for i, size := range sizes {
		if want := map[string]float64{"1MB": 2, "2MB": 1}[size]; medium[i] != want ||
			math.IsNaN(long[i]) != (want == 2) || long[i] < means[i] {
			t.Errorf("%s: %v medium flows, long ones take %v s", size, medium[i], long[i])
		}
		if _, err := os.Stat(filepath.Join(dir, "runs", names[i])); err != nil ||
			!strings.HasSuffix(names[i], "-"+hashes[i]) {
			t.Errorf("run %s of hash %s, %v", names[i], hashes[i], err)
		}
	}
	again, err := figure.Load(d.Dir, func(name string) (*figure.Figure, error) {
		if short, ok := strings.CutPrefix(name, GridPrefix); ok {
			return StoredGrid(short, figure.Names{}), nil
		}
		return nil, errors.New("not a sweep")
	})
	if err != nil {
		t.Fatal(err)
	}
	tables, err := again.Tables()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := tables[0].Table.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(text.String()), "\n")
	if len(lines) != 6 || !strings.HasPrefix(lines[5], "2MB ") || !strings.Contains(lines[5], "PINT 1/16") {
		t.Errorf("table\n%s", &text)
	}
	if files, err := again.Draw(dir); err != nil || len(files) == 0 {
		t.Errorf("drew %v, %v", files, err)
	}
}

// rowsAndTables returns the numbers of the first row, by column, and the tables.
func rowsAndTables(t *testing.T, d *figure.Done) (map[string]float64, []report.Table) {
	t.Helper()
	first := map[string]float64{}
	for _, c := range d.Rows().Columns() {
		if v, err := d.Rows().Reals(c.Name); err == nil {
			first[c.Name] = v[0]
		}
	}
	list, err := d.Tables()
	if err != nil {
		t.Fatal(err)
	}
	return first, list
}

// drawn returns the names of the drawings of a figure.
func drawn(t *testing.T, d *figure.Done) []string {
	t.Helper()
	list, err := d.Drawings(d.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	return lists.Map(list, func(d figure.Drawing) string { return d.Name })
}

// A sweep of a collective reports the numbers of jobs.csv: the time of the whole collective, not of its messages.
func TestJobs(t *testing.T) {
	dir := t.TempDir()
	base := "topology: {kind: star, hosts: 4}\nworkload: [{kind: collective, ranks: 4, size: 40KB, compute: 10us}]\n"
	if err := os.WriteFile(filepath.Join(dir, "base.yaml"), []byte(base), 0o666); err != nil {
		t.Fatal(err)
	}
	d := sweep(t, dir, "name: a\nbase: "+filepath.Join(dir, "base.yaml")+"\nvary: {workload.0.size: [40KB, 80KB]}")
	got, list := rowsAndTables(t, d)
	names, _ := d.Rows().Texts(runColumn)
	want := map[string]float64{}
	err := columns.Lines(filepath.Join(dir, "runs", names[0], sim.JobsFile), func(l *columns.Line) {
		time := (l.Maybe("end_ps") - l.Maybe("begin_ps")) / 1e12
		if l.Text("group") == "job" {
			want["job_time"], want["exposed"] = time, l.Maybe("exposed_ps")/1e12
		} else if !math.IsNaN(l.Maybe("bus_bps")) {
			want["collective_time"], want["bus_bandwidth"] = time, l.Maybe("bus_bps")
		}
	})
	if err != nil || len(want) != 4 {
		t.Fatalf("%v, %v", want, err)
	}
	for name, v := range want {
		if !(v > 0) || got[name] != columns.Round(v) {
			t.Errorf("%s is %v, want %v", name, got[name], v)
		}
	}
	if want["job_time"] < 2*got["mean_fct"] || want["exposed"] >= want["job_time"] {
		t.Errorf("%v, messages take %v s", want, got["mean_fct"])
	}
	if !strings.HasPrefix(list[0].Caption, "Jobs, ") || list[0].Table.Len() != 2 || drawn(t, d)[0] != "job_time" {
		t.Errorf("first table %q, drawings %q", list[0].Caption, drawn(t, d))
	}
	changed, err := Changes(d.Rows())
	if err != nil {
		t.Fatal(err)
	}
	if measures, _ := changed.Texts("measure"); !slices.Contains(measures, "bus_bandwidth") {
		t.Errorf("changes of %q", measures)
	}
	c, err := parseGrid([]byte("name: a\nbase: "+filepath.Join(dir, "base.yaml")+"\nvary: {job_time: {a: "+
		"{workload.0.size: 40KB}, b: {workload.0.size: 80KB}}}"), "c.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Figure().Measure(t.Context(), &figure.Job{Seed: 1}); !errtest.Says(err, "… a second \"job_time\"") {
		t.Errorf("error %v", err)
	}
}

// A sweep over jobs and a collective reports the time of each, and the answer begins with these times.
func TestTraining(t *testing.T) {
	d := sweep(t, t.TempDir(), "name: a\nbase: training\nvary: {cc.kind: [hpcc, dctcp]}")
	first, list := rowsAndTables(t, d)
	for _, name := range []string{"training_job_time", "training_bus_bandwidth", "collective_job_time"} {
		if !(first[name] > 0) {
			t.Errorf("%s is %v", name, first[name])
		}
	}
	if of, err := list[0].Table.Texts("job"); err != nil || !slices.Equal(of, slices.Repeat([]string{"training",
		"training_tensor_allreduce", "training_data_allreduce", "collective"}, 2)) {
		t.Errorf("lines %q, %v", of, err)
	}
	tensor, data := first["training_tensor_allreduce_bus_bandwidth"], first["training_data_allreduce_bus_bandwidth"]
	if all := first["training_bus_bandwidth"]; (tensor < all) == (data < all) || !(tensor > 0 && data > 0) {
		t.Errorf("bus bandwidths %v and %v, mean %v", tensor, data, all)
	}
	if !strings.HasPrefix(list[0].Caption, "Jobs, ") || list[0].Table.Len() != 8 {
		t.Errorf("first table %q with %d lines", list[0].Caption, list[0].Table.Len())
	}
	a := d.Answer()
	if len(a.Text) != 2 || !strings.HasPrefix(a.Text[0], "congestion control, training: the job completion time ") ||
		!strings.HasPrefix(a.Text[1], "congestion control, collective: the job completion time ") ||
		!slices.Equal(a.Grid.Head, []string{"congestion control", "Job completion time, training",
			"Bus bandwidth, training", "Job completion time, collective", "Bus bandwidth, collective"}) {
		t.Errorf("%q, %q", a.Text, a.Grid.Head)
	}
}

// If a job has not ended with some seed, its mean covers only the other seeds. The table reports how many seeds the
// mean covers, because the missing runs took longer.
func TestJobsOfSomeSeeds(t *testing.T) {
	dir := t.TempDir()
	base := "topology: {kind: star, hosts: 4, host_rate: 10Gbps}\nworkload: [{kind: collective, ranks: " +
		"4, size: 100KB}]\n" +
		"cc: {kind: dctcp}\nnetwork: {link_error_rate: 0.002}\nrun: {until: 300us}\n"
	if err := os.WriteFile(filepath.Join(dir, "base.yaml"), []byte(base), 0o666); err != nil {
		t.Fatal(err)
	}
	d := sweep(t, dir, "name: a\nbase: "+filepath.Join(dir, "base.yaml")+"\nseeds: 6\nvary: {run.until: [300us, 5s]}")
	times, err := d.Rows().Reals("job_time")
	if err != nil {
		t.Fatal(err)
	}
	ended := lists.Count(times[:6], func(v float64) bool { return !math.IsNaN(v) })
	if ended == 0 || ended == 6 || slices.ContainsFunc(times[6:], math.IsNaN) {
		t.Fatalf("%v: want some jobs of the first six that have not ended", times)
	}
	_, list := rowsAndTables(t, d)
	if left, err := list[0].Table.Texts("left out"); err != nil ||
		!slices.Equal(left, []string{fmt.Sprintf("%d of 6 jobs", 6-ended), ""}) {
		t.Errorf("%q, %v", left, err)
	}
	want := fmt.Sprintf("%d of 12 jobs had not ended; nothing to compare.", 6-ended)
	if a := d.Answer(); !slices.Equal(a.Text, []string{want}) {
		t.Errorf("answer %q", a.Text)
	}
	text, err := list[0].Table.Texts("Job completion time")
	if err != nil || !strings.HasSuffix(text[0], fmt.Sprintf(" of %d", ended)) || strings.Contains(text[1], " of ") ||
		!strings.HasSuffix(list[0].Caption, ofJobs) {
		t.Errorf("%q, %v\n%s", text, err, list[0].Caption)
	}
}

// The flows of an entry are counted. Such a count has no interval.
func TestFlowsOfEntries(t *testing.T) {
	incast, slow := partFlows.of("incast"), slowdown(0.5).of("incast")
	v := &gridView{values: map[string][]float64{incast.Name: {1, 8}, slow.Name: {1, 8}}}
	if got := v.number(incast, combination{rows: []int{0, 1}}); got != "4.5" {
		t.Errorf("%q, want 4.5", got)
	}
	if got := v.number(slow, combination{rows: []int{0, 1}}); !strings.HasPrefix(got, "~4.5 (1 to ") {
		t.Errorf("%q, want an interval", got)
	}
}

// If no flow finishes, the report of a sweep has no table of size classes.
func TestNothingFinished(t *testing.T) {
	dir := t.TempDir()
	base := "topology: {kind: star, hosts: 4}\nworkload: [{kind: list, flows: [{src: 0, dst: 1, size: " +
		"1MB}]}, {kind: incast, senders: 2, size: 1MB}]\nrun: {until: 10us}\n"
	if err := os.WriteFile(filepath.Join(dir, "base.yaml"), []byte(base), 0o666); err != nil {
		t.Fatal(err)
	}
	d := sweep(t, dir, "name: a\nbase: "+filepath.Join(dir, "base.yaml")+"\nvary: {topology.hosts: [4, 5]}")
	want := []string{"no flow has finished in 2 of 2 runs; nothing to compare."}
	if a := d.Answer(); a == nil || !slices.Equal(a.Text, want) {
		t.Errorf("answer %+v, want %q", a, want)
	}
	_, list := rowsAndTables(t, d)
	if len(list) != 1 || list[0].Table.Len() != 2 {
		t.Errorf("%d tables, the last one %q", len(list), list[len(list)-1].Caption)
	}
}

// An entry may be a job in only some of the runs. The name of a setting may end like the name of a number, such as
// list_job_time.
func TestMixedSources(t *testing.T) {
	dir := t.TempDir()
	base := "topology: {kind: star, hosts: 4}\nworkload: [{kind: list, flows: [{src: 0, dst: 1, size: 1KB}, {src: 1, " +
		"dst: 2, size: 1KB}]}]\n"
	if err := os.WriteFile(filepath.Join(dir, "base.yaml"), []byte(base), 0o666); err != nil {
		t.Fatal(err)
	}
	d := sweep(t, dir, "name: a\nbase: "+filepath.Join(dir, "base.yaml")+`
vary:
  open_flows: {a: {workload.0.flows.1.after: "[0]"}, b: {workload.0.flows.1.size: 2KB}}
  list_job_time: {one: {topology.hosts: 4}, two: {topology.hosts: 5}}
`)
	times, err := d.Rows().Reals("job_time")
	if err != nil || len(times) != 4 || !(times[0] > 0 && times[1] > 0) || !math.IsNaN(times[2]) {
		t.Errorf("%v, %v", times, err)
	}
	if _, list := rowsAndTables(t, d); list[0].Table.Len() != 2 || len(drawn(t, d)) == 0 {
		t.Errorf("%d lines about jobs, drawings %q", list[0].Table.Len(), drawn(t, d))
	}
}

// Each entry of the workload has its own numbers. Together, the entries cover all flows.
func TestSources(t *testing.T) {
	dir := t.TempDir()
	base := "topology: {kind: star, hosts: 8}\n" +
		"workload: [{kind: incast, senders: 3, receiver: 0, size: 20KB}, {kind: list, flows: [{src: 4, dst: 5, size: " +
		"1KB}, {src: 6, dst: 7, size: 5KB}]}]\n"
	if err := os.WriteFile(filepath.Join(dir, "base.yaml"), []byte(base), 0o666); err != nil {
		t.Fatal(err)
	}
	d := sweep(t, dir, "name: a\nbase: "+filepath.Join(dir, "base.yaml")+"\nvary: {workload.0.size: [20KB, 40KB]}")
	got, list := rowsAndTables(t, d)
	a, b := got["incast_mean_fct"], got["list_mean_fct"]
	if got["incast_flows"] != 3 || got["list_flows"] != 2 || a <= b || math.Abs((3*a+2*b)/5/got["mean_fct"]-1) > 1e-5 {
		t.Errorf("%v", got)
	}
	if of, err := list[0].Table.Texts("entry"); err != nil ||
		!cmp.Equal(of, []string{"incast", "list", "incast", "list"}) {
		t.Errorf("%q, %v", of, err)
	}
	if c := list[2].Caption; !strings.Contains(c, "and long flows, all entries together: means over the seeds") {
		t.Errorf("caption %q", c)
	}
	if names := drawn(t, d); !slices.Contains(names, "incast_p99_slowdown") || slices.Contains(names, "p99_slowdown") {
		t.Errorf("drawings %q", names)
	}
}

// Numbers exclude flows of the warm-up and unfinished flows. A note names the runs with unfinished flows.
func TestWhatCounts(t *testing.T) {
	dir := t.TempDir()
	base := `
topology: {kind: star, hosts: 4}
workload:
  - kind: list
    flows:
      - {src: 0, dst: 1, size: 1KB}
      - {src: 0, dst: 1, size: 50KB, start: 100us}
      - {src: 2, dst: 3, size: 1GB, start: 100us}
run: {until: 200us}
`
	if err := os.WriteFile(filepath.Join(dir, "base.yaml"), []byte(base), 0o666); err != nil {
		t.Fatal(err)
	}
	d := sweep(t, dir, "name: a\nbase: "+filepath.Join(dir, "base.yaml")+"\nvary: {run.warmup: [0s, 50us]}")
	fct, err := d.Rows().Reals("mean_fct")
	if err != nil {
		t.Fatal(err)
	}
	counted, err := d.Rows().Wholes(countedColumn)
	if err != nil {
		t.Fatal(err)
	}
	if !cmp.Equal(counted, []int64{2, 1}) || fct[1] <= fct[0] {
		t.Errorf("%v flows with mean completion times %v s, want two, and then only the longer one", counted, fct)
	}
	if text := d.Answer().Text; text[len(text)-1] != "2 of 6 flows had not finished." {
		t.Errorf("answer %q lacks the two flows", text)
	}
	projected := sweep(t, dir, "name: p\nbase: "+filepath.Join(dir, "base.yaml")+
		"\nset: {run.cut_off: projected}\nvary: {run.warmup: [0s, 50us]}")
	if text := projected.Answer().Text; len(text) != 1 {
		t.Errorf("answer %q, but the third flow has a projected completion time", text)
	}
	notes := strings.Join(d.Manifest.Notes, "\n")
	for _, want := range []string{
		`numbers leave out flows that were under way at the end: 1 of 3 flows in "0s, seed 1", ` +
			`1 of 3 flows in "50us, seed 1"`,
		`times, slowdowns and goodputs leave out the flows that start in run.warmup and run.cooldown: "50us, seed 1"`,
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes\n%s\nwant\n%s", notes, want)
		}
	}
}

// A sweep reports which of its runs are estimates.
func TestEstimatesAreTold(t *testing.T) {
	d := sweep(t, t.TempDir(), "name: a\nbase: two-flows\nvary: {estimate.enabled: [false, true]}")
	want := `completion times are estimated (estimate.enabled), ` +
		`and the intervals do not include the error of the method: "true, seed 1"`
	if len(d.Manifest.Notes) == 0 || d.Manifest.Notes[0] != want {
		t.Errorf("notes %q, want first %q", d.Manifest.Notes, want)
	}
}

// A sweep repeats the warnings of its runs and names these runs. Here the warning is that no flow sees a digest,
// because too few packets carry one.
func TestWarningsOfRuns(t *testing.T) {
	dir := t.TempDir()
	d := sweep(t, dir, "name: a\nbase: two-flows\nset: {telemetry.kind: pint}\nvary: {telemetry.p: [1, 0.0000001]}")
	want := `their congestion control almost never acts (in "0.0000001, seed 1")`
	if notes := strings.Join(d.Manifest.Notes, "\n"); strings.Count(notes, "warning: ") != 1 ||
		!strings.Contains(notes, want) {
		t.Errorf("notes\n%s\nwant one warning, with\n%s", notes, want)
	}
}

// A base next to the campaign file is found from any working directory.
func TestLoadGrid(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "c.yaml")
	text := strings.Replace(example, "base: two-flows", "base: mine.yaml", 1)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := LoadGrid(path)
	if err != nil || c.Base != filepath.Join(dir, "mine.yaml") {
		t.Errorf("base %q, %v", c.Base, err)
	}
	if _, err := LoadGrid(filepath.Join(dir, "none.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// No text makes the reader panic, and every accepted campaign can be expanded into runs.
func FuzzParseGrid(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte("name: a\nbase: solo\nvary: {cc.eta: [0.9]}"))
	f.Add([]byte("{name: a, base: b, vary: {x: {y: {z: 1}}}, seeds: 3}"))
	f.Add([]byte("- - -\n? a\n: b"))
	f.Add([]byte("name: &a a\nbase: *a\n<<: *a"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parseGrid(data, "c.yaml")
		if err != nil {
			if c != nil && !strings.HasPrefix(err.Error(), "c.yaml") {
				t.Errorf("error %q does not name the file", err)
			}
			return
		}
		n := c.Seeds
		for _, a := range c.Axes {
			n *= len(a.Choices)
		}
		if n > maxRuns || n < 1 {
			t.Fatalf("%d runs", n)
		}
		if n <= 1000 {
			if got := len(c.specs(campaign.Seeds(1, c.Seeds))); got != n {
				t.Errorf("%d specs, want %d", got, n)
			}
		}
	})
}
