package hpcc

import (
	"fmt"
	"strconv"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/study"
)

// sampled makes HPCC over PINT whose digests travel on one packet in n.
func sampled(n int) study.Scheme {
	s := study.Scheme{Name: fmt.Sprintf("HPCC, PINT, p = 1/%d", n),
		Set: append([]string{"telemetry.p=" + strconv.FormatFloat(1/float64(n), 'g', -1, 64)}, PINT.Set...)}
	return s
}

// joinSlowly is joinAndLeave with 16 times as long between two changes, so that it tells how fair flows become.
var joinSlowly = func() benchmark {
	b := joinAndLeave
	b.name = "four flows join and leave slowly"
	b.set = []string{b.set[0], b.set[1], "workload=[{kind: staircase, senders: 4, receiver: 4, interval: 32ms, " +
		"shared_rate: 22Gbps}]"}
	b.end, b.period = 16*b.end, 10*b.period
	return b
}()

// Sampled shows what less feedback does to HPCC's fairness and stability (PINT §6.1): four flows join and leave as in
// Fairness, with digests on every packet, on one in 16 and on one in 256.
//
// The PINT paper says that p changes how fast HPCC converges, and neither its stability, which the reference window
// gives, nor its fairness, which additive increase and multiplicative decrease give. It shows no experiment on either.
var Sampled = spec{
	name:       "hpcc/sampled",
	schemes:    []study.Scheme{PINT, sampled(256), sampled(16)},
	benchmarks: []benchmark{joinAndLeave, joinSlowly},
	check: func(rows finder) (list []figure.Finding) {
		fast, slow := rows.of(joinAndLeave.name), rows.of(joinSlowly.name)
		const packet = 1100 // bytes: 1000 of payload, and headers
		limit := slow(PINT, queue95)
		limit.Scheme += ", and a packet"
		limit.Value, limit.Lo, limit.Hi = limit.Value+packet, limit.Lo+packet, limit.Hi+packet
		for _, n := range []int{16, 256} {
			s := sampled(n)
			list = append(list,
				figure.Above(fmt.Sprintf("p = 1/%d is fair: the mean Jain index is above 0.95 if flows join slowly", n),
					slow(s, jain), 0.95),
				figure.Below(fmt.Sprintf("p = 1/%d is stable: the queue is at most a packet longer than with every "+
					"packet at p95, if flows join slowly", n), slow(s, queue95), limit, 1),
				figure.Above(fmt.Sprintf("p = 1/%d: throughput is above 95 %% of that with every packet", n),
					fast(s, used), 0.95*fast(PINT, used).Value))
		}
		return append(list,
			figure.Below("p = 1/256 converges more slowly: the Jain index is lower than with every packet if "+
				"flows join every 2 ms", fast(sampled(256), jain), fast(PINT, jain), 1))
	},
}.figure()
