// Package transport carries flows over a network: it cuts them into packets, acknowledges them,
// recovers lost ones and paces the flows. A Controller for each flow decides how fast it may send;
// packages reno and hpcc have implementations.
//
// # Loss recovery
//
// A Strategy decides what a flow sends next and detects losses. With a SenderDriven the Stack
// acknowledges data and has the retransmission timer; package recovery has go-back-N, TCP and IRN.
// With a ReceiverDriven the hosts answer packets themselves, and receivers decide when senders
// send. A congestion control that is a Receiving provides it; packages ndp and uet are examples.
//
// # Differences from the RFCs
//
// There is no connection set-up or teardown: a flow starts with its first data
// packet and ends when the sender has the acknowledgement of its last byte.
// Sequence numbers are 64-bit byte offsets and never wrap. The receive window is
// unlimited.
package transport
