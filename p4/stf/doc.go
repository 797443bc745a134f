// Package stf reads, runs and writes packet tests in the format of p4c's test suite (STF, the .stf
// files next to p4c's sample programs).
//
//	test, err := stf.Read("forward.stf")
//	result, err := test.Run(ctx, pipe)
//
// A test consists of statements, one per line; # begins a comment:
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
// A statement has the meaning that p4c's runner for BMv2 gives it:
//
//   - Names of tables, actions and keys may omit the part before a dot. x$1.f is the key
//     x[1].f, and x.$valid the validity of a header.
//   - Among entries that match, the largest priority wins: priority P is 10000 - P in BMv2.
//   - * stands for any hexadecimal digit or bit. A ternary key matches the digits that are written, and
//     ignores bits before them. An lpm key has the length of the written digits, or the length after a
//     slash. An omitted key matches anything; an omitted exact key matches 0.
//   - Packets of one port must leave in the order of the expectations. An expectation states the beginning of the
//     packet or, with $, the whole packet. An expectation without data fits any packet. Ports that no statement
//     names are not compared.
//
// Packets are compared at the end of the test. Some statements that p4c's runner ignores have an effect
// here: check_counter reads a counter (and expects 0 packets by default), no_packet expects that the last
// packet produced none, and remove all clears the tables. wait has no effect, because nothing here takes
// time.
package stf
