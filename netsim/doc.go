// Package netsim simulates a data-centre network packet by packet.
//
// A Network is built from a graph of hosts and switches (package topo) and its routes (package route). Each direction
// of a link is a port of the node that sends on it: a set of queues, one per class, and a transmitter. Switches are
// store-and-forward and output-queued, with a shared memory (package buffer) that drops, marks or pauses. Hosts hand
// packets to a Stack, which package transport implements; whenever a host's link is free, the host asks the stack for
// the next packet. Telemetry systems see packets through a Tap at every switch egress and a Sink at the destination.
//
// # Time and order
//
// Time is in integer picoseconds. A packet that starts transmission at t is at
// the other end at t + size/rate + delay. Events run in the order (time, tie).
// With Ties Seeded the tie is a hash of the seed, the port and a count, so that neither node
// numbers nor the order of scheduling decide which of two simultaneous packets goes first. With
// Ties FIFO the tie is the order of scheduling.
//
// # Cost of a packet
//
// The network is divided into domains: a switch, or the hosts of one switch. Each domain runs for a window of time that
// is as long as the shortest delay between domains (see schedule). A port that becomes idle wakes only if a packet
// waits. So a hop costs one event if the queue was empty, and two otherwise. Nothing is allocated once the slabs have
// grown to the number of packets in flight.
//
// # What is not modelled
//
// Preamble, inter-frame gap and frame check sequence are not on the wire unless
// they are counted in the header bytes. A switch forwards in zero time unless
// Config.Processing specifies otherwise. See docs/trust.md.
package netsim
