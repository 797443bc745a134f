// Package transport carries flows over a network: it cuts them into packets,
// acknowledges, recovers what was lost and paces what is sent. How fast a flow may
// send is decided by a Controller, one for each flow; packages reno and hpcc have
// implementations.
//
// # Loss recovery
//
// GoBackN is the transport of RDMA over Ethernet as the HPCC simulator has it:
// the receiver keeps nothing that is out of order and reports a gap with a NACK;
// the sender goes back to the first byte that is missing. A retransmission timer,
// which that simulator lacks, makes sure that a lost tail is noticed.
//
// NewReno is TCP: RFC 5681 (fast retransmit, fast recovery, limited transmit by
// RFC 3042), RFC 6582 (partial acknowledgements) and RFC 6298 (retransmission
// timer), with timestamps (RFC 7323) so that every acknowledgement of new data
// gives a round-trip sample. Reno and Tahoe are its ancestors, for comparison.
//
// SACK is TCP with selective acknowledgements: RFC 2018 (the receiver says what has come
// beyond a gap, in up to three blocks whose bytes are on the wire), RFC 2883 (and what came
// twice), and the loss recovery of RFC 6675. RACK has the same ACKs and finds losses by time:
// RACK-TLP, RFC 8985, with tail loss probes and a reordering window that adapts.
//
// IRN is selective repeat for RDMA: Mittal et al., "Revisiting Network Support for RDMA",
// SIGCOMM 2018, §3. The receiver keeps what comes out of order and answers it with a NACK
// that names it beside the first byte that is missing; the sender repeats what later packets
// have overtaken, bounds what is out by the bandwidth-delay product (BDP-FC), and has a low
// timeout for when few packets are out. It needs no lossless network.
//
// NDP is receiver-driven: Handley et al., "Re-architecting datacenter networks and stacks for
// low latency and high performance", SIGCOMM 2017. A flow sends a first window; for each packet
// that comes, whole or trimmed by a switch, the receiver sends an ACK or NACK at once and, in its
// turn among all flows that it receives, a PULL for another one. Package ndp says more.
//
// # Choices that the RFCs leave open
//
//   - RFC 6675: an ACK that ends a recovery and says that more is lost begins the next one
//     at once. After a timeout the sender keeps what it knows (receivers do not renege) and
//     fills the gaps in slow start; a new recovery begins when what was out is acknowledged.
//     "More than DupThresh-1 segments" (IsLost) is counted in segments.
//   - RFC 8985: min_RTT is over the whole flow. TLP.max_ack_delay is Config.DelayedAck. The
//     lost segment that begins a recovery goes whatever the window; proportional rate
//     reduction (RFC 6937) is not used. Receivers send DSACKs, so that the rule for those
//     that do not (§7.4.2) is left out.
//   - IRN: losses of what was repeated are found by the timer, which does not back off.
//     Config.DupThreshold, 1 in the paper, is how many NACKs begin a recovery, for networks
//     that reorder.
//   - Every partial acknowledgement restarts the retransmission timer (the
//     slow-but-steady variant of RFC 6582 §4).
//   - Limited transmit sends data that has not been sent before only, and what it has
//     sent does not count as in flight when the window is halved (RFC 5681 §3.2 step 2).
//   - Reno has no memory of what was out when it found a loss: an acknowledgement of
//     new data ends its recovery, and three more duplicates mean another loss.
//   - An acknowledgement for several packets gives the round-trip time of the last of
//     them, and one sent by the receiver's timer gives none.
//
// # Differences from the RFCs
//
// There is no connection set-up or teardown: a flow starts with its first data
// packet and ends when the sender has the acknowledgement of its last byte.
// Sequence numbers are 64-bit byte offsets and never wrap. The receive window is
// unlimited.
package transport
