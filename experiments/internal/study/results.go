package study

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/scenario"
	"pintlab/internal/lists"
)

// Results contain the measurements of a study.
type Results struct {
	study *Study
	of    map[key]*outcome
}

// outcome contains the measurements of a cell.
type outcome struct {
	cell    Cell
	runs    []*campaign.Run // by seed; only for a cell without work
	made    []any           // by seed; only for a cell with work
	numbers map[string]measured
	level   float64               // confidence level of the intervals; 0 for the usual one
	keep    bool                  // whether data is kept for the next interim analysis
	read    []*Trial              // trials kept so far, by seed
	apart   []map[string]measured // results of each seed alone (Study.Apart)
}

// measured is the result of a measure. Its error is returned only if the result is used, because not every measure is
// defined for every cell.
type measured struct {
	list []stats.Sized // a single number, or one for each bucket of flow sizes
	err  error
}

// trials returns the trials of all seeds.
func (o *outcome) trials() ([]*Trial, error) {
	list := slices.Clone(o.read)
	for i := len(list); i < len(o.runs); i++ {
		t, err := newTrial(o.cell, o.runs[i])
		if err == nil {
			err = t.empty()
		}
		if err != nil {
			return nil, err
		}
		if len(o.runs) == 1 {
			t.cut(o.cell.Sections)
		}
		list = append(list, t)
	}
	for _, t := range list {
		t.Level = o.level
	}
	if o.keep {
		o.read = list
	}
	return list, nil
}

// measure applies the measures of the cell to all its seeds.
func (o *outcome) measure() error {
	trials, err := o.trials()
	if err == nil {
		o.numbers = o.cell.measure(trials)
	}
	return err
}

// measureApart applies the measures of the cell to each seed alone. It keeps the flows of one seed at a time.
func (o *outcome) measureApart() error {
	for _, r := range o.runs[len(o.apart):] {
		t, err := newTrial(o.cell, r)
		if err != nil {
			return err
		}
		o.apart = append(o.apart, o.cell.measure([]*Trial{t}))
	}
	return nil
}

func (c *Cell) measure(trials []*Trial) map[string]measured {
	numbers := map[string]measured{}
	for _, m := range c.Measures {
		if m.Of != nil {
			list, err := m.Of(trials)
			numbers[m.Name] = measured{list, err}
		}
	}
	return numbers
}

// row returns the number in row i of Cell.Rows.
func (o *outcome) row(i int) (stats.Sized, error) {
	seeds := stats.PerSeed{Level: o.level}
	for _, made := range o.made {
		v := made.([]float64)[i]
		if math.IsNaN(v) {
			m := stats.None()
			m.Seeds = len(o.made)
			return stats.Whole(m), nil
		}
		seeds.Add(v, 1)
	}
	m, err := seeds.Mean()
	return stats.Whole(m), err
}

// find returns the measurements of a cell of the study.
func (r *Results) find(c Cell) *outcome {
	o := r.of[c.key()]
	if o == nil {
		panic(fmt.Sprintf("study: %v is not one of its cells", c))
	}
	return o
}

// Seeds returns the number of seeds with which a cell has been run.
func (r *Results) Seeds(c Cell) int {
	o := r.find(c)
	return max(len(o.runs), len(o.made))
}

// Scenario returns the scenario of a cell, with the first seed.
func (r *Results) Scenario(c Cell) *scenario.Scenario { return &r.find(c).runs[0].Scenario }

// Made returns the results of a cell's work, by seed.
func Made[T any](r *Results, c Cell) []T {
	return lists.Map(r.find(c).made, func(made any) T { return made.(T) })
}

// Trials reads the runs of a cell, by seed.
func (r *Results) Trials(c Cell) ([]*Trial, error) { return r.find(c).trials() }

// Runs returns the runs of a cell, by seed.
func (r *Results) Runs(c Cell) []*campaign.Run { return r.find(c).runs }

// One returns a measure of a cell that is a single number. It returns an error if a run lacks the number.
func (r *Results) One(c Cell, measure string) (stats.Number, error) {
	list, err := r.Numbers(c, measure)
	if err == nil && len(list) != 1 {
		err = fmt.Errorf("%v: %s: a run has no single number of this name", c, measure)
	}
	if err != nil {
		return stats.Number{}, err
	}
	return list[0].Number, nil
}

// Numbers returns a measure of a cell. The list is empty if a run lacks the number.
func (r *Results) Numbers(c Cell, measure string) ([]stats.Sized, error) {
	n := r.find(c).numbers[measure]
	if n.err != nil {
		return nil, fmt.Errorf("%v: %s: %w", c, measure, n.err)
	}
	return n.list, nil
}

// Apart returns a measure of a cell for one of its seeds, counted from 0. It returns NaN if the run lacks the number or
// the cell lacks the measure.
func (r *Results) Apart(c Cell, seed int, measure string) (float64, error) {
	n := r.find(c).apart[seed][measure]
	if n.err != nil || len(n.list) == 0 {
		return math.NaN(), n.err
	}
	return n.list[0].Value, nil
}

// Ratio returns a measure of a cell divided by the same measure of another scheme in the same case, paired by seed. The
// list is empty if one of the two schemes lacks the number.
func (r *Results) Ratio(c Cell, against, measure string) ([]stats.Sized, error) {
	other := c
	other.Scheme, other.Label = against, ""
	list, err := r.ratio(c, other, r.measureOf(c, measure))
	if err != nil {
		return nil, fmt.Errorf("%v against %s: %s: %w", c, against, measure, err)
	}
	return list, nil
}

func (r *Results) ratio(c, other Cell, m *Measure) ([]stats.Sized, error) {
	if m.Over != nil {
		own, err := r.Trials(c)
		if err != nil {
			return nil, err
		}
		theirs, err := r.Trials(other)
		if err != nil {
			return nil, err
		}
		return m.Over(own, theirs)
	}
	own, err := r.Numbers(c, m.Name)
	if err != nil {
		return nil, err
	}
	theirs, err := r.Numbers(other, m.Name)
	if err != nil || len(own) == 0 || len(theirs) == 0 {
		return nil, err
	}
	list, err := stats.Over(own, theirs)
	if errors.Is(err, stats.ErrNotPositive) { // such as a job without exposed communication
		return nil, nil
	}
	return list, err
}

// measureOf returns the measure of a cell that has this name.
func (r *Results) measureOf(c Cell, name string) *Measure {
	list := r.find(c).cell.Measures
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	panic(fmt.Sprintf("study: %v has no measure %s", c, name))
}
