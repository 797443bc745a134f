// Package p4 is the room for switch programs: can a switch compute this, and what do
// the approximations cost?
//
//	src/         the P4_16 programs
//	gen/         writes the parts of the programs that are numbers
//	interp/      runs P4_16 programs for v1model
//	stf/         reads, runs and writes p4c's packet tests
//	network/     joins switches by links with queues
//	analysis/    derives match-action stages and checks what hardware cannot do
//	targets/     what a stage of a switch has room for
//	fixedpoint/  the bit-exact Go twin of the programs' arithmetic
//	validate/    compares the programs with their twins and BMv2
//
// interp and analysis know nothing of the programs in src: they take any program.
package p4
