// Package transport carries flows over a network: it cuts flows into packets, acknowledges packets,
// retransmits lost packets and paces the flows. A Controller for each flow decides how fast the
// flow may send. Packages reno and hpcc contain implementations.
//
// # Loss recovery
//
// A Strategy decides what a flow sends next and detects losses. With a SenderDriven the Stack
// acknowledges data and runs the retransmission timer. Package recovery implements go-back-N, TCP
// and IRN. With a ReceiverDriven the hosts answer packets themselves, and receivers decide when
// senders send. A ReceiverDriven comes with a congestion control that is a Receiving, such as
// packages ndp and uet.
//
// # Differences from the RFCs
//
// There is no connection set-up or teardown: a flow starts with its first data
// packet and ends when the sender has the acknowledgement of its last byte.
// Sequence numbers are 64-bit byte offsets and never wrap. The receive window is
// unlimited.
package transport
