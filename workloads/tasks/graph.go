// Package tasks represents what hosts compute and send, and the dependencies between these. Dependent flows, connection
// matrices with triggers, GOAL files, Chakra traces and collectives are all converted to a Graph.
//
// A Graph has ranks, each on a host, and tasks, each of a rank. A task is released when all events that it
// waits for have happened. An Event of a task is that it is ready or done or, for messages only, that its
// last packet has left the source or its last byte has reached the destination. Only messages use the
// network; a Run determines when they begin.
package tasks

import (
	"fmt"
	"slices"

	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// Kind is the kind of a task.
type Kind uint8

// The kinds of task.
const (
	// Compute is a computation that takes Task.Time. A core runs its computations one after the other, in the order of
	// their release.
	Compute Kind = iota
	// Send is a message of Size bytes to the rank Peer, sent Time after its release. It is done when the
	// source has the ACK of its last byte or, if it is Eager, when it begins.
	Send
	// Receive is done when a Matched message has arrived from the rank Peer, or from any rank if Peer is
	// Any. Tag must match unless it is Any, and Size unless it is 0. The oldest message and the oldest
	// receive that fit each other are paired.
	Receive
	// Gate is done when Count of the events that it waits for have happened.
	Gate
	// Turnstile waits for several events. Each of them releases one more of the tasks that wait for the turnstile, in
	// the order of the calls of Wait.
	Turnstile
)

// Any matches any rank or any tag.
const Any = -1

func (k Kind) String() string {
	return [...]string{"computation", "message", "receive", "gate", "turnstile"}[k]
}

// Event is an event of a task for which other tasks can wait.
type Event uint8

// The events.
const (
	Done    Event = iota
	Ready         // all events that the task waits for have happened
	Arrived       // all bytes of a message are at its destination
	Left          // the last packet of a message has left its source
)

// Task is one task. Fields that its kind does not use are 0.
type Task struct {
	Kind    Kind
	Eager   bool // a message that is done when it begins
	Matched bool // a message that a Receive takes
	Rank    int32
	Peer    int32 // rank at the other end
	Tag     int32
	Core    int32 // core, which runs one computation at a time and for which messages also wait; 0 for none
	Group   int32 // index in Groups; 0 for none
	Line    int32 // line of the file that describes the task; 0 without a file
	Count   int32 // events that a Gate needs; 0 for all
	Size    unit.Bytes
	Time    unit.Time
	waits   int32 // number of events that the task waits for
}

// Group is a set of tasks of several ranks whose common start and end are reported.
type Group struct {
	Name  string     // such as "allreduce"
	Step  int        // step of the job, from 0
	Bytes unit.Bytes // size as NCCL defines it; 0 if the group is no collective
	Ranks int
	Bus   float64 // bus bandwidth over algorithm bandwidth, as NCCL defines it
}

// Graph is the tasks of a job. New makes one.
type Graph struct {
	Name   string
	File   string        // file that describes the job; "" if it is generated
	List   string        // key of the list whose entries are the tasks, for errors; "" if there is no such list
	Start  unit.Time     // release of the tasks that wait for nothing
	Hosts  []topo.NodeID // host of each rank
	Tasks  []Task
	Groups []Group // index 0 stands for no group
	cores  int32
	waits  []wait
}

// wait makes the task to wait for an event of the task from.
type wait struct {
	from, to int32
	event    Event
}

// New makes a graph without tasks.
func New(name string, hosts []topo.NodeID) *Graph {
	return &Graph{Name: name, Hosts: hosts, Groups: make([]Group, 1)}
}

// Add adds a task and returns its number.
func (g *Graph) Add(t Task) int32 {
	g.Tasks = append(g.Tasks, t)
	return int32(len(g.Tasks) - 1)
}

// AddCore adds a core and returns its number.
func (g *Graph) AddCore() int32 {
	g.cores++
	return g.cores
}

// Wait makes a task wait for an event of another task.
func (g *Graph) Wait(task, from int32, event Event) {
	g.Tasks[task].waits++
	g.waits = append(g.waits, wait{from, task, event})
}

// Flows returns the number of messages.
func (g *Graph) Flows() (n int) {
	for i := range g.Tasks {
		if g.Tasks[i].Kind == Send {
			n++
		}
	}
	return n
}

// host returns the host at which an event of a task happens.
func (g *Graph) host(task int32, event Event) topo.NodeID {
	t := &g.Tasks[task]
	if event == Arrived {
		return g.Hosts[t.Peer]
	}
	return g.Hosts[t.Rank]
}

// Local reports whether every task waits only for events at its own host. Otherwise a host must learn at once of events
// at another host.
func (g *Graph) Local() bool {
	return !slices.ContainsFunc(g.waits, func(w wait) bool { return g.host(w.from, w.event) != g.host(w.to, Done) })
}

// At returns the place of a task for errors.
func (g *Graph) At(task int32) string {
	t := &g.Tasks[task]
	if g.List != "" {
		return fmt.Sprintf("%s.%d", g.List, task)
	}
	if t.Line > 0 {
		return fmt.Sprintf("%s:%d: the %v of rank %d", g.File, t.Line, t.Kind, t.Rank)
	}
	if g.File != "" {
		return fmt.Sprintf("%s: %v %d, of rank %d", g.File, t.Kind, task, t.Rank)
	}
	return fmt.Sprintf("%v %d, of rank %d", t.Kind, task, t.Rank)
}
