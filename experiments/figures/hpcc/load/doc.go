// Package load is HPCC's large simulation (SIGCOMM 2019, §5.3, Fig. 11 and 12): 320 servers, the flow sizes of
// Facebook's Hadoop at 30 % load with 2 % of 60:1 incast on top, and at 50 % load.
//
// The paper has short flows faster with HPCC than with DCQCN and TIMELY at every size, most at the tail;
// these two better with a window, and no pauses with HPCC. Its abstract says that flow completion times are
// shorter by up to 95 %. So it is here
// (stored/laptop.csv has the rows of the laptop scale): the best case, beside an incast,
// is about the published one; at 50 % load without an incast HPCC gains less, and nobody pauses. At p95
// Swift and PowerTCP lie between HPCC and the schemes with a window for short flows. With NDP the shortest flows
// hardly wait, because queues have eight packets, and those of some packets wait for what was trimmed.
package load

import (
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/comparison"
)

// Figure is the figure.
var Figure = figure.Of[Scale, comparison.Row]{
	Name:   "hpcc/load",
	Title:  "Congestion controls under Hadoop: slowdowns, queues, pauses",
	Source: "HPCC (SIGCOMM 2019) §5.3, Fig. 11 and 12",
	Claim: "Short flows are faster with HPCC than with DCQCN and TIMELY, most at the tail, queues are shorter, and pauses gone; " +
		"a window makes DCQCN and TIMELY better. A byte of PINT serves as well as INT, and long flows gain what it saves.",
	Columns: view,
	Scales: map[figure.Scale]Scale{
		figure.Smoke:  {seeds: 1, buckets: 5, arrivals: 30 * us, schemes: smoke},
		figure.Laptop: {seeds: 3, buckets: 10, arrivals: 500 * us, schemes: all},
		figure.Paper:  {seeds: 5, buckets: 20, arrivals: 50_000 * us, schemes: all},
	},
	Measure: measure,
	Check:   check,
	Compare: compared,
	Tables:  tables,
	Draw:    draw,
	Why: []string{
		"DCQCN, TIMELY and DCTCP have the rules and parameters of the published simulator, on flows and paths that all schemes share; HPCC has maxStage = 0, as the authors' project page says that their simulations had.",
		"Slowdowns are of the flows of the background; the paper's runs are longer, and so are its tails.",
		"The paper's 95 % is its best case over all of its experiments; ours is the best of the size groups of this figure.",
	},
}.Figure()
