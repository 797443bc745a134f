// Package stf reads, runs and writes packet tests in the format of p4c's test suite (STF, the files
// beside p4c's sample programs that end in .stf).
//
//	test, err := stf.Read("forward.stf")
//	result, err := test.Run(ctx, pipe)
//
// A test is statements, one a line; # begins a comment:
//
//	add route 10 ipv4.dst:0x0a01**** to_port(port:2)   # entry of a table, with a priority
//	setdefault route drop()
//	mirroring_add 5 3                                  # and other commands of simple_switch_CLI
//	packet 0 0a010203 ff                               # arrives on port 0
//	expect 2 0a01020* ff $                             # leaves by port 2
//	check_counter hits(0) packets == 1
//
// # What a statement means
//
// It is what p4c's runner for BMv2 makes of it:
//
//   - Names of tables, actions and keys may leave out what stands in front of a dot. x$1.f is the key
//     x[1].f, and x.$valid the validity of a header.
//   - Of entries that match, the one with the largest priority wins: priority P is 10000 - P in BMv2.
//   - * stands for any hexadecimal digit or bit. A ternary key matches the digits that are written, and
//     ignores bits in front of them; an lpm key has the length of the written digits, or that behind a
//     slash. A key that is left out matches anything, an exact one 0.
//   - Packets of one port leave in the order of the expectations. An expectation is the beginning of the
//     packet; with $ it is the whole packet, without data any packet. Ports that no statement names are
//     not compared.
//
// Packets are compared when the test is over. What p4c's runner reads and ignores has an effect here:
// check_counter reads a counter (0 packets, if it says no more), no_packet says that the last packet
// has made none, and remove all clears the tables. wait has none, because nothing here takes time.
package stf
