// Package wire writes and reads the packets of simulations as bytes: what captures contain, and what is read of a
// capture, of pintlab or of a switch.
//
// # Frames
//
//	Ethernet, IPv4, and TCP if the transport of the run is a TCP, else UDP
//	INT 2.1, if the DSCP is INTMark: shim, header and stack (package inband)
//	blocks of telemetry, if the DSCP, or the original DSCP of the INT before, is BlockMark
//	payload: zeros
//	a trailer of zeros behind the IPv4 packet, up to the size that the packet has in the simulation
//
// Addresses are those that ECMP hashes (route.HostIP); MAC addresses are 02:00 and the node number. Node numbers are node IDs
// of INT, port numbers of the network its interfaces. IPv4 identification is the low half of the packet's number in
// its flow, and the TTL 64 minus the switches passed. With UDP the blocks are always there, because their
// header has the sequence number:
//
//	sequence 32 | kind 4 | class 4 | flags 4 | blocks 4 | the blocks (telemetry.Frame.Block)
//
// The kind is a netsim.Kind; the flags are, from the lowest bit, echo of a mark or payload trimmed, last of the flow, sent before,
// and window reduced. Reports of monitors are UDP packets: Telemetry Reports 2.0 of
// INT and PINT to ReportPort, those of LightGuardian and SketchINT as they are to ports of their own (package telemetry). PFC frames are
// IEEE 802.1Qbb.
//
// A frame is longer than its packet where its headers need more than the simulation counts: INT 2.1 has 12 B of header
// where PINT §2 counts 8 B, and blocks have headers.
package wire
