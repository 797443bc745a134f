package study

import (
	"math"
	"slices"

	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/experiments/sim"
	"pintlab/internal/lists"
)

// Measure is a number that is measured on runs, such as the mean slowdown of their flows.
type Measure struct {
	Name  string
	Shown string // name in the rows, if it is not Name
	Unit  string // unit of the rows, as in package plots
	// Of measures the trials of all seeds. It returns one number, or one number for each bucket of flow sizes. It
	// returns none if some trial lacks the number.
	Of func([]*Trial) ([]stats.Sized, error)
	// Over compares the trials of two schemes, by seed. If it is nil, a ratio is the ratio of the values of Of.
	Over func(own, against []*Trial) ([]stats.Sized, error)
	// Paired measures have ratios in All.
	Paired bool
}

// PerTrial measures a number of each trial and the number of flows on which it is based. The measured number cannot be
// negative. If it is NaN or is based on no flows, the trial lacks the number.
func PerTrial(name string, of func(*Trial) (value float64, flows int, err error)) Measure {
	return AtLeast(0, name, of)
}

// AtLeast is like PerTrial, but the number cannot be below least.
func AtLeast(least float64, name string, of func(*Trial) (value float64, flows int, err error)) Measure {
	return Measure{Name: name, Of: func(trials []*Trial) ([]stats.Sized, error) {
		return Mean(trials, least, func(t *Trial, _ int) (float64, int, error) { return of(t) })
	}}
}

// Monitor measures a number from the tables that the first monitor of a run has written.
func Monitor(name, kind string, of func(*MonitorTables) float64) Measure {
	return PerTrial(name, func(t *Trial) (float64, int, error) {
		m := MonitorTables{Dir: t.Run.Dir, Kind: kind}
		v := of(&m)
		return v, 1, m.Err
	})
}

// Mean returns the mean over the seeds of a number of each trial. It returns nothing if a trial lacks the number.
// Sections, if any exist, are sections of the first seed.
func Mean(trials []*Trial, least float64, of func(t *Trial, seed int) (float64, int, error)) ([]stats.Sized, error) {
	seeds := stats.PerSeed{Level: trials[0].Level, Least: least}
	for i, t := range trials {
		v, n, err := of(t, i)
		if err != nil || math.IsNaN(v) || n == 0 {
			return nil, err
		}
		seeds.Add(v, n)
	}
	var sections []float64
	for _, t := range trials[0].Sections {
		v, n, err := of(t, 0)
		if err != nil {
			return nil, err
		}
		if n == 0 { // the section has no flows for the number, so there is no interval
			sections = nil
			break
		}
		sections = append(sections, v)
	}
	for _, v := range sections {
		seeds.Section(v)
	}
	m, err := seeds.Mean()
	return []stats.Sized{stats.Whole(m)}, err
}

// Late measures the flows of the second half of the arrivals.
func Late(name string, q Measure) Measure {
	return of(name, q, func(t *Trial) (*Trial, error) { return t.late(), nil })
}

// Class measures the flows of one class: 1 for incasts, 0 for all others.
func Class(class int, q Measure) Measure {
	return of(q.Name, q, func(t *Trial) (*Trial, error) {
		return t.only(func(f *store.FlowRecord) bool { return int(f.Class) == class }), nil
	})
}

// OfSource measures the flows and the job of an entry of the workload.
func OfSource(s *sim.Source, q Measure) Measure {
	return of(q.Name, q, func(t *Trial) (*Trial, error) { return t.ofSource(s) })
}

// of returns a measure that is applied to a part of each trial.
func of(name string, q Measure, part func(*Trial) (*Trial, error)) Measure {
	made := q
	made.Name = name
	if q.Of != nil {
		made.Of = func(trials []*Trial) ([]stats.Sized, error) {
			parts, err := lists.Try(trials, part)
			if err != nil {
				return nil, err
			}
			return q.Of(parts)
		}
	}
	if q.Over != nil {
		made.Over = func(own, against []*Trial) ([]stats.Sized, error) {
			parts, err := lists.Try(slices.Concat(own, against), part)
			if err != nil {
				return nil, err
			}
			return q.Over(parts[:len(own)], parts[len(own):])
		}
	}
	return made
}

// Paired returns a measure whose ratios All adds.
func Paired(q Measure) Measure {
	q.Paired = true
	return q
}

// In returns the measure with a unit for its rows, in the notation of package plots.
func (q Measure) In(unit string) Measure {
	q.Unit = unit
	return q
}
