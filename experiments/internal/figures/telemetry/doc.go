// Package telemetry has the figures that no paper has: the costs and the answers of telemetry systems on the same
// packets. The rows of each figure are in the folder with its name.
//
// A judge watches a run. It counts what data packets carry and what collectors get (costs), and keeps the truth of the
// first part of the run, its window: of every flow at every switch the packets and their latency. Systems may use the
// rest of the run to collect what they know about the window. At the end the judge asks the system (answers), which has
// methods for those questions that it can answer (telemetry.Answerer); the others stay NaN.
//
// # Questions
//
//   - Latency of a flow at a switch: the mean over its packets, queue and 500 ns of pipeline. The
//     error is |said − true| / true; Told is of how many of the pairs of flow and switch a system says
//     anything.
//   - Path: after how many packets of a flow a system knows it, and of which share of the flows.
//   - Size of a flow in packets: the average relative error over the flows that a system answers
//     for; and which flows have Heavy packets or more (F1).
//   - Distribution of the latency of all packets at a switch: |log2(said / true)|, the mean over the
//     percentiles 5, 10, … 95 and over the switches. This is the error of the Fridge paper (§5), as a
//     mean. The fridge measures round trips, so its answer is compared with true round trips.
//   - Worst hop: for a system that names one hop of a path, the share of the flows with a hop other than the one
//     with the largest mean latency.
//   - Lag: the time from the first packet of a flow at a switch to when the system can say something of
//     it, the median over what it says.
package telemetry
