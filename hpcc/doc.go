// Package hpcc implements the sender side of HPCC, a congestion control that reacts to the load of
// the links on the path.
//
//	Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019,
//	Algorithm 1, in the form that PINT (SIGCOMM 2020) uses in §4.3 and §6.1.
//
// # Symbols
//
//	paper     here              meaning
//	η         Config.Eta        target utilisation
//	maxStage  Config.MaxStage   additive steps before a multiplicative one
//	W_AI      Config.WAI        additive increase per update, bytes
//	T         Config.T          base RTT of the network
//	U         Gauge             utilisation of the busiest link on the path
//	W         Sender.value      window (Form Window), or W/T as a rate (Form Rate)
//	W^c       Sender.reference  the value that U divides; moves once per round trip
//
// # Where the utilisation comes from
//
// A Gauge returns U for each ACK. INT computes it from the telemetry of every hop (lines 1 to 10 of
// the algorithm). Digest reads it from a PINT digest, which the switches computed with the same
// formulas.
//
// HPCC++ (draft-miao-tsv-hpcc) also lets the receiver compute the window (computed = receiver). The records of INT-MD
// contain rates instead of counters (rated).
//
// With sprayed packets, a gauge compares records of the same port (records = port), and U may be the median of the
// latest values (feedback = median). No paper describes these two options.
//
// # Differences from the HPCC paper
//
//   - The first ACK with feedback, and the first one after a path change, only starts the
//     measurement, because there is no earlier record.
//   - The window is at least one packet and at most B·T, and U below 1/512 counts as 1/512. The bound on U is needed
//     because with maxStage = 0 every update divides by U, and U is 0 on an idle path.
//   - In Form Rate, as in the published simulator, Algorithm 1 updates a rate instead of a window, and adds a rate. The
//     rate is within [MinRate, line rate], and the window follows from it. If the RTT is near T, the two forms agree; a
//     test checks this.
package hpcc
