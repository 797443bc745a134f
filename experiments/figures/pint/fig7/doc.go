// Package fig7 is Figure 7 of PINT (§6.1): HPCC fed by INT against HPCC fed by PINT.
//
// The document: flows above 10 MB have more goodput with PINT, 71 % more at 70 %
// load; slowdowns are similar, better on long flows and slightly worse on short ones.
//
// Here, at laptop scale (3 seeds; arrivals for 4 ms of web search and 2 ms of Hadoop):
// flows above 10 MB gain 5.6, 6.8 and 7.9 % at 30, 50 and 70 % load over HPCC's own
// 42 B, and 9.4, 11.1 and 12.5 % over standard INT; the longest tenth of the flows is
// 7.4 % (web search) and 6.7 % (Hadoop) faster at the 95th percentile, no group of
// sizes is significantly slower. At 70 % load the gain in goodput grows with the length of the runs and has not settled in the longest that we
// have made: 5.5, 7.2, 7.9, 11.3, 15.2 and 20.3 % with arrivals for 1, 2, 4, 8, 16
// and 32 ms (web search, seed 1, HPCC's own 42 B against 1 B); over standard INT
// (68 B) it is 8.7, 11.1, 12.7, 17.7 and 24.4 % up to 16 ms. Residual capacity of a
// server link, ACKs included, predicts 27.5 and 60.9 %. The document does not say how
// long its runs are; the published scripts have arrivals for 200 ms, which is the paper
// scale of this figure. As a whole that scale has not been run; one seed of it at 50 %
// load gains 16.8 % in goodput and 15.0 % in mean completion time.
//
// Short flows are not slower with PINT in ours (pintlab compare, 5 seeds: p95 slowdown
// up to 150 KB -3.6 % on web search and -1.4 % on Hadoop, both significant), nor are
// they in the records of the published simulator (-0.3 % and -1.8 %, one run each; up
// to 30 KB +1.1 % and +0.5 %). The gain is that of the bytes: with a digest as long as
// INT's header (telemetry.wire_bytes=42B) PINT is within -0.0 ± 0.7 % of INT there and
// within -0.3 ± 0.9 % in mean completion time.
package fig7

import "pintlab/experiments/figures/figure"

// Figure is Fig. 7.
var Figure = figure.Of[scale, Row]{
	Name:   "pint/fig7",
	Title:  "HPCC over PINT against HPCC over INT",
	Source: "PINT §6.1, Fig. 7",
	Claim: "Flows above 10 MB have more goodput with PINT, the more so the higher the load; " +
		"slowdowns are similar for all sizes, better on long flows and slightly worse on short ones.",
	Scales:  scales,
	Measure: measure,
	Check:   check,
	Compare: compared,
	Tables:  tables,
	Draw:    draw,
	Why:     why,
}.Figure()

// shortFlows is what is known of the document's remark on short flows, which does
// not show in our runs.
const shortFlows = "the document sees short flows slightly slower with PINT; in our runs they are not, nor in the records of the published simulator above 30 KB. With a digest of INT's 42 B on the wire PINT equals INT within 1 %: what it gains is the bytes"

var why = []string{
	"The gain in goodput at 70 % load grows with the length of the runs: 5.5, 7.2, 7.9, 11.3, 15.2 and 20.3 % with arrivals for 1, 2, 4, 8, 16 and 32 ms (web search, seed 1). The document does not say how long its runs are; the published scripts have arrivals for 200 ms, as --scale paper has.",
	"Over standard INT (68 B) the same runs gain 8.7, 11.1, 12.7, 17.7 and 24.4 % with arrivals for 1 to 16 ms. The residual capacity of a server link, with the ACKs that echo the telemetry, predicts 27.5 % over HPCC's format and 60.9 % over standard INT; without the ACKs it is less.",
}
