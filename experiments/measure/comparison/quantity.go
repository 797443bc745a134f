package comparison

import (
	"cmp"
	"math"
	"slices"

	"pintlab/experiments/measure"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/internal/lists"
	"pintlab/netsim/unit"
)

// Quantity is a number to measure of runs, such as the mean slowdown of their flows.
type Quantity struct {
	Name  string
	Shown string // name in its rows, if that is another one
	Unit  string // of its rows, as package plots has it
	// Of measures the trials of all seeds: one number, or one for each bucket of flow sizes. It returns
	// none if some trial has no such number.
	Of func([]*Trial) ([]stats.Measured, error)
	// Over compares the trials of two schemes, by seed. If it is nil, a ratio is the ratio of the values of Of.
	Over func(own, against []*Trial) ([]stats.Measured, error)
	// Paired quantities have ratios in All.
	Paired bool
}

// Number makes a quantity of a number that each trial has, and of how many flows it is. The number cannot be
// negative. NaN, or a number of no flows, means that a trial has none.
func Number(name string, of func(*Trial) (value float64, flows int, err error)) Quantity {
	return atLeast(0, name, of)
}

// atLeast is Number with the smallest number that is possible.
func atLeast(least float64, name string, of func(*Trial) (value float64, flows int, err error)) Quantity {
	return Quantity{Name: name, Of: func(trials []*Trial) ([]stats.Measured, error) {
		return mean(trials, least, func(t *Trial, _ int) (float64, int, error) { return of(t) })
	}}
}

// Monitor makes a quantity of a number in the tables that the first monitor of a run has left.
func Monitor(name, kind string, of func(*measure.MonitorTables) float64) Quantity {
	return Number(name, func(t *Trial) (float64, int, error) {
		m := measure.MonitorTables{Dir: t.Run.Dir, Kind: kind}
		v := of(&m)
		return v, 1, m.Err
	})
}

// mean returns the mean over the seeds of a number that each trial has. Sections are of the first seed.
func mean(trials []*Trial, least float64, of func(t *Trial, seed int) (float64, int, error)) ([]stats.Measured, error) {
	seeds := stats.PerSeed{Level: trials[0].level, Least: least}
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
		if n == 0 { // nothing to put beside the other sections: there is no interval
			sections = nil
			break
		}
		sections = append(sections, v)
	}
	for _, v := range sections {
		seeds.Section(v)
	}
	m, err := seeds.Mean()
	return []stats.Measured{m}, err
}

// Slowdown makes a quantity of a percentile of the slowdowns of the flows of at least min and at most
// max bytes.
func Slowdown(name string, p float64, min, max unit.Bytes) Quantity {
	return paired(atLeast(1, name, func(t *Trial) (float64, int, error) {
		list := t.slowdowns(min, max)
		if len(list) == 0 {
			return 0, 0, nil
		}
		return stats.Percentile(list, p), len(list), nil
	}))
}

// slowdowns returns the sorted slowdowns of the flows of at least min and at most max bytes.
func (t *Trial) slowdowns(min, max unit.Bytes) []float64 {
	var list []float64
	for _, x := range t.Points {
		if x.Size >= min && x.Size <= max && !math.IsNaN(x.Slowdown) {
			list = append(list, x.Slowdown)
		}
	}
	slices.Sort(list)
	return list
}

// MeanSlowdown makes a quantity of the mean slowdown of all flows.
func MeanSlowdown(name string) Quantity {
	return paired(atLeast(1, name, func(t *Trial) (float64, int, error) {
		sum, n := 0.0, 0
		for _, x := range t.Points {
			if !math.IsNaN(x.Slowdown) {
				sum, n = sum+x.Slowdown, n+1
			}
		}
		return sum / float64(n), n, nil
	}))
}

// BySize makes a quantity of a percentile of the slowdowns in buckets of flow sizes. Buckets are of all
// flows, so that schemes have the same ones even if a flow of one has no completion time.
func BySize(name string, p float64, buckets int) Quantity {
	return paired(Quantity{Name: name, Of: func(trials []*Trial) ([]stats.Measured, error) {
		return stats.BySizeSectioned(points(trials), points(trials[0].Sections), buckets, p, cmp.Or(trials[0].level, stats.Level))
	}})
}

func points(trials []*Trial) [][]stats.Point {
	return lists.Map(trials, func(t *Trial) []stats.Point { return t.Points })
}

// MeanFCT makes a quantity of the mean completion time of all flows, in s.
func MeanFCT(name string) Quantity {
	return paired(Number(name, func(t *Trial) (float64, int, error) {
		f := stats.FCT(t.Flows, t.Window, 0, stats.AnySize)
		return f.Mean, f.N, nil
	}))
}

// Goodput makes a quantity of the mean goodput of the long flows of an entry, in b/s.
func Goodput(name string) Quantity {
	return paired(Number(name, func(t *Trial) (float64, int, error) {
		g := stats.LongFlows(t.Flows, t.Window, t.Entry.Long)
		return g.Mean, g.N, nil
	}))
}

// SentAgain makes a quantity of the share of the data packets that are sent a second time. Estimates have none.
func SentAgain(name string) Quantity {
	return Number(name, func(t *Trial) (float64, int, error) {
		sent, again := 0.0, 0.0
		n := 0
		for f := range t.Flows.All() {
			if t.Window.Contains(f.Start) && f.Packets != store.Unknown {
				sent, again, n = sent+float64(f.Packets), again+float64(f.Retransmitted), n+1
			}
		}
		return again / sent, n, nil
	})
}

// FlowByFlow makes a quantity of the mean, over the long flows of an entry, of their goodput over that of
// the same flow with another scheme. It has no number for a scheme alone.
func FlowByFlow(name string) Quantity {
	return paired(Quantity{Name: name, Over: func(own, against []*Trial) ([]stats.Measured, error) {
		return mean(own, 0, func(t *Trial, seed int) (float64, int, error) {
			return flowByFlow(t, against[seed].Flows)
		})
	}})
}

func flowByFlow(t *Trial, base *store.Flows) (mean float64, n int, err error) {
	ours, theirs, err := stats.Match(t.Flows, base, t.Entry.Source != nil && t.Entry.Source.Job >= 0)
	if err != nil {
		return 0, 0, err
	}
	begun := map[int64]bool{}
	for f := range t.Flows.All() {
		begun[f.ID] = t.Window.Contains(f.Start)
	}
	sum := 0.0
	for i := range ours {
		if ours[i].Size > t.Entry.Long && begun[ours[i].ID] {
			// Equal sizes and paths: goodputs are to each other as slowdowns inverted.
			sum += theirs[i].Slowdown / ours[i].Slowdown
			n++
		}
	}
	return sum / float64(n), n, nil
}

// Late makes a quantity of the flows of the second half of the arrivals.
func Late(name string, q Quantity) Quantity {
	return of(name, q, (*Trial).late)
}

// Class makes a quantity of the flows of one class: 1 are those of incasts, 0 all others.
func Class(class int, q Quantity) Quantity {
	return of(q.Name, q, func(t *Trial) *Trial { return t.only(func(f *store.FlowRecord) bool { return int(f.Class) == class }) })
}

// of makes a quantity of parts of the trials.
func of(name string, q Quantity, part func(*Trial) *Trial) Quantity {
	parts := func(trials []*Trial) (list []*Trial) {
		for _, t := range trials {
			list = append(list, part(t))
		}
		return list
	}
	made := q
	made.Name = name
	if q.Of != nil {
		made.Of = func(trials []*Trial) ([]stats.Measured, error) { return q.Of(parts(trials)) }
	}
	if q.Over != nil {
		made.Over = func(own, against []*Trial) ([]stats.Measured, error) { return q.Over(parts(own), parts(against)) }
	}
	return made
}

func paired(q Quantity) Quantity {
	q.Paired = true
	return q
}
