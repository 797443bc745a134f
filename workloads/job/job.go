package job

import (
	"fmt"

	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/workloads"
	"pintlab/workloads/tasks"
)

// job is a graph while it is made, in the order in which each rank does things.
type job struct {
	*tasks.Graph
	step   int
	idle   map[int]int32 // group of computations, by step
	last   []int32       // by rank, what it has done last; -1 for nothing
	engine []int32       // by rank, the core of its computations
}

func newJob(name string, hosts []topo.NodeID, start unit.Time) *job {
	j := &job{Graph: tasks.New(name, hosts), idle: map[int]int32{}}
	j.Start = start
	for range hosts {
		j.last = append(j.last, -1)
		j.engine = append(j.engine, j.AddCore())
	}
	return j
}

// mostTasks bounds the tasks of a job, of some 200 bytes each.
const mostTasks = 1 << 24

// every returns all of n ranks.
func every(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// group adds a group.
func (j *job) group(g tasks.Group) int32 {
	j.Groups = append(j.Groups, g)
	return int32(len(j.Groups) - 1)
}

// compute lets a rank compute after what it has done last.
func (j *job) compute(rank int32, d unit.Time) {
	group, ok := j.idle[j.step]
	if !ok {
		group = j.group(tasks.Group{Name: "compute", Step: j.step, Ranks: len(j.Hosts)})
		j.idle[j.step] = group
	}
	t := j.Add(tasks.Task{Kind: tasks.Compute, Rank: rank, Core: j.engine[rank], Time: d, Group: group})
	j.then(rank, t)
}

// then makes a task of a rank wait for what the rank has done last.
func (j *job) then(rank, task int32) {
	if j.last[rank] >= 0 {
		j.Wait(task, j.last[rank], tasks.Done)
	}
	j.last[rank] = task
}

// collective lets ranks do a collective after what each has done last. of says which of several it is, such as "tensor ".
func (j *job) collective(of string, c tasks.Collective, ranks []int32) error {
	if len(ranks) < 2 {
		return nil
	}
	if n := int64(len(j.Tasks)) + c.Messages(len(ranks)); n > mostTasks {
		return fmt.Errorf("the job has %d messages and computations or more, want at most %d: fewer ranks, steps, microbatches, repeats or chunks make fewer", n, mostTasks)
	}
	begin := make([]int32, len(ranks))
	for i, rank := range ranks {
		begin[i] = j.last[rank]
	}
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

// pass sends a message from one rank to another, which goes on when it has come.
func (j *job) pass(from, to int32, size unit.Bytes, group int32) {
	m := j.Add(tasks.Task{Kind: tasks.Send, Rank: from, Peer: to, Size: size, Group: group})
	if j.last[from] >= 0 {
		j.Wait(m, j.last[from], tasks.Done)
	}
	gate := j.Add(tasks.Task{Kind: tasks.Gate, Rank: to, Group: group})
	j.Wait(gate, m, tasks.Arrived)
	j.then(to, gate)
}

// end returns the job as a part of a workload.
func (j *job) end() (workloads.Generator, error) {
	return workloads.Tasks{Graph: j.Graph}, nil
}
