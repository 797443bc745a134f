// Package transport carries flows over a network: it cuts them into packets,
// acknowledges, recovers what was lost and paces what is sent. How fast a flow may
// send is decided by a Controller, one for each flow; packages reno and hpcc have
// implementations.
//
// # Loss recovery
//
// A Strategy decides what a flow sends next and finds losses. With a SenderDriven the Stack acknowledges
// data and has the retransmission timer; package recovery has go-back-N, TCP and IRN. With a ReceiverDriven
// the hosts answer packets themselves and say when senders send; a congestion control that is a
// Receiving brings it, and package ndp is the first.
//
// # Differences from the RFCs
//
// There is no connection set-up or teardown: a flow starts with its first data
// packet and ends when the sender has the acknowledgement of its last byte.
// Sequence numbers are 64-bit byte offsets and never wrap. The receive window is
// unlimited.
package transport
