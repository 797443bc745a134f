// Package hpcc is the sender side of HPCC, congestion control from the load of the
// links on the path.
//
//	Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019,
//	Algorithm 1. As PINT (SIGCOMM 2020) §4.3 and §6.1 use it.
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
//	W^c       Sender.reference  what U divides; moves once per round trip
//
// # Where the utilisation comes from
//
// A Gauge gives U for each ACK. INT computes it from the telemetry of every hop,
// lines 1 to 10 of the algorithm; Digest reads it from a PINT digest, where the
// switches have already done so.
//
// # Differences from the HPCC paper
//
//   - The first ACK with feedback, and the first after a change of path, only
//     records: there is nothing to take a difference with.
//   - The window stays within one packet and B·T, U below 1/512 counts as 1/512:
//     with maxStage = 0 every update divides by U, and an idle path would otherwise
//     divide by nothing.
//   - Form Rate is the public simulator's: Algorithm 1 on a rate instead of a
//     window, with an additive rate, the rate within [MinRate, line rate] and the
//     window derived from it. Where the RTT is near T the two agree; a test shows it.
package hpcc
