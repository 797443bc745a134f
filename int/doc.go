// Package inband is in-band network telemetry (INT). It is not called int like its folder, because
// importing it would hide Go's type int. Import it by name: inband "pintlab/int".
//
// # Parts
//
//	params.go          INT that feeds a congestion control: keys, bytes on the wire
//	encoding.go        a format with a record per hop: its fields and its bytes
//	queues.go          records of a queue in place of its port
//	stamp.go           what a switch writes
//	monitor.go         INT that ends at a collector, as passports or postcards
//	quantize.go        the per-hop fields that HPCC reads, exact or in few bits
//	codec.go           INT 2.1: instructions and the mark that announces INT
//	codec_header.go    its shim and its metadata header
//	codec_metadata.go  what one hop writes
//	codec_message.go   shim, header and stack together
//	codec_packet.go    where INT lies in an IP packet, and checksums
//	codec_node.go      source, transit hop and sink
//	codec_report.go    Telemetry Report 2.0
//	visible.go         how INT of a simulation looks in captures
//
// Simulations count bytes by Params.Format and carry Hop values. The codec is for captures and for
// packets that leave the simulator.
//
// # Sources
//
//	Ben Basat et al., "PINT: Probabilistic In-band Network Telemetry",
//	SIGCOMM 2020, §2: header sizes, serialisation cost, goodput model.
//	Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019: its own
//	header; field widths and units as in the authors' public simulator.
//	P4.org Applications Working Group, "In-band Network Telemetry (INT) Dataplane
//	Specification", version 2.1: INT-MD over TCP and UDP.
//
// # INT 2.1: what is here, and where the specification leaves a choice
//
//   - INT-MD over TCP and UDP, IPv4 and IPv6 (without extension headers), marked by
//     DSCP, by UDP port or by an outer UDP header. Not here: probe markers, GRE,
//     VXLAN and Geneve; the contents of MX and destination headers, which transit
//     hops leave alone.
//   - INT follows TCP's options.
//   - A hop writes all ones for a reserved instruction or a domain that it does not know. The
//     specification also allows the hop to add nothing.
//   - A hop that would push the shim's 8-bit length over 255 words writes nothing and sets no flag,
//     because the specification has no flag for this case. Source.Validate refuses hop counts that
//     can reach it.
//   - Checksums are updated incrementally. A node with Neutral set puts the change into the
//     checksum complement instead.
//   - The words that only the source writes lie in its hop, before the checksum complement.
package inband
