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

	"pintlab/experiments/estimate"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/progress"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
)

// Options say how a campaign is run. None changes the results.
type Options struct {
	// Dir holds the run directories.
	Dir string
	// Workers is how many runs go on at the same time; at least 1.
	Workers int
	// AnyBuild takes over what another build of the program has run.
	AnyBuild bool
	// Observe, if not nil, makes what watches a run. Its tables lie in the run directory, so that
	// Dir is for the runs of one kind of observer: a run that is there counts as observed.
	Observe func(*Run) Observer
	// Quiet shows no progress.
	Quiet bool
	// Messages is where progress goes, usually standard error.
	Messages io.Writer
	// Line makes a command line of words.
	Line func(words ...string) string
	// Part makes a call of Execute one of several that show themselves as one piece of work; nil if it is all.
	Part *Part
}

// Part is one of several calls of Execute.
type Part struct {
	Show       *progress.Display
	Task       *progress.Task
	Number, Of int // counts from 0; it is not known beforehand whether all parts are needed
}

// Observer watches a run from within. Nothing that it does changes the run.
type Observer struct {
	Name    string                                    // of its tables, as the kind of a monitor
	Tap     func(*sim.Simulation) (netsim.Tap, error) // as in sim.Options
	Receive func(*sim.Simulation) netsim.Sink         // likewise
	Ready   func(*sim.Simulation) error               // likewise
	Tables  func(*sim.Result) ([]telemetry.Table, error)
}

// Result is where a finished run is.
type Result struct {
	Dir      string
	Manifest *store.Manifest // nil until the run has finished
	Reused   bool            // it was there already
}

// Flows reads the flow records. Files that are not those of the run are an error.
func (r *Result) Flows() (*store.Flows, error) { return r.Manifest.Flows(r.Dir) }

// Counted is Flows without those that run.warmup and run.cooldown leave out of statistics.
func (r *Run) Counted() (*store.Flows, error) {
	flows, err := r.Flows()
	if err != nil {
		return nil, err
	}
	return stats.Counted(flows, r.Scenario.Run.Warmup, r.Scenario.Run.Cooldown), nil
}

// InterruptedError says that the context ended first. Finished runs are kept.
type InterruptedError struct {
	Kept, Total int
	Dir         string
}

func (e *InterruptedError) Error() string {
	if e.Kept == 0 {
		return fmt.Sprintf("before the first of %d runs was finished, so that nothing is kept", e.Total)
	}
	return fmt.Sprintf("with %d of %d runs finished; they are kept in %s", e.Kept, e.Total, e.Dir)
}

// Unwrap makes the error one of context.Canceled.
func (e *InterruptedError) Unwrap() error { return context.Canceled }

// FailedError says that runs have failed. The others have finished.
type FailedError struct {
	Total int
	Errs  []error // one for each failed run, which it names
}

func (e *FailedError) Error() string {
	lines := []string{fmt.Sprintf("%d of %d runs failed:", len(e.Errs), e.Total)}
	for _, err := range e.Errs {
		lines = append(lines, err.Error())
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives the errors of the runs.
func (e *FailedError) Unwrap() []error { return e.Errs }

// Execute runs all specs that have no result yet and returns a run for each spec,
// in their order. Nothing is run unless all specs are valid. The error is an
// InterruptedError, a FailedError, or says what is wrong with the specs.
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
		fmt.Fprintf(show, "%d of %d runs are in %s already\n", n, len(distinct), o.Dir)
	}
	if foreign > 0 {
		fmt.Fprintf(show, "%d runs in %s were made by another build of pintlab and are run again (--reuse takes them as they are)\n", foreign, o.Dir)
	}
	// The longest first, so that the last ones to end are short.
	slices.SortStableFunc(todo, func(a, b *Run) int { return cmp.Compare(b.work(), a.work()) })
	if len(todo) == 0 {
		return all, nil
	}
	if part.Task == nil {
		part.Task = show.Begin("runs")
		defer part.Task.End()
	}
	return all, execute(ctx, todo, len(distinct), newTracker(part, len(distinct), todo), o)
}

// Missing returns the indices of the specs that have no result yet, each simulation
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

// Needs returns the memory and the seconds of a core that specs need (sim.Need), by their numbers. Runs that differ in the seed alone need the same. An
// estimate needs at most what its packets do.
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
			errs[i] = r.execute(ctx, show, o)
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
			failed = append(failed, fmt.Errorf("%s (%s): %w", r.Label, o.Line(r.Words()...), errs[i]))
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

func (r *Run) execute(ctx context.Context, show *tracker, o Options) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	started := time.Now()
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
		err = res.Late() // the label would name a fault that there was not
	}
	if err != nil {
		return err
	}
	if o.Observe != nil {
		tables, err := watch.Tables(res)
		if err != nil {
			return err
		}
		res.Monitors = append(res.Monitors, sim.MonitorResult{Kind: watch.Name, Tables: tables})
	}
	dir, err := sim.Save(res, o.Dir, o.Line(r.Words()...), started, r.Set...)
	if err != nil {
		return err
	}
	r.Dir = dir
	r.Manifest, err = store.ReadManifest(dir)
	return err
}

// DirName returns the directory of run directories beneath a directory of results.
func DirName(out string) string { return filepath.Join(out, "runs") }

// CheckSeeds reports whether n seeds can be counted from the first: the largest one is 2^64−1,
// after which they would begin at 0.
func CheckSeeds(first uint64, n int) error {
	if n > 0 && first > math.MaxUint64-uint64(n-1) {
		return fmt.Errorf("seed %d: %d seeds cannot be counted from there, the largest is %d", first, n, uint64(math.MaxUint64))
	}
	return nil
}

// Seeds are n seeds, counting from the first; see CheckSeeds.
func Seeds(first uint64, n int) []uint64 {
	seeds := make([]uint64, n)
	for i := range seeds {
		seeds[i] = first + uint64(i)
	}
	return seeds
}
