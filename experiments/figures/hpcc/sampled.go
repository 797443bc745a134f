package hpcc

import (
	"fmt"
	"strconv"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/comparison"
	"pintlab/experiments/results/stats"
	"pintlab/plots"
)

// sampled makes HPCC over PINT whose digests travel on one packet in n.
func sampled(n int) comparison.Scheme {
	s := comparison.Scheme{Name: fmt.Sprintf("HPCC, PINT, p = 1/%d", n), Set: append([]string{"telemetry.p=" + strconv.FormatFloat(1/float64(n), 'g', -1, 64)}, PINT.Set...)}
	return s
}

// Sampled is what less feedback does to HPCC's fairness and stability (PINT §6.1): four flows join and leave as in Fairness,
// with digests on every packet, on one in 16 and on one in 256.
//
// The PINT paper says that p changes how fast HPCC converges, and neither its stability, which the reference window gives, nor its
// fairness, which additive increase and multiplicative decrease give. It shows no experiment on either.
var Sampled = spec{
	name:       "hpcc/sampled",
	title:      "HPCC's fairness and stability with feedback on few packets",
	source:     "PINT §6.1",
	claim:      "Feedback on one packet in 16 or in 256 makes HPCC slower to converge, and neither unfair nor unstable.",
	footnote:   "5 hosts around a switch, 25 Gb/s, 1 us per link; a flow joins every 2 ms, later one leaves every 2 ms if they share fairly",
	schemes:    []comparison.Scheme{PINT, sampled(256), sampled(16)},
	benchmarks: []benchmark{joinAndLeave},
	check: func(rows finder) (list []figure.Finding) {
		of := rows.of(joinAndLeave.name)
		const window = 25e9 / 8 * 13e-6 // of one round trip, in bytes
		limit := comparison.Row{Scheme: "windows of four flows", Unit: plots.InBytes, Measured: stats.Measured{Value: 4 * window, Lo: 4 * window, Hi: 4 * window}}
		for _, n := range []int{16, 256} {
			s := sampled(n)
			list = append(list,
				figure.Below(fmt.Sprintf("p = 1/%d: the queue stays below the windows of all flows at p95", n), of(s, queue95), limit, 1),
				figure.Above(fmt.Sprintf("p = 1/%d: throughput is above 95 %% of that with every packet", n), of(s, used), 0.95*of(PINT, used).Value))
		}
		list = append(list,
			figure.Above("p = 1/16: the Jain index is above 0.95 on the mean", of(sampled(16), jain), 0.95),
			figure.Below("p = 1/256: the Jain index is lower than with every packet while flows join and leave, because rates converge more slowly", of(sampled(256), jain), of(PINT, jain), 1))
		return list
	},
	why: []string{
		"The PINT paper argues from HPCC's design: the reference window is constant over a round trip whatever p. With p = 1/256 a flow of 25 Gb/s has a digest in some 80 us, so that intervals of 200 us hold two or three updates, and the 2 ms between two joins too few to become fair. What the Jain index comes to in the long run is not measured.",
	},
}.figure()
