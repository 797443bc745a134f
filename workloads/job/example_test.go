package job_test

import (
	"fmt"
	"log"
	"strings"

	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/workloads/job"
	"pintlab/workloads/tasks"
)

// In this GOAL schedule, rank 0 computes for 500 ns and then sends 4 KB. Rank 1 needs these 4 KB before it computes.
func ExampleReadGOAL() {
	const schedule = `num_ranks 2
rank 0 {
  l1: calc 500
  l2: send 4096b to 1 tag 7
  l2 requires l1
}
rank 1 {
  l1: recv 4096b from 0 tag 7
  l2: calc 200
  l2 requires l1
}`
	hosts := func(ranks int) ([]topo.NodeID, error) { return []topo.NodeID{4, 9}[:ranks], nil }
	g, err := job.ReadGOAL(strings.NewReader(schedule), "pair.goal", unit.Nanosecond, hosts)
	if err != nil {
		log.Fatal(err)
	}
	run, err := tasks.Ideal(g) // on a network that takes no time
	if err != nil {
		log.Fatal(err)
	}
	for i, t := range g.Tasks {
		fmt.Printf("rank %d: %v until %v\n", t.Rank, t.Kind, run.State[i].Done)
	}
	// Output:
	// rank 0: computation until 500ns
	// rank 0: message until 500ns
	// rank 1: receive until 500ns
	// rank 1: computation until 700ns
}
