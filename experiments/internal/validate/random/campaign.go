package random

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/internal/number"
	"pintlab/internal/progress"
	"pintlab/plots"
)

// Options define the scenarios of a campaign and how to run it.
type Options struct {
	Language  *scenario.Language // language with the protocols to draw; nil for the standard protocols
	Seed      uint64
	From      int    // number of the first scenario
	N         int    // number of scenarios
	Dir       string // directory where passed and failed scenarios are stored
	Workers   int    // concurrent scenarios; at least 1
	AnyBuild  bool   // accept scenarios that passed in another build of the program
	Quiet     bool   // hide the progress
	Messages  io.Writer
	Consumers bool // also check the output of other commands for the stored runs
}

// Result is the result of a campaign.
type Result struct {
	Rows       []Row   // passed scenarios, by number
	Reused     int     // number of scenarios that had passed before
	CPUSeconds float64 // processor time of all others
}

// PacketHops returns the sum of the packet-hops of one run of each passed scenario.
func (r *Result) PacketHops() int64 {
	var sum int64
	for i := range r.Rows {
		sum += r.Rows[i].PacketHops
	}
	return sum
}

// FailedError is the error of a scenario that breaks a law.
type FailedError struct {
	Seed     uint64
	Scenario int
	Dir      string // directory of its files
	Err      error
}

func (e *FailedError) Error() string {
	return fmt.Sprintf("scenario %d of seed %d (%s): %v", e.Scenario, e.Seed, e.Dir, e.Err)
}

// Unwrap returns the broken law.
func (e *FailedError) Unwrap() error { return e.Err }

// RowsFile is the name of the table of passed scenarios in the directory of a campaign.
const RowsFile = "passed.csv"

// saveEvery is the time after which results are saved, which limits the work that is lost if the process is killed.
const saveEvery = 10 * time.Second

// ongoing is a campaign in progress.
type ongoing struct {
	o     Options
	build string

	mu    sync.Mutex
	rows  []Row // passed scenarios, also those outside the requested range
	done  int   // rows within the requested range
	saved time.Time
	show  *progress.Task
}

// Run checks the scenarios that have not passed yet. It stops at the first failure with a FailedError. Passed
// scenarios are stored in the directory, and a second call with the same options continues after them. If a scenario
// fails or ctx ends, Run returns the result so far together with the error.
func Run(ctx context.Context, o Options) (*Result, error) {
	c := &ongoing{o: o, build: store.ThisProgram().Build, saved: time.Now()}
	if err := os.MkdirAll(o.Dir, 0o777); err != nil {
		return nil, err
	}
	if err := c.load(); err != nil {
		return nil, err
	}
	reused := c.done
	show := progress.New(o.Messages, progress.Options{Quiet: o.Quiet})
	defer show.Close()
	if reused > 0 && !o.Quiet {
		fmt.Fprintf(show, "%d of %s %s passed already (%s)\n", reused, number.Count(o.N, "scenario"),
			number.Plural(reused, "has", "have"), o.Dir)
	}
	c.show = show.Begin("scenarios")
	defer c.show.End()
	before := store.ThisUsage().CPUSeconds
	err := errors.Join(c.checkAll(ctx), c.save())
	r := &Result{Reused: reused, CPUSeconds: store.ThisUsage().CPUSeconds - before}
	for i := range c.rows {
		if c.asked(c.rows[i].Scenario) {
			r.Rows = append(r.Rows, c.rows[i])
		}
	}
	return r, err
}

func (c *ongoing) asked(number int) bool { return number >= c.o.From && number-c.o.From < c.o.N }

// load reads the scenarios that passed before.
func (c *ongoing) load() error {
	t, err := plots.LoadCSV(filepath.Join(c.o.Dir, RowsFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	rows, err := columns.Decode[Row](t)
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(c.o.Dir, RowsFile), err)
	}
	for _, r := range rows {
		if store.MadeHere(r.Build) || c.o.AnyBuild {
			c.add(r)
		}
	}
	return nil
}

func (c *ongoing) add(r Row) {
	c.rows = append(c.rows, r)
	if c.asked(r.Scenario) {
		c.done++
	}
}

func (c *ongoing) save() error {
	slices.SortFunc(c.rows, func(a, b Row) int { return cmp.Compare(a.Scenario, b.Scenario) })
	t, err := columns.Encode(c.rows)
	if err != nil {
		return err
	}
	c.saved = time.Now()
	return t.SaveCSV(filepath.Join(c.o.Dir, RowsFile))
}

func (c *ongoing) checkAll(ctx context.Context) error {
	passed := map[int]bool{}
	for i := range c.rows {
		passed[c.rows[i].Scenario] = true
	}
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(max(c.o.Workers, 1))
	for i := c.o.From; c.asked(i) && inner.Err() == nil; i++ {
		if !passed[i] {
			group.Go(func() error { return c.check(inner, i) })
		}
	}
	return cmp.Or(group.Wait(), ctx.Err())
}

// check checks one scenario. The file of the scenario exists during the run, so that a scenario that kills the
// program can be found. If the scenario fails, the file remains.
func (c *ongoing) check(ctx context.Context, number int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	dir := filepath.Join(c.o.Dir, fmt.Sprintf("scenario-%d", number))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	row, err := checkOne(ctx, c.o.Language, newChooser(c.o.Seed, number), dir, c.o.Consumers)
	if err != nil && ctx.Err() == nil {
		return &FailedError{Seed: c.o.Seed, Scenario: number, Dir: dir, Err: err}
	}
	if err := errors.Join(err, os.RemoveAll(dir)); err != nil {
		return err
	}
	row.Scenario, row.Build = number, c.build
	return c.pass(row)
}

// checkOne draws and checks a scenario. It converts the panic of a broken invariant into an error.
func checkOne(
	ctx context.Context, l *scenario.Language, choose Chooser, dir string, consumers bool,
) (row Row, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v\n%s", p, debug.Stack())
		}
	}()
	k, err := drawCase(l, choose, dir)
	if err != nil {
		return row, err
	}
	if err := k.save(dir); err != nil {
		return row, err
	}
	row.Texts = k.Kinds.texts()
	row.Outcome, err = k.check(ctx, dir, consumers)
	return row, err
}

func (c *ongoing) pass(r Row) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(r)
	c.show.Update(float64(c.done)/float64(c.o.N), fmt.Sprintf("%d of %d", c.done, c.o.N))
	if time.Since(c.saved) < saveEvery {
		return nil
	}
	return c.save()
}
