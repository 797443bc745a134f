// Package p4 documents the switch programs and their tools: can a switch compute this, and what do
// the approximations cost?
//
//	src/         the P4_16 programs
//	gen/         writes the tables and constants of the programs
//	interp/      runs P4_16 programs for v1model
//	stf/         reads, runs and writes the packet tests of p4c
//	network/     joins switches by links with queues
//	replay/      runs capture files and packet tests, with files of commands
//	analysis/    derives match-action stages and checks what hardware cannot do
//	targets/     limits of the stages of switches
//	fixedpoint/  the bit-exact Go twin of the programs' arithmetic
//	validate/    compares the programs with their twins and BMv2
//
// interp and analysis do not depend on the programs in src: they take any program.
package p4
