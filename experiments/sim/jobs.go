package sim

import (
	"errors"
	"io"

	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/workloads"
	"pintlab/workloads/tasks"
)

// Jobs contains the graphs of flows that wait for other flows. It implements transport.Follower. A token is the number
// of a task among the tasks of all graphs.
type Jobs struct {
	workloads.Source // all flows; Jobs records the flows that wait for others
	runs             []*tasks.Run
	first            []int32 // token of the first task of each run, and the number of tokens
	ofPart           []int   // run of each part of the workload; -1 for none
	flows            []transport.Flow
	flowOf           []int32 // index in flows, by token
	tokenOf          []int32 // token by flow number; -1 for flows that do not wait
	isLocal          bool
	seed             uint64
	waits            *waits
	between          func(netsim.PortID) string // returns the name of a port
}

// follow records the parts of a workload whose flows wait for others, and these flows when the source
// returns them.
func (s *Simulation) follow(w workloads.Workload, flows workloads.Source) workloads.Source {
	j := &Jobs{Source: flows, first: []int32{0}, isLocal: true, seed: s.Scenario.Seed, between: s.between}
	messages := 0
	for _, p := range w.Parts {
		g, ok := p.Generator.(workloads.Tasks)
		if !ok {
			j.ofPart = append(j.ofPart, -1)
			continue
		}
		j.ofPart = append(j.ofPart, len(j.runs))
		j.runs = append(j.runs, tasks.NewRun(g.Graph))
		j.first = append(j.first, j.first[len(j.first)-1]+int32(len(g.Tasks)))
		j.isLocal = j.isLocal && g.Local()
		messages += g.Flows()
	}
	if len(j.runs) == 0 {
		return flows
	}
	j.flowOf = make([]int32, j.first[len(j.runs)])
	j.waits = newWaits(2*len(s.Graph.Links), messages)
	s.jobs = j
	return j
}

// local reports whether each host needs to learn at once only of its own events.
func (j *Jobs) local() bool { return j == nil || j.isLocal }

// checkJobs reports settings that dependent flows do not support.
func (s *Simulation) checkJobs() error {
	switch {
	case s.jobs == nil:
		return nil
	case s.Scenario.Published():
		return errors.New("profile: the hosts of the published simulator cannot start a flow when other flows " +
			"finish; want profile = default for a workload whose flows wait for other flows")
	case s.Scenario.Run.Ties == "fifo":
		return errors.New("run.ties = fifo: want seeded, because the workload has flows that wait for other flows")
	case !s.Scenario.Run.Drain:
		return errors.New("run.drain = false: want true, because flows that wait for other flows begin when these " +
			"end, so the time of the last arrival is not known in advance")
	}
	return nil
}

func (j *Jobs) Next() (workloads.Flow, bool) {
	f, ok := j.Source.Next()
	if !ok {
		return f, ok
	}
	token := int32(-1)
	if f.Task > 0 {
		token = j.first[j.ofPart[f.Part]] + f.Task - 1
		j.flowOf[token] = int32(len(j.flows))
		j.flows = append(j.flows, transportFlow(&f))
		j.waits.add(transport.FlowKey(j.seed, j.flows[len(j.flows)-1].Number))
	}
	j.tokenOf = append(j.tokenOf, token)
	return f, ok
}

// at returns the run of a task and the task's number in it.
func (j *Jobs) at(token int32) (*tasks.Run, int32) {
	k := len(j.runs) - 1
	for j.first[k] > token {
		k--
	}
	return j.runs[k], token - j.first[k]
}

// begin releases the tasks that wait for nothing.
func (j *Jobs) begin(t *transport.Stack) {
	if j == nil {
		return
	}
	for k, r := range j.runs {
		now := r.Start
		r.Begin(&taskNetwork{t, j, j.first[k], &now})
	}
}

// task returns the token of a flow; ok is false if the flow is not a task.
func (j *Jobs) task(number int32) (token int32, ok bool) {
	if int(number) >= len(j.tokenOf) || j.tokenOf[number] < 0 {
		return 0, false // including unmeasured flows
	}
	return j.tokenOf[number], true
}

func (j *Jobs) Left(t *transport.Stack, number int32) {
	if token, ok := j.task(number); ok {
		r, task := j.at(token)
		r.Left(&taskNetwork{t, j, token - task, nil}, task)
	}
}

func (j *Jobs) Sent(t *transport.Stack, number int32) {
	if token, ok := j.task(number); ok {
		r, task := j.at(token)
		r.Sent(&taskNetwork{t, j, token - task, nil}, task)
	}
}

func (j *Jobs) Arrived(t *transport.Stack, number int32) {
	if token, ok := j.task(number); ok {
		r, task := j.at(token)
		r.Arrived(&taskNetwork{t, j, token - task, nil}, task)
	}
}

func (j *Jobs) Due(t *transport.Stack, token int32) {
	r, task := j.at(token)
	r.Due(&taskNetwork{t, j, token - task, nil}, task)
}

// taskNetwork is the part of the network that the tasks of a run may see. It implements tasks.Network.
type taskNetwork struct {
	*transport.Stack
	jobs  *Jobs
	first int32      // token of the first task of the run
	now   *unit.Time // time before the first event; nil later
}

func (g *taskNetwork) Now() unit.Time {
	if g.now != nil {
		return *g.now
	}
	return g.Stack.Now()
}

func (g *taskNetwork) Send(task int32) {
	f := g.jobs.flows[g.jobs.flowOf[g.first+task]]
	f.Start = g.Now()
	g.Launch(&f)
}

func (g *taskNetwork) Later(host topo.NodeID, at unit.Time, task int32) {
	g.Stack.Later(host, at, g.first+task)
}

// workerNote returns a note if the run has one worker although the scenario requests several.
func (j *Jobs) workerNote(workers int) []string {
	if workers == 1 || j.local() {
		return nil
	}
	return note("run.workers = %d has no effect: some flows wait for events at other hosts and must learn of "+
		"them at once, so one worker runs the whole simulation", workers)
}

// unstarted returns a warning about flows that have not begun by the end of a run because of flows that have
// not finished.
func (j *Jobs) unstarted() []string {
	if j == nil {
		return nil
	}
	for _, r := range j.runs {
		n, first := 0, int32(-1)
		for i := range r.Tasks {
			if r.Tasks[i].Kind == tasks.Send && r.State[i].Begun == unit.Never {
				if n++; first < 0 {
					first = int32(i)
				}
			}
		}
		if n > 0 {
			return warning("%d of %s of %s %s not begun, because other flows have not finished; the first is the %s",
				n, number.Count(r.Flows(), "flow"), r.Name, number.Plural(n, "has", "have"), r.At(first))
		}
	}
	return nil
}

// Additional files of a run with jobs.
const (
	TasksFile = "tasks.csv"
	JobsFile  = "jobs.csv"
	LinksFile = "links.csv"
)

// taskColumns are the columns of tasks.csv.
const taskColumns = "job,task,kind,rank,host,peer,flow,size_bytes,group,ready_ps,begin_ps,done_ps,arrived_ps," +
	"after,waited_ps,line,queue,queued_ps"

// writeTasks writes a line for each task: its release, start and end, the last event that it waited for,
// and its wait for that event after all others. For a message it adds the queue where one of its packets
// waited longest. Times of events that did not happen are empty.
func (j *Jobs) writeTasks(w io.Writer) error {
	out := newSheet(w, taskColumns)
	when := func(at unit.Time) string { return optional(int64(at), at != unit.Never) }
	for k, r := range j.runs {
		for i := range r.Tasks {
			t, s := &r.Tasks[i], &r.State[i]
			flow, waited, queue, queued := int32(0), unit.Never, "", unit.Never
			if t.Kind == tasks.Send {
				flow = j.flows[j.flowOf[j.first[k]+int32(i)]].Number
				queue, queued = j.queue(flow)
			}
			if s.Ready != unit.Never {
				waited = s.Ready - s.Others
			}
			if t.Kind == tasks.Receive && s.Done != unit.Never {
				waited = s.Done - s.Ready
			}
			out.line(r.Name, i, t.Kind, t.Rank, r.Hosts[t.Rank],
				optional(int64(t.Peer), t.Kind == tasks.Send || t.Kind == tasks.Receive && t.Peer != tasks.Any),
				optional(int64(flow), t.Kind == tasks.Send), int64(t.Size), r.Groups[t.Group].Name, when(s.Ready),
				when(s.Begun), when(s.Done), when(s.Arrived),
				optional(int64(s.By), s.By >= 0), when(waited), optional(int64(t.Line), t.Line > 0), queue,
				when(queued))
		}
	}
	return out.end()
}
