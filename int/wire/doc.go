// Package wire writes and reads the packets of simulations as bytes: the contents of captures, and the telemetry in a
// capture of pintlab or of a switch.
//
// # Frames
//
//	Ethernet, IPv4, or IPv6 with IOAM, and TCP if the transport of the run is a TCP, else UDP
//	INT 2.1, if the DSCP is INTMark: shim, header and stack (package inband)
//	blocks of telemetry, if the DSCP, or the original DSCP of the INT before, is BlockMark
//	payload: zeros
//	a trailer of zeros behind the IPv4 packet, up to the size that the packet has in the simulation
//
// Addresses are those that ECMP hashes (route.HostIP); MAC addresses are 02:00 and the node number. INT uses
// node numbers as node IDs, and the network's port numbers as interfaces. The IPv4 identification is the low
// half of the packet's number in its flow; the TTL is 64 minus the switches passed. With UDP the blocks are
// always present, because their header holds the sequence number:
//
//	sequence 32 | kind 4 | class 4 | flags 4 | blocks 4 | the blocks (telemetry.Frame.Block)
//
// The kind is a netsim.Kind. The flags are, from the lowest bit: echo of a mark or payload trimmed, last of the
// flow, sent before, and window reduced. Reports of monitors are UDP packets: INT and PINT send Telemetry
// Reports 2.0 to ReportPort; LightGuardian and SketchINT send their own formats to their own ports (package
// telemetry). PFC frames are IEEE 802.1Qbb.
//
// A frame is longer than its packet if its headers need more than the simulation counts: INT 2.1 has 12 B of header
// where PINT §2 counts 8 B, and blocks have headers.
package wire
