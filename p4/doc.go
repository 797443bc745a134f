// Package p4 holds switch programs, P4_16 for v1model with comments on what would change on TNA,
// and their parameters. It and its folders answer: can a switch compute this, and what do the
// approximations cost?
//
//	src/         the programs; Go writes their tables and constants (generate_test.go)
//	interp/      runs P4_16 programs for v1model
//	replay/      runs capture files and packet tests, through a program or a network of switches
//	analysis/    derives match-action stages and checks what hardware cannot do
//	fixedpoint/  the bit-exact Go twin of the programs' arithmetic
//	validate/    compares the programs with their twins and BMv2
//
// interp and analysis do not depend on the programs in src: they take any program.
package p4
