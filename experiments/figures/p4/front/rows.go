package front

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/p4/arithmetic"
	"pintlab/experiments/figures/p4/record"
	"pintlab/p4/fixedpoint"
)

// Row is a line of rows.csv: a member of the front, or one that has a program.
type Row struct {
	Form      string  `col:"form"`
	Program   string  `col:"program"` // "" if there is none
	Entries   string  `col:"entries"` // "lower" or "middle": where they are right
	TimeBits  int     `col:"q_time"`  // tables of 2^q entries
	LoadBits  int     `col:"q_load"`
	PowerBits int     `col:"q_power"`
	Time      int     `col:"time_tables"` // in a row
	Load      int     `col:"load_tables"`
	Power     int     `col:"power_tables"`
	Stages    int     `col:"stages"`
	Memory    int     `col:"memory" unit:"B"`
	Mean      float64 `col:"mean"` // of the size of the relative error
	P99       float64 `col:"p99"`
	Bias      float64 `col:"bias"`
	// Front says that no member is at least as good in stages, memory and mean error, and
	// better in one.
	Front string `col:"front"` // "yes" or ""
	// Slowdown is the mean distance of 95th-percentile slowdowns from those with exact
	// arithmetic, as a ratio less 1; not-a-number where it was not simulated.
	Slowdown float64 `col:"slowdown"`
	Searched int     `col:"searched"` // members
}

const yes = "yes"

type scale struct{ bits []int }

var scales = map[figure.Scale]scale{
	figure.Smoke:  {[]int{4, 6}},
	figure.Laptop: {[]int{4, 5, 6, 7, 8, 10}},
	figure.Paper:  {[]int{4, 5, 6, 7, 8, 9, 10, 11, 12}},
}

// String says what is run.
func (z scale) String() string {
	n := len(configs(z.bits))
	return fmt.Sprintf("%d forms and sizes of tables from 2^%d to 2^%d entries, in %d ways each; simulations as p4/arithmetic", n, z.bits[0], z.bits[len(z.bits)-1], len(paths()))
}

// programs have the forms.
var programs = map[fixedpoint.Form]string{
	fixedpoint.Difference: "hpcc_util", fixedpoint.AppendixB: "hpcc_util-appendix-b", fixedpoint.Decrement: "hpcc_util-decrement",
}

func measure(ctx context.Context, j *figure.Job, z scale) ([]Row, error) {
	if len(j.Set) > 0 {
		return nil, errors.New("--set has no effect on the recorded run of this figure")
	}
	far, err := arithmetic.Distances(ctx, j)
	if err != nil {
		return nil, err
	}
	rec, err := record.Ports(ctx, j.Seed)
	if err != nil {
		return nil, err
	}
	list := configs(z.bits)
	for _, form := range fixedpoint.Forms() {
		if c := shipped(form).Config; !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	show := j.Progress(1)
	defer show.Close()
	task := show.Begin("forms and tables on the recorded run")
	defer task.End()
	measured := make([]Row, len(list))
	var g errgroup.Group
	g.SetLimit(max(j.Campaign.Workers, 1))
	for i, c := range list {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			e, err := rec.Error(c, nil)
			measured[i] = Row{Mean: e.Mean, P99: e.P99, Bias: e.Bias}
			task.Update(float64(i)/float64(len(list)), fmt.Sprintf("%d of %d", i, len(list)))
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var rows []Row
	for i, c := range list {
		for _, m := range paths() {
			m.Config = c
			rows = append(rows, row(m, measured[i], far))
		}
	}
	for i := range rows {
		rows[i].Searched = len(rows)
	}
	j.Setting("recorded run", "ours", "a fat tree of 16 hosts, Hadoop and an incast, T = 13 µs, 100 Gb/s")
	j.Footnote("error of U on a recorded run of a fat tree of 16 hosts; %d members of the family", len(rows))
	return best(rows), nil
}

// row is a member with what was measured of it.
func row(m member, e Row, far map[arithmetic.Tables]float64) Row {
	e.Form, e.Entries = m.Form.String(), "lower"
	if m.Middle {
		e.Entries = "middle"
	}
	e.TimeBits, e.LoadBits, e.PowerBits = m.TimeBits, m.TableBits, m.PowerBits
	e.Time, e.Load, e.Power = m.time, m.load, m.power
	e.Stages, e.Memory = m.stages(), m.memory()
	e.Slowdown = math.NaN()
	// A simulation has one q, and entries as the programs have them.
	if m.TimeBits == m.TableBits && m.PowerBits == m.TableBits && m.Middle == fixedpoint.ConfigOf(m.Form, m.TableBits).Middle {
		if d, ok := far[arithmetic.Tables{Form: e.Form, Bits: m.TableBits}]; ok {
			e.Slowdown = d
		}
	}
	if m == shipped(m.Form) {
		e.Program = programs[m.Form]
	}
	return e
}

// best are the members of the front, and those that have programs, by stages and memory.
func best(rows []Row) []Row {
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(a.Stages-b.Stages, a.Memory-b.Memory, cmp.Compare(a.Mean, b.Mean))
	})
	var out []Row
	for i := range rows {
		r := &rows[i]
		// Whatever is better comes before.
		if !slices.ContainsFunc(out, func(o Row) bool {
			return o.Front == yes && o.Stages <= r.Stages && o.Memory <= r.Memory && o.Mean <= r.Mean
		}) {
			r.Front = yes
		}
		if r.Front == yes || r.Program != "" {
			out = append(out, *r)
		}
	}
	return out
}
