package validate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"pintlab/p4/params"
	"pintlab/plots"
)

// Options say how much is validated.
type Options struct {
	Programs []Program
	Packets  int // through each program and its twin
	Samples  int // of each operation, for each q
	Seed     uint64
	// Recording is what U is also computed on; nil for nothing.
	Recording *Recording
	// Progress is told what is done next; it may be nil.
	Progress func(string)
}

// The sizes of tables that errors are measured for.
const (
	firstBits = 4
	lastBits  = 12
)

// Report is what validation found. Equal has the programs that equal their twins.
type Report struct {
	Equal    []Equality     `json:"equal"`
	BMv2     BMv2Report     `json:"bmv2"`
	Errors   []ErrorRow     `json:"errors"`
	Loads    []LoadCell     `json:"loads"`    // q of the programs, 100 Gb/s
	Recorded []Distribution `json:"recorded"` // of the error of U
	Factors  []FactorRow    `json:"factors"`
}

// Run validates. The error names every program that differs from its twin, and every
// operation whose error exceeds its bound; the report is good all the same.
func Run(ctx context.Context, o Options) (*Report, error) {
	say := func(format string, args ...any) {
		if o.Progress != nil {
			o.Progress(fmt.Sprintf(format, args...))
		}
	}
	r := &Report{Recorded: []Distribution{}}
	var errs []error
	for _, p := range o.Programs {
		say("%s: %d packets through the program and its twin", p.Name, o.Packets)
		e, err := p.Equal(ctx, o.Packets, true, o.Seed)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		r.Equal = append(r.Equal, e)
	}
	var err error
	r.BMv2, err = bmv2(ctx, o.Programs, o.Seed, say)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	errs = append(errs, err)
	for q := firstBits; q <= lastBits; q++ {
		say("errors with tables of 2^%d entries", q)
		rows, err := Errors(q, o.Samples, o.Seed)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			if row.Bound > 0 && row.Max > row.Bound {
				errs = append(errs, fmt.Errorf("%s, q = %d: error %v, bound %v", row.Operation, q, row.Max, row.Bound))
			}
		}
		r.Errors = append(r.Errors, rows...)
		if err := r.study(o.Recording, q); err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	say("U over load and queue, factors of a fridge")
	cells, err := LoadGrid(params.Rate)
	if err != nil {
		return nil, err
	}
	r.Loads = append(cells, r.Loads...)
	if r.Factors, err = FactorErrors(10*o.Samples, o.Seed); err != nil {
		return nil, err
	}
	return r, errors.Join(errs...)
}

// Save writes errors.csv, loads.csv, factors.csv, recorded.csv and the drawings of them to a
// directory, which it makes.
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
	t, err := r.errorTable()
	table("errors", t, err)
	t, err = r.loadTable()
	table("loads", t, err)
	t, err = r.factorTable()
	table("factors", t, err)
	t, err = r.recordedTable()
	table("recorded", t, err)
	drawings, err := r.Draw()
	errs = append(errs, err)
	for name, f := range drawings {
		for _, ending := range []string{".svg", ".png"} {
			errs = append(errs, plots.Save(&f, filepath.Join(dir, name+ending)))
		}
	}
	return errors.Join(errs...)
}

func (r *Report) errorTable() (*plots.Table, error) {
	t, err := plots.NewTable(plots.Text("operation"), plots.Whole("q", ""), plots.Real("mean", ""), plots.Real("p99", ""),
		plots.Real("max", ""), plots.Real("bias", ""), plots.Real("bound", ""), plots.Whole("memory", "B"))
	if err != nil {
		return nil, err
	}
	for _, e := range r.Errors {
		if err := t.Append(e.Operation, e.Bits, e.Mean, e.P99, e.Max, e.Bias, e.Bound, e.Memory); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func (r *Report) loadTable() (*plots.Table, error) {
	t, err := plots.NewTable(plots.Text("form"), plots.Real("load", ""), plots.Real("queue", "B"), plots.Real("error", ""), plots.Whole("packets", ""))
	if err != nil {
		return nil, err
	}
	for _, c := range r.Loads {
		if err := t.Append(c.Form, c.Load, c.Queue, c.Error, c.Packets); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func (r *Report) factorTable() (*plots.Table, error) {
	t, err := plots.NewTable(plots.Whole("entries", ""), plots.Real("p", ""), plots.Whole("samples", ""), plots.Real("error", ""), plots.Whole("prefixes", ""))
	if err != nil {
		return nil, err
	}
	for _, f := range r.Factors {
		if err := t.Append(int(f.Entries), f.Probability, f.Samples, f.Error, f.Prefixes); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func (r *Report) recordedTable() (*plots.Table, error) {
	t, err := plots.NewTable(plots.Text("form"), plots.Whole("q", ""), plots.Real("quantile", ""), plots.Real("error", ""))
	if err != nil {
		return nil, err
	}
	for _, d := range r.Recorded {
		for i, e := range d.Quantiles {
			if err := t.Append(d.Form, d.Bits, float64(i)/100, e); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}
