package sidebyside

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"strings"

	"pintlab/experiments/campaign"
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/answers"
	"pintlab/experiments/measure/congestion"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
)

// Row is a line of rows.csv: a system in a setting, means over the seeds. Empty cells are questions that the
// system cannot answer, or costs that nobody knows.
type Row struct {
	Table    string  `col:"table"` // settings, bytes, memory, periods or faults
	Fault    string  `col:"fault"` // its kind, or all; "" in other tables
	Control  string  `col:"control"`
	Workload string  `col:"workload"`
	Load     int     `col:"load" unit:"%"`
	Budget   float64 `col:"budget" unit:"B"` // of the table
	System   string  `col:"system"`
	answers.Costs
	Switch
	Traffic
	answers.Answers
	Located
	Flows int `col:"flows"` // measured, in the seed that has the fewest; of faults, the victims in all seeds
	Seeds int `col:"seeds"`
}

// Traffic is the cost of a system for the flows: ratios to none on the same flows and paths, geometric means over the
// seeds with 95 % intervals.
type Traffic struct {
	P50       float64 `col:"p50"`
	P50Lo     float64 `col:"p50 lo"`
	P50Hi     float64 `col:"p50 hi"`
	P95       float64 `col:"p95"`
	P95Lo     float64 `col:"p95 lo"`
	P95Hi     float64 `col:"p95 hi"`
	P99       float64 `col:"p99"`
	P99Lo     float64 `col:"p99 lo"`
	P99Hi     float64 `col:"p99 hi"`
	Goodput   float64 `col:"goodput"` // of long flows
	GoodputLo float64 `col:"goodput lo"`
	GoodputHi float64 `col:"goodput hi"`
}

// measures of the flows of a run.
type measures struct{ p50, p95, p99, goodput float64 }

func measured(f *store.Flows, w workload) (m measures, n int, err error) {
	points, _ := stats.Points(f, stats.Everything())
	table, err := stats.Table(points, 1)
	if err != nil {
		return m, 0, err
	}
	g := stats.LongFlows(f, stats.Everything(), w.long)
	m = measures{table[0].P50, table[0].P95, table[0].P99, math.NaN()}
	if g.N > 0 {
		m.goodput = g.Mean
	}
	return m, len(points), nil
}

// comparison is which systems are compared.
type comparison struct{ systems []*system }

// question returns the question of a run.
func question(r *campaign.Run) answers.Question {
	_, window := r.Scenario.Workload[0].Traffic().Span()
	for _, w := range []workload{web, hadoop, testbed} {
		if w.Preset == r.Base {
			return answers.Question{Window: window, Heavy: int64(w.heavy)}
		}
	}
	panic("sidebyside: a run of another workload: " + r.Base)
}

// rowsOf makes the rows.
func (c *comparison) rowsOf(ctx context.Context, j *figure.Job, z Scale) ([]Row, error) {
	seeds := j.SeedList(z.seeds)
	points := z.points(c.systems)
	var specs []campaign.Spec
	for i := range points {
		for _, seed := range seeds {
			specs = append(specs, points[i].spec(seed))
		}
	}
	// The answers lie in the run directories, so these are not shared with other figures.
	options := j.Campaign
	defer func() { j.Campaign = options }()
	j.Campaign.Dir = filepath.Join(options.Dir, "answers")
	j.Campaign.Observe = func(r *campaign.Run) campaign.Observer { return answers.Observer(question(r)) }
	runs, err := j.Simulate(ctx, specs)
	if err != nil {
		return nil, err
	}
	settings(j, z, &runs[0].Scenario, len(seeds))
	switches, err := laidOut()
	if err != nil {
		return nil, err
	}
	var rows []Row
	base := map[place][]measures{}
	for i := range points {
		p := &points[i]
		row, own, err := p.row(runs[i*len(seeds):(i+1)*len(seeds)], base)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", runs[i*len(seeds)].Label, err)
		}
		if at := p.place(); base[at] == nil {
			base[at] = own // the first is none
		}
		row.Switch = switches.of(p)
		rows = append(rows, row)
	}
	if len(j.Set) > 0 { // it is for the large network, and may name keys that the small one has not
		return rows, nil
	}
	located, err := c.located(ctx, j, z)
	return append(rows, located...), err
}

// place is where systems are compared.
type place struct {
	control, workload string
	load              int
}

func (p *point) place() place { return place{p.control.name, p.workload.Name, p.load} }

// row returns the row of a point, and what the flows of each seed had.
func (p *point) row(runs []*campaign.Run, base map[place][]measures) (Row, []measures, error) {
	r := Row{
		Table: p.table, Control: p.control.name, Workload: p.workload.Name, Load: p.load, Budget: math.NaN(),
		System:  p.system.name,
		Located: mean[Located](nil), Flows: math.MaxInt, Seeds: len(runs),
	}
	if p.budget > 0 {
		r.Budget = p.budget
	}
	var own []measures
	var costs []answers.Costs
	var told []answers.Answers
	for _, run := range runs {
		c, a, err := answers.Read(run)
		if err != nil {
			return r, nil, err
		}
		costs, told = append(costs, c), append(told, a)
		flows, err := run.Counted()
		if err != nil {
			return r, nil, err
		}
		m, n, err := measured(flows, p.workload)
		if err != nil {
			return r, nil, err
		}
		own, r.Flows = append(own, m), min(r.Flows, n)
	}
	r.Costs, r.Answers = mean(costs), mean(told)
	first := base[p.place()]
	if first == nil {
		first = own
	}
	var err error
	r.Traffic, err = over(own, first)
	return r, own, err
}

// over returns the traffic of the same seeds with a system and without.
func over(own, none []measures) (t Traffic, err error) {
	for _, x := range []struct {
		of            func(measures) float64
		value, lo, hi *float64
	}{
		{func(m measures) float64 { return m.p50 }, &t.P50, &t.P50Lo, &t.P50Hi},
		{func(m measures) float64 { return m.p95 }, &t.P95, &t.P95Lo, &t.P95Hi},
		{func(m measures) float64 { return m.p99 }, &t.P99, &t.P99Lo, &t.P99Hi},
		{func(m measures) float64 { return m.goodput }, &t.Goodput, &t.GoodputLo, &t.GoodputHi},
	} {
		var a, b stats.PerSeed
		for i := range own {
			a.Add(x.of(own[i]), 1)
			b.Add(x.of(none[i]), 1)
		}
		*x.value, *x.lo, *x.hi = math.NaN(), math.NaN(), math.NaN()
		if v := x.of(own[0]) * x.of(none[0]); math.IsNaN(v) {
			continue // no long flow
		}
		m, err := a.Over(&b)
		if err != nil {
			return t, err
		}
		*x.value, *x.lo, *x.hi = m.Value, m.Lo, m.Hi
	}
	return t, nil
}

// mean returns the mean of each number over the seeds in which it is known.
func mean[T any](seeds []T) (m T) {
	to := reflect.ValueOf(&m).Elem()
	for i := range to.NumField() {
		sum, n := 0.0, 0
		for _, s := range seeds {
			if x := reflect.ValueOf(s).Field(i).Float(); !math.IsNaN(x) {
				sum += x
				n++
			}
		}
		to.Field(i).SetFloat(sum / float64(n)) // NaN of none
	}
	return m
}

// settings adds the configuration to the settings of the job.
func settings(j *figure.Job, z Scale, sc *scenario.Scenario, seeds int) {
	congestion.Settings(j, sc)
	j.Setting("feedback of HPCC", "", "that of INT at no cost in bytes, but where INT is the system that is compared")
	j.Setting("DCTCP", "HPCC's published simulator", "rate form, marks from 300 KB at 100 Gb/s; "+
		"bytes of INT are on its packets, and nobody reads them")
	for i, w := range z.workloads {
		s := setting{z.controls[0], z.windows[i], w.heavy, false}
		for _, x := range systems {
			if set := x.set(s, x.knob); x.monitor != "" {
				j.Setting(x.name+", "+w.Name, "", "%s", set[0])
			}
		}
		j.Setting("window, "+w.Name, "", "the first %v; systems collect for as long after it. "+
			"A heavy flow has %d packets in it; long flows have more than %s", z.windows[i], w.heavy,
			figure.Size(w.long))
	}
	var lasts []string
	for i, w := range z.workloads {
		lasts = append(lasts, fmt.Sprintf("%v (%s)", z.windows[i], w.Name))
	}
	j.Footnote("320-server fat tree, windows of %s, %s; systems say what they know of the window, "+
		"for which they collect as long again", strings.Join(lasts, " and "), figure.Count(seeds, "seed"))
}
