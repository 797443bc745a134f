package telemetry

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"strings"

	"pintlab/experiments/campaign"
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/monitors"
	"pintlab/experiments/measure/pint"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
)

// systemRow is a line of rows.csv: a system in a setting, means over the seeds. Empty cells are questions that the
// system cannot answer, or costs that nobody knows.
type systemRow struct {
	Table    string  `col:"table"` // settings, bytes, memory, periods or faults
	Fault    string  `col:"fault"` // its kind, or all; "" in other tables
	Control  string  `col:"control"`
	Workload string  `col:"workload"`
	Load     int     `col:"load" unit:"%"`
	Budget   float64 `col:"budget" unit:"B"` // of the table
	System   string  `col:"system"`
	monitors.Costs
	switchCost
	traffic
	monitors.Answers
	located
	Flows int `col:"flows"` // measured, in the seed that has the fewest; of faults, the victims in all seeds
	Seeds int `col:"seeds"`
}

// traffic is the cost of a system for the flows: ratios to none on the same flows and paths, geometric means over the
// seeds with 95 % intervals.
type traffic struct {
	P50     stats.Number `col:"p50,p50 lo,p50 hi"`
	P95     stats.Number `col:"p95,p95 lo,p95 hi"`
	P99     stats.Number `col:"p99,p99 lo,p99 hi"`
	Goodput stats.Number `col:"goodput,goodput lo,goodput hi"` // of long flows
}

// trip is what the flows of a run had: the numbers of traffic.
type trip [4]float64

func tripOf(f *store.Flows, w workload) (t trip, n int, err error) {
	points := stats.Points(f, stats.Everything())
	table, err := stats.Table(points, 1)
	if err != nil {
		return t, 0, err
	}
	g := stats.LongFlows(f, stats.Everything(), w.long)
	t = trip{table[0].P50, table[0].P95, table[0].P99, math.NaN()}
	if g.N > 0 {
		t[3] = g.Mean
	}
	return t, len(points), nil
}

// question returns the question of a run.
func question(r *campaign.Run) monitors.Question {
	_, window := r.Scenario.Workload[0].Traffic().Span()
	for _, w := range []workload{web, hadoop, testbed} {
		if w.Preset == r.Base {
			return monitors.Question{Window: window, Heavy: int64(w.heavy)}
		}
	}
	panic("telemetry: a run of another workload: " + r.Base)
}

// measure makes the rows.
func (c *comparison) measure(ctx context.Context, j *figure.Job, z setup) ([]systemRow, error) {
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
	j.Campaign.Observe = func(r *campaign.Run) campaign.Observer { return monitors.Observer(question(r)) }
	runs, err := j.Simulate(ctx, specs)
	if err != nil {
		return nil, err
	}
	tell(j, z, &runs[0].Scenario, len(seeds))
	switches, err := laidOut()
	if err != nil {
		return nil, err
	}
	var rows []systemRow
	base := map[place][]trip{}
	for i := range points {
		p := &points[i]
		row, own, err := p.row(runs[i*len(seeds):(i+1)*len(seeds)], base)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", runs[i*len(seeds)].Label, err)
		}
		if at := p.place(); base[at] == nil {
			base[at] = own // the first is none
		}
		row.switchCost = switches.of(p)
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

func (p place) String() string { return fmt.Sprintf("%s, %s at %d %%", p.control, p.workload, p.load) }

func (p *point) place() place { return place{p.control.name, p.workload.Name, p.load} }

// row returns the row of a point, and what the flows of each seed had.
func (p *point) row(runs []*campaign.Run, base map[place][]trip) (systemRow, []trip, error) {
	r := columns.Blank[systemRow]()
	r.Table, r.Control, r.Workload, r.Load, r.System = p.table, p.control.name, p.workload.Name, p.load, p.system.name
	r.Flows, r.Seeds = math.MaxInt, len(runs)
	if p.budget > 0 {
		r.Budget = p.budget
	}
	var own []trip
	var costs []monitors.Costs
	var told []monitors.Answers
	for _, run := range runs {
		c, a, err := monitors.Read(run)
		if err != nil {
			return r, nil, err
		}
		costs, told = append(costs, c), append(told, a)
		flows, err := run.Counted()
		if err != nil {
			return r, nil, err
		}
		m, n, err := tripOf(flows, p.workload)
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
	r.traffic, err = over(own, first)
	return r, own, err
}

// over returns the traffic of the same seeds with a system and without.
func over(own, none []trip) (t traffic, err error) {
	for i, to := range []*stats.Number{&t.P50, &t.P95, &t.P99, &t.Goodput} {
		var a, b stats.PerSeed
		for seed := range own {
			a.Add(own[seed][i], 1)
			b.Add(none[seed][i], 1)
		}
		if *to = stats.None(); math.IsNaN(own[0][i] * none[0][i]) {
			continue // no long flow
		}
		if *to, err = a.Over(&b); err != nil {
			return t, err
		}
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

// tell adds the configuration to the settings of the job.
func tell(j *figure.Job, z setup, sc *scenario.Scenario, seeds int) {
	pint.Settings(j, sc)
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
