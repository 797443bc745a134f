// Package recovery is loss recovery of RDMA and of TCP, with links that lose packets at random and
// without: go-back-N and the selective repeat of IRN (SIGCOMM 2018), each with and without pause frames,
// and Reno and CUBIC with cumulative acknowledgements, SACK (RFC 6675), RACK-TLP (RFC 8985) and ECN
// (RFC 3168).
//
// The order of the RDMA schemes is that of IRN §4: IRN without PFC is better than RoCE, which is
// go-back-N, with PFC; IRN does not need PFC, and RoCE does. RFC 8985 §1 says what RACK-TLP is for:
// losses at the end of a flow, which leave too few duplicates, are repaired without a timeout.
//
// The network is IRN's in small: a fat tree with links of 40 Gb/s and 2 us and 240 KB of memory for
// each port of a switch, but of 16 hosts and not 54, at 60 % load and not 70 %. RDMA has no congestion
// control here, as in IRN's first three figures; IRN has its BDP-FC. Sizes are Facebook's Hadoop.
package recovery

import "pintlab/experiments/figures/figure"

// Figure is the comparison.
var Figure = figure.Of[Scale, Row]{
	Name:   "cc/recovery",
	Title:  "Loss recovery of RDMA and TCP",
	Source: "IRN (SIGCOMM 2018) §4, RFC 6675, RFC 8985 and RFC 3168, in a setting of ours",
	Claim: "Selective repeat without pause frames is faster than go-back-N with them, which needs them; and it stands losses of 1 %. " +
		"TCP repairs losses sooner with SACK, and those at the end of a flow without a timeout with RACK-TLP; with ECN it drops less and is faster.",
	Scales:  scales,
	Measure: measure,
	Check:   check,
	Tables:  tables,
	Draw:    draw,
	Why: []string{
		"IRN's abstract: IRN without PFC is better than RoCE with PFC by 6 to 83 %, over all its workloads and controls. Here one workload without congestion control is run, and go-back-N without PFC is worse than in the paper, because nothing but the link limits what a sender repeats; at most one NACK for a gap goes back in 500 us.",
		"The loss rate is that of a link in one direction; most paths have six links each way.",
	},
}.Figure()
