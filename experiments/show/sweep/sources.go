package sweep

import (
	"math"
	"slices"
	"strings"

	"pintlab/experiments/campaign"
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/jobs"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/experiments/sim"
	"pintlab/plots"
)

// part is what a number is about: all flows of a run, or the flows and the job of one entry of its workload.
type part struct {
	flows   *store.Flows
	summary *store.Summary
	job     *jobs.Job // nil for an entry that is not a job
}

// jobMeasures are the numbers of a job.
var jobMeasures = []column{
	ofJob("job_time", "s", "Job completion time", func(j *jobs.Job) float64 { return j.Time }),
	ofJob("exposed", "s", "Exposed communication", func(j *jobs.Job) float64 { return j.Exposed }),
	ofJob("collective_time", "s", "Collective completion time",
		func(j *jobs.Job) float64 { time, _, _ := j.Mean(nil); return time }),
	ofJob("bus_bandwidth", "b/s", "Bus bandwidth", func(j *jobs.Job) float64 { _, bus, _ := j.Mean(nil); return bus }),
}

func ofJob(name, unit, title string, of func(*jobs.Job) float64) column {
	return column{Column: plots.Real(name, unit), title: title, shown: true, of: func(p *part) float64 {
		if p.job == nil {
			return math.NaN()
		}
		return of(p.job)
	}}
}

// sourceFlows is the number of the flows of an entry.
var sourceFlows = column{Column: plots.Real("flows", ""), title: "Flows", of: func(p *part) float64 {
	counted, _ := stats.Points(p.flows, stats.Everything())
	return float64(len(counted))
}}

// source is an entry of the workload in the rows.
type source struct {
	name string
	job  bool
}

// sourcesOf returns the entries of the workloads of all runs, each once. It is a job if it is one in some run.
func sourcesOf(specs []campaign.Spec) ([]source, error) {
	var list []source
	for _, spec := range specs {
		sc, err := spec.Scenario()
		if err != nil {
			return nil, err
		}
		found, err := sim.Sources(sc)
		if err != nil {
			return nil, err
		}
		for _, s := range found {
			x := source{columnName(s.Name), s.Job >= 0}
			if at := slices.IndexFunc(list, func(o source) bool { return o.name == x.name }); at >= 0 {
				list[at].job = list[at].job || x.job
			} else {
				list = append(list, x)
			}
		}
	}
	return list, nil
}

func columnName(name string) string { return strings.ReplaceAll(name, " ", "_") }

// sourceColumns returns the columns of the entries. The numbers of flows are those of all flows if there is one entry.
func sourceColumns(sources []source) []column {
	var list []column
	for _, s := range sources {
		of := slices.Clone(flowMeasures)
		of = append(of, sourceFlows)
		if len(sources) == 1 {
			of = nil
		}
		if s.job {
			of = append(of, jobMeasures...)
		}
		for _, c := range of {
			if len(sources) > 1 {
				c = c.ofSource(s.name)
			}
			list = append(list, c)
		}
	}
	return list
}

// ofSource returns the column of one entry of several.
func (c column) ofSource(source string) column {
	c.source, c.Name, c.title = source, source+"_"+c.Name, c.title+", "+source
	return c
}

// partsOf returns the parts of a run by the names of their entries.
func partsOf(run *campaign.Run, flows *store.Flows) (map[string]*part, error) {
	sources, err := sim.Sources(run.Scenario)
	if err != nil {
		return nil, err
	}
	list, err := jobs.Read(run)
	if err != nil {
		return nil, err
	}
	var owner []uint16
	if len(sources) > 1 {
		if owner, err = sim.FlowSources(run.Scenario); err != nil {
			return nil, err
		}
	}
	parts := map[string]*part{}
	for _, s := range sources {
		p := &part{flows: flows, summary: &run.Manifest.Summary}
		if len(sources) > 1 {
			p.flows = &store.Flows{}
			for f := range flows.All() {
				if int(owner[f.ID]) == s.Index {
					p.flows.Append(*f)
				}
			}
		}
		if s.Job >= 0 && s.Job < len(list) {
			p.job = &list[s.Job]
		}
		parts[columnName(s.Name)] = p
	}
	return parts, nil
}

// storedSources returns the columns of entries and jobs in a table of rows. Settings are text, whatever their names.
func storedSources(t *plots.Table) []column {
	var list []column
	for _, stored := range t.Columns() {
		if stored.Kind != plots.Float {
			continue
		}
		for _, c := range slices.Concat(flowMeasures, []column{sourceFlows}, jobMeasures) {
			name, ok := strings.CutSuffix(stored.Name, "_"+c.Name)
			switch {
			case ok && !slices.Contains(classes, name):
				list = append(list, c.ofSource(name))
			case stored.Name == c.Name &&
				slices.ContainsFunc(jobMeasures, func(j column) bool { return j.Name == c.Name }):
				list = append(list, c)
			}
		}
	}
	return list
}

// several reports whether the columns are of several entries.
func several(sources []column) bool {
	return slices.ContainsFunc(sources, func(c column) bool { return c.source != "" })
}

// sourceTable returns a table with a line for each combination and entry that has some of the numbers, or none. some
// ends the caption if only some of the seeds have a number.
func sourceTable(t *plots.Table, axes []string, list []group, caption, some string, of []column) ([]figure.Table,
	error) {
	type line struct {
		group
		source string
	}
	stored := storedSources(t)
	values := map[string][]float64{}
	var sources []string
	for _, c := range stored {
		v, err := t.Reals(c.Name)
		if err != nil {
			return nil, err
		}
		if values[c.Name] = v; !slices.Contains(sources, c.source) {
			sources = append(sources, c.source)
		}
	}
	named := func(l line, c column) []float64 {
		if l.source != "" {
			c = c.ofSource(l.source)
		}
		return values[c.Name]
	}
	var lines []line
	for _, g := range list {
		for _, s := range sources {
			l := line{g, s}
			if slices.ContainsFunc(of, func(c column) bool {
				v := named(l, c)
				return v != nil && slices.ContainsFunc(g.rows, func(r int) bool { return v[r] > 0 })
			}) {
				lines = append(lines, l)
			}
		}
	}
	if len(lines) == 0 {
		return nil, nil
	}
	cells := labels(axes, func(l line) group { return l.group })
	if several(stored) {
		cells = append(cells, figure.Text("of", func(l line) string { return l.source }))
	}
	missing := ""
	for _, c := range of {
		cells = append(cells, figure.Text(c.title, func(l line) string {
			v := named(l, c)
			if v == nil {
				return "–"
			}
			return number(c, v, named(l, sourceFlows), l.rows)
		}))
		if slices.ContainsFunc(lines, func(l line) bool { return partly(named(l, c), l.rows) }) {
			missing = some
		}
	}
	caption += missing
	return []figure.Table{figure.Lines(caption, lines, cells...)}, nil
}

// sourceTables returns the tables of jobs and of the entries of the workload.
func sourceTables(t *plots.Table, axes []string, list []group) ([]figure.Table, error) {
	jobs, err := sourceTable(t, axes, list, "Jobs, means over the seeds with 95 % intervals: completion time, "+
		"the part of it that computations alone would not take, "+
		"and the mean completion time and bus bandwidth of collectives.", ofJobs, jobMeasures)
	if err != nil || !several(storedSources(t)) {
		return jobs, err
	}
	of := figure.Pick(append([]column{sourceFlows}, flowMeasures...),
		func(c *column) bool { return c.Name != "p50_slowdown" })
	flows, err := sourceTable(t, axes, list, "Flows of each entry of the workload, means over the seeds with 95 % "+
		"intervals; ~ marks percentiles of too few flows.", ofSeeds, of)
	return append(jobs, flows...), err
}

// pooled returns the numbers of whole runs. Those of flows are omitted if the workload has several entries: a mean over
// incast and other flows depends on the share of each.
func pooled(t *plots.Table) []column {
	if several(storedSources(t)) {
		return slices.Clone(measures[len(flowMeasures):])
	}
	return slices.Clone(measures)
}
