package job

import (
	"fmt"

	"pintlab/internal/lists"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/workloads/tasks"
)

// job is a graph under construction. Each rank's tasks are added in the order in which the rank runs them.
type job struct {
	*tasks.Graph
	key    string // key that errors name
	most   int64  // largest number of tasks
	step   int
	idle   map[int]int32 // group of the computations of each step
	last   []int32       // last task of each rank; -1 for none
	engine []int32       // core of each rank
}

func newJob(name, key string, hosts []topo.NodeID, start unit.Time) *job {
	j := &job{Graph: tasks.New(name, hosts), key: key, most: mostTasks, idle: map[int]int32{}}
	j.Start = start
	for range hosts {
		j.last = append(j.last, -1)
		j.engine = append(j.engine, j.AddCore())
	}
	return j
}

// mostTasks bounds the number of tasks of a job; each takes some 200 bytes.
const mostTasks = 1 << 24

// room returns an error if a job with some more tasks has too many.
func (j *job) room(more int64) error {
	if n := int64(len(j.Tasks)) + more; n > j.most {
		return fmt.Errorf("%s: the job has at least %d messages and computations, want at most %d: use fewer ranks, "+
			"steps, microbatches, repeats or chunks", j.key, n, j.most)
	}
	return nil
}

// group adds a group and returns its number.
func (j *job) group(g tasks.Group) int32 {
	j.Groups = append(j.Groups, g)
	return int32(len(j.Groups) - 1)
}

// compute adds a computation of a rank after the rank's last task.
func (j *job) compute(rank int32, d unit.Time) {
	group, ok := j.idle[j.step]
	if !ok {
		group = j.group(tasks.Group{Name: "compute", Step: j.step, Ranks: len(j.Hosts)})
		j.idle[j.step] = group
	}
	t := j.Add(tasks.Task{Kind: tasks.Compute, Rank: rank, Core: j.engine[rank], Time: d, Group: group})
	j.then(rank, t)
}

// then makes a task wait for the rank's last task. The task becomes the rank's last task.
func (j *job) then(rank, task int32) {
	if j.last[rank] >= 0 {
		j.Wait(task, j.last[rank], tasks.Done)
	}
	j.last[rank] = task
}

// collective adds a collective of some ranks, after the last task of each. The string of is the prefix of its name,
// such as "tensor ".
func (j *job) collective(of string, c tasks.Collective, ranks []int32) error {
	if len(ranks) < 2 {
		return nil
	}
	if err := j.room(c.Messages(len(ranks))); err != nil {
		return err
	}
	begin := lists.Map(ranks, func(rank int32) int32 { return j.last[rank] })
	g := c.Group(len(ranks), j.step)
	g.Name = of + g.Name
	done, err := c.Add(j.Graph, ranks, begin, j.group(g))
	if err != nil {
		return err
	}
	for i, rank := range ranks {
		j.last[rank] = done[i]
	}
	return nil
}

// pass adds a message to another rank. The receiver's next task waits until the message has arrived.
func (j *job) pass(from, to int32, size unit.Bytes, group int32) {
	m := j.Add(tasks.Task{Kind: tasks.Send, Rank: from, Peer: to, Size: size, Group: group})
	if j.last[from] >= 0 {
		j.Wait(m, j.last[from], tasks.Done)
	}
	gate := j.Add(tasks.Task{Kind: tasks.Gate, Rank: to, Group: group})
	j.Wait(gate, m, tasks.Arrived)
	j.then(to, gate)
}
