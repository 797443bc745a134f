// Package interp loads P4_16 programs and runs packets through them.
//
//	prog, err := interp.Load("p4/src/hpcc_util.p4", interp.Options{})
//	pipe, err := prog.NewPipeline(interp.Config{Seed: 1})
//	err = interp.RunCommands("setup.txt", file, os.Stdout, pipe.Command)
//	outs, err := pipe.Process(0, packet)
//
// # From text to execution
//
// This package implements the architecture, v1model: blocks, externs, and what happens between them. Its folders
// contain the other parts:
//
//	syntax     preprocessor, tokens, syntax tree
//	types      names, types and constants; several errors in one run
//	ir         the program graph: instances with their storage
//	exec       closures over a flat frame; tables, registers, counters
//
// Analyses (package p4/analysis) work on Program.IR, where every expression knows its
// type and storage.
//
// # Source
//
// P4_16 Language Specification, version 1.2.4 (P4.org, 2023), with the loops and compound assignments of 1.2.5.
// Where the specification leaves behaviour to the target, package exec and the sections below define the behaviour.
//
// The architecture is BMv2's simple_switch: a parser, verification of checksums, ingress, egress, update of
// checksums and a deparser, with registers, counters, hashes, clones, resubmission, recirculation and
// multicast. Its sources are p4c's v1model.p4 and "The BMv2 Simple Switch target" (simple_switch.md). The
// declarations in include/ are our own.
//
// # What happens to a packet
//
//  1. Metadata is zero. The parser runs. If it rejects, parser_error holds the reason and the
//     packet continues with the headers extracted so far.
//  2. verify_checksum sets checksum_error. Ingress runs.
//  3. If ingress asked for a clone, the original packet is cloned. Then the packet is
//     resubmitted, or else multicast to mcast_grp, or else dropped if egress_spec is 511, or
//     else sent to egress_spec.
//  4. Egress runs for each copy. packet_length counts the headers that ingress has set valid
//     and invalid. If egress asked for a clone, the packet is cloned as egress left it. Then the
//     packet is dropped if egress_spec is 511. Otherwise update_checksum and the deparser run,
//     and the bytes that were not parsed are appended. Then the packet is recirculated, or
//     truncated and sent.
//
// truncate, in ingress or egress, cuts the packet that is sent. As in simple_switch, it does not cut the copies of
// the packet: clones, replicated, resubmitted and recirculated packets.
//
// Clones, resubmitted and recirculated packets start with zero metadata (ingress_port
// included), except for the fields in the field list of the call.
//
// # What a block can do
//
// The specification allows more than BMv2 does. As p4c does for BMv2, Load reports an error if a program breaks one
// of the following rules. The parser calls no externs except methods of packets, verify, assert, assume and log_msg.
// The two blocks of checksums consist of calls of their functions, and the deparser consists of calls of emit.
// Packets are resubmitted only in ingress and recirculated only in egress, and a clone has the type of the block that
// makes it. The cases of select are constant. All fields of the struct of headers are headers.
//
// # Differences from simple_switch
//
//   - Process has no queues: enq_qdepth and deq_qdepth are zero, no packet is lost, and all timestamps equal the
//     time of SetTime. A caller that has queues uses Arrive and Leave instead.
//   - A packet may have bytes that are not known (SetMissing). These bytes count in packet_length and in counters;
//     checksums and hashes over the payload leave them out.
//   - Meters measure by the time of SetTime. All meters have two rates.
//   - HashAlgorithm.random is a seeded mix of the data, not a new number each time.
//   - A failing assert or assume makes Process return an error.
//   - select without a matching case raises error.NoMatch and rejects (specification 1.2.4,
//     section 13.6); simple_switch ends the parser without an error, because p4c gives it a
//     transition without a default.
//   - packet_length changes between ingress and egress if setValid and setInvalid have changed the headers, as in
//     simple_switch. It does not change otherwise, because the specification leaves standard metadata to the
//     architecture (section 4.1).
//
// # Speed
//
// A pipeline consists of closures over a flat frame of words. It allocates nothing per packet
// (TestProcessAllocatesNothing). BenchmarkPrograms in package p4/validate measures packets that the programs
// forward; docs/large-runs.md has the results.
//
// # Not supported, and reported as errors
//
// Abstract extern methods and instances with a body, list<> types, keys that are
// not single numbers, and architectures other than v1model.
package interp
