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
// # Choices that the RFCs leave open
//
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
// unlimited. There are no selective acknowledgements.
package transport
