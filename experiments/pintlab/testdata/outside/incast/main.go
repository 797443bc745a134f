// Command incast sends 500 KB from each of 16 hosts to one, by HPCC over PINT.
package main

import (
	"context"
	"log"

	"pintlab/experiments/sim"
	"pintlab/hpcc"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/pint/deploy"
	"pintlab/workloads"
)

func main() {
	graph, err := topo.Star{Hosts: 17, Rate: 100 * unit.Gbps, Delay: unit.Microsecond}.Build()
	if err != nil {
		log.Fatal(err)
	}
	var flows []workloads.Flow
	for i := range topo.NodeID(16) {
		flows = append(flows, workloads.Flow{Src: i + 1, Size: 500 * unit.KB})
	}
	r, err := sim.New(graph, flows, sim.With(hpcc.Default(), deploy.Default())).Run(context.Background(), sim.Options{})
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("%d flows, the last of %v", r.Flows.Len(), r.Flows.At(15).FCT)
}
