// Package pint measures how much PINT's digests reveal, on random paths and streams and in simulated networks.
//
//	Ben Basat et al., "PINT: Probabilistic In-band Network Telemetry", SIGCOMM 2020.
//
//	decode     packets of a coding scheme until the values of a path are known (Fig. 5, Theorem 3, A.3)
//	paths      the same on the shortest paths of a network, with PINT, its peers and the decoder that
//	           knows the network (Fig. 10); packets can be lost or late, and AskTuned looks for the best
//	           encoding
//	latencies  errors of latency quantiles (Fig. 9, Theorem 1) and of frequent codes (Theorem 2), on any
//	           stream of latencies
//	follow     Follow holds several plans of queries to the truth in a simulation (Fig. 11)
//	congestion HPCC fed by INT or PINT in the setting of §6.1 (Figs. 7 and 8), which other figures share
//	routes     changes of a flow's path; loops: packets that go round
//
// A question that the program answers is a struct with flags, whose method Ask returns an answer with the columns and
// the JSON of its rows.
package pint
