package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"pintlab/experiments/internal/estimate"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/number"
	"pintlab/internal/progress"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
)

// Options configure the execution of a campaign. None of them changes the results.
type Options struct {
	// Dir is the directory that contains the run directories.
	Dir string
	// Language is the language in which the specs are written; nil selects the standard one.
	Language *scenario.Language
	// Workers is the number of concurrent runs; at least 1.
	Workers int
	// AnyBuild accepts results of other builds of the program.
	AnyBuild bool
	// Observe, if not nil, returns an observer of a run. The observer's tables are stored in the run directory. An
	// existing run counts as observed, so all runs under Dir must have the same kind of observer.
	Observe func(*Run) Observer
	// Quiet hides the progress.
	Quiet bool
	// Messages receives the progress, usually on standard error.
	Messages io.Writer
	// Line joins words to a command line.
	Line func(words ...string) string
	// Part marks this call of Execute as a part of a larger task that has a single progress display. It is nil if the
	// call is the whole task.
	Part *Part
}

// Part is one of several calls of Execute that share a progress display.
type Part struct {
	Show       *progress.Display
	Task       *progress.Task
	Number, Of int // part Number, counted from 0, of at most Of
}

// Observer observes the packets of a run. It must not change the run.
type Observer struct {
	Name    string                                    // name of the observer's tables, in the place of a monitor's kind
	Tap     func(*sim.Simulation) (netsim.Tap, error) // as in sim.Options
	Receive func(*sim.Simulation) netsim.Sink         // as in sim.Options
	Ready   func(*sim.Simulation) error               // as in sim.Options
	Tables  func(*sim.Result) ([]telemetry.Table, error)
}

// Result is a finished run and its directory.
type Result struct {
	Dir      string
	Manifest *store.Manifest // nil until the run has finished
	Reused   bool            // the run existed before
}

// Flows reads the flow records. It returns an error if the files do not match the manifest.
func (r *Result) Flows() (*store.Flows, error) { return r.Manifest.Flows(r.Dir) }

// Counted returns the flows without those that run.warmup and run.cooldown exclude from statistics.
func (r *Run) Counted() (*store.Flows, error) {
	flows, err := r.Flows()
	if err != nil {
		return nil, err
	}
	return stats.Counted(flows, r.Scenario.Run.Warmup, r.Scenario.Run.Cooldown), nil
}

// InterruptedError is the error of a campaign whose context ended. Finished runs are kept.
type InterruptedError struct {
	Kept, Total int
	Dir         string
}

func (e *InterruptedError) Error() string {
	if e.Kept == 0 {
		return fmt.Sprintf("before %s had finished: nothing was stored", number.Plural(e.Total, "the run",
			fmt.Sprintf("the first of %d runs", e.Total)))
	}
	return fmt.Sprintf("with %d of %s finished and kept in %s", e.Kept, number.Count(e.Total, "run"), e.Dir)
}

// Unwrap returns context.Canceled.
func (e *InterruptedError) Unwrap() error { return context.Canceled }

// FailedError is the error of a campaign with failed runs. All other runs have finished.
type FailedError struct {
	Total int
	Errs  []error // one for each failed run, with its name
}

func (e *FailedError) Error() string {
	lines := []string{fmt.Sprintf("%d of %s failed:", len(e.Errs), number.Count(e.Total, "run"))}
	for _, err := range e.Errs {
		lines = append(lines, err.Error())
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the errors of the runs.
func (e *FailedError) Unwrap() []error { return e.Errs }

// Execute runs all specs that have no result yet and returns a run for each spec, in order. If a spec is invalid,
// Execute starts no run. The error is an InterruptedError, a FailedError, or a list of the problems of the specs.
func Execute(ctx context.Context, specs []Spec, o Options) ([]*Run, error) {
	all, distinct, err := prepare(specs)
	if err != nil {
		return nil, err
	}
	there, err := finished(o.Dir)
	if err != nil {
		return nil, err
	}
	var todo []*Run
	foreign := 0
	for _, r := range distinct {
		found, err := there.find(r, o.AnyBuild)
		if err != nil {
			return nil, err
		}
		switch found {
		case missing:
			todo = append(todo, r)
		case otherBuild:
			foreign++
			todo = append(todo, r)
		}
	}
	part := o.Part
	if part == nil {
		show := progress.New(o.Messages, progress.Options{Quiet: o.Quiet})
		defer show.Close()
		part = &Part{Show: show, Of: 1}
	}
	show := part.Show
	if n := len(distinct) - len(todo); n > 0 && !o.Quiet {
		fmt.Fprintf(show, "%d of %s %s in %s already\n", n, number.Count(len(distinct), "run"),
			number.Plural(n, "is", "are"), o.Dir)
	}
	if foreign > 0 {
		fmt.Fprintf(show, "%s in %s, made by another build of pintlab, %s run again (--reuse accepts such runs)\n",
			number.Count(foreign, "run"), o.Dir, number.Plural(foreign, "is", "are"))
	}
	// Start the longest runs first, so that the campaign does not end with one long run while the other workers are
	// idle.
	weigh(todo)
	slices.SortStableFunc(todo, func(a, b *Run) int { return cmp.Compare(b.work, a.work) })
	if len(todo) == 0 {
		return all, nil
	}
	if part.Task == nil {
		part.Task = show.Begin("runs")
		defer part.Task.End()
	}
	return all, execute(ctx, todo, len(distinct), newTracker(part, len(distinct), todo), o)
}

// Missing returns the indices of the specs that have no result yet. Specs of the same simulation are listed
// once.
func Missing(specs []Spec, o Options) ([]int, error) {
	all, _, err := prepare(specs)
	if err != nil {
		return nil, err
	}
	there, err := finished(o.Dir)
	if err != nil {
		return nil, err
	}
	var list []int
	seen := map[*Run]bool{}
	for i, r := range all {
		if seen[r] {
			continue
		}
		seen[r] = true
		found, err := there.find(r, o.AnyBuild)
		if err != nil {
			return nil, err
		}
		if found != usable {
			list = append(list, i)
		}
	}
	return list, nil
}

// Needs returns the memory in bytes and the core seconds that the specs with the given indices need (sim.Need). Runs
// that differ only in the seed have equal needs. If a spec is an estimate, Needs returns what a full simulation needs,
// which is an upper bound.
func Needs(ctx context.Context, specs []Spec, numbers []int) (memory []int64, seconds []float64, err error) {
	type need struct {
		memory  int64
		seconds float64
	}
	known := map[string]need{}
	for _, i := range numbers {
		sc, err := specs[i].Scenario()
		if err != nil {
			return nil, nil, err
		}
		sc.Seed, sc.Estimate = 0, scenario.Estimate{}
		hash, err := sc.Hash()
		if err != nil {
			return nil, nil, err
		}
		n, ok := known[hash]
		if !ok {
			if n.memory, n.seconds, err = sim.Need(ctx, sc); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", specs[i].Label, err)
			}
			known[hash] = n
		}
		memory, seconds = append(memory, n.memory), append(seconds, n.seconds)
	}
	return memory, seconds, nil
}

func execute(ctx context.Context, todo []*Run, total int, show *tracker, o Options) error {
	var group errgroup.Group
	group.SetLimit(max(o.Workers, 1))
	errs := make([]error, len(todo))
	for i, r := range todo {
		group.Go(func() error {
			errs[i] = r.execute(ctx, show, len(todo) == 1 || o.Workers <= 1, o)
			return nil
		})
	}
	group.Wait()
	kept := total
	var failed []error
	for i, r := range todo {
		switch {
		case errs[i] == nil:
			continue
		case !errors.Is(errs[i], context.Canceled):
			failed = append(failed, fmt.Errorf("%s (%s): %w", r.Label, o.Line(r.words()...), errs[i]))
		}
		kept--
	}
	if len(failed) > 0 {
		return &FailedError{Total: total, Errs: failed}
	}
	if kept < total {
		return &InterruptedError{Kept: kept, Total: total, Dir: o.Dir}
	}
	return nil
}

// execute runs r. alone reports that no other run executes at the same time: only then is the CPU time of the process
// attributed to r.
func (r *Run) execute(ctx context.Context, show *tracker, alone bool, o Options) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	started, before := time.Now(), store.ThisUsage().CPUSeconds
	under := show.begin(r)
	defer show.end(under)
	so := sim.Options{Spill: o.Dir, Progress: func(p sim.Progress) { show.update(under, p.Share()) }}
	var watch Observer
	if o.Observe != nil {
		watch = o.Observe(r)
		so.Tap, so.Receive, so.Ready = watch.Tap, watch.Receive, watch.Ready
	}
	res, err := estimate.Simulate(ctx, r.Scenario, so)
	if err == nil {
		err = res.Late() // a fault after the last event did not occur, so the label would be wrong
	}
	if err != nil {
		return err
	}
	if res.Summary.CPUSeconds -= before; !alone {
		res.Summary.CPUSeconds = 0
	}
	res.Summary.Derive()
	if o.Observe != nil {
		tables, err := watch.Tables(res)
		if err != nil {
			return err
		}
		res.Monitors = append(res.Monitors, sim.MonitorResult{Kind: watch.Name, Tables: tables})
	}
	dir, err := sim.Save(res, o.Dir, o.Line(r.words()...), started, r.Set...)
	if err != nil {
		return err
	}
	r.Dir = dir
	r.Manifest, err = store.ReadManifest(dir)
	return err
}

// DirName returns the directory of the runs within a directory of results.
func DirName(out string) string { return filepath.Join(out, "runs") }

// CheckSeeds returns an error if n successive seeds from first exceed 2^64−1.
func CheckSeeds(first uint64, n int) error {
	if n > 0 && first > math.MaxUint64-uint64(n-1) {
		return fmt.Errorf("seed %d: with %d seeds the last seed would exceed %d",
			first, n, uint64(math.MaxUint64))
	}
	return nil
}

// Seeds returns n successive seeds from first; see CheckSeeds.
func Seeds(first uint64, n int) []uint64 {
	seeds := make([]uint64, n)
	for i := range seeds {
		seeds[i] = first + uint64(i)
	}
	return seeds
}
