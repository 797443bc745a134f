package workloads_test

import (
	"fmt"
	"log"
	"strings"

	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/workloads"
)

// The text is a distribution of flow sizes in the format of the HPCC simulators. Each line has a size in bytes and the
// percentage of flows up to this size.
func ExampleReadCDF() {
	sizes, err := workloads.ReadCDF(strings.NewReader("1000 0\n10000 50\n1000000 100\n"), "mine.txt")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(workloads.Quantile(sizes, 0.5), sizes.Mean()) // half below 10 KB, and half from 10 KB to 1 MB
	// Output: 10KB 255250
}

// Every millisecond three hosts send 20 KB each to a random host.
func ExampleIncast() {
	hosts := make([]workloads.Host, 4)
	for i := range hosts {
		hosts[i] = workloads.Host{Node: topo.NodeID(i), Rate: 100 * unit.Gbps}
	}
	w := workloads.Workload{Seed: 1, Parts: []workloads.Part{{Name: "incast", Priority: 3, Generator: workloads.Incast{
		FanIn: 3, Sizes: workloads.Fixed(20 * unit.KB), Duration: 2 * unit.Millisecond, Every: unit.Millisecond}}}}
	flows, err := w.Stream(hosts)
	if err != nil {
		log.Fatal(err)
	}
	for f, ok := flows.Next(); ok; f, ok = flows.Next() {
		fmt.Println(f.Start, f.Src, "to", f.Dst, f.Size)
	}
	// Output:
	// 0s 0 to 1 20KB
	// 0s 2 to 1 20KB
	// 0s 3 to 1 20KB
	// 1ms 0 to 1 20KB
	// 1ms 2 to 1 20KB
	// 1ms 3 to 1 20KB
}
