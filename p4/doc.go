// Package p4 is the room for switch programs: can a switch compute this, and what do
// the approximations cost?
//
//	src/         the P4_16 programs
//	interp/      runs P4_16 programs for v1model
//	analysis/    derives match-action stages and checks what hardware cannot do
//	fixedpoint/  the bit-exact Go twin of the programs' arithmetic
//
// interp and analysis know nothing of the programs in src: they take any program.
package p4
