// Package workloads says which flows a simulation carries: when each one starts,
// from where to where it goes and how long it is.
//
// A Workload is a list of named parts, each a generator on a set of hosts. Its
// flows come out in one order (start time, then part, then host), either one by
// one from a Stream, whose memory does not grow with the number of flows, or all
// at once from Generate. Both give the same flows. Flows can also be read from
// and written to the field's flow.txt and htsim's connection matrices.
//
// # Sources
//
//   - Flow sizes: the web-search and Hadoop distributions of cdf/SOURCES.md.
//   - Load: PINT (SIGCOMM 2020), section 6.1: payload bits, without any header,
//     over the rate of the host's link; Poisson arrivals on every server, each flow
//     to a random other server.
//   - Destination port 100 for ordinary flows and 200 for incast, source ports that
//     count up from 10000 for each pair of hosts: the published HPCC simulator.
//
// # Randomness
//
// Every part draws from streams named after it, and a Poisson part from streams of
// its own for each host: gaps, destinations and sizes. Adding a part or a host
// therefore never shifts the draws of another. (A Poisson flow's destination is a
// uniform draw mapped onto the other hosts, so a larger set of hosts maps the same
// draw elsewhere.)
//
// # Determinism
//
// Sizes come from integer arithmetic; the gaps between Poisson arrivals and the
// bounded Pareto sizes from the logarithm and exponential functions of
// internal/numeric, which round every operation explicitly. Equal inputs give equal flows on every
// machine.
//
// # Differences from the published traffic generator
//
//   - That generator leaves out the last flow of every host (it writes a flow only
//     if the host's next one is in the window, too); here it is in.
//   - It has whole nanoseconds, here instants are whole picoseconds.
//   - It rounds sizes down, here they are rounded to the nearest byte, so that the
//     mean of the drawn sizes is the mean of the distribution.
package workloads
