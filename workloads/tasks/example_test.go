package tasks_test

import (
	"fmt"
	"log"

	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/workloads/tasks"
)

// An all-reduce of 8 MB over a ring of four ranks: each rank sends 2 × 3 messages of a quarter of the data.
func ExampleCollective() {
	g := tasks.New("job", []topo.NodeID{0, 1, 2, 3})
	ring := tasks.Collective{Operation: tasks.AllReduce, Algorithm: "ring", Size: 8 * unit.MB, Chunks: 1, Window: 1}
	if _, err := ring.Add(g, []int32{0, 1, 2, 3}, []int32{-1, -1, -1, -1}, 0); err != nil {
		log.Fatal(err)
	}
	sent := map[int32]unit.Bytes{}
	for i := range g.Tasks {
		sent[g.Tasks[i].Rank] += g.Tasks[i].Size
	}
	fmt.Println(g.Flows(), "messages;", "rank 0 sends", sent[0])
	// Output: 24 messages; rank 0 sends 12MB
}

// Rank 0 computes for 2 ms and sends the result to rank 1, which computes for another 3 ms.
func ExampleIdeal() {
	g := tasks.New("job", []topo.NodeID{0, 1})
	first := g.Add(tasks.Task{Kind: tasks.Compute, Rank: 0, Time: 2 * unit.Millisecond})
	message := g.Add(tasks.Task{Kind: tasks.Send, Rank: 0, Peer: 1, Size: unit.MB})
	last := g.Add(tasks.Task{Kind: tasks.Compute, Rank: 1, Time: 3 * unit.Millisecond})
	g.Wait(message, first, tasks.Done)
	g.Wait(last, message, tasks.Arrived)
	run, err := tasks.Ideal(g)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(run.State[last].Done)
	// Output: 5ms
}
