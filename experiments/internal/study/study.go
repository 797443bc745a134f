package study

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/sim"
	"pintlab/internal/number"
	"pintlab/internal/progress"
	"pintlab/netsim/unit"
)

// Scheme is one of the compared items, such as a congestion control with its telemetry.
type Scheme struct {
	Name   string
	Preset string   // suffix of its preset, such as "-pint"; empty for the preset of the case itself
	Set    []string // changes to that preset
}

// Changes describes the settings that the scheme changes in its preset.
func (s Scheme) Changes() string {
	if len(s.Set) == 0 {
		return "as the preset has it"
	}
	return strings.Join(s.Set, " ")
}

// Cell is one scheme in one case. A cell is a simulation of a preset or, if Work is set, a function of a seed.
type Cell struct {
	Case, Scheme string
	X            float64  // position of the case on an axis; NaN without an axis
	Against      []string // schemes of the same case with which All compares this one
	Label        string   // label of the cell's runs, before the seed; empty for the usual label (String)
	Base         string   // preset
	Set          []string
	Long         unit.Bytes // flows above it are long
	// Source is the entry of the workload whose flows and job are measured; nil for the flows of all entries.
	Source   *sim.Source
	Measures []Measure // nil stands for the measures of the study; a cell with work has none
	// Sections is the number of sections of the arrivals over which intervals are computed if there is one seed
	// (stats.Sectioned). With 0 there are no intervals.
	Sections int

	// Work replaces the simulation, for example by running a sketch on a trace; nil for a simulation.
	Work Work
	Once bool // whether Work runs only with the first seed, because it uses no random numbers
	// Rows is for a cell whose work returns []float64. Each number of the result belongs to one of the rows. NaN means
	// that the seed lacks the number.
	Rows []Row
}

// Work is a function of a seed. It may report its progress.
type Work func(ctx context.Context, seed uint64, show *progress.Task) (any, error)

// OfSeed turns a function that depends only on the seed into Work.
func OfSeed[T any](of func(seed uint64) (T, error)) Work {
	return func(_ context.Context, seed uint64, _ *progress.Task) (any, error) { return of(seed) }
}

// String returns the label of the cell. If the label is empty, it returns the case, the scheme and the position.
func (c Cell) String() string {
	name, x := c.Case+", "+c.Scheme, c.X
	if len(c.Rows) > 0 {
		name, x = c.Rows[0].Table+", "+c.Rows[0].Scheme, c.Rows[0].X
	}
	switch {
	case c.Label != "":
		return c.Label
	case math.IsNaN(x):
		return name
	}
	return fmt.Sprintf("%s at %s", name, number.Digits(x, 4))
}

// Spec returns how to run the cell with a seed.
func (c Cell) Spec(seed uint64) campaign.Spec {
	return campaign.Spec{
		Label: fmt.Sprintf("%v, seed %d", c, seed), Base: c.Base,
		Set: append([]string{fmt.Sprintf("seed=%d", seed)}, c.Set...),
	}
}

// key identifies a cell in a map. x is the formatted X, because NaN does not equal itself.
type key struct{ of, scheme, x string }

func (c Cell) key() key {
	if len(c.Rows) > 0 {
		return key{c.Rows[0].Table, c.Rows[0].Scheme, fmt.Sprint(c.Rows[0].X)}
	}
	return key{c.Case, c.Scheme, fmt.Sprint(c.X)}
}

// Runner does the work of cells. A Job is a Runner.
type Runner interface {
	// Simulate returns a run for each spec. free lists keys that a user may change.
	Simulate(ctx context.Context, specs []campaign.Spec, free ...string) ([]*campaign.Run, error)
	// Compute runs tasks with the given names, one at a time if alone is set.
	Compute(ctx context.Context, alone bool, names []string,
		do func(ctx context.Context, i int, show *progress.Task) error) error
}

// Study contains the cells to run and the measures to apply to them.
type Study struct {
	Cells     []Cell
	Seeds     []uint64
	SeedFirst bool      // runs all cells with a seed before the next seed
	Measures  []Measure // measures of cells that have no others
	Free      []string  // keys that a user may change
	Alone     bool      // does one work at a time, because each work needs much memory
	Each      string    // word for a seed in labels, if the seed is the number of a batch
	Apart     bool      // measures each seed alone (Results.Apart)
	// Interim analyses end cases before the last seed. If Interim is nil, all cases run with all seeds.
	Interim *Interim
}

// Interim is a plan of interim analyses: a settled case gets no more seeds.
//
// Intervals would be too narrow if one looked often and stopped at the first favourable result. So the analyses share
// the error probability of a single analysis: the intervals of analysis i miss their values with probability 1 -
// Levels[i], and these probabilities add up to the 5 % of stats.Level. The intervals are valid regardless of which
// analysis ends a case.
type Interim struct {
	After  []int     // ascending numbers of seeds; the last one is the number of all seeds
	Levels []float64 // confidence levels of the intervals at each analysis
	// Settled reports whether the results of a case need no more seeds.
	Settled func(r *Results, of string) (bool, error)
	// Begin is called before the runs of analysis i. cells is the number of cells that are still run, and r contains
	// the results so far; r is nil for the first analysis.
	Begin func(i, cells int, r *Results) error
}

// Run runs all cells with all seeds, or with as many as the interim analyses require, and measures
// them. Without interim analyses it keeps the flows of one cell at a time in memory.
func (s *Study) Run(ctx context.Context, by Runner) (*Results, error) {
	r := &Results{study: s, of: map[key]*outcome{}}
	if s.Interim == nil {
		return r, r.add(ctx, by, s.Cells, s.Seeds, 0)
	}
	plan, open, done := s.Interim, s.Cells, 0
	for i, after := range plan.After {
		if plan.Begin != nil {
			so := r
			if i == 0 {
				so = nil
			}
			if err := plan.Begin(i, len(open), so); err != nil {
				return nil, err
			}
		}
		if err := r.add(ctx, by, open, s.Seeds[done:after], plan.Levels[i]); err != nil {
			return nil, err
		}
		done = after
		settled := map[string]bool{}
		for _, c := range open {
			if _, known := settled[c.Case]; known {
				continue
			}
			var err error
			if settled[c.Case], err = plan.Settled(r, c.Case); err != nil {
				return nil, err
			}
		}
		open = slices.DeleteFunc(slices.Clone(open), func(c Cell) bool { return settled[c.Case] })
		if len(open) == 0 {
			break
		}
	}
	return r, nil
}

// trialOf is a cell with a seed.
type trialOf struct {
	cell int
	seed uint64
}

// add runs cells with more seeds and measures them with all seeds so far. A level of 0 is the usual level.
func (r *Results) add(ctx context.Context, by Runner, cells []Cell, more []uint64, level float64) error {
	var specs []campaign.Spec
	var names []string
	var works []trialOf
	of := make([][]int, len(cells)) // for each cell, the indices of its specs or of its works
	for n := range len(cells) * len(more) {
		c, seed := n/len(more), more[n%len(more)]
		if r.study.SeedFirst {
			c, seed = n%len(cells), more[n/len(cells)]
		}
		if cells[c].Work == nil {
			of[c], specs = append(of[c], len(specs)), append(specs, cells[c].Spec(seed))
			continue
		}
		name := cells[c].String()
		if !cells[c].Once {
			name += fmt.Sprintf(", %s %d", cmp.Or(r.study.Each, "seed"), seed)
		} else if seed != r.study.Seeds[0] {
			continue
		}
		of[c], works, names = append(of[c], len(works)), append(works, trialOf{c, seed}), append(names, name)
	}
	var runs []*campaign.Run
	if len(specs) > 0 {
		var err error
		if runs, err = by.Simulate(ctx, specs, r.study.Free...); err != nil {
			return err
		}
	}
	made := make([]any, len(works))
	if len(works) > 0 {
		if err := by.Compute(ctx, r.study.Alone, names,
			func(ctx context.Context, i int, show *progress.Task) (err error) {
				made[i], err = cells[works[i].cell].Work(ctx, works[i].seed, show)
				return err
			}); err != nil {
			return err
		}
	}
	measured := map[key]bool{}
	for i, c := range cells {
		if measured[c.key()] {
			continue // a cell may occur twice
		}
		measured[c.key()] = true
		if c.Measures == nil && c.Work == nil {
			c.Measures = r.study.Measures
		}
		o := r.of[c.key()]
		if o == nil {
			o = &outcome{cell: c, keep: level != 0}
			r.of[c.key()] = o
		}
		o.level = level
		for _, n := range of[i] {
			if c.Work != nil {
				o.made = append(o.made, made[n])
			} else {
				o.runs = append(o.runs, runs[n])
			}
		}
		measure := o.measure
		if r.study.Apart {
			measure = o.measureApart
		}
		if err := measure(); err != nil {
			return err
		}
	}
	return nil
}
