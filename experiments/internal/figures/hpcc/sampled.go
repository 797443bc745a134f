package hpcc

import (
	"fmt"
	"strconv"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/study"
)

// sampled returns HPCC over PINT in which one packet in n carries a digest.
func sampled(n int) study.Scheme {
	return study.Scheme{Name: fmt.Sprintf("HPCC, PINT, p = 1/%d", n),
		Set: append([]string{"telemetry.p=" + strconv.FormatFloat(1/float64(n), 'g', -1, 64)}, PINT.Set...)}
}

// joinSlowly is like joinAndLeave, but the time between two changes is 16 times as long, so that the flows can
// converge to fair rates.
var joinSlowly = func() benchmark {
	b := joinAndLeave
	b.name = "four flows join and leave slowly"
	b.set = []string{b.set[0], b.set[1], "workload=[{kind: staircase, senders: 4, receiver: 4, interval: 32ms, " +
		"shared_rate: 22Gbps}]"}
	b.end, b.period = 16*b.end, 10*b.period
	return b
}()

// Sampled shows how less feedback changes HPCC's fairness and stability (PINT §6.1). Four flows join and leave as in
// Fairness. Every packet, one packet in 16, or one packet in 256 carries a digest.
var Sampled = spec{
	name:       "hpcc/sampled",
	schemes:    []study.Scheme{PINT, sampled(256), sampled(16)},
	benchmarks: []benchmark{joinAndLeave, joinSlowly},
	claims:     figure.Kinds[study.Row]{"stable": stable},
}.figure()

// stable makes a finding. The finding holds if the p95 of a scheme's queue is at most one packet longer than the p95
// with digests on all packets.
func stable(c *figure.Claim, rows []study.Row) figure.Finding {
	const packet = 1100 // bytes of a packet: 1000 of payload, and headers
	limit := study.One(rows, joinSlowly.name, PINT.Name, queue95)
	limit.Scheme += ", and a packet"
	limit.Value, limit.Lo, limit.Hi = limit.Value+packet, limit.Lo+packet, limit.Hi+packet
	return figure.Below("", study.One(rows, joinSlowly.name, c.Scheme, queue95), limit, 1)
}
