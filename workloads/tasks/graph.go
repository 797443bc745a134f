// Package tasks holds what hosts compute and send each other, and what waits for what: the one form that
// dependent flows, connection matrices with triggers, GOAL files, Chakra traces and collectives become.
//
// A Graph has ranks, each on a host, and tasks, each of a rank. A task is released when everything has happened
// that it waits for. What can happen to a task is an Event: it is ready, it is done, or, to a message only, all
// of it has left its source, or has come to its destination. Nothing but messages takes place on the network; a Run says when they begin.
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
	// Compute takes Time. Computations of a core follow each other in the order of their release.
	Compute Kind = iota
	// Send is a message of Size bytes to the rank Peer, Time after it is released. It is done when the source has the
	// ACK of its last byte, or when it begins if it is Eager.
	Send
	// Receive is done when a message with Matched has come from the rank Peer, or from any if that is Any, with the
	// Tag, or with any tag, and of its Size if it has one. The oldest of the messages and receives that fit are for each
	// other.
	Receive
	// Gate is done when Count of the events have happened that it waits for.
	Gate
	// Turnstile lets one more task go on with each event that it waits for, in the order of Wait calls.
	Turnstile
)

// Any is any rank or any tag.
const Any = -1

func (k Kind) String() string {
	return [...]string{"computation", "message", "receive", "gate", "turnstile"}[k]
}

// Event is an event of a task that others can wait for.
type Event uint8

// The events.
const (
	Done    Event = iota
	Ready         // nothing is left that the task waits for
	Arrived       // all bytes of a message are at its destination
	Left          // the last packet of a message leaves its source
)

// Task is one task. Fields that its kind does not use are zero.
type Task struct {
	Kind    Kind
	Eager   bool // a message that is done when it begins
	Matched bool // a message that is for a Receive
	Rank    int32
	Peer    int32 // rank of the other end
	Tag     int32
	Core    int32 // what does one computation at a time, which a message waits for, too; 0 for none
	Group   int32 // index in Groups; 0 for none of them
	Line    int32 // of the file; 0 if there is none
	Count   int32 // events that a Gate needs; 0 for all
	Size    unit.Bytes
	Time    unit.Time
	waits   int32 // number of events
}

// Group is tasks of several ranks whose beginning and end are reported together.
type Group struct {
	Name  string     // such as "allreduce"
	Step  int        // of the job, from 0
	Bytes unit.Bytes // NCCL's size; 0 for what is no collective
	Ranks int
	Bus   float64 // bus bandwidth over algorithm bandwidth, as NCCL defines it
}

// Graph is the tasks of a job. A new one is made by New.
type Graph struct {
	Name   string
	File   string        // where it comes from; "" if it is generated
	Start  unit.Time     // when tasks without anything to wait for are released
	Hosts  []topo.NodeID // of each rank
	Tasks  []Task
	Groups []Group // the first one is no group
	cores  int32
	waits  []wait
}

// wait is an event of the task from that the task to waits for.
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

// AddCore returns the number of another core.
func (g *Graph) AddCore() int32 {
	g.cores++
	return g.cores
}

// Wait makes a task wait for an event of another one.
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

// Local reports whether every task waits only for what happens at its own host, so that no host must know at
// once what happens at another one.
func (g *Graph) Local() bool {
	return !slices.ContainsFunc(g.waits, func(w wait) bool { return g.host(w.from, w.event) != g.host(w.to, Done) })
}

// At returns where a task stands, for errors.
func (g *Graph) At(task int32) string {
	t := &g.Tasks[task]
	if t.Line > 0 {
		return fmt.Sprintf("%s:%d: the %v of rank %d", g.File, t.Line, t.Kind, t.Rank)
	}
	if g.File != "" {
		return fmt.Sprintf("%s: %v %d, of rank %d", g.File, t.Kind, task, t.Rank)
	}
	return fmt.Sprintf("%v %d, of rank %d", t.Kind, task, t.Rank)
}
