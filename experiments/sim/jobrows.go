package sim

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/plots"
	"pintlab/workloads/tasks"
)

// JobRow contains the times of some tasks of a job: a collective, the computations of a step, a step, or the whole job.
type JobRow struct {
	Job        string
	Step       int    // -1 for the whole job
	Group      string // name of the group; "step" or "job" for these
	Ranks      int
	Bytes      unit.Bytes // size of a collective
	Begin, End unit.Time  // release of the first task and end of the last; End is Never if a task has not ended
	Exposed    unit.Time  // for steps and jobs: time in addition to the computations alone
	AlgBW      unit.Rate  // Bytes divided by the time
	BusBW      unit.Rate  // bus bandwidth as NCCL defines it
	Flow       int32      // last message to arrive; -1 if there is none
	Slowest    int32      // rank that received it
	Link       string     // busiest link on the path of Flow
	Use        float64    // utilisation of Link during the run
	Queue      string     // switch port at which a packet of Flow waited longest
	Queued     unit.Time  // time that it waited

	slow    string    // rate of Link, if it is slower than others
	other   string    // for a job: the busiest link of the network, if it is not Link
	begun   unit.Time // when the last message began to be sent
	arrived unit.Time // when the last message arrived
	tasks   int
}

func newJobRow(job string, step int, group string, ranks int) *JobRow {
	return &JobRow{Job: job, Step: step, Group: group, Ranks: ranks, Begin: unit.Never, Flow: -1, Slowest: -1}
}

// took returns the duration, or Never if a task has not ended.
func (r *JobRow) took() unit.Time {
	if r.End == unit.Never || r.Begin == unit.Never {
		return unit.Never
	}
	return r.End - r.Begin
}

// add adds a task; flow is the index of a message among the flows.
func (r *JobRow) add(t *tasks.Task, s *tasks.State, flow int32) {
	if t.Kind == tasks.Turnstile {
		return
	}
	r.tasks++
	r.Begin, r.End = min(r.Begin, s.Ready), max(r.End, s.Done)
	if t.Kind != tasks.Send {
		return
	}
	r.End = max(r.End, s.Arrived)
	if s.Arrived != unit.Never && s.Arrived >= r.arrived {
		r.begun, r.arrived, r.Flow, r.Slowest = s.Begun, s.Arrived, flow, t.Peer
	}
}

// jobRows returns the rows of each job: its collectives, its steps and the whole job.
func (s *Simulation) jobRows(ended unit.Time) (rows []JobRow) {
	if s.jobs == nil {
		return nil
	}
	for k, r := range s.jobs.runs {
		ideal, _ := tasks.Ideal(r.Graph) // the build has checked the error
		groups := make([]*JobRow, len(r.Groups))
		steps := 0
		for i, g := range r.Groups {
			groups[i] = newJobRow(r.Name, g.Step, g.Name, g.Ranks)
			groups[i].Bytes = g.Bytes
			steps = max(steps, g.Step+1)
		}
		var wholes, alone []*JobRow // rows of the steps and of the job: in this run, and computations alone
		for step := range steps + 1 {
			name := "step"
			if step == steps {
				step, name = -1, "job"
			}
			wholes = append(wholes, newJobRow(r.Name, step, name, len(r.Hosts)))
			alone = append(alone, newJobRow("", 0, "", 0))
		}
		for i := range r.Tasks {
			t, step := &r.Tasks[i], r.Groups[r.Tasks[i].Group].Step
			flow := s.jobs.flowOf[s.jobs.first[k]+int32(i)]
			for _, row := range []*JobRow{groups[t.Group], wholes[step], wholes[steps]} {
				row.add(t, &r.State[i], flow)
			}
			alone[step].add(t, &ideal.State[i], flow)
			alone[steps].add(t, &ideal.State[i], flow)
		}
		for i, row := range groups[1:] {
			if took := row.took(); row.Bytes > 0 && took > 0 && took != unit.Never {
				bps := float64(row.Bytes) * 8 / took.Seconds()
				row.AlgBW, row.BusBW = unit.Rate(bps), unit.Rate(bps*r.Groups[i+1].Bus)
			}
			if row.tasks > 0 {
				rows = append(rows, *row)
			}
		}
		for i, row := range wholes {
			if row.Exposed = row.took(); row.Exposed != unit.Never {
				row.Exposed -= alone[i].took()
			}
			if len(groups) > 1 || row.Step < 0 {
				rows = append(rows, *row)
			}
		}
	}
	for i := range rows {
		s.setLast(&rows[i], ended)
	}
	return rows
}

// setLast sets the number of the last flow, the port where it waited longest and the busiest link of its paths while it
// was sent. With balanced packets or flowlets the flow has no single path.
func (s *Simulation) setLast(row *JobRow, ended unit.Time) {
	if row.Flow < 0 {
		return
	}
	f := s.jobs.flows[row.Flow]
	row.Flow = f.Number
	if row.Queue, row.Queued = s.jobs.queue(f.Number); row.Queue == "" {
		row.Queued = 0
	}
	busiest := netsim.NoPort
	take := func(p netsim.PortID) {
		if use := s.utilisation(p, ended); use > row.Use {
			busiest, row.Use = p, use
		}
	}
	if s.single() {
		for i, epochs := 0, s.faults.during(row.begun, row.arrived); i < len(epochs); i++ {
			ports, _ := s.pathIn(&f, &epochs[i])
			for _, p := range ports {
				take(p)
			}
		}
	}
	if busiest != netsim.NoPort {
		row.Link, row.slow = s.between(busiest), s.slow(busiest)
	}
	if row.Group != "job" {
		return
	}
	of, use := busiest, row.Use
	for p := range netsim.PortID(s.Net.Ports()) {
		take(p)
	}
	if busiest != of {
		row.other = fmt.Sprintf("; the busiest link is %s, %s in use%s",
			s.between(busiest), number.Share(row.Use), s.slow(busiest))
	}
	row.Use = use
}

// slow returns the share of the usual rate that a port has, if most ports between the same layers are faster. Otherwise
// it returns "". Links inside servers are apart: they may be much faster than the network.
func (s *Simulation) slow(p netsim.PortID) string {
	g := s.layered()
	type place struct {
		from, to int8
		inside   bool
	}
	layers := func(p netsim.PortID) place {
		a, b := s.Net.PortEnds(p)
		from, to := &g.Nodes[a], &g.Nodes[b]
		return place{from.Layer, to.Layer, from.Inside || to.Inside}
	}
	var rates []unit.Rate
	for q := range netsim.PortID(s.Net.Ports()) {
		if layers(q) == layers(p) {
			rates = append(rates, s.Net.PortRate(q))
		}
	}
	slices.Sort(rates)
	usual := rates[len(rates)/2]
	if rate := s.Net.PortRate(p); rate < usual {
		return fmt.Sprintf(", at %s of the rate of most such links", number.Share(float64(rate)/float64(usual)))
	}
	return ""
}

// jobColumns are the columns of jobs.csv.
const jobColumns = "job,step,group,ranks,bytes,begin_ps,end_ps,exposed_ps,algorithm_bps,bus_bps," +
	"last_flow,slowest_rank,busiest_link,link_use,queue,queued_ps"

// sheet writes lines of CSV. It quotes cells where necessary, because names of nodes may contain commas.
type sheet struct {
	*csv.Writer
	cells []string
}

func newSheet(w io.Writer, head string) *sheet {
	s := &sheet{Writer: csv.NewWriter(w)}
	s.Write(strings.Split(head, ",")) // end returns the error
	return s
}

func (s *sheet) line(cells ...any) {
	s.cells = s.cells[:0]
	for _, c := range cells {
		s.cells = append(s.cells, fmt.Sprint(c))
	}
	s.Write(s.cells)
}

func (s *sheet) end() error {
	s.Flush()
	return s.Error()
}

// optional formats n if there is a number (is), and otherwise returns "".
func optional(n int64, is bool) string {
	if !is {
		return ""
	}
	return fmt.Sprint(n)
}

// writeJobs writes a line for each row.
func writeJobs(w io.Writer, rows []JobRow) error {
	out := newSheet(w, jobColumns)
	time := func(t unit.Time, is bool) string { return optional(int64(t), is && t != unit.Never) }
	for _, r := range rows {
		use := ""
		if r.Link != "" {
			use = fmt.Sprintf("%.4f", r.Use)
		}
		out.line(r.Job, optional(int64(r.Step), r.Step >= 0), r.Group, r.Ranks, optional(int64(r.Bytes), r.Bytes > 0),
			time(r.Begin, true), time(r.End, true), time(r.Exposed, r.Group == "job" || r.Group == "step"),
			optional(int64(r.AlgBW), r.AlgBW > 0), optional(int64(r.BusBW), r.BusBW > 0),
			optional(int64(r.Flow), r.Flow >= 0), optional(int64(r.Slowest), r.Slowest >= 0),
			r.Link, use, r.Queue, time(r.Queued, r.Queue != ""))
	}
	return out.end()
}

// JobSummary summarises a job.
type JobSummary struct {
	Job         string              `json:"job"` // the entry of `workload`
	Ranks       int                 `json:"ranks"`
	Begin       *int64              `json:"begin_ps"`             // when its first task could begin
	End         *int64              `json:"end_ps"`               // when its last task was done; null: not in this run
	Exposed     *int64              `json:"exposed_ps"`           // as in `jobs.csv`
	Collectives []CollectiveSummary `json:"collectives,omitzero"` // by kind, number of ranks and size

	row *JobRow
}

// CollectiveSummary summarises the finished collectives of a job with the same name, number of ranks and size.
type CollectiveSummary struct {
	Group string  `json:"group"` // as in `jobs.csv`
	Ranks int     `json:"ranks"`
	Bytes int64   `json:"bytes"` // NCCL's size
	N     int     `json:"n"`     // how many
	Mean  float64 `json:"mean_ps"`
	Worst int64   `json:"max_ps"`
	Bus   float64 `json:"bus_bps"` // mean bus bandwidth, as NCCL defines it
}

// line formats the summary for people.
func (c *CollectiveSummary) line(job string) string {
	return fmt.Sprintf("%s: %d of %s, %s, %s, %s on average, %s at most, bus bandwidth %s on average", job, c.N,
		c.Group, number.Count(c.Ranks, "rank"), inBytes(float64(c.Bytes)), inTime(c.Mean/1e12),
		inTime(unit.Time(c.Worst).Seconds()), number.Format(c.Bus, plots.InBitsPerSecond, 4))
}

// JobSummaries summarises each job. The row of a job follows the rows of its collectives.
func (r *Result) JobSummaries() (jobs []JobSummary) {
	var list []CollectiveSummary // collectives of the present job
	for i := range r.JobRows {
		row := &r.JobRows[i]
		took := row.took()
		if row.Group == "job" {
			for k := range list {
				list[k].Mean /= float64(list[k].N)
				list[k].Bus /= float64(list[k].N)
			}
			j := JobSummary{Job: row.Job, Ranks: row.Ranks, Collectives: list, row: row}
			if row.Begin != unit.Never {
				j.Begin = new(int64(row.Begin))
			}
			if took != unit.Never {
				j.End, j.Exposed = new(int64(row.End)), new(int64(row.Exposed))
			}
			jobs, list = append(jobs, j), nil
		}
		if row.Bytes == 0 || took == unit.Never {
			continue
		}
		at := slices.IndexFunc(list, func(c CollectiveSummary) bool {
			return c.Group == row.Group && c.Ranks == row.Ranks && c.Bytes == int64(row.Bytes)
		})
		if at < 0 {
			at = len(list)
			list = append(list, CollectiveSummary{Group: row.Group, Ranks: row.Ranks, Bytes: int64(row.Bytes)})
		}
		c := &list[at] // the means are sums until the row of the job
		c.N, c.Mean, c.Worst, c.Bus = c.N+1, c.Mean+float64(took), max(c.Worst, int64(took)), c.Bus+float64(row.BusBW)
	}
	return jobs
}

// JobLines formats the summaries of jobs and collectives for people.
func (r *Result) JobLines() (lines []string) {
	for _, j := range r.JobSummaries() {
		for i := range j.Collectives {
			lines = append(lines, j.Collectives[i].line(j.Job))
		}
		lines = append(lines, j.row.line())
	}
	return lines
}

// line summarises a job.
func (r *JobRow) line() string {
	if r.took() == unit.Never {
		return fmt.Sprintf("%s: %s, not done at the end of the run", r.Job, number.Count(r.Ranks, "rank"))
	}
	exposed := inTime(r.Exposed.Seconds()) + " of it"
	switch r.Exposed {
	case 0:
		exposed = "no"
	case r.took():
		exposed = "all of it"
	}
	text := fmt.Sprintf("%s: %s, %s, %s exposed communication%s", r.Job, number.Count(r.Ranks, "rank"),
		inTime(r.took().Seconds()), exposed, r.other)
	if r.Flow >= 0 {
		text += fmt.Sprintf("; flow %d to rank %d came last", r.Flow, r.Slowest)
	}
	if r.Link != "" {
		text += fmt.Sprintf(", by way of %s, %s in use%s", r.Link, number.Share(r.Use), r.slow)
	}
	if r.Queue != "" {
		text += fmt.Sprintf("; its packets waited for at most %s, at %s", inTime(r.Queued.Seconds()), r.Queue)
	}
	return text
}

// inBytes formats a size for people: "500 KB".
func inBytes(size float64) string { return number.Format(size, plots.InBytes, 3) }

// inTime formats seconds for people: "12.2 ms".
func inTime(seconds float64) string { return number.Format(seconds, plots.InSeconds, 3) }

// LinkRow is the traffic of one direction of a link in a run with jobs.
type LinkRow struct {
	From, To           string // names of the nodes
	FromLayer, ToLayer int8   // 0 for hosts, -1 if unknown
	Rate               unit.Rate
	Bytes              unit.Bytes
	Use                float64   // share of the link's capacity until the end of the run
	Longest            unit.Time // longest wait of a data packet; 0 at hosts
}

// layered returns the network with layers.
func (s *Simulation) layered() *topo.Graph {
	if !slices.ContainsFunc(s.Graph.Nodes, func(n topo.Node) bool { return n.Layer < 0 }) {
		return s.Graph
	}
	g := *s.Graph
	g.Nodes = slices.Clone(g.Nodes)
	g.InferLayers()
	return &g
}

// linkRows returns a row for each direction of each link.
func (s *Simulation) linkRows(ended unit.Time) (rows []LinkRow) {
	if s.jobs == nil {
		return nil
	}
	g := s.layered()
	for i := range s.Net.Ports() {
		p := netsim.PortID(i)
		from, to := s.Net.PortEnds(p)
		row := LinkRow{
			From: s.name(from), To: s.name(to), FromLayer: g.Nodes[from].Layer, ToLayer: g.Nodes[to].Layer,
			Rate: s.Net.PortRate(p), Bytes: s.Net.PortSent(p), Longest: s.jobs.waits.ports[p],
		}
		if ended > 0 {
			row.Use = s.utilisation(p, ended)
		}
		rows = append(rows, row)
	}
	return rows
}

// writeLinks writes a line for each row.
func writeLinks(w io.Writer, rows []LinkRow) error {
	out := newSheet(w, "from,to,from_layer,to_layer,rate_bps,bytes,use,longest_wait_ps")
	for _, r := range rows {
		out.line(r.From, r.To, r.FromLayer, r.ToLayer, int64(r.Rate), int64(r.Bytes), fmt.Sprintf("%.6f", r.Use),
			int64(r.Longest))
	}
	return out.end()
}
