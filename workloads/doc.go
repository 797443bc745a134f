// Package workloads generates the flows of a simulation: the start, source, destination and size of each.
//
// A Workload is a list of named parts, each a generator on a set of hosts. Flows are ordered by start time,
// then part, then host. A Stream returns them one by one, in memory that does not grow with the number of
// flows. Flows can also be read from and written to flow.txt files and htsim's connection matrices.
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
// Each part draws from random streams named after it. A Poisson part has separate streams for each host:
// gaps, destinations and sizes. So adding a part or a host does not change the draws of the others. (A
// Poisson flow's destination is a uniform draw mapped onto the other hosts, so the same draw can select
// another destination among more hosts.)
//
// # Determinism
//
// Sizes are computed in integers. The gaps between Poisson arrivals and the bounded Pareto sizes use the
// logarithm and exponential functions of internal/numeric, which round every operation explicitly. Equal
// inputs produce equal flows on every machine.
//
// # Differences from the published traffic generator
//
//   - That generator omits the last flow of every host, because it writes a flow only if the host's
//     next one is also in the window; this package includes the last flow.
//   - Its start times are whole nanoseconds; here they are whole picoseconds.
//   - It rounds sizes down. Here they are rounded to the nearest byte, so that the
//     mean of the drawn sizes is the mean of the distribution.
package workloads
