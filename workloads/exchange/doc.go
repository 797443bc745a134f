// Package exchange generates and reads traces of requests and responses, whose delays fridges measure.
//
// Two generated traces follow Zheng, Chen, Braverman, Rexford, "Unbiased Delay Measurement in the Data Plane", APOCS
// 2022, section 5.
//
// Every trace is a Source. It returns one event after the other and stores only the responses that are still to come.
//
//   - Synthetic is the synthetic trace of §5 and §5.2.
//   - ISP reproduces the statistics that §5 reports of its real trace, which is not public.
//   - Config describes any generated trace.
//   - Match finds requests and responses among packets: TCP data and their
//     acknowledgements, TCP handshakes, DNS and NTP queries and their answers, beginnings and ends of TCP connections.
//   - Only omits the packets of other flows, so that the delays of a subset can be measured (§2.3).
//   - Connections generates packets of TCP connections, with known delays of each kind.
//   - Once omits requests that were sent more than once.
//   - Truth measures the delays of all pairs, with memory for all of them.
//
// # What the source leaves open
//
//   - Delays of the synthetic trace are "log-uniform between (0, T) ms". A log-uniform
//     distribution needs a lower end above 0: ours is 2^(u·log2 T) ms, from 1 ms.
//   - The real trace has 61 % requests, 13 % of which are answered; so four of five of
//     its responses answer no request. Ours have separate identifiers. Requests
//     and these responses arrive as Poisson processes. Delays are log-normal with a
//     mean of 57.8 ms and a 99th percentile of 2^9 ms (Fig. 2 calls that "close to the
//     99 %-percentile delay"): σ = 1.302. In the real trace, packets of one flow arrive
//     in bursts and have similar delays; in ours requests are independent.
//   - After its last request, a trace continues until all responses have come.
//
// Equal configurations produce equal events on every machine.
package exchange
