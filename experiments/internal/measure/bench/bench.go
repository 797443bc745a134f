// Package bench compares the speed of this program with the speed of another one, usually an older build. Machines are
// busier at some times than at others. So the two programs do the same work alternately, in pairs of whole processes,
// and the ratio of each pair counts. The result is the median of the ratios. Its limits are two ratios between which
// the true median lies with a known confidence (stats.Median).
//
// The speed is packet-hops per second of user and system time of the process. The time includes the set-up of the
// process, the garbage collector, and the writing of results.
package bench

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
)

// Config configures a comparison.
type Config struct {
	This, Other string // programs
	Works       []Work
	Pairs       int
	Progress    func(work string, pair int) // called before each pair, which is counted from 0
}

// Run is the report that a program prints about its run, including time and memory.
type Run struct {
	PacketHops  int64   `json:"packet_hops"`
	Fingerprint string  `json:"fingerprint"`
	PeakMemory  int64   `json:"peak_memory_bytes"`
	CPUSeconds  float64 `json:"cpu_seconds"` // CPU seconds of the whole process
	WallSeconds float64 `json:"wall_seconds"`
}

// Pair contains the runs of both sides, which were made one after the other.
type Pair struct {
	This  Run `json:"this"`
	Other Run `json:"other"`
}

// Row is the result of a work. It contains medians of ratios, speeds and memory. Unknown numbers are NaN.
type Row struct {
	Work  string `json:"work" col:"work"`
	Pairs int    `json:"pairs" col:"pairs"`
	// ratio of speeds, as the median over the pairs; null if it is unknown
	Ratio columns.Number `json:"ratio" col:"ratio"`
	Least columns.Number `json:"least" col:"least"` // lower limit of the true median
	Most  columns.Number `json:"most" col:"most"`   // upper limit of the true median
	Level columns.Number `json:"level" col:"level"` // confidence level of these limits
	// packet-hops per second of user and system time, as a median; for `workers-2/1`, per second on the clock
	Speed       columns.Number `json:"mhops_per_second" col:"speed" unit:"Mhops/s"`
	OtherSpeed  columns.Number `json:"other_mhops_per_second" col:"other" unit:"Mhops/s"`
	Memory      columns.Number `json:"memory_mb" col:"memory" unit:"MB"` // peak, median
	OtherMemory columns.Number `json:"other_memory_mb" col:"other memory" unit:"MB"`
	Note        string         `json:"note,omitempty" col:"note"` // if the other program failed or its records differ
}

// Result is a row and the pairs that it summarises.
type Result struct {
	Row
	Runs []Pair `json:"runs"` // all pairs
}

// Measure returns a result for each work. If ctx ends, it returns the results of works that have a complete pair, and
// the error of ctx. If a work fails in the other program, the row of the work contains the reason. If a work fails in
// this program, Measure returns an error.
func Measure(ctx context.Context, c Config) ([]Result, error) {
	var results []Result
	var failures []error
	for _, w := range c.Works {
		var pairs []Pair
		var wrong problem
		for i := 0; i < c.Pairs && wrong == (problem{}); i++ {
			if c.Progress != nil {
				c.Progress(w.Name, i)
			}
			p, x := c.pair(ctx, &w, i%2 == 1)
			if ctx.Err() != nil {
				break
			}
			pairs, wrong = append(pairs, p), x
		}
		if len(pairs) > 0 {
			row, err := w.row(pairs, wrong)
			if err != nil {
				return results, err
			}
			results = append(results, Result{row, pairs})
		}
		if ctx.Err() != nil {
			return results, ctx.Err()
		}
		if wrong.this != nil {
			failures = append(failures, fmt.Errorf("%s: %w", w.Name, wrong.this))
		}
	}
	return results, errors.Join(failures...)
}

// problem explains why the last pair of a work has no result.
type problem struct{ this, other error }

// pair does a work once with each program.
func (c *Config) pair(ctx context.Context, w *Work, otherFirst bool) (p Pair, wrong problem) {
	other := func() {
		if w.against != nil {
			p.Other, wrong.other = run(ctx, c.This, w.against)
		} else {
			p.Other, wrong.other = run(ctx, c.Other, w.args)
		}
	}
	if otherFirst {
		other()
	}
	p.This, wrong.this = run(ctx, c.This, w.args)
	if !otherFirst {
		other()
	}
	return p, wrong
}

func (w *Work) row(pairs []Pair, wrong problem) (Row, error) {
	r := columns.Blank[Row]()
	r.Work = w.Name
	if wrong.this != nil {
		r.Note = "fails: " + wrong.this.Error()
	} else if wrong.other != nil {
		r.Note = "the other program fails: " + wrong.other.Error()
	} else if w.against == nil && slices.ContainsFunc(pairs, func(p Pair) bool {
		return p.This.Fingerprint != p.Other.Fingerprint
	}) {
		r.Note = "the records differ"
	}
	if wrong.this != nil {
		return r, nil
	}
	values := func(of func(*Pair) float64) (list []float64) {
		for i := range pairs {
			list = append(list, of(&pairs[i]))
		}
		return list
	}
	speed := func(x *Run) float64 {
		seconds := x.CPUSeconds
		if w.wall {
			seconds = x.WallSeconds
		}
		return float64(x.PacketHops) / 1e6 / max(seconds, 1e-9)
	}
	var errs []error
	median := func(of func(*Pair) float64) (m stats.Number, sure float64) {
		m, sure, err := stats.Median(values(of), stats.Level)
		errs = append(errs, err)
		return m, sure
	}
	typical := func(of func(*Pair) float64) columns.Number {
		m, _ := median(of)
		return columns.Number(m.Value)
	}
	r.Speed = typical(func(p *Pair) float64 { return speed(&p.This) })
	r.Memory = typical(func(p *Pair) float64 { return float64(p.This.PeakMemory) / 1e6 })
	if wrong.other == nil {
		ratio, sure := median(func(p *Pair) float64 { return speed(&p.This) / speed(&p.Other) })
		r.Pairs, r.Ratio, r.Level = ratio.Seeds, columns.Number(ratio.Value), columns.Number(sure)
		r.Least, r.Most = columns.Number(ratio.Lo), columns.Number(ratio.Hi)
		r.OtherSpeed = typical(func(p *Pair) float64 { return speed(&p.Other) })
		r.OtherMemory = typical(func(p *Pair) float64 { return float64(p.Other.PeakMemory) / 1e6 })
	}
	return r, errors.Join(errs...)
}

func run(ctx context.Context, program string, args []string) (r Run, err error) {
	dir, err := os.MkdirTemp("", "pintlab-bench-")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	cmd := exec.CommandContext(ctx, program,
		append(append([]string{"run"}, args...), "--quiet", "--json", "--out", dir)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	began := time.Now()
	if err := cmd.Run(); err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		return r, errors.New(cmp.Or(strings.TrimPrefix(first, "pintlab: "), err.Error()))
	}
	took := time.Since(began)
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil || r.PacketHops <= 0 {
		return r, errors.New("its output is not the JSON of a run")
	}
	r.WallSeconds = took.Seconds()
	r.CPUSeconds = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	return r, nil
}
