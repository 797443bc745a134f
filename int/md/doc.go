// Package md is INT-MD of INT 2.1 with the record that HPCC reads, 16 B and 24 B a hop.
//
//	P4.org, "In-band Network Telemetry (INT) Dataplane Specification", version 2.1.
//	draft-miao-tsv-hpcc-info: node, egress interface, queue occupancy, egress time, and the utilisation of the link.
//
// Package inband has the codec. Its format standard counts bytes as PINT §2 does; this package counts as INT 2.1.
//
// # Choices
//
// INT has no counter of the bytes sent. With tx: utilisation the record has INT's own value, and the device decides
// how to measure and in which unit: here the rate since a port last measured it, at least tx_window ago, in steps of
// tx_step. With tx: bytes it has the counter in a domain-specific word, as captures of format standard have it. INT
// leaves the unit of the queue occupancy, which has 24 bits, to the device (queue_unit).
package md
