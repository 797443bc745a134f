// Package telemetry contains figures that no paper has published. They compare the costs and the answers of telemetry
// systems on the same packets. The rows of a figure are in the folder that has the figure's name.
//
// A judge observes a run. It counts the telemetry on data packets and the reports to collectors (costs). The first
// part of the run is the window. For the window, the judge records the truth: the packets of every flow at every
// switch, and their latency. Systems may use the remaining time of the run to collect their data about the window. At
// the end, the judge asks the system (answers). A system has methods for the questions that it can answer
// (telemetry.Answerer). Other answers are NaN.
//
// # Questions
//
//   - Latency of a flow at a switch: the mean over the flow's packets. A latency is the time in the queue plus 500 ns
//     of pipeline. The error is |reported − true| / true. Told is the share of the pairs of flow and switch for which
//     the system reports a latency.
//   - Path: the number of packets of a flow after which the system knows the path, and the share of the flows whose
//     path it knows.
//   - Size of a flow in packets: the average relative error over the flows whose size the system reports. A further
//     question is which flows have at least Heavy packets (F1).
//   - Distribution of the latencies of all packets at a switch: the error is |log2(reported / true)|, as a mean over
//     the percentiles 5, 10, … 95 and over the switches. The fridges paper (§5) has the same error, but not as a
//     mean. A fridge measures round trips, so its answer is compared with true round trips.
//   - Worst hop, for systems that name a single hop of a path: the share of the named hops that do not have the
//     largest mean latency of their flow.
//   - Lag: the time from the first packet of a flow at a switch until the system can report the latency there, as a
//     median over the reported latencies.
package telemetry
