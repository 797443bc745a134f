package ai

import (
	"fmt"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/study"
	"pintlab/netsim/unit"
)

// ringRanks is the number of ranks in an all-reduce. They fill two servers.
const ringRanks = 16

// Allreduce measures all-reduces over rings of neighbours. Each rank of a server sends to a rank on the next rail, so
// that all messages cross a spine.
var Allreduce = (&exchange{
	name: "allreduce",
	traffic: func(z scale) string {
		return fmt.Sprintf("%s of %d ranks, %s", figure.Count(z.hosts()/ringRanks, "ring"), ringRanks,
			figure.Size(z.size))
	},
	workload: func(z scale) (list []string) {
		for first := 0; first < z.hosts(); first += ringRanks {
			list = append(list, fmt.Sprintf("{kind: collective, operation: allreduce, ranks: %d, first: %d, size: %v}",
				ringRanks, first, z.size))
		}
		return list
	},
	more: []study.Measure{busBandwidth},
}).figure(map[figure.Scale]scale{
	figure.Smoke:  {seeds: 1, servers: 2, size: 256 * unit.KB},
	figure.Laptop: {seeds: 3, servers: 16, size: 16 * unit.MB},
	figure.Paper:  {seeds: 5, servers: 128, size: 64 * unit.MB},
})

// expertRanks is the number of ranks in an all-to-all. If there are fewer hosts, each host is a rank.
const expertRanks = 128

// Alltoall measures all-to-alls in which each rank sends to all others at once. Experts exchange tokens in this way.
var Alltoall = (&exchange{
	name: "alltoall",
	traffic: func(z scale) string {
		n := min(expertRanks, z.hosts())
		return fmt.Sprintf("%s of %d ranks, %s", figure.Count(z.hosts()/n, "all-to-all"), n, figure.Size(z.size))
	},
	workload: func(z scale) (list []string) {
		n := min(expertRanks, z.hosts())
		for first := 0; first < z.hosts(); first += n {
			list = append(list,
				fmt.Sprintf("{kind: collective, operation: alltoall, pattern: linear, ranks: %d, first: %d, size: %v}",
					n, first, z.size))
		}
		return list
	},
	more: []study.Measure{busBandwidth},
}).figure(map[figure.Scale]scale{
	figure.Smoke:  {seeds: 1, servers: 2, size: 256 * unit.KB},
	figure.Laptop: {seeds: 3, servers: 16, size: 4 * unit.MB},
	figure.Paper:  {seeds: 5, servers: 128, size: 64 * unit.MB},
})

// Jobs measures two training jobs, each on half of the hosts, together with other traffic. The first job has groups
// for tensor, pipeline and data parallelism. The second job has experts.
var Jobs = (&exchange{
	name: "jobs",
	traffic: func(z scale) string {
		return fmt.Sprintf("two jobs of %d ranks, %s of gradients, web search at 5 %% next to them", z.hosts()/2,
			figure.Size(z.size))
	},
	workload: func(z scale) []string {
		half := z.hosts() / 2
		return []string{
			fmt.Sprintf(
				"{kind: training, steps: 2, data: %d, tensor: 2, pipeline: 4, microbatches: 2, compute: 20us, "+
					"tensor_size: %[2]v, pipeline_size: %[2]v, data_size: %[3]v}", half/8, z.size/8, z.size),
			fmt.Sprintf(
				"{kind: training, steps: 2, data: %[1]d, tensor: 1, pipeline: 1, expert: %[2]d, microbatches: 2, "+
					"compute: 20us, expert_size: %[3]v, data_size: %[4]v, first: %[1]d}", half, min(ringRanks, half),
				z.size/4, z.size),
			fmt.Sprintf("{kind: poisson, sizes: websearch, load: 0.05, duration: %v}",
				50*unit.Microsecond*unit.Time(z.size)/unit.Time(unit.MB)),
		}
	},
	more: []study.Measure{exposure},
}).figure(map[figure.Scale]scale{
	figure.Smoke:  {seeds: 1, servers: 2, size: 256 * unit.KB},
	figure.Laptop: {seeds: 3, servers: 16, size: 4 * unit.MB},
	figure.Paper:  {seeds: 5, servers: 128, size: 64 * unit.MB},
})
