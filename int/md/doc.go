// Package md is INT-MD of INT 2.1 with the record that HPCC reads, 16 B and 24 B a hop.
//
//	P4.org, "In-band Network Telemetry (INT) Dataplane Specification", version 2.1.
//	draft-miao-tsv-hpcc-info: node, egress interface, queue occupancy, egress time, and the utilisation of the link.
//
// Package inband contains the codec. In its format standard, sizes follow PINT §2; in this package, they follow INT
// 2.1.
//
// # Choices
//
// INT has no counter of the bytes sent. With tx: utilisation, the record contains the utilisation that INT defines. The
// device decides how to measure it and in which unit. Here it is the rate since the last measurement of the port, at
// least tx_window ago, in steps of tx_step. With tx: bytes, the record contains the counter in a domain-specific word,
// as in captures of format standard. INT leaves the unit of the queue occupancy, which has 24 bits, to the device
// (queue_unit).
package md
