package validate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/p4"
	"pintlab/plots"
)

// Options define the extent of a validation.
type Options struct {
	Programs []Program
	Packets  int // packets through each program and its twin
	Samples  int // arguments of each operation, for each q
	Seed     uint64
	// Recording is a recorded run on which the errors of U are also measured; it may be nil.
	Recording *Recording
	// Progress is called when a step begins, with the share of the steps that have begun before it and with its
	// name. Progress may be nil.
	Progress func(share float64, step string)
}

// The range of q for which errors are measured. Tables have 2^q entries.
const (
	firstBits = 4
	lastBits  = 12
	tables    = lastBits - firstBits + 1
)

// Report is the result of a validation. Equal holds the programs that equal their twins.
type Report struct {
	Equal    []Equality     `json:"equal"`
	BMv2     BMv2Report     `json:"bmv2"`
	Errors   []ErrorRow     `json:"errors"`
	Loads    []LoadCell     `json:"loads"`    // q of the programs, 100 Gb/s
	Recorded []Distribution `json:"recorded"` // distributions of the error of U
	Factors  []FactorRow    `json:"factors"`
}

// Run validates. The error names every program that differs from its twin, and every operation whose
// error exceeds its bound; the report is still valid. Independent parts run at the same time; the report
// does not depend on their order.
func Run(ctx context.Context, o Options) (*Report, error) {
	var saying sync.Mutex
	said, steps := 0, 2*len(o.Programs)+tables+2 // each program has one step with its twin and one on BMv2
	say := func(format string, args ...any) {
		if o.Progress != nil {
			saying.Lock()
			defer saying.Unlock()
			o.Progress(float64(said)/float64(steps), fmt.Sprintf(format, args...))
			said++
		}
	}
	r := &Report{Recorded: []Distribution{}}
	var onSwitches error
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		r.BMv2, onSwitches = runBMv2(ctx, o.Programs, o.Seed, say)
		return ctx.Err()
	})
	equal, errs := make([]Equality, len(o.Programs)), make([]error, len(o.Programs))
	group.Go(func() error {
		err := lists.Each(ctx, runtime.GOMAXPROCS(0), len(o.Programs), func(ctx context.Context, i int) error {
			say("%s: %s through the program and its twin", o.Programs[i].Name, number.Count(o.Packets, "packet"))
			equal[i], errs[i] = o.Programs[i].equal(ctx, o.Packets, true, o.Seed)
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		return r.arithmetic(ctx, &o, say)
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for i, e := range equal {
		if errs[i] == nil {
			r.Equal = append(r.Equal, e)
		}
	}
	errs = append(errs, onSwitches)
	for _, row := range r.Errors {
		if row.Bound > 0 && row.Max > row.Bound {
			errs = append(errs, fmt.Errorf("%s, q = %d: error %v, bound %v",
				row.Operation, row.Bits, row.Max, row.Bound))
		}
	}
	return r, errors.Join(errs...)
}

// arithmetic measures the errors of operations.
func (r *Report) arithmetic(ctx context.Context, o *Options, say func(string, ...any)) error {
	var rows [tables][]ErrorRow
	var ofRun [tables]recorded
	var loads []LoadCell
	err := lists.Each(ctx, runtime.GOMAXPROCS(0), tables+2, func(ctx context.Context, i int) (err error) {
		q := firstBits + i
		switch i {
		case tables:
			say("U over load and queue")
			loads, err = loadGrid(p4.Rate)
		case tables + 1:
			say("factors of a fridge")
			r.Factors, err = factorErrors(10*o.Samples, o.Seed)
		default:
			say("errors with tables of 2^%d entries", q)
			if rows[i], err = arithmeticErrors(q, o.Samples, o.Seed); err == nil && o.Recording != nil {
				ofRun[i], err = o.Recording.errors(q)
			}
		}
		return err
	})
	r.Loads = loads
	for i := range rows {
		r.Errors = slices.Concat(r.Errors, rows[i], ofRun[i].rows)
		r.Recorded = append(r.Recorded, ofRun[i].shapes...)
		r.Loads = append(r.Loads, ofRun[i].cells...)
	}
	return err
}

// Save writes errors.csv, loads.csv, factors.csv, recorded.csv and their drawings to a directory. It makes the
// directory.
func (r *Report) Save(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	var errs []error
	table := func(name string, t *plots.Table, err error) {
		if err == nil {
			err = t.SaveCSV(filepath.Join(dir, name+".csv"))
		}
		errs = append(errs, err)
	}
	t, err := tableOf(r.Errors, func(e ErrorRow) []any {
		return []any{e.Operation, e.Bits, e.Mean, e.P99, e.Max, e.Bias, e.Bound, e.Memory}
	}, plots.Text("operation"), plots.Whole("q", ""), plots.Real("mean", ""), plots.Real("p99", ""),
		plots.Real("max", ""), plots.Real("bias", ""), plots.Real("bound", ""), plots.Whole("memory", "B"))
	table("errors", t, err)
	t, err = tableOf(r.Loads, func(c LoadCell) []any { return []any{c.Form, c.Load, c.Queue, c.Error, c.Packets} },
		plots.Text("form"), plots.Real("load", ""), plots.Real("queue", "B"), plots.Real("error", ""),
		plots.Whole("packets", ""))
	table("loads", t, err)
	t, err = tableOf(r.Factors, func(f FactorRow) []any {
		return []any{int(f.Entries), f.Probability, f.Samples, f.Error, f.Prefixes}
	}, plots.Whole("entries", ""), plots.Real("p", ""), plots.Whole("samples", ""), plots.Real("error", ""),
		plots.Whole("prefixes", ""))
	table("factors", t, err)
	var recorded [][]any
	for _, d := range r.Recorded {
		for i, e := range d.Quantiles {
			recorded = append(recorded, []any{d.Form, d.Bits, float64(i) / 100, e})
		}
	}
	t, err = tableOf(recorded, func(row []any) []any { return row },
		plots.Text("form"), plots.Whole("q", ""), plots.Real("quantile", ""), plots.Real("error", ""))
	table("recorded", t, err)
	drawings, err := r.Draw()
	errs = append(errs, err)
	for name, f := range drawings {
		_, err := plots.SaveAll(&f, filepath.Join(dir, name), "svg", "png")
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func tableOf[T any](rows []T, line func(T) []any, columns ...plots.Column) (*plots.Table, error) {
	t, err := plots.NewTable(columns...)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if err := t.Append(line(row)...); err != nil {
			return nil, err
		}
	}
	return t, nil
}
