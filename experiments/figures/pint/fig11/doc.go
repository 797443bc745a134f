// Package fig11 is Figure 11 of PINT (§6.4): path tracing, latency quantiles and HPCC at
// the same time in 16 bits on each packet, against each of them alone.
//
// The PINT paper runs the path on all packets, latency beside it on 15/16 and HPCC on 1/16
// of them, 8 bits each, and compares with each application alone with 16 bits: the error
// of median latencies grows by 0.7 %, short flows are 6.6 % slower and long ones are not,
// and paths take 0.5 % more packets than with 2×(b=8).
//
// Ours run the combined plan in the simulator, HPCC reading its part of the digests, and
// HPCC alone on the same flows and paths. What path tracing and latency quantiles would
// have been alone is worked out for the very same packets from what the switches saw.
// Beside it: the plan that our engine finds for the same requests, the decoder that knows
// the network on the same digests, and the share of the flows whose path is known before
// they end, also on web search (pintlab pint flows has this for any scenario).
//
// docs/results.md has what the laptop scale gives, made from laptop.csv beside this file.
package fig11

import (
	_ "embed" // for known.csv

	"pintlab/experiments/figures/figure"
)

// Figure is Fig. 11.
var Figure = figure.Of[scale, Row]{
	Name:   "pint/fig11",
	Title:  "Three queries at once",
	Source: "PINT §6.4, Fig. 11",
	Claim: "Three queries in 16 bits perform close to each of them alone: short flows are a little slower, long ones are not; " +
		"median latencies and paths take hardly more.",
	Scales:  scales,
	Measure: measure,
	Check:   check,
	Compare: compared,
	Tables:  tables,
	Draw:    draw,
	Why:     why,
}.Figure()

// fewerBits is why paths take more packets in the combined plan.
var fewerBits = figure.Known(knownText, "bits of the path", fewerBitsWhy)

//go:embed known.csv
var knownText string

const fewerBitsWhy = "The combined plan gives the path 8 bits of a packet, as two hashes of 4 bits, alone it has 16. Half of the bits can only do with 0.5 % more packets if the number of packets is not decided by the bits but by which hops they carry. Even the artifact's decoder, which chooses among the five switches of the true path alone, needs a fifth more; ours chooses among all 56."

var why = []string{
	fewerBitsWhy,
	"Our latencies of a hop are often zero, where most packets find an empty queue; the error of the median is that of the flows that meet queues, spread over all hops.",
}
