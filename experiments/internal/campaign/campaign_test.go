package campaign

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pintlab/experiments/results/store"
	"pintlab/experiments/sim"
	"pintlab/internal/errtest"
	"pintlab/internal/progress"
)

// line joins the words of a command line without the quotes of a shell.
func line(words ...string) string { return strings.Join(words, " ") }

func options(dir string, workers int) Options {
	return Options{Dir: dir, Workers: workers, Quiet: true, Messages: io.Discard, Line: line}
}

// small returns specs of runs that last a few microseconds. Each run has a different length.
func small(n int) []Spec {
	var list []Spec
	for i := range n {
		list = append(list, Spec{
			Label: fmt.Sprintf("run %d", i), Base: "two-flows",
			Set: []string{fmt.Sprintf("seed=%d", i+1), fmt.Sprintf("workload.0.flows.0.size=%dKB", 10*(n-i))},
		})
	}
	return list
}

func fingerprints(t *testing.T, runs []*Run) []string {
	t.Helper()
	var list []string
	for _, r := range runs {
		if r.Manifest == nil {
			t.Fatalf("%s has no result", r.Label)
		}
		list = append(list, r.Manifest.Summary.Fingerprint)
	}
	return list
}

// The results are in the order of the specs. They do not depend on the number of workers. Each spec has the same
// result when it runs alone.
func TestResultsDoNotDependOnWorkers(t *testing.T) {
	specs := small(5)
	var want []string
	for _, s := range specs {
		sc, err := s.Scenario()
		if err != nil {
			t.Fatal(err)
		}
		r, err := sim.Run(t.Context(), sc, sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, r.Summary.Fingerprint)
	}
	for _, workers := range []int{1, 4} {
		runs, err := Execute(t.Context(), specs, options(t.TempDir(), workers))
		if err != nil {
			t.Fatal(err)
		}
		if got := fingerprints(t, runs); !slices.Equal(got, want) {
			t.Errorf("with %d workers: %v, want %v", workers, got, want)
		}
	}
}

// A finished run is not repeated even if its name changes, and two specs of the same run share the run.
func TestFinishedRunsAreReused(t *testing.T) {
	dir := t.TempDir()
	specs := small(3)
	first, err := Execute(t.Context(), specs[:2], options(dir, 2))
	if err != nil {
		t.Fatal(err)
	}
	twin := specs[0]
	twin.Set = append(slices.Clone(twin.Set), "name=twin")
	runs, err := Execute(t.Context(), append(specs, twin), options(dir, 2))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, true, false, true} {
		if runs[i].Reused != want {
			t.Errorf("run %d: reused %v, want %v", i, runs[i].Reused, want)
		}
	}
	if runs[3] != runs[0] || runs[0].Dir != first[0].Dir {
		t.Errorf("the same run is in %s and %s, first in %s", runs[0].Dir, runs[3].Dir, first[0].Dir)
	}
	if dirs, err := store.Runs(dir); err != nil || len(dirs) != 3 {
		t.Errorf("run directories %v, %v; want 3", dirs, err)
	}
	flows, err := runs[2].Flows()
	if err != nil || flows.Len() != 2 {
		t.Errorf("flows of a run: %v, %v; want 2", flows, err)
	}
	missing, err := Missing(append(specs, small(4)...), options(dir, 1))
	if err != nil || !slices.Equal(missing, []int{3, 4, 5, 6}) {
		t.Errorf("missing %v, %v; want the four of another list", missing, err)
	}
}

// A run is found by the hash at the end of its directory's name. Any text may precede the hash, such as the names that
// older builds used.
func TestNamesOfDirectories(t *testing.T) {
	dir := t.TempDir()
	specs := small(1)
	runs, err := Execute(t.Context(), specs, options(dir, 1))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := filepath.Base(runs[0].Dir), "two-flows_size-10KB_seed-1-"+runs[0].Hash; got != want {
		t.Errorf("directory %s, want %s", got, want)
	}
	for _, name := range []string{"two-flows-", "mine-"} {
		if err := os.Rename(runs[0].Dir, filepath.Join(dir, name+runs[0].Hash)); err != nil {
			t.Fatal(err)
		}
		if runs, err = Execute(t.Context(), specs, options(dir, 1)); err != nil || !runs[0].Reused {
			t.Errorf("%s: reused %v, %v", name, runs[0].Reused, err)
		}
	}
}

// Runs of another build are run again, unless an option accepts them.
func TestOtherBuildsAreNotTrusted(t *testing.T) {
	dir := t.TempDir()
	specs := small(1)
	runs, err := Execute(t.Context(), specs, options(dir, 1))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(runs[0].Dir, store.ManifestFile)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	m := runs[0].Manifest
	other := bytes.Replace(text, []byte(store.ThisProgram().Build), []byte("0123456789abcdef"), 1)
	other = bytes.Replace(other, []byte(m.Digest), nil, 1)
	other = bytes.Replace(other, []byte(`"digest": ""`), fmt.Appendf(nil, `"digest": "%x"`, sha256.Sum256(other)), 1)
	if err := os.WriteFile(name, other, 0o666); err != nil {
		t.Fatal(err)
	}
	o := options(dir, 1)
	o.AnyBuild = true
	if runs, err = Execute(t.Context(), specs, o); err != nil || !runs[0].Reused {
		t.Errorf("with AnyBuild: reused %v, %v", runs[0].Reused, err)
	}
	var said bytes.Buffer
	o = options(dir, 1)
	o.Messages = &said
	if runs, err = Execute(t.Context(), specs, o); err != nil || runs[0].Reused {
		t.Errorf("without: reused %v, %v", runs[0].Reused, err)
	}
	want := "1 run in " + dir +
		", made by another build of pintlab, is run again (--reuse accepts such runs)\n"
	if said.String() != want {
		t.Errorf("said %q, want %q", said.String(), want)
	}
	// Runs with the layout of an older version are also run again.
	files, err := json.Marshal(m.Files)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, fmt.Appendf(nil, `{"format": 1, "files": %s, "more": 2}`, files), 0o666); err != nil {
		t.Fatal(err)
	}
	said.Reset()
	if runs, err = Execute(t.Context(), specs, o); err != nil || runs[0].Reused || said.String() != want {
		t.Errorf("an older layout: reused %v, %v, said %q", runs[0].Reused, err, said.String())
	}
}

// A directory with the files of another run does not count as a result.
func TestFilesOfAnotherRunAreNotReused(t *testing.T) {
	dir := t.TempDir()
	specs := small(2)
	runs, err := Execute(t.Context(), specs, options(dir, 1))
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(filepath.Join(runs[1].Dir, "flows.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(runs[0].Dir, "flows.parquet"), other, 0o666); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"reused": func() error { _, err := Execute(t.Context(), specs, options(dir, 1)); return err }(),
		"read":   func() error { _, err := runs[0].Flows(); return err }(),
	} {
		if err == nil || !strings.Contains(err.Error(), "flows.parquet is not the file that the run wrote") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// An interrupt keeps the finished runs, and the next call makes the missing ones.
func TestInterruptAndResume(t *testing.T) {
	dir := t.TempDir()
	specs := small(4)
	ctx, cancel := context.WithCancel(t.Context())
	o := options(dir, 1)
	finished := 0
	// Line is called when a run is saved. Its second call cancels the campaign, so no run finishes after the second.
	o.Line = func(words ...string) string {
		if finished++; finished == 2 {
			cancel()
		}
		return line(words...)
	}
	_, err := Execute(ctx, specs, o)
	var stopped *InterruptedError
	if !errors.As(err, &stopped) || !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want an InterruptedError", err)
	}
	if stopped.Kept != 2 || stopped.Total != 4 {
		t.Errorf("%d of %d kept, want 2 of 4", stopped.Kept, stopped.Total)
	}
	if words := stopped.Error(); words != "with 2 of 4 runs finished and kept in "+dir {
		t.Errorf("%q", words)
	}
	_, err = Execute(ctx, specs, options(filepath.Join(dir, "none"), 1))
	if want := "before the first of 4 runs …"; !errtest.Says(err, want) {
		t.Errorf("interrupted before the first run: %v, want %q", err, want)
	}
	if dirs, err := store.Runs(dir); err != nil || len(dirs) != 2 {
		t.Errorf("run directories %v, %v; want 2", dirs, err)
	}
	runs, err := Execute(t.Context(), specs, options(dir, 1))
	if err != nil {
		t.Fatal(err)
	}
	reused := 0
	for _, r := range runs {
		if r.Reused {
			reused++
		}
	}
	whole, err := Execute(t.Context(), specs, options(t.TempDir(), 2))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fingerprints(t, runs), fingerprints(t, whole); reused != 2 || !slices.Equal(got, want) {
		t.Errorf("%d reused, %v; want 2 and the results of an uninterrupted campaign, %v", reused, got, want)
	}
}

// If a run fails, the others still finish.
func TestFailedRunsAreNamed(t *testing.T) {
	dir := t.TempDir()
	specs := small(3)
	specs[1] = specs[1].With("run.wall_limit=1ns", "workload.0.flows.0.size=1GB")
	_, err := Execute(t.Context(), specs, options(dir, 2))
	var failed *FailedError
	if !errors.As(err, &failed) || !errors.Is(err, sim.ErrStopped) {
		t.Fatalf("error %v, want a FailedError of a stopped run", err)
	}
	want := "1 of 3 runs failed:\nrun 1 (pintlab run two-flows --set seed=2 "
	if !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %q, want it to begin with %q", err, want)
	}
	if dirs, err := store.Runs(dir); err != nil || len(dirs) != 2 {
		t.Errorf("run directories %v, %v; want the other two", dirs, err)
	}
}

// No run starts unless all specs are valid. All mistakes are reported, each once.
func TestBadSpecs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	specs := small(9)
	for i := 1; i < 9; i++ {
		specs[i].Base = "two-flow" + strings.Repeat("s", max(0, i-2)*2)
	}
	_, err := Execute(t.Context(), specs, options(dir, 1))
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 7 || lines[5] != "the same error in further runs: 1" ||
		lines[6] != "and 2 more runs with errors" ||
		!strings.HasPrefix(lines[0],
			`run 1: two-flow: neither a file nor a preset; did you mean the preset two-flows? (presets: `) {
		t.Errorf("error\n%v", err)
	}
	specs = small(1)
	specs[0].Set = append(specs[0].Set, "cc.etaa=1")
	if _, err := Execute(t.Context(), specs, options(dir, 1)); !errtest.Says(err,
		"run 0: --set cc.etaa=1: cc.etaa: … cc.eta?") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was written: %v", err)
	}
}

// A directory whose name does not match its content does not count as a result.
func TestStrangeDirectories(t *testing.T) {
	dir := t.TempDir()
	specs := small(2)
	runs, err := Execute(t.Context(), specs[:1], options(dir, 1))
	if err != nil {
		t.Fatal(err)
	}
	_, all, err := prepare(specs[1:])
	if err != nil {
		t.Fatal(err)
	}
	wrong := filepath.Join(dir, "two-flows-"+all[0].Hash)
	if err := os.Rename(runs[0].Dir, wrong); err != nil {
		t.Fatal(err)
	}
	_, err = Execute(t.Context(), specs[1:], options(dir, 1))
	if want := wrong + ": … " + runs[0].Hash + ": …"; !errtest.Says(err, want) {
		t.Errorf("error %v, want %q", err, want)
	}
	if err := os.WriteFile(filepath.Join(wrong, store.ManifestFile), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err = Execute(t.Context(), specs[1:], options(dir, 1)); err == nil ||
		!strings.HasSuffix(err.Error(), "(remove the directory to run it again)") {
		t.Errorf("error %v", err)
	}
}

func TestOpen(t *testing.T) {
	runs, err := Execute(t.Context(), small(1), options(t.TempDir(), 1))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Open(nil, runs[0].Dir)
	if err != nil {
		t.Fatal(err)
	}
	if hash, err := r.Scenario.Hash(); err != nil || hash != runs[0].Hash || r.Hash != hash {
		t.Errorf("opened as %s (%s), %v; want %s", r.Hash, hash, err, runs[0].Hash)
	}
}

// Progress weights each run by its work. The first run offers load for 1 ms, the second for 1 ms at twice the rate,
// and the third for 3 ms, so their works are 1, 2 and 3. The third has ended and the second is half done: (3 + 1)/6.
func TestTrackerWeighsRuns(t *testing.T) {
	var todo []*Run
	for i, set := range [][]string{
		{"workload.0.duration=1ms"},
		{"workload.0.duration=1ms", "topology.host_rate=200Gbps"},
		{"workload.0.duration=3ms"},
	} {
		s := Spec{Label: fmt.Sprint(i + 1), Base: "fat320-web", Set: set}
		sc, err := s.Scenario()
		if err != nil {
			t.Fatal(err)
		}
		todo = append(todo, &Run{Spec: s, Scenario: sc})
	}
	var said bytes.Buffer
	show := progress.New(&said, progress.Options{Every: 1})
	weigh(todo)
	k := newTracker(&Part{Task: show.Begin("runs"), Of: 1}, 5, todo)
	second, third := k.begin(todo[1]), k.begin(todo[2])
	k.update(third, 0.9)
	k.end(third)
	k.update(second, 0.5)
	if share, detail := k.state(); math.Abs(share-4./6) > 1e-9 || detail != "3 of 5 runs; 2 50 %" {
		t.Errorf("%v done, %q; want 2/3", share, detail)
	}
	if !strings.Contains(said.String(), "runs: 66 %, 3 of 5 runs; 2 50 %") {
		t.Errorf("said\n%s", &said)
	}
}

// Seeds returns seeds up to the largest one, 2^64−1. Beyond it, CheckSeeds returns an error.
func TestCheckSeeds(t *testing.T) {
	for _, c := range []struct {
		first uint64
		n     int
		ok    bool
	}{
		{0, 1, true}, {math.MaxUint64, 1, true}, {math.MaxUint64, 2, false}, {math.MaxUint64 - 2, 3, true},
		{math.MaxUint64 - 2, 4, false}, {math.MaxUint64, 0, true},
	} {
		if err := CheckSeeds(c.first, c.n); (err == nil) != c.ok {
			t.Errorf("%d seeds from %d: %v", c.n, c.first, err)
		}
	}
}
