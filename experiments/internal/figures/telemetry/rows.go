package telemetry

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"strings"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/pint"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/scenario"
	"pintlab/internal/lists"
)

// systemRow is a line of rows.csv: the results of a system in a setting, as means over the seeds. A number is missing
// if the system cannot answer the question, or if the cost is unknown.
type systemRow struct {
	Table    string  `col:"table"` // settings, bytes, memory, periods or faults
	Fault    string  `col:"fault"` // kind of fault, or all; "" in other tables
	Control  string  `col:"control"`
	Workload string  `col:"workload"`
	Load     int     `col:"load" unit:"%"`
	Budget   float64 `col:"budget" unit:"B"` // budget of the table
	System   string  `col:"system"`
	linkCosts
	switchCost
	traffic
	answers
	located
	Flows int `col:"flows"` // flows measured in the seed with the fewest; for faults, the victims in all seeds
	Seeds int `col:"seeds"`
}

// traffic is the effect of a system on the flows. Each number is a ratio to the number with the system "none" and the
// same flows and paths. It is a geometric mean over the seeds with a 95 % interval.
type traffic struct {
	P50     stats.Number `col:"p50,p50 lo,p50 hi"`
	P95     stats.Number `col:"p95,p95 lo,p95 hi"`
	P99     stats.Number `col:"p99,p99 lo,p99 hi"`
	Goodput stats.Number `col:"goodput,goodput lo,goodput hi"` // goodput of long flows
}

// trafficMeasures lists the measures of the fields of traffic, in the same order.
var trafficMeasures = []study.Measure{
	study.Slowdown("p50", 0.50, 0, stats.AnySize), study.Slowdown("p95", 0.95, 0, stats.AnySize),
	study.Slowdown("p99", 0.99, 0, stats.AnySize), study.Goodput("goodput"),
}

// questionOf returns the question of a run for the judge.
func questionOf(r *campaign.Run) question {
	_, window := r.Scenario.Workload[0].Traffic().Span()
	for _, w := range []workload{web, hadoop, testbed} {
		if w.Preset == r.Base {
			return question{Window: window, Heavy: int64(w.heavy)}
		}
	}
	panic("telemetry: a run of another workload: " + r.Base)
}

// measure makes the rows.
func (c *comparison) measure(ctx context.Context, j *figure.Job, z setup) ([]systemRow, error) {
	points := z.points(c.systems)
	all := study.Study{
		Cells: lists.Map(points, point.cell), Seeds: j.SeedList(z.seeds), Measures: trafficMeasures,
	}
	// The run directories also contain the answers, so other figures cannot share these directories.
	options := j.Campaign
	defer func() { j.Campaign = options }()
	j.Campaign.Dir = filepath.Join(options.Dir, "answers")
	j.Campaign.Observe = func(r *campaign.Run) campaign.Observer { return observer(questionOf(r)) }
	done, err := all.Run(ctx, j)
	if err != nil {
		return nil, err
	}
	tell(j, z, done.Scenario(all.Cells[0]), len(all.Seeds))
	switches, err := laidOut()
	if err != nil {
		return nil, err
	}
	rows, err := lists.Try(points, func(p point) (systemRow, error) {
		row, err := p.row(done)
		row.switchCost = switches.of(&p)
		return row, err
	})
	if err != nil || len(j.Set) > 0 { // --set applies to the large network; the small one may lack its keys
		return rows, err
	}
	located, err := c.located(ctx, j, z)
	return append(rows, located...), err
}

// place identifies a network, traffic and control with which systems are compared.
type place struct {
	control, workload string
	load              int
}

func (p place) String() string { return fmt.Sprintf("%s, %s at %d %%", p.control, p.workload, p.load) }

func (p *point) place() place { return place{p.control.name, p.workload.Name, p.load} }

// row returns the row of a point, from the results of its runs.
func (p *point) row(done *study.Results) (systemRow, error) {
	r := columns.Blank[systemRow]()
	r.Table, r.Control, r.Workload, r.Load, r.System = p.table, p.control.name, p.workload.Name, p.load, p.system.name
	if p.budget > 0 {
		r.Budget = p.budget
	}
	cell := p.cell()
	var costs []linkCosts
	var found []answers
	for _, run := range done.Runs(cell) {
		c, a, err := readJudged(run)
		if err != nil {
			return r, err
		}
		costs, found = append(costs, c), append(found, a)
	}
	r.linkCosts, r.answers = mean(costs), mean(found)
	slowdown, err := done.One(cell, trafficMeasures[0].Name)
	if err != nil {
		return r, err
	}
	r.Flows, r.Seeds = slowdown.Flows, slowdown.Seeds
	for i, to := range []*stats.Number{&r.P50, &r.P95, &r.P99, &r.Goodput} {
		ratio, err := done.Ratio(cell, systems[0].name, trafficMeasures[i].Name)
		if err != nil {
			return r, err
		}
		if len(ratio) > 0 { // otherwise there is no long flow
			*to = ratio[0].Number
		}
	}
	return r, nil
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

// tell adds the settings of the systems and windows to the job.
func tell(j *figure.Job, z setup, sc *scenario.Scenario, seeds int) {
	pint.Settings(j, sc)
	j.Setting("feedback of HPCC", "", "as from INT, but at no cost in bytes, unless INT or CSIG is the compared "+
		"system")
	j.Setting("DCTCP", "HPCC's published simulator", "rate form, marks from 300 KB at 100 Gb/s; "+
		"bytes of INT are on its packets, and nobody reads them")
	for i, w := range z.workloads {
		s := setting{z.controls[0], z.windows[i], w.heavy, false}
		for _, x := range systems {
			if set := x.set(s, x.knob); x.monitor != "" {
				j.Setting(x.name+", "+w.Name, "", "%s", set[0])
			}
		}
		j.Setting("window, "+w.Name, "", "the first %v; systems go on collecting for as long afterwards. A heavy "+
			"flow has %d packets in the window; long flows have more than %s", z.windows[i], w.heavy,
			figure.Size(w.long))
	}
	var lasts []string
	for i, w := range z.workloads {
		lasts = append(lasts, fmt.Sprintf("%v (%s)", z.windows[i], w.Name))
	}
	j.Footnote("320-server fat tree, windows of %s, %s; each system collects for as long again before it "+
		"answers about the window", strings.Join(lasts, " and "), figure.Count(seeds, "seed"))
}
