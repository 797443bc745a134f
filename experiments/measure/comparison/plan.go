package comparison

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
	Ending string   // of the preset that has it: "-pint"; empty for the preset of the case itself
	Set    []string // changes to that preset
}

// Changes describes the settings that the scheme changes in its preset.
func (s Scheme) Changes() string {
	if len(s.Set) == 0 {
		return "as the preset has it"
	}
	return strings.Join(s.Set, " ")
}

// Entry is one scheme in one case.
type Entry struct {
	Case, Scheme string
	X            float64  // place of the case on an axis; NaN if there is none
	Against      []string // schemes of the same case that All compares this one with
	Label        string   // of its runs, before the seed; empty for that of String
	Base         string   // preset
	Set          []string
	Long         unit.Bytes // flows above it are long
	// Source is the entry of the workload whose flows and job are measured; nil for the flows of all entries.
	Source     *sim.Source
	Quantities []Quantity // that are measured; nil: those of the plan
	// Sections of the arrivals give the intervals where there is one seed (stats.Sectioned); 0: none do.
	Sections int
}

// String returns the entry as people read it.
func (e Entry) String() string {
	switch {
	case e.Label != "":
		return e.Label
	case math.IsNaN(e.X):
		return e.Case + ", " + e.Scheme
	}
	return fmt.Sprintf("%s, %s at %v", e.Case, e.Scheme, e.X)
}

// Spec returns how to run the entry with a seed.
func (e Entry) Spec(seed uint64) campaign.Spec {
	return campaign.Spec{
		Label: fmt.Sprintf("%v, seed %d", e, seed), Base: e.Base,
		Set: append([]string{fmt.Sprintf("seed=%d", seed)}, e.Set...),
	}
}

// place identifies an entry in a map. X is text, because NaN does not equal itself.
type place struct{ of, scheme, x string }

func (e Entry) place() place { return place{e.Case, e.Scheme, fmt.Sprint(e.X)} }

// Simulator runs simulations. The job of a figure is one.
type Simulator interface {
	// Simulate returns a run for each spec. free are keys that a user may change.
	Simulate(ctx context.Context, specs []campaign.Spec, free ...string) ([]*campaign.Run, error)
}

// Plan lists the schemes to run and the quantities to measure.
type Plan struct {
	Entries    []Entry
	Seeds      []uint64
	SeedFirst  bool       // runs all entries with a seed before the next seed
	Quantities []Quantity // of the entries that have none of their own
	Free       []string   // keys that a user may change
	// Looks end cases before the last seed; nil runs all of them.
	Looks *Looks
}

// Looks are the moments at which a plan looks at its results: a case that is settled gets no more seeds.
//
// Looking often and stopping at the first interval that pleases would make intervals too narrow. So the
// levels share out what the intervals of one look would miss: those of look i miss their values with probability
// 1 - Levels[i], and these add up to the 5 % of stats.Level. Intervals hold whichever look ends a case.
type Looks struct {
	After  []int     // numbers of seeds, rising; the last is that of all seeds
	Levels []float64 // of the intervals at each look
	// Settled reports whether the results of a case need no more seeds.
	Settled func(r *Results, of string) (bool, error)
	// Begin is called before look i is run for this many entries, with the results of those before; nil for the first.
	Begin func(i, entries int, r *Results) error
}

// Run runs all entries with all seeds, or with as many as the looks require, and measures them. Without looks it keeps the
// flows of one entry at a time in memory.
func (p *Plan) Run(ctx context.Context, s Simulator) (*Results, error) {
	r := &Results{plan: p, of: map[place]*found{}}
	if p.Looks == nil {
		return r, r.add(ctx, s, p.Entries, p.Seeds, 0)
	}
	l, open, done := p.Looks, p.Entries, 0
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
		open = slices.DeleteFunc(slices.Clone(open), func(e Entry) bool { return settled[e.Case] })
		if len(open) == 0 {
			break
		}
	}
	return r, nil
}

// casesOf returns the distinct cases of entries, in their order.
func casesOf(entries []Entry) []string {
	var list []string
	for _, e := range entries {
		if !slices.Contains(list, e.Case) {
			list = append(list, e.Case)
		}
	}
	return list
}

// add runs entries with more seeds and measures them with all their seeds. A level of 0 is the usual level without looks.
func (r *Results) add(ctx context.Context, s Simulator, list []Entry, more []uint64, level float64) error {
	p := r.plan
	entries, seeds := len(list), len(more)
	specs, at := make([]campaign.Spec, entries*seeds), make([][]int, entries) // at: numbers of the specs of an entry
	for e := range list {
		for k, seed := range more {
			i := e*seeds + k
			if p.SeedFirst {
				i = k*entries + e
			}
			specs[i], at[e] = list[e].Spec(seed), append(at[e], i)
		}
	}
	runs, err := s.Simulate(ctx, specs, p.Free...)
	if err != nil {
		return err
	}
	measured := map[place]bool{}
	for e, entry := range list {
		if measured[entry.place()] {
			continue // an entry may be there twice
		}
		measured[entry.place()] = true
		if entry.Quantities == nil {
			entry.Quantities = p.Quantities
		}
		f := r.of[entry.place()]
		if f == nil {
			f = &found{entry: entry, keep: level != 0}
			r.of[entry.place()] = f
		}
		f.level, f.numbers = level, map[string]number{}
		for _, i := range at[e] {
			f.runs = append(f.runs, runs[i])
		}
		trials, err := f.trials()
		if err != nil {
			return err
		}
		for _, q := range entry.Quantities {
			if q.Of != nil {
				list, err := q.Of(trials)
				f.numbers[q.Name] = number{list, err}
			}
		}
	}
	return nil
}

// Results hold the measurements of a plan.
type Results struct {
	plan *Plan
	of   map[place]*found
}

// found holds the measurements of an entry.
type found struct {
	entry   Entry
	runs    []*campaign.Run // by seed
	numbers map[string]number
	level   float64  // of its intervals; 0 for the usual one
	keep    bool     // keeps what it has read for the next look
	read    []*Trial // by seed; those that it has kept
}

// number is one number, or one for each bucket of flow sizes. Its error counts for those who ask for
// it: not every quantity suits every entry.
type number struct {
	list []stats.Measured
	err  error
}

func (f *found) trials() ([]*Trial, error) {
	list := slices.Clone(f.read)
	for _, r := range f.runs[len(list):] {
		t, err := newTrial(f.entry, r)
		if err != nil {
			return nil, err
		}
		if len(f.runs) == 1 {
			t.cut(f.entry.Sections)
		}
		list = append(list, t)
	}
	for _, t := range list {
		t.level = f.level
	}
	if f.keep {
		f.read = list
	}
	return list, nil
}

// find returns the measurements of an entry of the plan.
func (r *Results) find(e Entry) *found {
	f := r.of[e.place()]
	if f == nil {
		panic(fmt.Sprintf("comparison: %v is not in the plan", e))
	}
	return f
}

// Seeds returns how many seeds an entry has been run with.
func (r *Results) Seeds(e Entry) int { return len(r.find(e).runs) }

// Scenario returns the scenario of an entry, with the first seed.
func (r *Results) Scenario(e Entry) *scenario.Scenario { return &r.find(e).runs[0].Scenario }

// Trials reads the runs of an entry, by seed.
func (r *Results) Trials(e Entry) ([]*Trial, error) { return r.find(e).trials() }

// Runs returns the runs of an entry, by seed.
func (r *Results) Runs(e Entry) []*campaign.Run { return r.find(e).runs }

// One returns a quantity of an entry that is a single number. It returns an error if some run has no such number.
func (r *Results) One(e Entry, quantity string) (stats.Measured, error) {
	list, err := r.Number(e, quantity)
	if err == nil && len(list) != 1 {
		err = fmt.Errorf("%v: %s: a run has no such number", e, quantity)
	}
	if err != nil {
		return stats.Measured{}, err
	}
	return list[0], nil
}

// Number returns a quantity of an entry; none if some run has no such number.
func (r *Results) Number(e Entry, quantity string) ([]stats.Measured, error) {
	n := r.find(e).numbers[quantity]
	if n.err != nil {
		return nil, fmt.Errorf("%v: %s: %w", e, quantity, n.err)
	}
	return n.list, nil
}

// Ratio returns a quantity of an entry over that of another scheme of the same case, paired by seed;
// none if one of them has no such number.
func (r *Results) Ratio(e Entry, against, quantity string) ([]stats.Measured, error) {
	other := e
	other.Scheme, other.Label = against, ""
	list, err := r.ratio(e, other, r.quantity(e, quantity))
	if err != nil {
		return nil, fmt.Errorf("%v against %s: %s: %w", e, against, quantity, err)
	}
	return list, nil
}

func (r *Results) ratio(e, other Entry, q *Quantity) ([]stats.Measured, error) {
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
	own, err := r.Number(e, q.Name)
	if err != nil {
		return nil, err
	}
	theirs, err := r.Number(other, q.Name)
	if err != nil || len(own) == 0 || len(theirs) == 0 {
		return nil, err
	}
	list, err := stats.Over(own, theirs)
	if errors.Is(err, stats.ErrNotPositive) { // such as a job without exposed communication
		return nil, nil
	}
	return list, err
}

// quantity returns the quantity of an entry that has this name.
func (r *Results) quantity(e Entry, name string) *Quantity {
	list := r.find(e).entry.Quantities
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	panic(fmt.Sprintf("comparison: %v has no quantity %s", e, name))
}
