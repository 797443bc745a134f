package random

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/plots"
)

func options(dir string) Options {
	return Options{Seed: 1, From: 2, N: 3, Dir: dir, Workers: 2, Quiet: true, Messages: io.Discard}
}

// A campaign continues after the scenarios that have passed. The rows are the same for any number of workers.
func TestCampaign(t *testing.T) {
	dir := t.TempDir()
	o := options(dir)
	o.N = 1
	first, err := Run(t.Context(), o)
	if err != nil || len(first.Rows) != 1 || first.Reused != 0 {
		t.Fatalf("%d rows, %d reused, %v", len(first.Rows), first.Reused, err)
	}
	o.N = 3
	all, err := Run(t.Context(), o)
	if err != nil || len(all.Rows) != 3 || all.Reused != 1 {
		t.Fatalf("%d rows, %d reused, %v", len(all.Rows), all.Reused, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "scenario-*")); left != nil {
		t.Errorf("%v are left", left)
	}
	o = options(t.TempDir())
	o.Workers = 1
	alone, err := Run(t.Context(), o)
	if err != nil || !reflect.DeepEqual(alone.Rows, all.Rows) {
		t.Errorf("with one worker %+v, %v\nwith two %+v", alone.Rows, err, all.Rows)
	}
	for _, r := range all.Rows {
		if r.Flows == 0 || r.PacketHops == 0 || r.Flows != r.Finished+r.Failed+r.Unreachable+r.Stalled+r.Unfinished {
			t.Errorf("row %+v", r)
		}
	}
}

// Scenarios that passed with another build count only on request.
func TestRowsOfAnotherBuild(t *testing.T) {
	dir := t.TempDir()
	rows := []Row{{Scenario: 2, Build: "another"}, {Scenario: 3, Build: store.ThisProgram().Build}}
	table, err := columns.Encode(rows)
	if err != nil {
		t.Fatal(err)
	}
	if err := table.SaveCSV(filepath.Join(dir, RowsFile)); err != nil {
		t.Fatal(err)
	}
	for _, any := range []bool{false, true} {
		c := &ongoing{o: options(dir), build: store.ThisProgram().Build}
		c.o.AnyBuild = any
		if err := c.load(); err != nil {
			t.Fatal(err)
		}
		if want := map[bool][]Row{false: rows[1:], true: rows}[any]; !reflect.DeepEqual(c.rows, want) ||
			c.done != len(want) {
			t.Errorf("any build %v: %d done, rows %+v, want %+v", any, c.done, c.rows, want)
		}
	}
}

func TestRowsThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"scenario:int\n1\n": "build",
		"scenario:int\nx\n": `"x"`,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, RowsFile), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Run(t.Context(), options(dir))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), RowsFile) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestInterruptedCampaign(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	r, err := Run(ctx, options(t.TempDir()))
	if !errors.Is(err, context.Canceled) || r == nil || len(r.Rows) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// panicking panics like a broken invariant.
type panicking struct{}

func (panicking) Int(string, int, int) int { panic("invariant broken: no choice") }

// A panic fails the scenario but does not end the program.
func TestPanicFailsAScenario(t *testing.T) {
	_, err := checkOne(t.Context(), nil, panicking{}, t.TempDir(), false)
	if err == nil || !strings.Contains(err.Error(), "invariant broken: no choice") ||
		!strings.Contains(err.Error(), "campaign_test.go") {
		t.Errorf("error %v", err)
	}
}

// least returns the smallest value for every choice.
type least struct{}

func (least) Int(_ string, from, _ int) int { return from }

// Reading the saved file of a scenario returns the same scenario. The file of the network is in the same directory.
func TestSave(t *testing.T) {
	for _, choose := range []Chooser{least{}, newChooser(1, 9)} {
		dir := t.TempDir()
		c, err := drawCase(nil, choose, dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.save(dir); err != nil {
			t.Fatal(err)
		}
		got, err := scenario.Open(filepath.Join(dir, scenarioFile))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, c.Scenario) {
			t.Errorf("%s\nwant\n%s", got.YAML(), c.Scenario.YAML())
		}
	}
}

// The checks detect wrong outcomes: the test changes the records of a correct run.
func TestWrongOutcomesAreFound(t *testing.T) {
	c, err := drawCase(nil, least{}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if !c.lossless || !c.tree {
		t.Fatalf("the simplest scenario loses packets:\n%s", c.Scenario.YAML())
	}
	r, stall, err := run(t.Context(), c.Scenario)
	if err := errors.Join(stall, err, c.judge(r, nil)); err != nil {
		t.Fatal(err)
	}
	change := func(f func(*store.FlowRecord)) {
		changed := &store.Flows{}
		for x := range r.Flows.All() {
			y := *x
			f(&y)
			changed.Append(y)
		}
		r.Flows = changed
	}
	n, flows := r.Counters, r.Flows
	for _, tt := range []struct {
		harm  func()
		stall error
		want  string
	}{
		{func() { r.Counters.Dropped, r.Counters.Delivered = 1, n.Delivered-1 }, nil, "1 packet dropped, 0 lost"},
		{func() { r.Counters.Injected++ }, nil, "1 packet left"},
		{func() { r.Counters.Delivered++ }, nil, "-1 packets left"},
		{func() { change(func(f *store.FlowRecord) { f.FCT = f.Ideal - 1 }) }, nil, "even alone in the network"},
		{func() { change(func(f *store.FlowRecord) { f.Packets = 0 }) }, nil, "has sent 0 packets"},
		{func() { change(func(f *store.FlowRecord) { f.Outcome = store.Unfinished }) }, nil, " flows are unfinished"},
		{func() { change(func(f *store.FlowRecord) { f.Outcome = store.OutOfTries }) }, nil, " flows are out-of-tries"},
		{func() { r.Flows = &store.Flows{} }, nil, "0 flows of "},
		{func() {}, errors.New("stuck"), "0 stalled flows: stuck"},
	} {
		r.Counters, r.Flows = n, flows
		tt.harm()
		if err := c.judge(r, tt.stall); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want %q", err, tt.want)
		}
	}
}

// Writing rows to a file and reading them again preserves them.
func TestRowsSurviveTheirTable(t *testing.T) {
	r := Row{Scenario: 7, Build: "b", Outcome: Outcome{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}
	for w := range parts {
		*r.of(w) = "kind of " + w.String()
	}
	table, err := columns.Encode([]Row{r})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), RowsFile)
	if err := table.SaveCSV(name); err != nil {
		t.Fatal(err)
	}
	if table, err = plots.LoadCSV(name); err != nil {
		t.Fatal(err)
	}
	if got, err := columns.Decode[Row](table); err != nil || !slices.Equal(got, []Row{r}) {
		t.Errorf("%+v, %v", got, err)
	}
}

// A scenario that has several kinds of a part counts once for each of these kinds.
func TestCoverage(t *testing.T) {
	var a, b kindLists
	a[ofFaults] = []string{"loop", "drop", "loop"}
	b[ofFaults] = []string{"loop"}
	var got []Count
	for _, c := range Coverage([]Row{{Texts: a.texts()}, {Texts: b.texts()}}) {
		if c.Part == ofFaults.String() || c.Part == ofMonitors.String() {
			got = append(got, c)
		}
	}
	want := []Count{{"faults", "loop", 2}, {"faults", "drop", 1}, {"monitors", none, 2}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A wrong entry at switch 2 sends packets for host 0 over switch 3, whose link is faster. So a packet may arrive
// earlier than it would alone on its regular path. The checks must not report this as an error.
func TestWrongWaysMayBeFaster(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		topologyFile: "4 2 4\n2 3\n0 2 25Gbps 1000ns 0\n0 3 100Gbps 1000ns 0\n1 2 100Gbps 10ns 0\n2 3 100Gbps 1ns 0\n",
		scenarioFile: "topology: {kind: file, path: topology.txt}\n" +
			"workload: [{kind: list, flows: [{src: 1, dst: 0, size: 1B, start: 10us}]}]\n" +
			"cc: {kind: fixed}\ntelemetry: {kind: none}\n" +
			"faults: [{kind: wrong-path, switch: 2, dst: 0, next: 3, share: 1, at: 1us}]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	sc, err := scenario.Open(filepath.Join(dir, scenarioFile))
	if err != nil {
		t.Fatal(err)
	}
	c := &Case{Scenario: sc}
	r, stall, err := run(t.Context(), sc)
	if err := errors.Join(stall, err, c.judge(r, nil)); err != nil {
		t.Error(err)
	}
	for f := range r.Flows.All() {
		if f.FCT >= f.Ideal {
			t.Errorf("the flow took %v, alone %v: the example shows nothing", f.FCT, f.Ideal)
		}
	}
}

// Go-back-N without a timer may stall if flowlets overtake each other. Go-back-N with a timer must not stall.
func TestOvertakingFlowlets(t *testing.T) {
	const text = `
seed: 2
topology: {kind: fattree8, uplinks: 1}
workload:
  - {kind: training, steps: 1, data: 2, tensor: 2, pipeline: 1, microbatches: 1, compute: 0s, tensor_size: 10KB,
     pipeline_size: 1KB, data_size: 1KB, expert_size: 1KB, algorithm: tree, placement: rail,
     first: 1, rails: 1, start: 42ns, priority: 2}
network:
  balancing: {kind: letflow, gap: 1ns}
  pfc: {shift: 7}
transport: {kind: gobackn, timer: false, window_edge: fit, pacing: false}
cc: {kind: hpcc, max_stage: 0, rtt: given, t: 1us, w_ai: 80B}
`
	sc, err := scenario.Parse([]byte(text), "text")
	if err != nil {
		t.Fatal(err)
	}
	c := &Case{Scenario: sc, tree: true, lossless: true}
	r, stall, err := run(t.Context(), sc)
	if err != nil || stall == nil {
		t.Fatalf("stall %v, error %v", stall, err)
	}
	if err := c.judge(r, stall); err != nil {
		t.Error(err)
	}
	r.Scenario.Transport.Timer, r.Scenario.Transport.MaxRetries = true, 30
	if err := c.judge(r, stall); err == nil || !strings.Contains(err.Error(), "1 stalled flows") {
		t.Errorf("with a timer, error %v", err)
	}
	if sc, err = sc.With("transport.timer=true"); err != nil {
		t.Fatal(err)
	}
	if _, stall, err = run(t.Context(), sc); stall != nil || err != nil {
		t.Errorf("with a timer: stall %v, error %v", stall, err)
	}
}
