package show

import (
	"cmp"
	"errors"
	"slices"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/store"
	"pintlab/experiments/sim"
)

// jobView contains the jobs of some runs.
type jobView struct {
	jobs  []jobRow
	lanes []lanes // by run and job
	links [][]link
	runs  []string
}

// jobRow is a line of jobs.csv.
type jobRow struct {
	Run      string  `col:"run"`
	Job      string  `col:"job"`
	Group    string  `col:"group"`
	Ranks    int     `col:"ranks"`
	Count    int     `col:"count"`
	Bytes    float64 `col:"bytes" unit:"B"`
	Time     float64 `col:"time" unit:"s"`
	Exposed  float64 `col:"exposed" unit:"s"`
	Alg      float64 `col:"algorithm bandwidth" unit:"b/s"`
	Bus      float64 `col:"bus bandwidth" unit:"b/s"`
	Least    float64 `col:"least" unit:"b/s"`
	Most     float64 `col:"most" unit:"b/s"`
	Slowest  string  `col:"slowest rank"`
	LastFlow string  `col:"last flow"`
	Link     string  `col:"busiest link"`
	Use      float64 `col:"use" unit:"%"`
	Queue    string  `col:"queue"`
	Queued   float64 `col:"longest wait" unit:"s"`
}

// lanes contains the time spans of the ranks of a job.
type lanes struct {
	run, job string
	hosts    []string // by rank
	groups   []string // in order of first use; "compute" comes first
	spans    map[string][][]span
	end      float64 // end of the timeline in s
}

// span is a time interval in s.
type span struct{ from, to float64 }

// link is a line of links.csv.
type link struct {
	from, to  string
	low, high int // layers of the two nodes
	use, wait float64
}

// compute is the group of computations.
const compute = "compute"

// readJobs reads the jobs of runs; names are the runs' names. It returns nil if no run has jobs.
func readJobs(runs []*campaign.Run, names []string) (*jobView, error) {
	v := &jobView{runs: names, links: make([][]link, len(runs))}
	for i, r := range runs {
		if !slices.ContainsFunc(r.Manifest.Files, func(f store.File) bool { return f.Name == sim.LinksFile }) {
			continue
		}
		err := errors.Join(
			r.Lines(sim.JobsFile, func(l *columns.Line) { v.jobs = append(v.jobs, job(names[i], l)) }),
			r.Lines(sim.TasksFile, func(l *columns.Line) { v.task(names[i], l) }),
			r.Lines(sim.LinksFile, func(l *columns.Line) {
				v.links[i] = append(v.links[i], link{l.Text("from"), l.Text("to"), int(l.Number("from_layer")),
					int(l.Number("to_layer")), 100 * l.Number("use"), l.Number("longest_wait_ps") / 1e12})
			}),
		)
		if err != nil {
			return nil, err
		}
	}
	if v.jobs == nil {
		return nil, nil
	}
	for i := range v.lanes {
		v.lanes[i].settle()
	}
	return v, nil
}

// job reads a line of jobs.csv.
func job(run string, c *columns.Line) jobRow {
	return jobRow{
		Run: run, Job: c.Text("job"), Group: c.Text("group"), Ranks: int(c.Number("ranks")), Count: 1,
		Bytes: c.Maybe("bytes"),
		Time:  (c.Maybe("end_ps") - c.Maybe("begin_ps")) / 1e12, Exposed: c.Maybe("exposed_ps") / 1e12,
		Alg: c.Maybe("algorithm_bps"), Bus: c.Maybe("bus_bps"),
		Slowest: c.Text("slowest_rank"), LastFlow: c.Text("last_flow"), Link: c.Text("busiest_link"),
		Use:   100 * c.Maybe("link_use"),
		Queue: c.Text("queue"), Queued: c.Maybe("queued_ps") / 1e12,
	}
}

// task adds a line of tasks.csv. A computation belongs to its rank. A message belongs to its source until the ACK
// arrives, and to its destination until the message arrives.
func (v *jobView) task(run string, c *columns.Line) {
	job := c.Text("job")
	if n := len(v.lanes); n == 0 || v.lanes[n-1].job != job || v.lanes[n-1].run != run {
		v.lanes = append(v.lanes, lanes{run: run, job: job, spans: map[string][][]span{}})
	}
	l := &v.lanes[len(v.lanes)-1]
	rank, begin, done := int(c.Number("rank")), c.Maybe("begin_ps")/1e12, c.Maybe("done_ps")/1e12
	for len(l.hosts) <= rank {
		l.hosts = append(l.hosts, "")
	}
	l.hosts[rank] = c.Text("host")
	group := c.Text("group")
	switch c.Text("kind") {
	case "computation":
		l.add(compute, rank, begin, done)
	case "message":
		if group == "" || group == compute {
			group = "messages"
		}
		l.add(group, rank, begin, done)
		l.add(group, int(c.Number("peer")), begin, c.Maybe("arrived_ps")/1e12)
	}
}

// add adds a span to a lane, unless it has not ended.
func (l *lanes) add(group string, rank int, from, to float64) {
	if !(to > from) {
		return
	}
	if l.spans[group] == nil {
		l.groups = append(l.groups, group)
	}
	for len(l.spans[group]) <= rank {
		l.spans[group] = append(l.spans[group], nil)
	}
	l.spans[group][rank] = append(l.spans[group][rank], span{from, to})
	l.end = max(l.end, to)
}

// settle merges spans of the same lane that overlap or are closer than a drawing can show.
func (l *lanes) settle() {
	for _, ranks := range l.spans {
		for rank, list := range ranks {
			slices.SortFunc(list, func(a, b span) int { return cmp.Compare(a.from, b.from) })
			var joined []span
			for _, s := range list {
				if n := len(joined); n > 0 && s.from <= joined[n-1].to+l.end/1000 {
					joined[n-1].to = max(joined[n-1].to, s.to)
				} else {
					joined = append(joined, s)
				}
			}
			ranks[rank] = joined
		}
	}
	if i := slices.Index(l.groups, compute); i > 0 {
		l.groups = slices.Insert(slices.Delete(l.groups, i, i+1), 0, compute)
	}
}
