package hpcc

import (
	"fmt"
	"strconv"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/study"
)

// sampled makes HPCC over PINT whose digests travel on one packet in n.
func sampled(n int) study.Scheme {
	s := study.Scheme{Name: fmt.Sprintf("HPCC, PINT, p = 1/%d", n),
		Set: append([]string{"telemetry.p=" + strconv.FormatFloat(1/float64(n), 'g', -1, 64)}, PINT.Set...)}
	return s
}

// joinSlowly is joinAndLeave with 16 times as long between two changes, which shows how fair flows become.
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
var Sampled = spec{
	name:       "hpcc/sampled",
	schemes:    []study.Scheme{PINT, sampled(256), sampled(16)},
	benchmarks: []benchmark{joinAndLeave, joinSlowly},
	claims:     figure.Kinds[study.Row]{"stable": stable},
}.figure()

// stable holds if the queue of a scheme is at most a packet longer than with digests on all packets.
func stable(c *figure.Claim, rows []study.Row) figure.Finding {
	const packet = 1100 // bytes: 1000 of payload, and headers
	limit := study.One(rows, joinSlowly.name, PINT.Name, queue95)
	limit.Scheme += ", and a packet"
	limit.Value, limit.Lo, limit.Hi = limit.Value+packet, limit.Lo+packet, limit.Hi+packet
	return figure.Below("", study.One(rows, joinSlowly.name, c.Scheme, queue95), limit, 1)
}
