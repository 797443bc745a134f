// Package fig9 is Figure 9 of PINT (§6.2): the error of latency quantiles that are
// estimated from digests.
//
// The PINT paper reports the relative error of the median and the tail with 4 and 8 bits,
// with a KLL sketch per hop and without, on web search and Hadoop: against the number of
// packets with a sketch of 100 digests (row 1) and against the size of the sketch after
// 500 packets (row 2). It prints no numbers; we show ours with the bound of Theorem 1 on
// their rank error.
//
// Beside the figure: which codes are frequent at a hop, with Space-Saving, held against
// Theorem 2 (row 3 of rows.csv).
//
// The latencies are those of every packet at every hop of our own runs: the fat tree of
// 320 servers at 50 % load, HPCC over PINT. A latency is the time from the arrival of a
// packet until it leaves the queue; those below the smallest code, 1 ns, count as 1 ns.
//
// docs/results.md has what the laptop scale gives, made from laptop.csv beside this file.
package fig9

import "pintlab/experiments/figures/figure"

// Figure is Fig. 9.
var Figure = figure.Of[scale, Row]{
	Name:   "pint/fig9",
	Title:  "Error of latency quantiles",
	Source: "PINT §6.2, Fig. 9",
	Claim: "With enough packets the error of the median and the tail settles near that of the code; " +
		"a sketch of 100 digests per hop costs only a little accuracy.",
	Scales:  scales,
	Measure: measure,
	Check:   check,
	Tables:  tables,
	Draw:    draw,
	Why:     why,
}.Figure()

var why = []string{
	"The PINT paper does not say which latencies its codes cover. Ours run from 1 ns to 60 us, which makes ε = 0.44 with 4 bits and 0.022 with 8.",
	"HPCC keeps queues short: at most hops most packets wait for nothing. A sample that happens to hold more of a burst than its share is then off by a factor of hundreds, 1 us against 1 ns, and few such hops lead the mean of the relative errors: hence the wide bars. The rank error beside it, which Theorem 1 bounds, is small throughout.",
}
