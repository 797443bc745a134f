package ai

import (
	"fmt"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/study"
	"pintlab/netsim/unit"
)

// ringRanks is the number of ranks of an all-reduce: two servers.
const ringRanks = 16

// Allreduce is rings of neighbours: each rank of a server sends to the next rail, so that all messages cross a spine.
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
	check: checkAllreduce,
	more:  []study.Measure{busBandwidth},
}).figure(map[figure.Scale]scale{
	figure.Smoke:  {seeds: 1, servers: 2, size: 256 * unit.KB},
	figure.Laptop: {seeds: 3, servers: 16, size: 16 * unit.MB},
	figure.Paper:  {seeds: 5, servers: 128, size: 64 * unit.MB},
})

// expertRanks is the number of ranks of an all-to-all, if there are as many hosts.
const expertRanks = 128

// Alltoall is all-to-alls in which ranks send to all others at once, as experts are given their tokens.
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
	check: checkAlltoall,
	more:  []study.Measure{busBandwidth},
}).figure(map[figure.Scale]scale{
	figure.Smoke:  {seeds: 1, servers: 2, size: 256 * unit.KB},
	figure.Laptop: {seeds: 3, servers: 16, size: 4 * unit.MB},
	figure.Paper:  {seeds: 5, servers: 128, size: 64 * unit.MB},
})

// Jobs is two training jobs of half of the hosts each, and other traffic beside them: one with tensor, pipeline and
// data parallel groups, one with experts.
var Jobs = (&exchange{
	name: "jobs",
	traffic: func(z scale) string {
		return fmt.Sprintf("two jobs of %d ranks, %s of gradients, web search at 5 %% beside them", z.hosts()/2,
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
	check: checkJobs,
	more:  []study.Measure{exposure},
}).figure(map[figure.Scale]scale{
	figure.Smoke:  {seeds: 1, servers: 2, size: 256 * unit.KB},
	figure.Laptop: {seeds: 3, servers: 16, size: 4 * unit.MB},
	figure.Paper:  {seeds: 5, servers: 128, size: 64 * unit.MB},
})

// pick returns the completion times of a scheme over those of another, one ratio for each network.
func pick(rows []study.Row, scheme, against string, in ...string) (list []study.Row) {
	for _, network := range in {
		list = append(list, study.Pick(rows, network, scheme, against, completion)...)
	}
	return list
}

// every returns the ratios of all controls with a balancer to the same with another one.
func every(rows []study.Row, b, against balancer, in ...string) (list []study.Row) {
	for _, c := range controls {
		list = append(list, pick(rows, c.with(b), c.with(against), in...)...)
	}
	return list
}

// checkAllreduce checks the claims about all-reduces.
func checkAllreduce(rows []study.Row) []figure.Finding {
	var marked []study.Row // of controls beside which REPS has marks of its own
	for _, c := range []control{hpccPINT, hpccCSIG, swift} {
		marked = append(marked, pick(rows, c.with(reps), c.with(spraying), degraded)...)
	}
	return []figure.Finding{
		figure.Lower("spraying is faster than ECMP with every control on a healthy network",
			every(rows, spraying, ecmp, healthy)),
		figure.Similar("with ECMP, HPCC over PINT is similar to HPCC over INT",
			pick(rows, hpccPINT.with(ecmp), hpccINT.with(ecmp), networks...), 0.1),
		figure.Lower("with ECMP, HPCC over CSIG is faster than over INT",
			pick(rows, hpccCSIG.with(ecmp), hpccINT.with(ecmp), networks...)),
		figure.Lower("and so is DCQCN", pick(rows, dcqcn.with(ecmp), hpccINT.with(ecmp), networks...)),
		figure.Similar("sprayed over a healthy network, HPCC takes the same over CSIG as over PINT",
			pick(rows, hpccCSIG.with(spraying), hpccPINT.with(spraying), healthy), 0.02),
		figure.Lower("sprayed, NSCC is faster than HPCC over PINT",
			pick(rows, nscc.with(spraying), hpccPINT.with(spraying), networks...)),
		figure.Lower("with REPS, too", pick(rows, nscc.with(reps), hpccPINT.with(reps), networks...)),
		figure.Lower("with a slow link, REPS is faster than spraying with HPCC and Swift, if switches mark for it",
			marked),
		figure.Higher("REPS on DCQCN's own marks is slower than spraying there",
			pick(rows, dcqcn.with(reps), dcqcn.with(spraying), degraded)),
		figure.Above("with ECMP, switches trim more than a fifth of what RCCC sends",
			study.One(rows, healthy, rccc.with(ecmp), trimmed), 0.2),
	}
}

// checkAlltoall checks the claims about all-to-alls.
func checkAlltoall(rows []study.Row) []figure.Finding {
	var same, marked []study.Row
	for _, c := range []control{hpccCSIG, dcqcn, swift, nscc} {
		same = append(same, pick(rows, c.with(spraying), hpccPINT.with(spraying), healthy)...)
	}
	for _, c := range []control{hpccPINT, hpccCSIG, swift} {
		marked = append(marked, pick(rows, c.with(reps), c.with(spraying), degraded)...)
	}
	return []figure.Finding{
		figure.Similar(
			"sprayed over a healthy network, HPCC over CSIG, DCQCN, Swift and NSCC take the same as HPCC over PINT",
			same, 0.02),
		figure.Lower("with ECMP, HPCC over PINT is faster than over INT",
			pick(rows, hpccPINT.with(ecmp), hpccINT.with(ecmp), networks...)),
		figure.Similar("by no more than the bytes of INT",
			pick(rows, hpccPINT.with(ecmp), hpccINT.with(ecmp), networks...), 0.025),
		figure.Higher("sprayed over a healthy network, RCCC is slower than HPCC over PINT",
			pick(rows, rccc.with(spraying), hpccPINT.with(spraying), healthy)),
		figure.Lower("with a slow link, REPS is faster than spraying with HPCC and Swift, if switches mark for it",
			marked),
		figure.Lower("sprayed there, NSCC is faster than HPCC over PINT",
			pick(rows, nscc.with(spraying), hpccPINT.with(spraying), degraded)),
		figure.Higher("with REPS it is slower", pick(rows, nscc.with(reps), hpccPINT.with(reps), degraded)),
	}
}

// checkJobs checks the claims about jobs.
func checkJobs(rows []study.Row) []figure.Finding {
	fed := append(pick(rows, hpccPINT.with(ecmp), hpccINT.with(ecmp), networks...),
		pick(rows, hpccCSIG.with(ecmp), hpccINT.with(ecmp), networks...)...)
	return []figure.Finding{
		figure.Lower("spraying is faster than ECMP with every control on a healthy network",
			every(rows, spraying, ecmp, healthy)),
		figure.Similar("with ECMP, jobs take the same with HPCC over INT, PINT and CSIG", fed, 0.05),
		figure.Similar("sprayed, jobs take the same with NSCC and with HPCC over PINT, also with a slow link",
			pick(rows, nscc.with(spraying), hpccPINT.with(spraying), networks...), 0.05),
		figure.Lower("with a slow link, REPS is faster than spraying with HPCC over PINT, if switches mark for it",
			pick(rows, hpccPINT.with(reps), hpccPINT.with(spraying), degraded)),
	}
}
