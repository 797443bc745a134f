// Package jobview shows the jobs of runs: what each rank did when, bus bandwidth by size, the use of links.
package jobview

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"pintlab/experiments/campaign"
	"pintlab/experiments/results/store"
	"pintlab/experiments/sim"
	"pintlab/internal/input"
)

// View is the jobs of some runs.
type View struct {
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

// lanes are what the ranks of a job did.
type lanes struct {
	run, job string
	hosts    []string // by rank
	groups   []string // in order of first use; "compute" first
	spans    map[string][][]span
	end      float64 // s
}

// span is a stretch of time, in s.
type span struct{ from, to float64 }

// link is a line of links.csv.
type link struct {
	from, to  string
	low, high int // layers
	use, wait float64
}

// compute is the group of computations.
const compute = "compute"

// Read reads the jobs of runs, which have the given names. It returns nil if no run has any.
func Read(runs []*campaign.Run, names []string) (*View, error) {
	v := &View{runs: names, links: make([][]link, len(runs))}
	for i, r := range runs {
		if !slices.ContainsFunc(r.Manifest.Files, func(f store.File) bool { return f.Name == sim.LinksFile }) {
			continue
		}
		err := errors.Join(
			lines(r, sim.JobsFile, func(c cells) { v.jobs = append(v.jobs, c.job(names[i])) }),
			lines(r, sim.TasksFile, func(c cells) { v.task(names[i], c) }),
			lines(r, sim.LinksFile, func(c cells) {
				v.links[i] = append(v.links[i], link{c.text("from"), c.text("to"), int(c.number("from_layer")), int(c.number("to_layer")), 100 * c.number("use"), c.number("longest_wait_ps") / 1e12})
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

// cells is a line of a file: its columns by name, and the first of its errors.
type cells struct {
	at     map[string]int
	record []string
	err    *error
}

// lines calls use for each line of a file of a run, which must be the one that the run wrote.
func lines(r *campaign.Run, name string, use func(cells)) error {
	if err := r.Manifest.Check(r.Dir, name); err != nil {
		return err
	}
	path := filepath.Join(r.Dir, name)
	f, err := input.Open(path, input.Flows)
	if err != nil {
		return err
	}
	defer f.Close()
	in := csv.NewReader(f)
	in.ReuseRecord = true
	var wrong error
	c := cells{at: map[string]int{}, err: &wrong}
	for line := 0; ; line++ {
		switch c.record, err = in.Read(); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", path, err)
		case line == 0:
			for i, name := range c.record {
				c.at[name] = i
			}
			continue
		}
		if use(c); wrong != nil {
			return fmt.Errorf("%s:%d: %w", path, line+1, wrong)
		}
	}
}

// Each calls use for each line of a table of a run, with what reads its columns.
func Each(r *campaign.Run, name string, use func(text func(column string) string, number func(column string) float64)) error {
	return lines(r, name, func(c cells) { use(c.text, c.number) })
}

func (c cells) text(column string) string {
	i, ok := c.at[column]
	if !ok {
		*c.err = fmt.Errorf("no column %q: the run is of another version of pintlab; make it again", column)
		return ""
	}
	return c.record[i]
}

// number returns a number, NaN for an empty cell.
func (c cells) number(column string) float64 {
	text := c.text(column)
	if text == "" {
		return math.NaN()
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		*c.err = fmt.Errorf("column %q: %w", column, err)
	}
	return v
}

// job reads a line of jobs.csv.
func (c cells) job(run string) jobRow {
	return jobRow{
		Run: run, Job: c.text("job"), Group: c.text("group"), Ranks: int(c.number("ranks")), Count: 1, Bytes: c.number("bytes"),
		Time: (c.number("end_ps") - c.number("begin_ps")) / 1e12, Exposed: c.number("exposed_ps") / 1e12, Alg: c.number("algorithm_bps"), Bus: c.number("bus_bps"),
		Slowest: c.text("slowest_rank"), LastFlow: c.text("last_flow"), Link: c.text("busiest_link"), Use: 100 * c.number("link_use"),
		Queue: c.text("queue"), Queued: c.number("queued_ps") / 1e12,
	}
}

// task adds a line of tasks.csv: a computation to its rank, a message to its source until it has its ACK and to its
// destination until it has come.
func (v *View) task(run string, c cells) {
	job := c.text("job")
	if n := len(v.lanes); n == 0 || v.lanes[n-1].job != job || v.lanes[n-1].run != run {
		v.lanes = append(v.lanes, lanes{run: run, job: job, spans: map[string][][]span{}})
	}
	l := &v.lanes[len(v.lanes)-1]
	rank, begin, done := int(c.number("rank")), c.number("begin_ps")/1e12, c.number("done_ps")/1e12
	for len(l.hosts) <= rank {
		l.hosts = append(l.hosts, "")
	}
	l.hosts[rank] = c.text("host")
	group := c.text("group")
	switch c.text("kind") {
	case "computation":
		l.add(compute, rank, begin, done)
	case "message":
		if group == "" || group == compute {
			group = "messages"
		}
		l.add(group, rank, begin, done)
		l.add(group, int(c.number("peer")), begin, c.number("arrived_ps")/1e12)
	}
}

// add adds a stretch to a lane, unless it has not ended.
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

// settle joins the stretches of each lane that overlap, or between which there is less than can be seen.
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
