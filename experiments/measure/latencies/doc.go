// Package latencies measures how well PINT's digests tell the latencies of every hop: the
// errors of quantiles (Fig. 9 and Theorem 1 of the PINT paper) and of frequent values
// (Theorem 2), on any stream of latencies.
//
//	Ben Basat et al., "PINT: Probabilistic In-band Network Telemetry", SIGCOMM 2020,
//	section 4.1, section 6.2 and appendix A.1.
//
//	Experiment          quantiles against the number of packets and the size of the sketch
//	FrequentExperiment  values that make up a share of a hop's latencies
//	Synthetic           random queues, a stream without a simulation
package latencies
