package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/campaign"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/netsim/unit"
)

// Scheme is one of the things compared, such as a congestion control with its telemetry.
type Scheme struct {
	Name   string
	Preset string   // of the preset that has it: "-pint"; empty for the preset of the case itself
	Set    []string // changes to that preset
}

// Changes describes the settings that the scheme changes in its preset.
func (s Scheme) Changes() string {
	if len(s.Set) == 0 {
		return "as the preset has it"
	}
	return strings.Join(s.Set, " ")
}

// Cell is one scheme in one case.
type Cell struct {
	Case, Scheme string
	X            float64  // place of the case on an axis; NaN if there is none
	Against      []string // schemes of the same case that All compares this one with
	Label        string   // of its runs, before the seed; empty for that of String
	Base         string   // preset
	Set          []string
	Long         unit.Bytes // flows above it are long
	// Source is the entry of the workload whose flows and job are measured; nil for the flows of all cells.
	Source   *sim.Source
	Measures []Measure // that are measured; nil: those of the study
	// Sections of the arrivals give the intervals where there is one seed (stats.Sectioned); 0: none do.
	Sections int
}

// String returns the cell as people read it.
func (e Cell) String() string {
	switch {
	case e.Label != "":
		return e.Label
	case math.IsNaN(e.X):
		return e.Case + ", " + e.Scheme
	}
	return fmt.Sprintf("%s, %s at %v", e.Case, e.Scheme, e.X)
}

// Spec returns how to run the cell with a seed.
func (e Cell) Spec(seed uint64) campaign.Spec {
	return campaign.Spec{
		Label: fmt.Sprintf("%v, seed %d", e, seed), Base: e.Base,
		Set: append([]string{fmt.Sprintf("seed=%d", seed)}, e.Set...),
	}
}

// key identifies a cell in a map. X is text, because NaN does not equal itself.
type key struct{ of, scheme, x string }

func (e Cell) key() key { return key{e.Case, e.Scheme, fmt.Sprint(e.X)} }

// Simulator runs simulations. The job of a figure is one.
type Simulator interface {
	// Simulate returns a run for each spec. free are keys that a user may change.
	Simulate(ctx context.Context, specs []campaign.Spec, free ...string) ([]*campaign.Run, error)
}

// Study lists the schemes to run and the measures to measure.
type Study struct {
	Cells     []Cell
	Seeds     []uint64
	SeedFirst bool      // runs all cells with a seed before the next seed
	Measures  []Measure // of the cells that have none of their own
	Free      []string  // keys that a user may change
	// Interim end cases before the last seed; nil runs all of them.
	Interim *Interim
}

// Interim are the moments at which a study looks at its results: a case that is settled gets no more seeds.
//
// Looking often and stopping at the first interval that pleases would make intervals too narrow. So the
// levels share out what the intervals of one look would miss: those of look i miss their values with probability
// 1 - Levels[i], and these add up to the 5 % of stats.Level. Intervals hold whichever look ends a case.
type Interim struct {
	After  []int     // numbers of seeds, rising; the last is that of all seeds
	Levels []float64 // of the intervals at each look
	// Settled reports whether the results of a case need no more seeds.
	Settled func(r *Results, of string) (bool, error)
	// Begin is called before look i is run for this many cells, with the results of those before; nil for the first.
	Begin func(i, cells int, r *Results) error
}

// Run runs all cells with all seeds, or with as many as the looks require, and measures them. Without looks it keeps the
// flows of one cell at a time in memory.
func (p *Study) Run(ctx context.Context, s Simulator) (*Results, error) {
	r := &Results{study: p, of: map[key]*outcome{}}
	if p.Interim == nil {
		return r, r.add(ctx, s, p.Cells, p.Seeds, 0)
	}
	l, open, done := p.Interim, p.Cells, 0
	for i, after := range l.After {
		if l.Begin != nil {
			so := r
			if i == 0 {
				so = nil
			}
			if err := l.Begin(i, len(open), so); err != nil {
				return nil, err
			}
		}
		if err := r.add(ctx, s, open, p.Seeds[done:after], l.Levels[i]); err != nil {
			return nil, err
		}
		done = after
		settled := map[string]bool{}
		for _, of := range casesOf(open) {
			var err error
			if settled[of], err = l.Settled(r, of); err != nil {
				return nil, err
			}
		}
		open = slices.DeleteFunc(slices.Clone(open), func(e Cell) bool { return settled[e.Case] })
		if len(open) == 0 {
			break
		}
	}
	return r, nil
}

// casesOf returns the distinct cases of cells, in their order.
func casesOf(cells []Cell) []string {
	var list []string
	for _, e := range cells {
		if !slices.Contains(list, e.Case) {
			list = append(list, e.Case)
		}
	}
	return list
}

// add runs cells with more seeds and measures them with all their seeds. A level of 0 is the usual level without looks.
func (r *Results) add(ctx context.Context, s Simulator, list []Cell, more []uint64, level float64) error {
	p := r.study
	cells, seeds := len(list), len(more)
	specs, at := make([]campaign.Spec, cells*seeds), make([][]int, cells) // at: numbers of the specs of a cell
	for e := range list {
		for k, seed := range more {
			i := e*seeds + k
			if p.SeedFirst {
				i = k*cells + e
			}
			specs[i], at[e] = list[e].Spec(seed), append(at[e], i)
		}
	}
	runs, err := s.Simulate(ctx, specs, p.Free...)
	if err != nil {
		return err
	}
	measured := map[key]bool{}
	for e, cell := range list {
		if measured[cell.key()] {
			continue // a cell may be there twice
		}
		measured[cell.key()] = true
		if cell.Measures == nil {
			cell.Measures = p.Measures
		}
		f := r.of[cell.key()]
		if f == nil {
			f = &outcome{cell: cell, keep: level != 0}
			r.of[cell.key()] = f
		}
		f.level, f.numbers = level, map[string]number{}
		for _, i := range at[e] {
			f.runs = append(f.runs, runs[i])
		}
		trials, err := f.trials()
		if err != nil {
			return err
		}
		for _, q := range cell.Measures {
			if q.Of != nil {
				list, err := q.Of(trials)
				f.numbers[q.Name] = number{list, err}
			}
		}
	}
	return nil
}

// Results hold the measurements of a study.
type Results struct {
	study *Study
	of    map[key]*outcome
}

// outcome holds the measurements of a cell.
type outcome struct {
	cell    Cell
	runs    []*campaign.Run // by seed
	numbers map[string]number
	level   float64  // of its intervals; 0 for the usual one
	keep    bool     // keeps what it has read for the next look
	read    []*Trial // by seed; those that it has kept
}

// number is one number, or one for each bucket of flow sizes. Its error counts for those who ask for
// it: not every measure suits every cell.
type number struct {
	list []stats.Sized
	err  error
}

func (f *outcome) trials() ([]*Trial, error) {
	list := slices.Clone(f.read)
	for _, r := range f.runs[len(list):] {
		t, err := newTrial(f.cell, r)
		if err != nil {
			return nil, err
		}
		if len(f.runs) == 1 {
			t.cut(f.cell.Sections)
		}
		list = append(list, t)
	}
	for _, t := range list {
		t.Level = f.level
	}
	if f.keep {
		f.read = list
	}
	return list, nil
}

// find returns the measurements of a cell of the study.
func (r *Results) find(e Cell) *outcome {
	f := r.of[e.key()]
	if f == nil {
		panic(fmt.Sprintf("study: %v is not one of its cells", e))
	}
	return f
}

// Seeds returns how many seeds a cell has been run with.
func (r *Results) Seeds(e Cell) int { return len(r.find(e).runs) }

// Scenario returns the scenario of a cell, with the first seed.
func (r *Results) Scenario(e Cell) *scenario.Scenario { return &r.find(e).runs[0].Scenario }

// Trials reads the runs of a cell, by seed.
func (r *Results) Trials(e Cell) ([]*Trial, error) { return r.find(e).trials() }

// Runs returns the runs of a cell, by seed.
func (r *Results) Runs(e Cell) []*campaign.Run { return r.find(e).runs }

// One returns a measure of a cell that is a single number. It returns an error if some run has no such number.
func (r *Results) One(e Cell, measure string) (stats.Number, error) {
	list, err := r.Numbers(e, measure)
	if err == nil && len(list) != 1 {
		err = fmt.Errorf("%v: %s: a run has no such number", e, measure)
	}
	if err != nil {
		return stats.Number{}, err
	}
	return list[0].Number, nil
}

// Numbers returns a measure of a cell; none if some run has no such number.
func (r *Results) Numbers(e Cell, measure string) ([]stats.Sized, error) {
	n := r.find(e).numbers[measure]
	if n.err != nil {
		return nil, fmt.Errorf("%v: %s: %w", e, measure, n.err)
	}
	return n.list, nil
}

// Ratio returns a measure of a cell over that of another scheme of the same case, paired by seed;
// none if one of them has no such number.
func (r *Results) Ratio(e Cell, against, measure string) ([]stats.Sized, error) {
	other := e
	other.Scheme, other.Label = against, ""
	list, err := r.ratio(e, other, r.measure(e, measure))
	if err != nil {
		return nil, fmt.Errorf("%v against %s: %s: %w", e, against, measure, err)
	}
	return list, nil
}

func (r *Results) ratio(e, other Cell, q *Measure) ([]stats.Sized, error) {
	if q.Over != nil {
		own, err := r.Trials(e)
		if err != nil {
			return nil, err
		}
		theirs, err := r.Trials(other)
		if err != nil {
			return nil, err
		}
		return q.Over(own, theirs)
	}
	own, err := r.Numbers(e, q.Name)
	if err != nil {
		return nil, err
	}
	theirs, err := r.Numbers(other, q.Name)
	if err != nil || len(own) == 0 || len(theirs) == 0 {
		return nil, err
	}
	list, err := stats.Over(own, theirs)
	if errors.Is(err, stats.ErrNotPositive) { // such as a job without exposed communication
		return nil, nil
	}
	return list, err
}

// measure returns the measure of a cell that has this name.
func (r *Results) measure(e Cell, name string) *Measure {
	list := r.find(e).cell.Measures
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	panic(fmt.Sprintf("study: %v has no measure %s", e, name))
}
